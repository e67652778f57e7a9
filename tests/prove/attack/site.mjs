/**
 * The site that is attacked, and what its windows must show: a model that adds up the clicks of those it is given.
 *
 * # Out of scope
 *
 * Orders of members with the same score: tests of ties hold those.
 */
import { DAY_MS, readComplete } from '../../support/windows.mjs';
import { DAYS } from './traffic.mjs';

export const MONDAY = Date.parse('2026-11-16T08:00:00Z');
const HALF_LIFE_DAYS = 30;
const HOT = { name: 'hot', kind: 'half-life', half_life: `${HALF_LIFE_DAYS}d` };
/**
 * Of a score of `hot`: the model takes all clicks of a day for one instant, and five minutes are worth 8 × 10⁻⁵ of a score. One click
 * is more than that on a member with up to ten thousand of them.
 */
const HOT_TOLERANCE = 1e-4;
/** @type {Record<Board, Record<string, number>>} */
const WEIGHTS = {
  articles: { view: 1, like: 2 },
  hits: { view: 1, like: 2 },
  people: { view: 1, like: 2, publish: 1 },
};
/** The deepest page that is served, which every board fits on. */
const LIMIT = 1_000;

/**
 * @typedef {import('../../support/deployment.mjs').Deployment} Deployment
 * @typedef {import('./traffic.mjs').Visit} Visit
 * @typedef {'articles' | 'hits' | 'people'} Board
 * @typedef {Map<string, number>} Scores of each member
 */

/** @param {{ beacons: number, maxMembers: number }} options */
export const siteOf = ({ beacons, maxMembers }) => ({
  origins: ['*'],
  journal: '8d',
  actions: { view: { public: true }, like: { reversible: true, signed: true }, publish: {} },
  limits: { beacons, misses: 0 },
  max_beacon_events: 20,
  boards: {
    articles: {
      weights: WEIGHTS.articles,
      windows: ['hour', 'day', 'week', 'month', 'year', 'all', 'last-2-days', 'last-7-days', HOT],
      once: { view: 'day' },
      limit: LIMIT,
      max_members: maxMembers,
    },
    hits: {
      weights: WEIGHTS.hits,
      windows: ['day', 'all', 'last-7-days'],
      ties: 'last',
      ranking: 'dense',
      limit: LIMIT,
      max_members: maxMembers,
    },
    people: { members: 'actors', weights: WEIGHTS.people, windows: ['day', 'week', 'all', 'last-2-days', 'last-7-days'], limit: LIMIT },
  },
});

/** Every ranking there is on the week's last day: each window of each board, and the days before. */
export function rankings() {
  const last = DAYS - 1;
  return Object.entries(siteOf({ beacons: 0, maxMembers: 1 }).boards).flatMap(([name, { windows }]) => {
    const board = /** @type {Board} */ (name);
    return windows.flatMap((window) => {
      if (typeof window !== 'string') return [{ board, window: window.name, day: last, query: '' }];
      if (window !== 'day') return [{ board, window, day: last, query: '' }];
      const dateOf = (/** @type {number} */ day) => new Date(MONDAY + day * DAY_MS).toISOString().slice(0, 10);
      return Array.from({ length: DAYS }, (_, day) => ({ board, window, day, query: `&period=${dateOf(day)}` }));
    });
  });
}

/**
 * What a ranking must show when it only ever saw these visits, each of them let through.
 *
 * @param {Visit[][]} days
 * @param {Board} board
 * @param {string} window
 * @param {number} last day of the window
 * @returns {Scores}
 */
export function expected(days, board, window, last) {
  const first = window === 'day' || window === 'hour' ? last : window === 'last-2-days' ? last - 1 : 0;
  /** @type {Scores} */
  const sums = new Map();
  for (let day = Math.max(first, 0); day <= last; day += 1) {
    const worth = window === HOT.name ? 2 ** ((day - last) / HALF_LIFE_DAYS) : 1;
    for (const [member, score] of scoresOn(days[day], board)) sums.set(member, (sums.get(member) ?? 0) + score * worth);
  }
  return sums;
}

/** @param {Visit[]} visits of a day @param {Board} board @returns {Scores} */
function scoresOn(visits, board) {
  /** @type {Scores} */
  const scores = new Map();
  const seen = new Set();
  for (const { address, agent, actor, clicks } of visits) {
    for (const { action, item } of clicks) {
      const member = board === 'people' ? actor : item;
      const weight = WEIGHTS[board][action];
      if (member === undefined || weight === undefined) continue;
      const once = JSON.stringify([actor ?? [address, agent], action, item]);
      const countsOnce = action === 'like' || (action === 'view' && board === 'articles');
      if (countsOnce && seen.has(once)) continue;
      seen.add(once);
      scores.set(member, (scores.get(member) ?? 0) + weight);
    }
  }
  return scores;
}

/**
 * How many members of the rankings are not as they must be, and the first few of them.
 *
 * @param {Deployment} deployment
 * @param {Visit[][]} days of those who are to be seen
 * @returns {Promise<{ members: number, differing: number, examples: string[] }>}
 */
export async function compare(deployment, days) {
  let members = 0;
  /** @type {string[]} */
  const differing = [];
  for (const { board, window, day, query } of rankings()) {
    const model = expected(days, board, window, day);
    const { answer } = await readComplete(deployment, `${board}/${window}`, `?limit=${LIMIT}${query}`);
    /** @type {Scores} */
    const shown = new Map(answer.body.entries.map((/** @type {{ id: string, score: number }} */ { id, score }) => [id, score]));
    const where = `${board}/${window}${query}`;
    if (answer.body.total !== model.size) differing.push(`${where} has ${answer.body.total} members, not ${model.size}`);
    const fades = window === HOT.name;
    const scale = fades ? sum(model) / sum(shown) : 1;
    for (const id of new Set([...model.keys(), ...shown.keys()])) {
      const [must, is] = [model.get(id) ?? 0, (shown.get(id) ?? 0) * scale];
      members += 1;
      if (Math.abs(must - is) > (fades ? must * HOT_TOLERANCE : 0)) differing.push(`${where} ${id} has ${is}, not ${must}`);
    }
  }
  return { members, differing: differing.length, examples: differing.slice(0, 5) };
}

const sum = (/** @type {Scores} */ scores) => [...scores.values()].reduce((sum, score) => sum + score, 0);
