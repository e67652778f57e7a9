/**
 * The modules of the worker stay small enough to start quickly. Start-up time is what counts; `npm run bench` reports it.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const MAX_BYTES = 3_000_000;

test(`the modules have at most ${MAX_BYTES} bytes, gzipped`, (t) => {
  const build = new URL('../../build/', import.meta.url);
  const modules = readdirSync(build, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wasm'));
  assert.ok(modules.length > 0, 'no module was built');
  const length = modules.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, build))).length, 0);
  t.diagnostic(`${length} bytes, ${MAX_BYTES - length} left`);
  assert.ok(length <= MAX_BYTES, `${length} bytes`);
});
