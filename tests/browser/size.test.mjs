import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

const BEACON_JS = fileURLToPath(new URL('../../web/beacon.js', import.meta.url));
const MAX_BYTES = 1800;

test('beacon.js is under 1,800 bytes, minified and gzipped', async (t) => {
  const { outputFiles } = await build({
    entryPoints: [BEACON_JS],
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
  });
  const { length } = gzipSync(outputFiles[0].contents, { level: 9 });
  t.diagnostic(`${length} bytes`);
  assert.ok(length < MAX_BYTES, `${length} bytes`);
});
