import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

/** Bytes that a page loads, minified and gzipped. */
const MODULES = { 'beacon.js': 1800, 'board.js': 4500, 'board-texts.js': 1000 };

for (const [name, maxBytes] of Object.entries(MODULES)) {
  test(`${name} is under ${maxBytes} bytes, minified and gzipped`, async (t) => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL(`../../web/${name}`, import.meta.url))],
      bundle: true,
      format: 'esm',
      minify: true,
      write: false,
    });
    const { length } = gzipSync(outputFiles[0].contents, { level: 9 });
    t.diagnostic(`${length} bytes`);
    assert.ok(length < maxBytes, `${length} bytes`);
  });
}
