/** The progress line, on a terminal and elsewhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { progressLine, startProgress } from '../../packages/edgeboard/import/progress.mjs';
import { Tally } from '../../packages/edgeboard/import/tally.mjs';

/** @param {{ lines: number, events: number, bytes: number }} counts */
function tallyOf({ lines, events, bytes }) {
  return Object.assign(new Tally(), { lines, events, bytes });
}

test('says how many, how fast and, when the size is known, how far', () => {
  const tally = tallyOf({ lines: 1_000, events: 900, bytes: 250 });
  assert.equal(progressLine(tally, { seconds: 2 }), '1000 lines, 900 events, 450/s');
  assert.equal(progressLine(tally, { seconds: 2, totalBytes: 1_000 }), '25%, 1000 lines, 900 events, 450/s');
});

test('says why it takes longer', () => {
  const tally = tallyOf({ lines: 0, events: 0, bytes: 0 });
  tally.retry('did not answer (ECONNREFUSED)', 42_400);
  assert.equal(
    progressLine(tally, { seconds: 0 }),
    '0 lines, 0 events, 0/s, service out for 42 s (given up at 300 s): did not answer (ECONNREFUSED)',
  );
  tally.answer({ accepted: 1, duplicate: 0, rejected: [] });
  assert.equal(progressLine(tally, { seconds: 0 }), '0 lines, 0 events, 0/s, 1 tried again, the last did not answer (ECONNREFUSED)');
});

/**
 * What a stream gets to see in 10 s.
 *
 * @param {import('node:test').TestContext} t
 * @param {{ isTTY: boolean, columns?: number }} stream
 */
function watch(t, stream) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  /** @type {string[]} */
  const written = [];
  const progress = startProgress({
    stream: { ...stream, write: (/** @type {string} */ text) => written.push(text) },
    line: () => '0123456789',
  });
  t.mock.timers.tick(10_000);
  progress.stop();
  t.mock.timers.tick(10_000);
  return written;
}

test('is one line that changes on a terminal, cut to its width and gone at the end', (t) => {
  const written = watch(t, { isTTY: true, columns: 5 });
  assert.equal(written.length, 51);
  assert.deepEqual([...new Set(written)], ['\r\x1b[K0123', '\r\x1b[K']);
});

test('is a line every 5 s elsewhere', (t) => {
  assert.deepEqual(watch(t, { isTTY: false }), ['0123456789\n', '0123456789\n']);
});
