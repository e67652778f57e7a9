/**
 * What tests of rolling and decaying windows share: reading until a ranking is complete, whole boards from Redis, and a
 * model that only adds up.
 *
 * # Out of scope
 *
 * Zones and daylight saving: tests of those write their instants by hand.
 */
import assert from 'node:assert/strict';

import { isOutdated } from './deployment.mjs';
import { until } from './until.mjs';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** A repair of tens of thousands of members beside other suites. */
const REPAIR_MS = 120_000;

/**
 * @typedef {import('./deployment.mjs').Deployment} Deployment
 * @typedef {import('./deployment.mjs').Answer} Answer
 * @typedef {{ at: number, item: string, delta: number }} Change what an event adds to a member, in Unix milliseconds
 */

/**
 * Asks Redis for a ranking, and again until it is complete. No read may fail meanwhile.
 *
 * @param {Deployment} deployment
 * @param {string} ranking
 * @param {string} [query]
 * @param {string} [site]
 * @returns {Promise<{ answer: Answer, incomplete: number }>} the complete one, and how many were not
 */
export async function readComplete(deployment, ranking, query, site) {
  let answer = await deployment.freshTop(ranking, query, site);
  let incomplete = 0;
  await until(
    `${ranking}${query ?? ''} is complete`,
    async () => {
      // While Redis is too slow for the worker it shows what it has, which may be complete and old.
      if (answer.status !== 200 || (answer.body.complete && !isOutdated(answer))) return true;
      incomplete += 1;
      // Upkeep builds past periods.
      if (query?.includes('period=')) {
        await deployment.worker.scheduled();
        deployment.edgeClock.advance(1_000);
      }
      answer = await deployment.top(ranking, query, site);
      return false;
    },
    { timeoutMs: REPAIR_MS },
  );
  assert.equal(answer.status, 200, answer.text);
  return { answer, incomplete };
}

/**
 * A whole sorted set, without the engine's marks.
 *
 * @param {import('./redis.mjs').Redis} redis
 * @param {string} key
 * @returns {Promise<Map<string, number>>}
 */
export async function scoresOf(redis, key) {
  /** @type {string[]} */
  const flat = await redis.command('ZRANGE', key, '0', '-1', 'WITHSCORES');
  return new Map(
    flat.flatMap((member, i) =>
      i % 2 === 0 && !member.startsWith('\0') ? [/** @type {[string, number]} */ ([member, Number(flat[i + 1])])] : [],
    ),
  );
}

/**
 * Each member's sum over the changes from one instant until before another; those that are zero are left out.
 *
 * @param {Change[]} changes
 * @param {number} from
 * @param {number} before
 */
export function sumsBetween(changes, from, before) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { at, item, delta } of changes) {
    if (at >= from && at < before) sums.set(item, (sums.get(item) ?? 0) + delta);
  }
  for (const [item, sum] of sums) if (sum === 0) sums.delete(item);
  return sums;
}

/**
 * Where a rolling window of UTC starts and ends.
 *
 * @param {string} window `last-7-days`
 * @param {number} now
 * @returns {[from: number, before: number]}
 */
export function boundsOf(window, now) {
  const [, digits, unit] = /** @type {RegExpExecArray} */ (/^last-(\d+)-(hours|days|weeks|months)$/.exec(window));
  const length = Number(digits);
  if (unit === 'months') {
    const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
    return [Date.UTC(year, month - length + 1), Date.UTC(year, month + 1)];
  }
  const size = { hours: HOUR_MS, days: DAY_MS, weeks: 7 * DAY_MS }[unit] ?? NaN;
  const shift = unit === 'weeks' ? 3 * DAY_MS : 0; // 1970-01-01 is a Thursday
  const end = (Math.floor((now + shift) / size) + 1) * size - shift;
  return [end - length * size, end];
}

/**
 * A ranking shows the members whose sum is above zero, the best first, and as many as it says. Members with equal scores
 * may stand in any order here.
 *
 * @param {Answer} answer
 * @param {Map<string, number>} sums
 * @param {string} [what]
 */
export function assertShows(answer, sums, what) {
  const { entries, total } = answer.body;
  const positive = [...sums.values()].filter((sum) => sum > 0).sort((a, b) => b - a);
  assert.equal(entries.length > 0, positive.length > 0, what);
  assert.deepEqual(
    entries.map((/** @type {any} */ { score }) => score),
    positive.slice(0, entries.length),
    what,
  );
  for (const [i, { rank, id, score }] of entries.entries()) assert.deepEqual([rank, score], [i + 1, sums.get(id)], `${what} ${id}`);
  assert.equal(new Set(entries.map((/** @type {any} */ { id }) => id)).size, entries.length, what);
  assert.equal(total, positive.length, what);
}

/**
 * Puts members with scores into a sorted set, without the product: thousands in a moment.
 *
 * @param {import('./redis.mjs').Redis} redis
 * @param {string} key
 * @param {Iterable<[member: string, score: number]>} scores
 */
export async function put(redis, key, scores) {
  const flat = [...scores].flatMap(([member, score]) => [score, member]);
  for (let i = 0; i < flat.length; i += 4_000) await redis.command('ZADD', key, ...flat.slice(i, i + 4_000));
}

/**
 * Numbers from 0 to below 1, the same for the same seed (mulberry32).
 *
 * @param {number} seed
 */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Writes days of scores, each member on every third of them, and answers what they add up to from one day to another.
 *
 * @param {import('./redis.mjs').Redis} redis
 * @param {{ prefix: string, members: number, first: number, last: number }} days `prefix` is that of the board's keys; days
 *   count from 1970
 * @returns {Promise<(from: number, to: number) => Map<string, number>>}
 */
export async function fillDays(redis, { prefix, members, first, last }) {
  const scoresOn = (/** @type {number} */ day) =>
    Array.from({ length: members }, (_, i) => /** @type {[string, number]} */ ([`/posts/${i}`, ((i * 7 + day * 13) % 50) + 1])).filter(
      (_, i) => i % 3 === day % 3,
    );
  for (let day = first; day <= last; day += 1) await put(redis, `${prefix}:day:${day}`, scoresOn(day));
  return (from, to) => {
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (let day = Math.max(from, first); day <= Math.min(to, last); day += 1) {
      for (const [member, score] of scoresOn(day)) sums.set(member, (sums.get(member) ?? 0) + score);
    }
    return sums;
  };
}
