/**
 * Redis's CPU time per event of boards with one window. Rolling windows of different lengths are compared with a calendar
 * window and with two well-known designs. One writes every future board an event will be part of. The other unites boards at
 * each read.
 *
 * The script's arguments are the worker's own, see recorded-calls.mjs; only members and ids are varied.
 */
import { randomInt, randomUUID } from 'node:crypto';

import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { cpuPerEvent, repeat } from './cpu.mjs';
import { openSender } from './pipelines.mjs';
import { recordedCall } from './recorded-calls.mjs';

const MEMBERS = 20_000;
const DEPTH = 16;
const BOARDS = { day: 'day', last2: 'last-2-days', last7: 'last-7-days', last30: 'last-30-days', last366: 'last-366-days' };

/** @param {import('../options.mjs').Effort} effort */
export async function benchWindows({ rounds, commands }) {
  const redis = await startRedis();
  const sites = Object.fromEntries(Object.entries(BOARDS).map(([name, window]) => [name, site(window)]));
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, WRITE_TOKEN: 'bench', ADMIN_TOKEN: 'bench', SITES: sites } });
  const sender = await openSender(redis);
  try {
    /** @type {Record<string, import('./cpu.mjs').Variant>} */
    const variants = {};
    for (const name of Object.keys(BOARDS)) {
      await fill(worker, name);
      const call = await recordedCall(
        redis,
        worker,
        { id: 'any-id', events: [{ action: 'view', item: 'any-member' }] },
        `/v1/${name}/beacon`,
      );
      variants[name] = { pipeline: () => repeat(DEPTH, () => varied(call)), events: DEPTH, lines: 6 };
    }
    for (let board = 0; board < 30; board += 1) {
      await redis.command('ZADD', `future:${board}`, ...repeat(MEMBERS, (i) => ['1', member(i)]).flat());
    }
    variants.futureBoards = {
      pipeline: () => repeat(30, (i) => ['ZINCRBY', `future:${i}`, '1', member(randomInt(MEMBERS))]),
      events: 1,
      lines: 2,
    };
    variants.readLast30 = reading(['ZREVRANGE', rollingKey(await redis.command('KEYS', 'eb:{last30:*}:window:*')), '0', '9', 'WITHSCORES']);
    variants.readUnion = {
      pipeline: () => [
        ['ZUNIONSTORE', 'united', '30', ...repeat(30, (i) => `future:${i}`)],
        ['ZREVRANGE', 'united', '0', '9', 'WITHSCORES'],
      ],
      events: 1,
      lines: (1 + 41) / 2, // of the two replies together
    };

    const turns = mapValues(variants, (variant, name) => () => cpuPerEvent(redis, sender, variant, name === 'readUnion' ? 20 : commands));
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

/** @param {string} window */
function site(window) {
  const actions = { view: { public: true } };
  return { origins: ['*'], actions, boards: { articles: { weights: { view: 1 }, windows: [window] } } };
}

/** @param {string[]} command */
function reading(command) {
  return { pipeline: () => repeat(DEPTH, () => command), events: DEPTH, lines: 41 };
}

/** @param {string[]} keys the board of the current day is the one before the last */
function rollingKey(keys) {
  return keys.filter((key) => /:\d+$/.test(key)).sort()[0];
}

/**
 * A recorded call with a random member and an id that was never sent.
 *
 * @param {string[]} call
 */
function varied(call) {
  return call.map((argument) => (argument === 'any-member' ? member(randomInt(MEMBERS)) : argument === 'any-id' ? randomUUID() : argument));
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
  for (let ready = false; !ready; ) {
    const response = await worker.fetch(`/v1/${name}/admin/upkeep`, { method: 'POST', headers });
    const { windows } = await response.json();
    ready = windows.every((/** @type {{ ready?: boolean }} */ window) => window.ready !== false);
  }
}
