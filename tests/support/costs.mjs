/**
 * What is asked of Redis's commands: requests, each with the most that it may cost. A command inside a script counts too, as it is
 * billed where commands are billed.
 *
 * The test that holds the bounds, the benchmark of Redis's CPU and the table in docs/operations/costs.md take their rows from here.
 */
import { fileURLToPath } from 'node:url';

import { unstable_readConfig as readConfig } from 'wrangler';

import { createTraffic, everyMember } from './bodies/traffic.mjs';
import { createClock } from './clock.mjs';
import { startDeployment } from './deployment.mjs';

/**
 * @typedef {import('./deployment.mjs').Deployment} Deployment
 * @typedef {import('./deployment.mjs').Answer} Answer
 * @typedef {import('./bodies/traffic.mjs').Traffic} Traffic
 * @typedef {import('./bodies/traffic.mjs').Body} Body
 *
 * @typedef {object} Cost
 * @property {string} name of the request, as the table in the docs has it
 * @property {number} max commands, per event
 * @property {number} [maxNotReady] the same while rolling windows are not ready; what has none reads them, and makes them so
 * @property {number} [events] of the request
 * @property {string} [site] the shipped one by default
 * @property {(on: Deployment, traffic: Traffic) => Promise<Body>} [before] what must be there, and is not part of the cost
 * @property {(on: Deployment, traffic: Traffic, before?: Body) => Promise<Answer>} send
 */

export const ADMIN_TOKEN = 'a-token-for-admins';
const CONFIG = fileURLToPath(new URL('../../wrangler.toml', import.meta.url));
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Half past noon, so that no event lies in another hour. */
const NOW = '2026-11-20T12:30:00Z';
const TRIES = 3;
const WINDOW_STATE = 'window:last-7-days';
/** How long ago members had events: readers compare with the hour and the day before. */
const AGES_MS = [24 * HOUR_MS, HOUR_MS, 0];

/** The sites of the shipped wrangler.toml. */
export const SHIPPED = /** @type {any} */ (readConfig({ config: CONFIG }).vars).SITES;
const VIEWS = { origins: ['*'], actions: { view: { public: true } }, actors: 'any' };
const CALENDAR = ['hour', 'day', 'week', 'month', 'year', 'all'];
/** A token has one actor. Where browsers are believed, a batch may have many, and an actor costs the same. */
export const SITES = {
  ...SHIPPED,
  demo: { ...SHIPPED.demo, actors: 'any' },
  once: {
    ...VIEWS,
    activity: false,
    boards: { articles: { weights: { view: 1 }, windows: SHIPPED.demo.boards.articles.windows, once: { view: 'day' } } },
  },
  day: { ...VIEWS, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } },
  sum: { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: CALENDAR } } },
  max: { actions: { view: {} }, boards: { articles: { score: 'max', actions: ['view'], decimals: 0, windows: CALENDAR } } },
};

let latestValue = 0;
/** Where values are ranked, each event has one that is better than all before. @param {Body} body @param {string} site @returns {Body} */
const suited = ({ id, events }, site) =>
  site === 'max' ? { id, events: events.map((event) => ({ ...event, value: ++latestValue })) } : { id, events };

/**
 * @param {number} count
 * @param {{ actors?: boolean, site?: string }} [options]
 * @returns {Cost['send']}
 */
const views =
  (count, { actors = false, site = 'demo' } = {}) =>
  (on, traffic) =>
    on.beacon(traffic.views(count, { actors }), { site });

/** @type {Record<string, Cost>} */
const COUNTING = {
  one: { name: 'a beacon with one view', max: 19, maxNotReady: 19, send: views(1) },
  ten: { name: 'a beacon with ten views', max: 2.7, maxNotReady: 2.7, events: 10, send: views(10) },
  hundred: { name: 'a batch of 100 views', max: 0.3, maxNotReady: 0.3, events: 100, send: views(100) },
  oneByActor: { name: 'a beacon with one view, by an actor', max: 51, maxNotReady: 51, send: views(1, { actors: true }) },
  tenByActors: { name: 'a batch of ten views, by actors', max: 6.6, maxNotReady: 6.6, events: 10, send: views(10, { actors: true }) },
  hundredByActors: {
    name: 'a batch of 100 views, by actors',
    max: 0.75,
    maxNotReady: 0.75,
    events: 100,
    send: views(100, { actors: true }),
  },
};

