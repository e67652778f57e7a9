/**
 * The site `demo`: what `npm start` adds, in memory, where the configuration has none. It is never deployed.
 */

export const SITE = 'demo';

/** What browsers send counts as it does on any page: what anyone may do, and what needs the token of an actor. */
export const DEMO = {
  actions: {
    view: { public: true },
    like: { reversible: true, signed: true },
    collect: { reversible: true, signed: true },
    follow: { reversible: true, signed: true },
    comment: { public: true },
    publish: { public: true },
  },
  boards: {
    articles: {
      members: 'items',
      weights: { view: 1, like: 2, comment: 3 },
      windows: ['hour', 'day', 'week', 'month', 'year', 'all', 'last-7-days', { name: 'hot', kind: 'half-life', half_life: '6h' }],
    },
    people: {
      members: 'actors',
      weights: { view: 1, like: 2, collect: 2, follow: 2, comment: 3, publish: 10 },
      windows: ['day', 'week', 'month'],
      once: { view: 'day' },
      ties: 'first',
      breakdown: true,
    },
  },
};

/**
 * The table that the demo page is about.
 *
 * @param {Record<string, any>} sites of the configuration, by name
 * @returns {{ table: any, isAdded: boolean }}
 */
export function demoOf(sites) {
  const configured = sites[SITE];
  return configured === undefined ? { table: DEMO, isAdded: true } : { table: configured, isAdded: false };
}

/**
 * What pages may send of a site: without a token, and with one. The table may be any: the worker judges it.
 *
 * @param {{ actions?: Record<string, { public?: boolean, signed?: boolean } | null> | null }} table
 */
export function sentByPages({ actions }) {
  const names = (/** @type {(action: { public?: boolean, signed?: boolean } | null) => unknown} */ may) =>
    Object.entries(actions ?? {})
      .filter(([, action]) => may(action))
      .map(([name]) => name);
  return { unsigned: names((action) => action?.public), signed: names((action) => action?.public || action?.signed) };
}
