/**
 * The site of the soak, drawn by a seed: every kind of window and board, and options that change how an event is counted.
 */
import { isDecaying } from './model.mjs';

/** @typedef {import('./model.mjs').Board} Board */
/** @typedef {import('./model.mjs').Window} Window */
/** @typedef {(n: number) => number} Pick */

const HOUR_MS = 3_600_000;

/** Each with a change of its clock in the second half of ten days. */
const ZONES = [
  { timezone: 'Europe/London', from: '2027-10-25T21:10:00Z', seasons: '2027-10-24T18:00' },
  { timezone: 'America/New_York', from: '2027-11-01T23:10:00Z', seasons: '2027-10-31T01:30' },
  { timezone: 'Europe/London', from: '2027-03-22T21:10:00Z', seasons: '2027-03-21T01:30' },
  { timezone: 'America/New_York', from: '2027-03-08T23:10:00Z', seasons: '2027-03-08T02:30' },
];
const SEASON_DAYS = 2;

export const CATEGORIES = ['sport', 'World News', 'chess'];

/** Windows whose names do not say what they are, as the configuration has them. */
const CONFIGURED = {
  hot: { kind: 'half-life', half_life: '6h' },
  fading: { kind: 'step', every: 'hour', factor: 0.9 },
  smooth: { kind: 'linear', resets: 'day', at: '02:01:00', beta: 1.1 },
  hourly: { kind: 'linear', resets: 'hour' },
  'last-60-minutes': { kind: 'rolling', grain: '5 minutes' },
};

/** @type {Record<string, Window>} */
const DECAYING = {
  hot: { halfLifeMs: 6 * HOUR_MS },
  fading: { every: 'hour', factor: 0.9 },
  smooth: { resets: '02:01', beta: 1.1 },
  hourly: { resets: undefined, beta: 1 },
};

/** What each board shows, as the model has it. @param {Pick} pick @returns {Record<string, Board>} */
function drawBoards(pick) {
  /** @type {Record<string, Window>} */
  const days = { day: { unit: 'day' }, all: { unit: 'all' }, 'last-3-days': { unit: 'day', length: 3 } };
  return {
    articles: {
      members: 'items',
      weights: { view: 1, like: 3, comment: 2 },
      windows: {
        hour: { unit: 'hour' },
        week: { unit: 'week' },
        month: { unit: 'month' },
        year: { unit: 'year' },
        ...days,
        'last-6-hours': { unit: 'hour', length: 6 },
        'last-2-weeks': { unit: 'week', length: 2 },
      },
    },
    trends: {
      members: 'items',
      weights: { view: 1, like: 3, comment: [2.5, -1][pick(2)] },
      windows: { day: { unit: 'day' }, ...DECAYING },
    },
    mixed: {
      members: 'items',
      weights: pick(2) ? { view: 0.25, like: 2.5, comment: -1.25 } : { view: 0.1, like: -0.3, comment: 1.5 },
      windows: { ...days, hour: { unit: 'hour' }, 'last-6-hours': { unit: 'hour', length: 6 } },
      minScore: [undefined, 1.5][pick(2)],
    },
    daily: {
      members: 'items',
      weights: { view: 1 },
      windows: { day: { unit: 'day' }, all: { unit: 'all' }, 'last-2-days': { unit: 'day', length: 2 } },
      once: { view: 'day' },
    },
    people: { members: 'actors', weights: { view: 1, like: 2, comment: 4 }, windows: { ...days, week: { unit: 'week' } } },
    recent: {
      members: 'items',
      weights: { view: 1, like: 3, comment: 2 },
      windows: {
        'last-60-minutes': { unit: '5 minutes', length: 12 },
        'last-90-minutes': { unit: 'minute', length: 90 },
        'last-30-minutes': { unit: 'minute', length: 30 },
      },
    },
    contests: {
      members: 'actors',
      weights: { view: 1, like: 2, comment: -3 },
      windows: { rounds: { unit: 'season' }, 'last-2-days': { unit: 'day', length: 2 } },
    },
    best: { members: 'items', weights: { finish: 1 }, windows: days, policy: 'max' },
    least: { members: 'items', weights: { finish: 1 }, windows: { ...days, hour: { unit: 'hour' } }, policy: 'min' },
    latest: {
      members: 'actors',
      weights: { finish: 1 },
      windows: { hour: { unit: 'hour' }, day: { unit: 'day' }, all: { unit: 'all' } },
      policy: 'last',
    },
  };
}

/** A board whose periods are in the archive alone soon after their end, while events and undos still come for them. @type {Board} */
const KEPT = {
  members: 'items',
  weights: { view: 1, like: 2, comment: 3 },
  windows: { hour: { unit: 'hour' }, day: { unit: 'day' }, all: { unit: 'all' } },
};

/** @returns {Record<string, Board>} */
function boardsOfSections() {
  /** @type {Board} */
  const stories = {
    members: 'items',
    weights: { view: 1, like: 2, comment: 3 },
    windows: { day: { unit: 'day' }, all: { unit: 'all' }, 'last-6-hours': { unit: 'hour', length: 6 }, hot: DECAYING.hot },
  };
  /** @type {Board} */
  const credits = { members: 'authors', weights: { view: 1, like: 2 }, windows: { day: { unit: 'day' }, all: { unit: 'all' } } };
  const parts = CATEGORIES.map((section) => [`stories.${encodeURIComponent(section)}`, { ...stories, section }]);
  return { stories, credits, ...Object.fromEntries(parts) };
}

