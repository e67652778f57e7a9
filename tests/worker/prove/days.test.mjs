/**
 * `npm run prove days` with a hundredth of its days: what is kept is answered as the model has it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { drawDays, proveDays, renderDays, wrongInDays } from '../../prove/days.mjs';

test('four days: every window, and past periods, as the model has them', async (t) => {
  const found = await proveDays({ days: 4, instants: 5 });
  t.diagnostic(renderDays(found));
  assert.ok(found.checks >= 5 * 9, String(found.checks));
  assert.match(drawDays(found), /^<svg .*<polyline/s);
});

test('memory that grows is found', () => {
  const samples = Array.from({ length: 40 }, (_, i) => ({ day: 10 * i, lasting: i, rest: 1000, keys: 9 }));
  const found = { days: 400, clicks: 0, checks: 0, samples, seconds: 0 };
  assert.deepEqual(wrongInDays(found), []);
  const grown = samples.map((sample) => ({ ...sample, rest: 1000 + sample.day }));
  assert.equal(wrongInDays({ ...found, samples: grown }).length, 1);
});
