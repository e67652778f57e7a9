/**
 * What counting with more than a score costs. Redis's CPU time per event is compared with counting the same events without.
 * Redis's memory is measured too, and what it costs to ask where a member stands.
 */
import { Problem } from '../../scripts/report.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { cpuDuring, repeat } from './cpu.mjs';
import { BATCH, callsOf, counting, draw, KINDS, MEMBERS, member, MORE_KINDS, varsOf } from './kinds.mjs';
import { measureMemory } from './memory.mjs';
import { openSender } from './pipelines.mjs';
import { benchRanks } from './ranks.mjs';

/** There are many kinds, so rounds are short and there are more of them: what disturbs one should disturb the others too. */
const MORE_ROUNDS = 3;

/** @param {import('../options.mjs').Effort} effort */
export async function benchCounting(effort) {
  return { ...(await benchKinds(effort)), ranks: await benchRanks(effort) };
}

/** @param {import('../options.mjs').Effort} effort */
async function benchKinds(effort) {
  const redis = await startRedis();
  const kinds = { ...KINDS, ...MORE_KINDS };
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, ...varsOf(kinds) } });
  const sender = await openSender(redis);
  try {
    const measured = await measureCpu(redis, worker, sender, effort);
    return { measured, memory: await measureMemory(redis, worker, sender, kinds, effort) };
  } finally {
    sender.close();
    await worker.stop();
    await redis.stop();
  }
}

/**
 * @typedef {{ cpuUs: number, ratio: number }} Figures per event; the ratio is to plain counting
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {import('./pipelines.mjs').Sender} sender
 * @param {import('../options.mjs').Effort} effort
 */
async function measureCpu(redis, worker, sender, { rounds, countedEvents }) {
  const alone = await recordAll(redis, worker, 1);
  const batched = await recordAll(redis, worker, BATCH);
  for (const [name, { site }] of Object.entries(KINDS)) if (site === undefined) await fill(sender, batched[name]);

  const turns = (/** @type {Record<string, import('./kinds.mjs').Calls>} */ calls) =>
    mapValues(calls, (of, name) => {
      const { after } = KINDS[name];
      return () => cpuPerEvent(redis, sender, of, KINDS[name], after === undefined ? undefined : calls[after], countedEvents);
    });
  const figures = async (/** @type {Record<string, import('./kinds.mjs').Calls>} */ calls) => {
    await inTurn(turns(calls), 1); // to warm up
    const samples = await inTurn(turns(calls), rounds * MORE_ROUNDS);
    return mapValues(samples, (cpuUs) => ({ cpuUs: median(cpuUs), ratio: medianRatio(cpuUs, samples.plain) }));
  };
  const [one, batch] = [await figures(alone), await figures(batched)];
  return mapValues(one, (figures, name) => ({ one: figures, batch: batch[name] }));
}

/**
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {number} length events of a call
 */
async function recordAll(redis, worker, length) {
  /** @type {Record<string, import('./kinds.mjs').Calls>} */
  const calls = {};
  for (const [name, kind] of Object.entries(KINDS)) calls[name] = await callsOf(redis, worker, name, kind, length);
  return calls;
}

/**
 * Counts every member on a board, with few high scores and many low ones.
 *
 * @param {import('./pipelines.mjs').Sender} sender
 * @param {import('./kinds.mjs').Calls} calls
 */
async function fill(sender, calls) {
  const events = repeat(MEMBERS, (i) => draw({ member: member(i), worth: 2 + Math.floor(MEMBERS / (i + 1)) }));
  await counting(calls, events)(sender);
}

/**
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('./pipelines.mjs').Sender} sender
 * @param {import('./kinds.mjs').Calls} calls
 * @param {import('./kinds.mjs').Kind} kind
 * @param {import('./kinds.mjs').Calls | undefined} before by which the same events are counted before
 * @param {number} count of events
 */
async function cpuPerEvent(redis, sender, calls, { letter = 'c' }, before, count) {
  const events = repeat(count, () => draw());
  if (before) await counting(before, events)(sender);
  const counted = counting(calls, events);
  const cpuUs = await cpuDuring(redis, () => counted(sender));

  // Whether it is what it is taken for.
  const first = repeat(calls.length, () => draw());
  for (const command of before?.of(first) ?? []) await redis.command(...command);
  for (const command of calls.of(first)) {
    const [, , letters] = await redis.command(...command);
    if (letters !== letter.repeat(calls.length)) throw new Problem(`record answered ${letters}, where all should be ${letter}`);
  }
  return cpuUs / count;
}
