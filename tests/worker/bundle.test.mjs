/**
 * What is compiled at every cold start stays small, and what is asked for all the time needs no more.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const MAX_BYTES = 300_000;

test(`the everyday module has at most ${MAX_BYTES} bytes, gzipped`, (t) => {
  const { length } = gzipSync(readFileSync(new URL('../../build/index_bg.wasm', import.meta.url)));
  t.diagnostic(`${length} bytes, ${MAX_BYTES - length} left`);
  assert.ok(length <= MAX_BYTES, `${length} bytes`);
});
