/**
 * An isolate has 128 MB for everything. Its WebAssembly stays far below that, whatever is asked: the largest answers that a
 * configuration allows, many at once, of so many addresses that no cache holds them.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { createClock } from '../support/clock.mjs';
import { unlimited, WRITE_TOKEN } from '../support/deployment.mjs';
import { startMeasuredWorker } from '../support/measured.mjs';
import { startRedis } from '../support/redis.mjs';
import { put } from '../support/windows.mjs';

const MAX_BYTES = 64 * 1024 * 1024;
/** The most that a configuration allows. */
const [BOARDS, LIMIT] = [20, 1_000];
/** The longest id, of characters that JSON writes with two. */
const id = (/** @type {number} */ n) => '"'.repeat(250) + String(n).padStart(6, '0');
const boards = Array.from({ length: BOARDS }, (_, i) => `board-${i}`);
const board = { weights: { view: 1 }, windows: ['day'], limit: LIMIT, breakdown: true };
const SITES = (/** @type {string[]} */ names) =>
  unlimited({
    demo: { origins: ['*'], actions: { view: { public: true } }, boards: Object.fromEntries(names.map((name) => [name, board])) },
  });
/** The memory of an isolate grows with what is under way as well. */
const AT_ONCE = 4;

/** @type {import('../support/redis.mjs').Redis} */
let redis;
/** @type {Awaited<ReturnType<typeof startMeasuredWorker>>} */
let worker;
/** @type {import('../support/clock.mjs').Clock[]} */
let clocks;

before(async () => {
  clocks = [createClock(), createClock()];
  const [clock, edgeClock] = clocks;
  clock.set('2026-11-20T12:00:00Z');
  redis = await startRedis({ clock });
  for (const name of boards) {
    const members = Array.from({ length: LIMIT }, (_, n) => /** @type {[string, number]} */ ([id(n), n + 1]));
    await put(redis, `eb:{demo:${name}}:day:20777`, members);
  }
  worker = await startMeasuredWorker({
    clock: edgeClock,
    vars: { REDIS_URL: redis.url, WRITE_TOKEN, SITES: SITES(boards.slice(0, 10)), SITES_2: SITES(boards.slice(10)) },
  });
});
after(async () => {
  await worker?.stop();
  await redis?.stop();
  for (const clock of clocks ?? []) clock.close();
});

/**
 * Asks some times, several at once; each answer must have this status.
 *
 * @param {import('node:test').TestContext} t
 * @param {number} times
 * @param {number} status
 * @param {(n: number) => [path: string, init?: RequestInit]} request
 */
async function check(t, times, status, request) {
  let [next, largest] = [0, 0];
  const ask = async () => {
    for (let n = next; n < times; n = next) {
      next += 1;
      const response = await worker.fetch(...request(n));
      const { byteLength } = await response.arrayBuffer();
      assert.equal(response.status, status, request(n)[0]);
      largest = Math.max(largest, byteLength);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  const bytes = await worker.memoryBytes();
  t.diagnostic(`${times} answers of up to ${largest} bytes: ${(bytes / 2 ** 20).toFixed(1)} MiB of WebAssembly`);
  assert.ok(bytes < MAX_BYTES, `${bytes} bytes`);
}

test('one whole page after the other', (t) => check(t, 40, 200, (n) => [`/v1/demo/boards/${boards[n % BOARDS]}/day?limit=${LIMIT - n}`]));

test('pages of twenty boards at once', (t) =>
  check(t, 16, 200, (n) => [`/v1/demo/top?boards=${boards.map((name) => `${name}/day`).join()}&limit=${LIMIT / BOARDS - n}`]));

test('members with their neighbours', (t) =>
  check(t, 200, 200, (n) => [`/v1/demo/boards/${boards[n % BOARDS]}/day/members/${encodeURIComponent(id(n))}?around=50`]));

test('the ranks of a hundred members', (t) =>
  check(t, 100, 200, (n) => [
    `/v1/demo/boards/${boards[n % BOARDS]}/day/ranks`,
    { method: 'POST', body: JSON.stringify({ ids: Array.from({ length: 100 }, (_, i) => id((n + i) % LIMIT)) }) },
  ]));

const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
const whole = JSON.stringify({ events: Array.from({ length: 100 }, (_, n) => ({ action: 'view', item: id(n) })) });

test('batches of a hundred events, on every board', (t) =>
  check(t, 24, 200, () => ['/v1/demo/events', { method: 'POST', headers, body: whole }]));

test('bodies of 64 KiB that are no batch', (t) =>
  check(t, 100, 400, (n) => {
    const bodies = [
      `[${'0,'.repeat(32_000)}0]`,
      `{"events":${'['.repeat(60_000)}`,
      `{"x":${'{"":'.repeat(100)}${'"\\u0000'.repeat(9_000)}`,
    ];
    return ['/v1/demo/beacon', { method: 'POST', body: bodies[n % bodies.length] }];
  }));

test('more addresses than are remembered', (t) =>
  check(t, 3_000, 404, (n) => [`/v1/demo/boards/${boards[n % BOARDS]}/day/members/nobody-${n}`]));
