/**
 * The site of the proof of copies, drawn by a seed: boards whose periods are archived, and rolling windows that are made of these.
 */

/** @typedef {import('../soak/model.mjs').Board} Board */

const ZONES = [
  { timezone: 'UTC', dayStartsAt: '00:00', from: '2026-11-27T09:10:00Z' },
  // With a change of its clock on the third day.
  { timezone: 'Europe/London', dayStartsAt: '00:00', from: '2027-03-25T21:10:00Z' },
  { timezone: 'America/New_York', dayStartsAt: '04:00', from: '2027-03-11T23:10:00Z' },
];

/** What each board shows, as the model has it. @type {Record<string, Board>} */
export const BOARDS = {
  articles: {
    members: 'items',
    weights: { view: 1, like: 3, comment: 2 },
    windows: {
      hour: { unit: 'hour' },
      day: { unit: 'day' },
      week: { unit: 'week' },
      month: { unit: 'month' },
      all: { unit: 'all' },
      'last-6-hours': { unit: 'hour', length: 6 },
      'last-3-days': { unit: 'day', length: 3 },
    },
  },
  people: {
    members: 'actors',
    weights: { view: 1, like: 2, comment: 4 },
    windows: { day: { unit: 'day' }, all: { unit: 'all' }, 'last-2-days': { unit: 'day', length: 2 } },
  },
};

/** @param {(n: number) => number} pick */
export function drawSite(pick) {
  const { from, ...zone } = ZONES[pick(ZONES.length)];
  const kept = /** @type {const} */ (['bucket', 'redis'])[pick(2)];
  const ingest = ['direct', 'grouped'][pick(2)];
  const ties = [undefined, 'first', 'last'][pick(3)];
  const breakdown = pick(2) === 0;
  /** @param {Board} of */
  const board = ({ members, weights, windows }) => ({
    members,
    weights,
    windows: Object.keys(windows),
    archive: true,
    limit: 1000,
    fresh: '1s',
    breakdown,
    ...(ties && { ties }),
  });
  const site = {
    origins: ['*'],
    timezone: zone.timezone,
    day_starts_at: zone.dayStartsAt,
    actors: 'any',
    ingest,
    journal: '10d',
    actions: { view: { public: true }, like: { reversible: true }, comment: {} },
    boards: Object.fromEntries(Object.entries(BOARDS).map(([name, of]) => [name, board(of)])),
  };
  return { zone, from: Date.parse(from), kept, site, options: { ...zone, kept, ingest, ties, breakdown } };
}