/** @type {Record<string, Cost>} */
const MORE_COUNTING = {
  again: {
    name: 'the same beacon again',
    max: 4,
    before: async (on, traffic) => sent(traffic.views(1), (body) => on.beacon(body)),
    send: (on, _, body) => on.beacon(body),
  },
  newMember: {
    name: 'a beacon with the first view of an item',
    max: 25,
    send: (on, { id, views }) => {
      const body = views(1);
      return on.beacon({ ...body, events: [{ ...body.events[0], item: `/posts/new-${id()}` }] });
    },
  },
  like: { name: 'a like, on three targets', max: 57, send: (on, traffic) => on.events(traffic.like()) },
  undo: {
    name: 'its undo',
    max: 57,
    before: (on, traffic) => sent(traffic.like(), on.events),
    send: (on, traffic, like) => on.events(traffic.undo(/** @type {Body} */ (like))),
  },
};

/**
 * Of actors who were never there, so that each view counts.
 *
 * @param {number} count
 * @returns {Cost['send']}
 */
const firstViews = (count) => (on, traffic) => {
  const { id, events } = traffic.views(count, { actors: true });
  return on.beacon({ id, events: events.map((event) => ({ ...event, actor: `${event.actor}-${id}` })) }, { site: 'once' });
};

/** On one board with the eight windows of the shipped one. @type {Record<string, Cost>} */
const ONCE = {
  once: { name: 'a beacon with one view, by an actor', max: 18, site: 'once', send: firstViews(1) },
  onceVisitor: { name: 'a beacon with one view', max: 20, site: 'once', send: views(1, { site: 'once' }) },
  hundredOnce: {
    name: 'a batch of 100 views, by actors',
    max: 0.4,
    events: 100,
    site: 'once',
    send: firstViews(100),
  },
};

/** @type {Record<string, Cost>} */
const ONE_WINDOW = {
  dayOne: { name: 'a beacon with one view', max: 7, site: 'day', send: views(1, { site: 'day' }) },
  dayTen: { name: 'a beacon with ten views', max: 0.9, events: 10, site: 'day', send: views(10, { site: 'day' }) },
  dayHundred: { name: 'a batch of 100 views', max: 0.1, events: 100, site: 'day', send: views(100, { site: 'day' }) },
};

/** Of servers. @param {number} count @param {string} site @returns {Cost['send']} */
const results = (count, site) => (on, traffic) => on.events(suited(traffic.views(count), site), { site });

/** @type {Record<string, Cost>} */
const RESULTS = {
  sumHundred: { name: 'a batch of 100 events', max: 0.2, events: 100, site: 'sum', send: results(100, 'sum') },
  maxHundred: {
    name: 'a batch of 100 events, where the best values stand',
    max: 0.21,
    events: 100,
    site: 'max',
    send: results(100, 'max'),
  },
};

/** @param {string} ranking @param {string} [query] @returns {Cost['send']} */
const top = (ranking, query) => (on) => on.freshTop(ranking, query);

/** @param {number} instant Unix milliseconds */
const dayOf = (instant) => new Date(instant).toISOString().slice(0, 10);

/** What has not changed is not read again. @type {NonNullable<Cost['before']>} */
const changed = (on, traffic) => sent(traffic.views(1, { actors: true }), (body) => on.beacon(body));

