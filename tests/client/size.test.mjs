/** What a page loads that reads rankings: bundlers leave out what writes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { inProject } from '../../scripts/project.mjs';

const PAGE = readFileSync(inProject('docs/client.md'), 'utf8');
const READER = "export { createReader } from '@edgeboard/client'";
/** @type {[imports: string, maxBytes: number][]} */
const ENTRIES = [
  [READER, 2000],
  [`${READER}; export { live } from '@edgeboard/client/live'`, 3000],
  ["export { createClient } from '@edgeboard/client'", 5000],
];

for (const [contents, maxBytes] of ENTRIES) {
  test(`${contents} is under ${maxBytes} bytes, minified and gzipped`, async (t) => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: inProject('packages/client') },
      bundle: true,
      format: 'esm',
      minify: true,
      write: false,
    });
    const [{ text }] = outputFiles;
    const { length } = gzipSync(text, { level: 9 });
    t.diagnostic(`${length} bytes`);
    if (contents === READER)
      assert.ok(PAGE.includes(`Reading alone takes ${(length / 1000).toFixed(1)} KB`), 'docs/client.md says how much');
    assert.ok(length < maxBytes, `${length} bytes`);
    assert.equal(text.includes('/events'), contents.includes('createClient'), 'only a client sends');
  });
}
