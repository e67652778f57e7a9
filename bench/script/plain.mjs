/**
 * What plain counting would send instead: one ZINCRBY per event and window, of values a ZADD that keeps the greatest, and ZREVRANGE for the best. No ids, no undo, no late
 * events, no rolling or decaying windows, nothing that expires.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { inProject } from '../../scripts/project.mjs';
import { SITES } from '../../tests/support/costs.mjs';

/**
 * @typedef {import('../../tests/support/bodies/traffic.mjs').Body} Body
 * @typedef {import('../../tests/support/bodies/traffic.mjs').Event} Event
 */

const WORTH = { view: 1, like: 2 };
const BEST = ['ZREVRANGE', 'plain:demo:articles:0', '0'];

/** By the key of the cost. @type {Record<string, string[][]>} */
export const PLAIN_READING = {
  top: [[...BEST, '9', 'WITHSCORES']],
  topHundred: [[...BEST, '99', 'WITHSCORES']],
  topYesterday: [[...BEST, '99', 'WITHSCORES']],
  topOfDays: [[...BEST, '99', 'WITHSCORES']],
  topHot: [[...BEST, '99', 'WITHSCORES']],
  topTies: [[...BEST, '99', 'WITHSCORES']],
  member: [
    ['ZREVRANK', 'plain:demo:articles:0', '/posts/7'],
    [...BEST, '10', 'WITHSCORES'],
  ],
  ranks: Array.from({ length: 100 }, (_, i) => ['ZREVRANK', 'plain:demo:articles:0', `/posts/${i}`]),
};

/**
 * @param {Body} body
 * @param {string} [site]
 * @returns {string[][][]} the commands of each event
 */
export function plainCounting({ events }, site = 'demo') {
  return events.map((event) =>
    Object.entries(boardsOf(site)).flatMap(([name, { windows, members = 'items' }]) => {
      const member = members === 'items' ? event.item : event.actor;
      return member ? windows.map((_, i) => plainly(`plain:${site}:${name}:${i}`, event, member)) : [];
    }),
  );
}

/** @param {string} key @param {Event} event @param {string} member */
function plainly(key, event, member) {
  return event.value === undefined ? ['ZINCRBY', key, String(worthOf(event)), member] : ['ZADD', key, 'GT', String(event.value), member];
}

/**
 * The least that a script costs which counts as plain counting does: it adds what each member gets, reads and writes each key once, and
 * does nothing else. What a script costs beside that is the engine's own.
 */
export const LEAST_SCRIPT = `
local names, sums = {}, {}
for i = 2, #ARGV, 2 do
  local member = ARGV[i]
  if not sums[member] then names[#names + 1] = member end
  sums[member] = (sums[member] or 0) + ARGV[i + 1]
end
for window = 0, ARGV[1] - 1 do
  local key = KEYS[1] .. ':' .. window
  if #names == 1 then
    redis.call('ZINCRBY', key, sums[names[1]], names[1])
  else
    local scores, come = redis.call('ZMSCORE', key, unpack(names)), {}
    for i = 1, #names do
      come[2 * i - 1], come[2 * i] = (scores[i] or 0) + sums[names[i]], names[i]
    end
    redis.call('ZADD', key, unpack(come))
  end
end
return #names`;
const LEAST_SHA1 = createHash('sha1').update(LEAST_SCRIPT).digest('hex');

/**
 * A request as calls of that script, one for each board; none where values are ranked, which it does not know.
 *
 * @param {Body} body
 * @param {string} [site]
 * @returns {string[][]}
 */
export function leastCounting({ events }, site = 'demo') {
  return Object.entries(boardsOf(site)).flatMap(([name, { windows, members = 'items' }]) => {
    const added = events.flatMap((event) => {
      const member = members === 'items' ? event.item : event.actor;
      return member && event.value === undefined ? [member, String(worthOf(event))] : [];
    });
    return added.length > 0 ? [['EVALSHA', LEAST_SHA1, '1', `plain:${site}:${name}`, String(windows.length), ...added]] : [];
  });
}

/** The least that functions cost which answer reads. What a reader costs beside them is the engine's own. */
export const LEAST_READERS = readFileSync(inProject('bench/baselines/readers.lua'), 'utf8');
const HOUR_MS = 3_600_000;

/**
 * A read as a call of those functions, on the boards that the worker's call reads.
 *
 * @param {string} key of the cost
 * @param {number} now Unix milliseconds
 * @returns {string[][]} none for reads that they do not answer
 */
export function leastReading(key, now) {
  const period = (/** @type {string} */ board, /** @type {string} */ unit, /** @type {number} */ ms) =>
    [0, 1].map((before) => `eb:{demo:${board}}:${unit}:${Math.floor(now / ms) - before}`);
  const [day, hour] = [period('articles', 'day', 24 * HOUR_MS), period('articles', 'hour', HOUR_MS)];
  const people = period('people', 'day', 24 * HOUR_MS);
  const call = (/** @type {string} */ name, /** @type {string[]} */ boards, /** @type {string[]} */ ...args) => {
    const keys = [boards[0].replace(/}.*/, '}:state'), ...boards];
    return [['FCALL_RO', `readers_${name}`, String(keys.length), ...keys, ...args]];
  };
  /** @type {Record<string, string[][]>} */
  const least = {
    top: call('top', day, '10', '100'),
    topHundred: call('top', hour, '100', '100'),
    topTies: call('top', [...people, ...people.map((board) => `${board}:first`)], '100', '100'),
    member: call('ranks', day.slice(0, 1), '5', '/posts/7'),
    ranks: call('ranks', day.slice(0, 1), '0', ...Array.from({ length: 100 }, (_, i) => `/posts/${i}`)),
  };
  return least[key] ?? [];
}

/** What an event adds to the score of its item. @param {Event} event */
export function worthOf({ action, undo }) {
  return WORTH[/** @type {keyof typeof WORTH} */ (action)] * (undo ? -1 : 1);
}

/** @param {string} site @returns {Record<string, { windows: unknown[], members?: string }>} */
function boardsOf(site) {
  return SITES[/** @type {keyof typeof SITES} */ (site)].boards;
}