/** @type {Record<string, Cost>} */
const READING = {
  top: { name: 'the top 10 of a day', max: 9, before: changed, send: top('articles/day', '?limit=10') },
  topHundred: { name: 'the top 100 of an hour', max: 9, before: changed, send: top('articles/hour', '?limit=100') },
  topYesterday: {
    name: 'the top 100 of yesterday',
    max: 9,
    before: changed,
    send: (on, traffic) => top('articles/day', `?limit=100&period=${dayOf(on.clock.now() - AGES_MS[0])}`)(on, traffic),
  },
  topOfDays: { name: 'the top 100 of `last-7-days`', max: 9, before: changed, send: top('articles/last-7-days', '?limit=100') },
  topHot: { name: 'the top 100 of a half-life', max: 9, before: changed, send: top('articles/hot', '?limit=100') },
  topTies: { name: 'the top 100 of a day, with ties', max: 9, before: changed, send: top('people/day', '?limit=100') },
  member: {
    name: 'the rank of a member, and ten around it',
    max: 10,
    before: changed,
    send: top('articles/day', '/members/%2Fposts%2F7?around=5'),
  },
  ranks: {
    name: 'the ranks of 100 members',
    max: 13,
    send: (on) => {
      const body = JSON.stringify({ ids: Array.from({ length: 100 }, (_, i) => `/posts/${i}`) });
      return on.fetch('/v1/demo/boards/articles/day/ranks', { method: 'POST', body });
    },
  },
};

/** By title and key. @type {[title: string, costs: Record<string, Cost>][]} */
export const GROUPS = [
  ['The shipped configuration', { ...COUNTING, ...MORE_COUNTING }],
  ['A board with `once` and eight windows', ONCE],
  ['A board with one window', ONE_WINDOW],
  ['A board with six windows', RESULTS],
  ['Reading', READING],
];
const WRITING = GROUPS.flatMap(([, costs]) => Object.values(costs === READING ? {} : costs));

/**
 * A deployment to count commands on, with 40 items and 30 actors in a batch of 100.
 *
 * @returns {Promise<{ deployment: Deployment, traffic: Traffic }>}
 */
export async function startCounting() {
  const traffic = createTraffic({ items: 40, actors: 30, inTurn: true });
  const clock = createClock();
  clock.set(NOW);
  return { deployment: await startCosts(traffic, { clock, members: 100 }), traffic };
}

/**
 * A deployment with every member on every board, whose scripts Redis knows.
 *
 * @param {Traffic} traffic
 * @param {object} [options]
 * @param {import('./clock.mjs').Clock} [options.clock]
 * @param {number} [options.members]
 * @param {import('./redis.mjs').Options} [options.redis]
 */
export async function startCosts(traffic, { clock, members = 1000, redis = {} } = {}) {
  const started = { redisArgs: redis.args, redisUnder: redis.under, redisStartMs: redis.startMs };
  const deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars: { ADMIN_TOKEN }, clock, ...started });
  try {
    await fill(deployment, traffic, members);
  } catch (error) {
    await deployment.stop();
    throw error;
  }
  return deployment;
}

/** @param {Deployment} on @param {Traffic} traffic @param {number} members */
async function fill(on, traffic, members) {
  on.edgeClock.set(on.clock.now());
  for (const ageMs of AGES_MS) {
    for (const site of Object.keys(SITES)) {
      for (const { id, events } of everyMember(traffic, { items: members, actors: members })) {
        const aged = events.map((event) => ({ ...event, ago: ageMs }));
        await sent(suited({ id, events: aged }, site), (body) => on.events(body, { site }));
      }
    }
  }
  // Each script twice, since the first call of all loads the library.
  for (const cost of [...WRITING, ...WRITING]) await (await prepared(on, cost, traffic))();
}

/**
 * What must be there before is done at once. What is returned sends the request.
 *
 * @param {Deployment} on
 * @param {Cost} cost
 * @param {Traffic} traffic
 */
export async function prepared(on, { before, send }, traffic) {
  const made = await before?.(on, traffic);
  return async () => expectAnswer(await send(on, traffic, made));
}

/**
 * Brings all rolling windows up to date. The scripts that read are then known, too.
 *
 * @param {Deployment} on
 * @param {Traffic} traffic
 */
