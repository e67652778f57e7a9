/**
 * Redis's CPU time per event of boards with one window. Rolling windows of different lengths are compared with a calendar
 * window and with two well-known designs. One writes every future board an event will be part of. The other unites boards at
 * each read.
 *
 * The calls are the worker's own, see tests/support/overheard.mjs.
 */
import { unlimited } from '../../tests/support/deployment.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { createTraffic } from '../../tests/support/bodies/traffic.mjs';
import { cpuDuring, repeat } from './cpu.mjs';
import { recordCalls } from '../../tests/support/overheard.mjs';
import { grouped, keepMemory, openSender } from './replay.mjs';

const MEMBERS = 20_000;
const DEPTH = 16;
const BOARDS = { day: 'day', last2: 'last-2-days', last7: 'last-7-days', last30: 'last-30-days', last366: 'last-366-days' };

/** @param {import('../options.mjs').Effort} effort */
export async function benchWindows({ rounds, costedEvents }) {
  const redis = await startRedis();
  const sites = Object.fromEntries(Object.entries(BOARDS).map(([name, window]) => [name, site(window)]));
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, WRITE_TOKEN: 'bench', ADMIN_TOKEN: 'bench', SITES: unlimited(sites) } });
  const sender = openSender(redis);
  try {
    for (const name of Object.keys(BOARDS)) await fill(worker, name);
    for (let board = 0; board < 30; board += 1) {
      await redis.command('ZADD', `future:${board}`, ...repeat(MEMBERS, (i) => ['1', member(i)]).flat());
    }
    const memory = await keepMemory(redis);
    /** Trips, each of one event or read. @type {Record<string, string[][][]>} */
    const variants = {};
    const traffic = createTraffic({ items: MEMBERS });
    const bodies = repeat(costedEvents, () => traffic.views(1));
    for (const name of Object.keys(BOARDS)) variants[name] = await recordBeacons(redis, worker, name, bodies);
    variants.futureBoards = bodies.map(({ events: [{ item }] }) => repeat(30, (board) => ['ZINCRBY', `future:${board}`, '1', item]));
    const rolling = rollingKey(await redis.command('KEYS', 'eb:{last30:*}:window:*'));
    variants.readLast30 = repeat(costedEvents, () => [['ZREVRANGE', rolling, '0', '9', 'WITHSCORES']]);
    variants.readUnion = repeat(20, () => [
      ['ZUNIONSTORE', 'united', '30', ...repeat(30, (i) => `future:${i}`)],
      ['ZREVRANGE', 'united', '0', '9', 'WITHSCORES'],
    ]);

    const turns = mapValues(variants, (all) => async () => {
      await memory.restore();
      const trips = grouped(all, DEPTH).map((group) => group.flat());
      return (await cpuDuring(redis, () => sender.send(trips))) / all.length;
    });
    await inTurn(turns, 1); // to warm up
    const samples = await inTurn(turns, rounds);
    const measured = mapValues(samples, (cpuUs) => ({ cpuUs: median(cpuUs), ratio: medianRatio(cpuUs, samples.day) }));
    return {
      measured,
      ratios: {
        flat: medianRatio(samples.last366, samples.last2),
        rolling: medianRatio(samples.last7, samples.day),
        futureBoards: medianRatio(samples.futureBoards, samples.last30),
        union: medianRatio(samples.readUnion, samples.readLast30),
      },
    };
  } finally {
    sender.close();
    await worker.stop();
    await redis.stop();
  }
}

/**
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {string} name of the site
 * @param {import('../../tests/support/bodies/traffic.mjs').Body[]} bodies
 */
async function recordBeacons(redis, worker, name, bodies) {
  const send = (/** @type {object} */ body) => worker.fetch(`/v1/${name}/beacon`, { method: 'POST', body: JSON.stringify(body) });
  await send({ ...bodies[0], id: 'any-id' }); // so that Redis knows the script
  return recordCalls(
    redis,
    bodies.map((body) => () => send(body)),
  );
}

/** @param {string} window */
function site(window) {
  const actions = { view: { public: true } };
  return { origins: ['*'], actions, boards: { articles: { weights: { view: 1 }, windows: [window] } } };
}

/** @param {string[]} keys the board of the current day is the one before the last */
function rollingKey(keys) {
  return keys.filter((key) => /:\d+$/.test(key)).sort()[0];
}

/** @param {number} number */
const member = (number) => `/posts/${number}`;

/**
 * Counts every member once, and lets upkeep finish.
 *
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {string} name of the site
 */
async function fill(worker, name) {
  const headers = { authorization: 'Bearer bench' };
  for (let first = 0; first < MEMBERS; first += 100) {
    const events = repeat(100, (i) => ({ action: 'view', item: member(first + i) }));
    const response = await worker.fetch(`/v1/${name}/events`, { method: 'POST', headers, body: JSON.stringify({ events }) });
    if (response.status !== 200) throw new Error(await response.text());
  }
  for (let complete = false; !complete; ) {
    const response = await worker.fetch(`/v1/${name}/admin/upkeep`, { method: 'POST', headers });
    const { windows } = await response.json();
    complete = windows.every((/** @type {{ complete?: boolean }} */ window) => window.complete !== false);
  }
}
