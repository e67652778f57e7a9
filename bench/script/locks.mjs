/**
 * What declared keys cost, see crates/engine/src/adapter/locks.rs: Redis's CPU time of a call with 12 and with 24 of them, and how many trips more clicks
 * take within an hour, since an isolate learns the keys. The server that refuses other keys is the gateway of the tests.
 */
import { startDeployment } from '../../tests/support/deployment.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { inTurn, mapValues, median } from '../rounds.mjs';
import { cpuDuring, repeat } from './cpu.mjs';
import { openSender } from './replay.mjs';

const KEYS = /** @type {const} */ ([0, 12, 24]);
const LIBRARY = `#!lua name=bench
redis.register_function('nothing', function() return 0 end)`;
const CALLS = 20_000;
const DEPTH = 100;
/** So many clicks for each event that other parts count at least: 10,000 of a whole run. */
const CLICKS_EACH = 25;
const AT_ONCE = 10;
const HOUR_MS = 3_600_000;

/** @param {import('../options.mjs').Effort} effort */
export async function benchLocks({ rounds, costedEvents }) {
  const cpuUs = await cpuOfKeys(rounds);
  const clicks = costedEvents * CLICKS_EACH;
  return { us: mapValues(cpuUs, (us) => us - cpuUs[0]), clicks, more: await tripsMore(clicks) };
}

/** Of a call with so many keys, in µs. @param {number} rounds */
async function cpuOfKeys(rounds) {
  const redis = await startRedis();
  const sender = openSender(redis);
  try {
    await redis.command('FUNCTION', 'LOAD', LIBRARY);
    const contenders = Object.fromEntries(
      KEYS.map((count) => {
        const call = ['FCALL', 'nothing', String(count), ...repeat(count, (i) => `eb:{demo:articles}:last-7-days:${i}`)];
        const trips = repeat(CALLS / DEPTH, () => repeat(DEPTH, () => call));
        return [count, () => cpuDuring(redis, () => sender.send(trips))];
      }),
    );
    await inTurn(contenders, 1); // to warm up
    return mapValues(await inTurn(contenders, rounds), (samples) => median(samples) / CALLS);
  } finally {
    sender.close();
    await redis.stop();
  }
}

/** The trips that clicks within an hour take, without one for each. @param {number} clicks */
async function tripsMore(clicks) {
  const boards = { articles: { weights: { view: 1 }, windows: ['hour', 'day', 'last-7-days', 'all'] } };
  const sites = { demo: { origins: ['*'], activity: false, actions: { view: { public: true } }, boards } };
  const on = await startDeployment({ transport: 'http://', locks: true, sites });
  const clocks = [on.clock, on.edgeClock];
  try {
    for (const clock of clocks) clock.set('2026-11-20T09:30:00Z');
    const before = on.link.roundTrips;
    for (let sent = 0; sent < clicks; sent += AT_ONCE) {
      const click = (/** @type {number} */ i) => on.beacon({ action: 'view', item: `/posts/${i}` });
      const answers = await Promise.all(repeat(Math.min(AT_ONCE, clicks - sent), click));
      if (answers.some(({ status }) => status !== 204)) throw new Error('a click was not counted');
      for (const clock of clocks) clock.advance((HOUR_MS * AT_ONCE) / clicks);
    }
    return on.link.roundTrips - before - clicks;
  } finally {
    await on.stop();
  }
}
