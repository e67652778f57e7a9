/**
 * What remembering costs in Redis's memory: per id, per mark of what counts once, per tracked action; and what a board indexes besides
 * a member's score.
 *
 * Hash tables double, so what an entry costs depends on how many there are: the figure is the mean over a doubling.
 */
import { WINDOWS } from '../site.mjs';
import { repeat } from './cpu.mjs';
import { BATCH, callsOf, counting, draw, member, visitor } from './kinds.mjs';

const STEPS = 5;
/** What is remembered of actors with much to remember. */
const MANY = 100;
/** Events that make the board, its members and the connection's buffers. */
const FIRST = 200;

/**
 * Bytes of what each kind of counting remembers per event.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis it is emptied
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {import('./pipelines.mjs').Sender} sender
 * @param {Record<string, import('./kinds.mjs').Kind>} kinds
 * @param {import('../options.mjs').Effort} effort
 */
export async function measureMemory(redis, worker, sender, kinds, { remembered }) {
  const measure = async (/** @type {string} */ name, /** @type {(i: number) => Partial<import('./kinds.mjs').Drawn>} */ event) => {
    const calls = await callsOf(redis, worker, name, kinds[name], kinds[name].visitor ? 1 : BATCH);
    await redis.command('FLUSHALL', 'SYNC');
    const count = (/** @type {number} */ from, /** @type {number} */ events) =>
      counting(
        calls,
        repeat(events, (i) => draw(event(from + i))),
      )(sender);
    await count(-FIRST, FIRST);
    const before = await usedMemory(redis);
    await count(0, remembered);
    const each = [];
    for (let step = 0; step < STEPS; step += 1) {
      const counted = remembered + (step * remembered) / STEPS;
      await count(counted, remembered / STEPS);
      each.push(((await usedMemory(redis)) - before) / (counted + remembered / STEPS));
    }
    return each.reduce((sum, bytes) => sum + bytes) / STEPS;
  };

  // Marks and tracked actions are of members that are there.
  const same = { member: member(0) };
  const byOne = (/** @type {number} */ i) => ({ ...same, actor: `u${100_000 + i}` });
  const byMany = (/** @type {number} */ i) => byOne(Math.floor(i / MANY));
  // Members beside members, each with a score of its own.
  const members = (/** @type {number} */ i) => ({ member: member(100_000 + i), worth: 1000 + i });
  const plain = await measure('plain', members);
  const indexed = async (/** @type {string} */ name) => ((await measure(name, members)) - plain) / WINDOWS.length;
  return {
    id: await measure('id', () => same),
    longId: await measure('longId', () => same),
    once: await measure('once', byOne),
    onceOfMany: await measure('once', byMany),
    visitor: await measure('visitor', (i) => ({ ...same, visitor: visitor(i) })),
    tracked: await measure('tracked', byOne),
    trackedOfMany: await measure('tracked', byMany),
    trackedOnTies: await measure('trackedOnTies', byOne),
    member: plain / WINDOWS.length,
    ties: await indexed('ties'),
    dense: await indexed('dense'),
    breakdown: await indexed('breakdown'),
  };
}

/** @param {import('../../tests/support/redis.mjs').Redis} redis */
async function usedMemory(redis) {
  return Number(/used_memory:(\d+)/.exec(await redis.command('INFO', 'memory'))?.[1]);
}
