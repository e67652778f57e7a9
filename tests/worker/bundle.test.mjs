/**
 * The worker stays small: it is sent to every data center and compiled at every cold start.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const MOST_BYTES = 250_000;

test(`the wasm module has at most ${MOST_BYTES} bytes, gzipped`, (t) => {
  const { length } = gzipSync(readFileSync(new URL('../../build/index_bg.wasm', import.meta.url)));
  t.diagnostic(`${length} bytes, ${MOST_BYTES - length} left`);
  assert.ok(length <= MOST_BYTES, `${length} bytes`);
});
