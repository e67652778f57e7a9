/** The golden vectors are what their generator finds with this runtime's time zones. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { FILE, generate } from './generate.mjs';

test('periods.json is what generate.mjs writes', () => {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  const generated = generate().split('\n');
  for (const [i, line] of generated.entries()) assert.equal(lines[i], line, `line ${i + 1}`);
  assert.equal(lines.length, generated.length);
});
