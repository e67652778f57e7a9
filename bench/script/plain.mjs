/**
 * What plain counting would send instead: one ZINCRBY per event and window, and ZREVRANGE for the best. No ids, no undo, no late
 * events, no rolling or decaying windows, nothing that expires.
 */
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
      return member ? windows.map((_, i) => ['ZINCRBY', `plain:${site}:${name}:${i}`, String(worthOf(event)), member]) : [];
    }),
  );
}

/** What an event adds to the score of its item. @param {Event} event */
export function worthOf({ action, undo }) {
  return WORTH[/** @type {keyof typeof WORTH} */ (action)] * (undo ? -1 : 1);
}

/** @param {string} site @returns {Record<string, { windows: unknown[], members?: string }>} */
function boardsOf(site) {
  return SITES[/** @type {keyof typeof SITES} */ (site)].boards;
}
