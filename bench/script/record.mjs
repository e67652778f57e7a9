/**
 * Redis's CPU time per event: `record` with six windows, beside six plain ZINCRBY, which count the same and do nothing
 * else. All members are there already.
 *
 * The script's arguments are the worker's own, see recorded-calls.mjs; only members and ids are varied.
 */
import { randomInt, randomUUID } from 'node:crypto';

import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { SITES, WINDOWS } from '../site.mjs';
import { sizeOf } from '../sizes.mjs';
import { cpuPerEvent, repeat } from './cpu.mjs';
import { openSender } from './pipelines.mjs';
import { recordedCall, recordedSource } from './recorded-calls.mjs';
import { benchmarkZincrby } from './redis-benchmark.mjs';

const MEMBERS = 20_000;
const DEPTH = 16;
const BATCH = 10;

/**
 * @typedef {{ cpuUs: number, ratio: number, strictRatio: number }} Figures per event; the ratios are to ZINCRBY in
 *   pipelines of as many commands, and of as many events
 */

/** @param {import('../options.mjs').Effort} effort */
export async function benchScript({ rounds, commands }) {
  const redis = await startRedis();
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES } });
  const sender = await openSender(redis);
  try {
    const source = await recordedSource(redis, worker, event(0));
    const variants = await makeVariants(redis, worker);
    await fill(redis);
    const turns = mapValues(variants, (variant) => () => cpuPerEvent(redis, sender, variant, commands));
    await inTurn(turns, 1); // to warm up
    const samples = await inTurn(turns, rounds);
    const measured = mapValues(samples, (cpuUs) => ({
      cpuUs: median(cpuUs),
      ratio: medianRatio(cpuUs, samples.zincrby),
      strictRatio: medianRatio(cpuUs, samples.zincrbyDeep),
    }));
    const zincrbyPerS = await benchmarkZincrby(redis, { members: MEMBERS, depth: DEPTH });
    return { measured, redisBenchmark: { zincrbyPerS }, size: sizeOf(source) };
  } finally {
    sender.close();
    await worker.stop();
    await redis.stop();
  }
}

/**
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 */
async function makeVariants(redis, worker) {
  const one = await recordedCall(redis, worker, event(0));
  const oneWithId = await recordedCall(redis, worker, { id: 'any-id', events: [event(0)] });
  const batch = await recordedCall(redis, worker, { id: 'any-other-id', events: repeat(BATCH, event) });

  const record = (/** @type {string[]} */ call, /** @type {number} */ length) => ({
    pipeline: () => repeat(DEPTH, () => varied(call)),
    events: DEPTH * length,
    lines: 6, // *3 $2 OK :now $n letters
  });
  const zincrby = (/** @type {number} */ count) => ({
    pipeline: () => repeat(count, (i) => ['ZINCRBY', `plain:${WINDOWS[i % WINDOWS.length]}`, '1', member(randomInt(MEMBERS))]),
    events: count / WINDOWS.length,
    lines: 2, // $n score
  });
  return {
    zincrby: zincrby(DEPTH),
    zincrbyDeep: zincrby(DEPTH * WINDOWS.length),
    one: record(one, 1),
    oneWithId: record(oneWithId, 1),
    batch: record(batch, BATCH),
  };
}

/** @param {number} i */
const event = (i) => ({ action: 'view', item: `any-member-${i}` });

/**
 * A recorded call with random members, all different, and an id that was never sent.
 *
 * @param {string[]} call
 */
function varied(call) {
  const first = randomInt(MEMBERS);
  return call.map((argument) => {
    const i = /^any-member-(\d)$/.exec(argument)?.[1];
    if (i !== undefined) return member((first + Number(i) * (MEMBERS / BATCH)) % MEMBERS);
    return /^any-.*id$/.test(argument) ? randomUUID() : argument;
  });
}

/** @param {number} number */
const member = (number) => `/posts/${number}`;

/**
 * Put every member into every sorted set: those that the recorded calls made, and those of plain ZINCRBY.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 */
async function fill(redis) {
  const made = (await redis.command('KEYS', 'eb:*')).filter((/** @type {string} */ key) => !key.includes(':seen:'));
  const scored = Array.from({ length: MEMBERS }, (_, i) => ['1', member(i)]).flat();
  for (const key of [...made, ...WINDOWS.map((window) => `plain:${window}`)]) await redis.command('ZADD', key, ...scored);
}