/** Windows that the older one of two configurations lacks. No other window is made of the periods of calendar ones among them. @param {Pick} pick */
function drawLacks(pick) {
  const sets = [
    ['articles/year', 'articles/all'],
    ['articles/year', 'articles/last-2-weeks', 'trends/fading', 'mixed/all'],
    ['articles/all', 'trends/hot', 'recent/last-30-minutes', 'people/last-3-days', 'latest/all'],
  ];
  return new Set(sets[pick(sets.length)]);
}

/** @typedef {ReturnType<typeof drawSite>} Site */

/** @param {Pick} pick @param {number} seed three seeds in a row have each way of events to Redis */
export function drawSite(pick, seed) {
  const { timezone, from, seasons } = ZONES[pick(ZONES.length)];
  const options = {
    timezone,
    dayStartsAt: ['00:00', '01:30', '04:00'][pick(3)],
    ties: [undefined, 'first', 'last'][pick(3)],
    ranking: ['ordinal', 'competition', 'dense'][pick(3)],
    journal: pick(2) === 0,
    breakdown: pick(2) === 0,
    ingest: ['queue', 'grouped', 'direct'][seed % 3],
    sections: pick(3) > 0,
    seq: pick(2) === 0,
    archive: pick(2) === 0,
  };
  /** @type {Record<string, Board>} */
  const boards = { ...drawBoards(pick), ...(options.sections && boardsOfSections()), ...(options.archive && { kept: KEPT }) };
  const lacks = drawLacks(pick);
  const zone = { timezone, dayStartsAt: options.dayStartsAt, seasons: { first: seasons, days: SEASON_DAYS, count: 4 + pick(3) } };
  const configure = (/** @type {boolean} */ isOlder, changed = {}) =>
    siteOf({ ...options, ...changed }, boards, zone.seasons, (window) => !isOlder || !lacks.has(window));
  return {
    zone,
    from: Date.parse(from),
    boards,
    options,
    configure,
    /** Boards that keep counts by action. */
    tallied: new Set(
      options.breakdown
        ? ['mixed', 'articles', 'trends', 'kept', ...Object.keys(boards).filter((name) => /^stories/.test(name))]
        : ['mixed'],
    ),
    /** The windows that a worker counts. @param {string} board @param {boolean} isOlder */
    windowsOf(board, isOlder) {
      const { windows } = boards[board];
      // What a rolling window is made of is counted all the same.
      const isMadeOf = (/** @type {Window} */ of) => !isDecaying(of) && of.length !== undefined;
      return Object.keys(windows).filter((window) => !isOlder || !lacks.has(`${board}/${window}`) || isMadeOf(windows[window]));
    },
  };
}

/**
 * @param {Record<string, any>} options @param {Record<string, Board>} boards @param {import('./calendar.mjs').Seasons} seasons
 * @param {(window: string) => boolean} has
 */
function siteOf(options, boards, seasons, has) {
  const { timezone, dayStartsAt, ties, ranking, journal, breakdown, ingest } = options;
  const order = ties && { ties };
  const more = {
    articles: { breakdown, ...order, history: 3 },
    trends: { breakdown },
    mixed: { breakdown: true },
    people: { ranking, ...order },
    contests: { ...order },
    stories: { sections: 'category', breakdown },
    least: { order: 'ascending' },
    kept: { archive: true, keep: { hour: '3h', day: '1d' }, breakdown, ...order },
  };
  const configured = Object.entries(boards).flatMap(([name, board]) => {
    if (board.section !== undefined) return [];
    const windows = Object.keys(board.windows).filter((window) => has(`${name}/${window}`));
    return [[name, { ...boardOf(board, windows, seasons), .../** @type {Record<string, object>} */ (more)[name] }]];
  });
  return {
    origins: ['*'],
    timezone,
    day_starts_at: dayStartsAt,
    actors: 'any',
    ingest,
    ...(journal && { journal: '12d' }),
    actions: { view: { public: true }, like: { reversible: true }, comment: {}, finish: {} },
    boards: Object.fromEntries(configured),
  };
}

/** A board as it is configured. @param {Board} board @param {string[]} windows @param {import('./calendar.mjs').Seasons} seasons */
function boardOf({ members, weights, once, policy, minScore }, windows, seasons) {
  return {
    members,
    ...(policy ? { score: policy, actions: Object.keys(weights), decimals: 0, max_members: 1000 } : { weights }),
    windows: windows.map((window) => configuredWindow(window, seasons)),
    ...(once && { once }),
    ...(minScore !== undefined && { min_score: minScore }),
    limit: 1000,
    fresh: '1s',
  };
}

/** @param {string} name @param {import('./calendar.mjs').Seasons} seasons */
function configuredWindow(name, { first, days, count }) {
  if (name in CONFIGURED) return { name, .../** @type {Record<string, object>} */ (CONFIGURED)[name] };
  if (name !== 'rounds') return name;
  const until = new Date(Date.parse(`${first}Z`) + count * days * 24 * HOUR_MS).toISOString().slice(0, 16);
  return { name, kind: 'season', from: first, until, every: `${days} days` };
}
