/**
 * Servers on a test clock live where it was set, and move with it while they run.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { createClock } from './clock.mjs';
import { startRedis } from './redis.mjs';
import { startWorker } from './worker.mjs';

const PROBE = fileURLToPath(new URL('probe/wrangler.toml', import.meta.url));
const DAY_MS = 24 * 60 * 60 * 1000;

/** @type {ReturnType<typeof createClock>} */
let clock;
beforeEach(() => (clock = createClock()));
afterEach(() => clock.close());

/**
 * The server's time lies between this clock before and after the question; its milliseconds may be cut off.
 *
 * @param {() => number | Promise<number>} ask
 */
async function assertFollows(ask) {
  const before = clock.now();
  const shown = await ask();
  const after = clock.now();
  assert.ok(before - 1 <= shown && shown <= after + 1, `${shown} is not in ${before}..${after}`);
}

/** @param {{ command: (...args: string[]) => Promise<string[]> }} redis */
const timeOf = (redis) => async () => {
  const [seconds, micros] = await redis.command('TIME');
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
};

test('TIME of redis follows the clock, forwards and backwards', async (t) => {
  clock.set('2026-11-20T23:59:59.900Z');
  const redis = await startRedis({ clock });
  t.after(redis.stop);
  await assertFollows(timeOf(redis));
  for (const instant of ['2028-02-29T12:00:00Z', '2011-12-30T10:00:00+14:00', 0, '2200-01-01T00:00:00Z']) {
    clock.set(instant);
    await assertFollows(timeOf(redis));
    assert.ok((await timeOf(redis)()) >= new Date(instant).getTime(), 'never before the instant that was set');
  }
});

test('keys of redis expire by the clock', async (t) => {
  const redis = await startRedis({ clock });
  t.after(redis.stop);
  await redis.command('SET', 'day', 'x', 'PX', String(DAY_MS));
  clock.advance(DAY_MS - 60_000);
  assert.equal(await redis.command('GET', 'day'), 'x');
  clock.advance(60_001); // a key lives through its last millisecond
  assert.equal(await redis.command('GET', 'day'), null);
});

test('the offset outlives a restart, and other servers keep the true time', async (t) => {
  clock.advance(-DAY_MS);
  const [moved, other] = await Promise.all([startRedis({ clock }), startRedis()]);
  t.after(() => Promise.all([moved.stop(), other.stop()]));
  await moved.kill();
  await moved.restart();
  await assertFollows(timeOf(moved));
  clock.advance(DAY_MS);
  await assertFollows(timeOf(other));
});

test('Date.now() of workerd follows the clock, a day off and moved while it runs', async (t) => {
  clock.advance(DAY_MS);
  const worker = await startWorker({ config: PROBE, clock });
  t.after(worker.stop);
  const now = async () => Number(await (await worker.fetch('/now')).text());
  await assertFollows(now);
  clock.advance(-2 * DAY_MS);
  await assertFollows(now);
});

test('Date.now() of node follows the clock, its monotonic clock does not', async () => {
  const run = () =>
    JSON.parse(
      execFileSync(process.execPath, ['-p', '"[" + [Date.now(), process.hrtime.bigint()] + "]"'], {
        env: { ...process.env, ...clock.env },
        encoding: 'utf8',
      }),
    );
  clock.set('2001-02-03T04:05:06Z');
  const started = process.hrtime.bigint();
  const [, monotonic] = run();
  assert.ok(started < monotonic && monotonic < process.hrtime.bigint());
  await assertFollows(() => run()[0]);
});
