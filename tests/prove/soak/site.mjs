/**
 * The site of the soak, drawn by a seed: every kind of window, and options that change how an event is counted.
 */

/** @typedef {import('./model.mjs').Board} Board */

const HOUR_MS = 3_600_000;
const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };

/** Each with a change of its clock in the second half of ten days. */
const ZONES = [
  { timezone: 'Europe/London', from: '2027-10-25T21:10:00Z' },
  { timezone: 'America/New_York', from: '2027-11-01T23:10:00Z' },
  { timezone: 'Europe/London', from: '2027-03-22T21:10:00Z' },
  { timezone: 'America/New_York', from: '2027-03-08T23:10:00Z' },
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
      year: { unit: 'year' },
      all: { unit: 'all' },
      'last-6-hours': { unit: 'hour', length: 6 },
      'last-3-days': { unit: 'day', length: 3 },
      'last-2-weeks': { unit: 'week', length: 2 },
    },
  },
  trends: {
    members: 'items',
    weights: { view: 1, like: 3, comment: 2.5 },
    windows: { day: { unit: 'day' }, hot: { halfLifeMs: 6 * HOUR_MS } },
  },
  daily: {
    members: 'items',
    weights: { view: 1 },
    windows: { day: { unit: 'day' }, all: { unit: 'all' }, 'last-2-days': { unit: 'day', length: 2 } },
    once: { view: 'day' },
  },
  people: {
    members: 'actors',
    weights: { view: 1, like: 2, comment: 4 },
    windows: { day: { unit: 'day' }, week: { unit: 'week' }, all: { unit: 'all' }, 'last-3-days': { unit: 'day', length: 3 } },
  },
  best: {
    members: 'items',
    weights: { finish: 1 },
    windows: { day: { unit: 'day' }, all: { unit: 'all' }, 'last-3-days': { unit: 'day', length: 3 } },
    isBest: true,
  },
};

/** Windows that the older one of two configurations lacks. No other window is made of their periods. */
export const NEWER = new Set(['articles/year', 'articles/all']);

/**
 * @param {(n: number) => number} pick
 * @returns {{ zone: { timezone: string, dayStartsAt: string }, from: number, newer: object, older: object, options: { journal: boolean } & Record<string, unknown> }}
 */
export function drawSite(pick) {
  const { timezone, from } = ZONES[pick(ZONES.length)];
  const dayStartsAt = ['00:00', '01:30', '04:00'][pick(3)];
  const ties = [undefined, 'first', 'last'][pick(3)];
  const ranking = ['ordinal', 'competition', 'dense'][pick(3)];
  const [journal, breakdown, ingest] = [pick(2) === 0, pick(2) === 0, ['direct', 'grouped'][pick(2)]];
  const options = { timezone, dayStartsAt, ties, ranking, journal, breakdown, ingest };

  /** @param {string} name @param {object} more @param {(window: string) => boolean} [has] */
  const board = (name, more, has = () => true) => {
    const { members, weights, windows, once, isBest } = BOARDS[name];
    return {
      members,
      ...(isBest ? { score: 'max', actions: Object.keys(weights), decimals: 0 } : { weights }),
      windows: Object.keys(windows).flatMap((window) => (has(window) ? [window === 'hot' ? HOT : window] : [])),
      ...(once && { once }),
      limit: 1000,
      fresh: '1s',
      ...more,
    };
  };
  /** @param {(window: string) => boolean} has */
  const site = (has) => ({
    origins: ['*'],
    timezone,
    day_starts_at: dayStartsAt,
    actors: 'any',
    ingest,
    ...(journal && { journal: '12d' }),
    actions: { view: { public: true }, like: { reversible: true }, comment: {}, finish: {} },
    boards: {
      articles: board('articles', { breakdown, ...(ties && { ties }) }, has),
      trends: board('trends', { breakdown }),
      daily: board('daily', {}),
      people: board('people', { ranking, ...(ties && { ties }) }),
      best: board('best', { max_members: 1000 }),
    },
  });
  return {
    zone: { timezone, dayStartsAt },
    from: Date.parse(from),
    newer: site(() => true),
    older: site((window) => !NEWER.has(`articles/${window}`)),
    options,
  };
}