export async function prepareWindows(on, traffic) {
  for (const site of Object.keys(SITES)) {
    const { body } = await on.fetch(`/v1/${site}/admin/upkeep`, { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    const late = body.windows.filter((/** @type {{ complete?: boolean }} */ { complete }) => complete === false);
    if (late.length > 0) throw new Error(`not complete: ${JSON.stringify(late)}`);
  }
  for (const cost of Object.values(READING)) await (await prepared(on, cost, traffic))();
}

/**
 * Commands of a request, in all and by name. Of three tries, the cheapest is told, and what the dearer of the last two took besides: one call of many
 * also counts how many ids are remembered, and takes the longer way.
 *
 * @param {Deployment} on
 * @param {Cost} cost
 * @param {Traffic} traffic
 */
export async function countCommands(on, cost, traffic) {
  const tries = [];
  for (let remaining = TRIES; remaining > 0; remaining -= 1) {
    const counts = await on.commandsDuring(await prepared(on, cost, traffic));
    tries.push({ counts, all: sum(counts) });
  }
  const [cheapest] = tries.toSorted((a, b) => a.all - b.all);
  // The first one plans anew what changed before.
  const [dearest] = tries.slice(1).toSorted((a, b) => b.all - a.all);
  return { counts: cheapest.counts, commands: cheapest.all / (cost.events ?? 1), besides: dearest.all - cheapest.all };
}

/** Commands of a month in which upkeep runs each minute, and nobody sends or reads anything: thirty times those of a day. */
export async function countIdleMonth() {
  const traffic = createTraffic();
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITES.demo } });
  const clocks = [deployment.clock, deployment.edgeClock];
  // Each run begins at the same instant of its minute, early in a second, however long the ones before took. Else chance decides in which second it is.
  let minute = 0;
  const setMinute = () => {
    for (const clock of clocks) clock.set(Date.parse(NOW) + minute * MINUTE_MS + 20_250);
  };
  const minutes = async (/** @type {number} */ count) => {
    for (const end = minute + count; minute < end; minute += 1) {
      setMinute();
      await deployment.worker.scheduled();
    }
  };
  setMinute();
  try {
    for (const body of everyMember(traffic, { items: 100, actors: 100 })) await sent(body, deployment.beacon);
    // In a later second than the last event, so that its board's mark is raised once.
    minute += 1;
    await minutes(10);
    const counts = await deployment.commandsDuring(() => minutes(24 * 60));
    return { counts, commands: sum(counts) * 30 };
  } finally {
    await deployment.stop();
  }
}

/** @param {Record<string, number>} counts */
const sum = (counts) => Object.values(counts).reduce((all, calls) => all + calls, 0);

/** What the state of a rolling window may say while its board is not whole. */
export const NOT_READY = /** @type {const} */ (['broken', 'repair']);

/**
 * Has the boards of rolling windows vanish, as by eviction. Writers then find them gone, or a scan at work. The first events after that, which plan
 * what others are counted on, are about members of their own.
 *
 * @param {Deployment} on
 * @param {(typeof NOT_READY)[number]} state
 */
export async function breakWindows(on, state) {
  const day = Math.floor(on.clock.now() / (24 * HOUR_MS));
  for (const key of await on.redis.command('KEYS', '*:window:last-7-days:*')) await on.redis.command('DEL', key);
  for (const key of await on.redis.command('KEYS', '*:state')) {
    if (!(await on.redis.command('HEXISTS', key, WINDOW_STATE))) continue;
    await on.redis.command('HSET', key, WINDOW_STATE, state === 'repair' ? `repair ${day}` : state, 'plan:browser', '', 'plan:server', '');
  }
  const events = [{ action: 'view', item: '/posts/first', actor: 'first' }];
  for (const id of ['a', 'b']) await sent({ id: `first-${id}-${state}`, events }, (body) => on.beacon(body));
}

/**
 * @param {Body} body
 * @param {(body: Body) => Promise<Answer>} send
 */
async function sent(body, send) {
  expectAnswer(await send(body));
  return body;
}

/** That all was counted, but what counts once. @param {Answer} answer */
function expectAnswer({ status, text, body }) {
  const refused = body?.rejected?.filter((/** @type {{ code: string }} */ { code }) => code !== 'already-done') ?? [];
  if (status >= 300 || refused.length > 0) throw new Error(`${status} ${text}`);
}
