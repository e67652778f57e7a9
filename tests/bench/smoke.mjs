/**
 * Benchmarks at their smallest, as `npm run bench -- --smoke --only PART` runs them: each gets to its end.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('../../scripts/bench.mjs', import.meta.url));
/** A first run builds what is measured beside the worker. */
const TIMEOUT_MS = 300_000;

/** What needs a program beside redis-server. */
export const NEEDS_WRK = /** @type {const} */ (['reads', 'writes', 'ingest']);
export const NEEDS_VALGRIND = /** @type {const} */ (['instructions']);
export const NEEDS_CHROMIUM = /** @type {const} */ (['live']);

/** @param {readonly import('../../bench/options.mjs').Part[]} parts */
export function smoke(parts) {
  for (const part of parts) {
    test(part, async () => {
      const child = spawn(process.execPath, [BENCH, '--smoke', '--only', part], { stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
      const [printed, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      assert.equal(exitCode, 0, printed + errors);
    });
  }
}
