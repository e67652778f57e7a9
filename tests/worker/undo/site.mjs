/**
 * The site of the tests of undoing, and what happens on it.
 */
import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';

/**
 * @typedef {{ action: string, item: string, actor?: string, undo?: boolean, at?: number, ago?: number, id?: string }} Event
 * @typedef {{ id?: string, events: Event[] }} Batch
 * @typedef {[wait: number, send: Event | Batch, became: string | string[], through?: 'reweighed']} Step after `wait`
 *   milliseconds it is sent, and that becomes of each event; `reweighed` is the worker of another configuration
 * @typedef {{ story: string, steps: Step[], stands?: number[], upkeep?: boolean, read?: boolean }} Row `stands` are the places,
 *   among all events of the steps, of those that are to have an effect. With `upkeep` the cron trigger runs before each step. With
 *   `read` somebody looks at all rankings then.
 */

export const WINDOWS = ['hour', 'day', 'week', 'month', 'all', 'last-7-days'];
/** What is older than an eighth of 512 half-lives has faded for good: of this window nothing does while an action can be undone. */
export const HOT = { name: 'hot', kind: 'half-life', half_life: '2d' };
/** Its boards take turns every 512 hours. */
export const QUICK = { name: 'quick', kind: 'half-life', half_life: '1h' };
export const FADING = [
  HOT,
  QUICK,
  { name: 'fading', kind: 'step', every: 'day', factor: 0.5 },
  { name: 'smooth', kind: 'linear', resets: 'week', beta: 1.1 },
];
export const SITE = {
  actions: {
    view: {},
    like: { reversible: true },
    dislike: { reversible: true },
    follow: { reversible: true },
    vote: { reversible: true },
    seal: { reversible: true },
    prize: { reversible: true },
    save: { reversible: true },
  },
  boards: {
    articles: {
      weights: { view: 1, like: 2, dislike: -1.5, vote: 4, prize: 1_000_000_000 },
      windows: [...WINDOWS, ...FADING],
      limit: 1000,
    },
    people: {
      members: 'actors',
      weights: { view: 0.1, like: 0.3, follow: 2 },
      windows: ['day', 'month', 'all', 'last-7-days', HOT],
      limit: 1000,
    },
    /** The order of ties is that of their sequence numbers. */
    ordered: { weights: { view: 1, like: 1 }, windows: ['day', 'all', 'last-7-days'], ties: 'first', breakdown: true },
    small: { weights: { vote: 1, seal: 1 }, windows: ['day', 'all', 'last-7-days', HOT], max_members: 1 },
  },
};
/** The same with other weights of a like. */
export const REWEIGHED = structuredClone(SITE);
REWEIGHED.boards.articles.weights.like = 5;
REWEIGHED.boards.people.weights.like = -1;

/** A Friday; the hour that holds it ends long after a step. */
export const START = Date.parse('2026-11-20T12:05:00Z');
export const MINUTE_MS = 60_000;
export const HISTORY_MS = 31 * DAY_MS;
/** Days are kept for 60 days. Stories that last longer than this are not asked for theirs. */
export const DAYS_KEPT_MS = 50 * DAY_MS;
export const NEXT_LANDMARK_MS = 512 * HOUR_MS - (START % (512 * HOUR_MS));

/** What stands on every board before a story begins. @type {Event[]} */
export const BACKGROUND = [
  ...[0.5, 3, 20, 50, 200].flatMap((hours) => [
    { action: 'view', item: '/old', actor: 'u1', at: START - hours * HOUR_MS },
    { action: 'view', item: '/other', actor: 'u2', at: START - hours * HOUR_MS + 1 },
    { action: 'like', item: '/old', actor: `fan-${hours}`, at: START - hours * HOUR_MS + 2 },
  ]),
  { action: 'dislike', item: '/below', actor: 'u3', at: START - HOUR_MS },
];
export const ACTORS = ['u1', 'u2', 'u3', 'u4'];

export const like = { action: 'like', item: '/new', actor: 'u1' };
export const likeOld = { ...like, item: '/old' };
export const vote = { action: 'vote', item: '/new', actor: 'u1' };
export const voteFirst = { action: 'vote', item: '/first', actor: 'u2' };
export const seal = { action: 'seal', item: '/new', actor: 'u1' };
export const undo = (/** @type {Event} */ event) => ({ ...event, undo: true });
/** @param {Partial<Event>} more */
export const liked = (more) => ({ ...like, ...more });

/** @param {Event | Batch} send @returns {Event[]} */
export function eventsOf(send) {
  return 'events' in send ? send.events : [send];
}
