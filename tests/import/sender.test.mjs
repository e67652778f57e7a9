/** Retry-After headers, and what a service that never answers costs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createSender, parseRetryAfter } from '../../packages/edgeboard/import/sender.mjs';

const NOW = Date.parse('2026-11-20T12:00:00Z');

/** @type {[header: string | null, expected: number | undefined][]} */
const CASES = [
  [null, undefined],
  ['0', 0],
  ['3', 3_000],
  ['3600', 60_000],
  ['Fri, 20 Nov 2026 12:00:05 GMT', 5_000],
  ['Fri, 20 Nov 2026 11:59:00 GMT', 0],
  ['soon', undefined],
];

for (const [header, expected] of CASES) {
  test(`Retry-After: ${header} is ${expected} ms`, () => {
    assert.equal(parseRetryAfter(header, NOW), expected);
  });
}

test('a try that takes too long is one that failed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  /** @type {string[]} */
  const reasons = [];
  let tries = 0;
  let clock = 0;
  const send = createSender({
    endpoint: 'http://service.example',
    site: 'demo',
    token: 'write-token',
    signal: new AbortController().signal,
    onRetry: (reason) => reasons.push(reason),
    wait: async (ms) => {
      clock += ms;
    },
    now: () => clock,
    fetch(_, init) {
      tries += 1;
      /** @type {Promise<Response>} */
      const hanging = new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
      clock += 30_000;
      t.mock.timers.tick(30_000);
      return hanging;
    },
  });
  await assert.rejects(send([]), /did not answer \(nothing in 30 s\), for \d{3} s$/);
  assert.ok(tries >= 6 && tries <= 9, `${tries} tries`);
  assert.deepEqual(new Set(reasons), new Set(['did not answer (nothing in 30 s)']));
});
