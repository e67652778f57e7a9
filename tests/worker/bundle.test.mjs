/**
 * The module of the worker stays small enough to start quickly. Start-up time is what counts; `npm run bench` reports it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const MAX_BYTES = 3_000_000;

test(`the module has at most ${MAX_BYTES} bytes, gzipped`, (t) => {
  const { length } = gzipSync(readFileSync(new URL('../../build/edgeboard_bg.wasm', import.meta.url)));
  t.diagnostic(`${length} bytes, ${MAX_BYTES - length} left`);
  assert.ok(length <= MAX_BYTES, `${length} bytes`);
});
