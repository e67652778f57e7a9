/**
 * A wrong configuration answers every request with one problem, which names the key, the value and what is allowed; and
 * touches Redis never.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { sampled } from '../support/part.mjs';
import { startRedis } from '../support/redis.mjs';
import { startWorker } from '../support/worker.mjs';

const BOARD = { weights: { view: 1 }, windows: ['day'] };
const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };
const FADING = { name: 'fading', kind: 'step', every: 'day', factor: 0.5 };
const SMOOTH = { name: 'smooth', kind: 'linear', resets: 'day' };
const SITE = { origins: ['*'], actions: { view: { public: true } }, boards: { articles: BOARD } };
/** @param {object} board */
const withBoard = (board) => ({ SITES: { demo: { ...SITE, boards: { articles: { ...BOARD, ...board } } } } });
/** @param {object} site */
const withSite = (site) => ({ SITES: { demo: { ...SITE, ...site } } });

const EVERYWHERE = /** @type {const} */ ([
  ['GET', '/'],
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/beacon.js'],
  ['GET', '/v1/demo/boards/articles/day'],
  ['POST', '/v1/demo/beacon'],
  ['OPTIONS', '/v1/demo/beacon'],
  ['POST', '/v1/demo/events'],
  ['GET', '/nowhere'],
]);

/**
 * @typedef {object} Expected
 * @property {string} key
 * @property {string} [value] as JSON; undefined when it is missing
 * @property {string} [allowed]
 * @property {string} [meant] what is suggested
 * @property {string} [problem] what is said of the key instead of all that
 */

/** @param {Expected} expected */
function lineOf({ key, value, allowed, meant, problem }) {
  if (problem) return `${key} ${problem}`;
  if (value === undefined) return `${key} is missing; allowed: ${allowed}`;
  return `${key} = ${value} is not allowed; allowed: ${allowed}${meant ? `; did you mean ${meant}?` : ''}`;
}

describe('a wrong configuration', () => {
  /**
   * @param {import('node:test').TestContext} t
   * @param {Record<string, any>} vars instead of those of a working deployment
   * @param {Expected} expected
   */
  async function check(t, vars, expected) {
    const all = { REDIS_URL: redis.url, WRITE_TOKEN: 'token', SITES: { demo: SITE }, ...vars };
    const given = Object.fromEntries(Object.entries(all).filter(([, there]) => there !== undefined));
    const worker = await startWorker({ vars: given });
    t.after(worker.stop);
    await redis.command('CONFIG', 'RESETSTAT');

    const problem = {
      title: 'Internal Server Error',
      status: 500,
      code: 'configuration-invalid',
      detail: lineOf(expected),
    };
    for (const [method, path] of EVERYWHERE) {
      const body = method === 'POST' ? JSON.stringify({ action: 'view', item: 'x' }) : undefined;
      const response = await worker.fetch(path, { method, body, headers: { authorization: 'Bearer token' } });
      assert.equal(response.status, 500, `${method} ${path}`);
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.deepEqual(await response.json(), problem, `${method} ${path}`);
    }
    assert.match(await redis.command('INFO', 'stats'), /total_connections_received:0\r/);
  }

  /** @type {import('../support/redis.mjs').Redis} */
  let redis;
  before(async () => (redis = await startRedis()));
  after(() => redis?.stop());

  const URLS =
    'redis://[user:password@]host[:port][/database], redis://[user:password@]host[:port][,host[:port]…]?cluster=true, ' +
    'rediss:// likewise, or the https:// address of an Upstash REST endpoint';
  const ZONE = 'an IANA time zone name like "Europe/Berlin"';
  const NAME = '1 to 32 characters a-z, 0-9 and -, not beginning with -';
  /** @typedef {[name: string, vars: Record<string, any>, expected: Expected]} Row */
  const rows = /** @type {Row[]} */ ([
    ['no sites', { SITES: undefined }, { key: 'SITES', value: '{}', allowed: 'at least one site, as a table [vars.SITES.NAME]' }],
    ['no REDIS_URL', { REDIS_URL: undefined }, { key: 'REDIS_URL', allowed: URLS }],
    [
      'a REDIS_URL of another kind, which is not repeated',
      { REDIS_URL: 'memcached://u:secret@h' },
      { key: 'REDIS_URL', value: '(not shown)', allowed: URLS },
    ],
    [
      'REST without a token',
      { REDIS_URL: 'https://eu1.upstash.io' },
      { key: 'REDIS_TOKEN', allowed: 'the token of the REST endpoint that REDIS_URL names' },
    ],
    [
      'a BEACON_PATH that is a route',
      { BEACON_PATH: 'events' },
      {
        key: 'BEACON_PATH',
        value: '"events"',
        allowed: `${NAME}, other than actors, admin, board, boards, events, items, mine, openapi, top`,
      },
    ],
    [
      'bots of another kind',
      withSite({ bots: 'drops' }),
      { key: 'SITES.demo.bots', value: '"drops"', allowed: '"drop" or "count"', meant: '"drop"' },
    ],
    [
      'an address that is none',
      withSite({ ignore_addresses: ['192.0.2.0/24', '192.0.2.0/33'] }),
      {
        key: 'SITES.demo.ignore_addresses[1]',
        value: '"192.0.2.0/33"',
        allowed: 'addresses like "192.0.2.1" or "2001:db8::1" and ranges like "192.0.2.0/24" or "2001:db8::/32"',
      },
    ],
    [
      'a limit of something else',
      withSite({ limits: { reads: 5 } }),
      { key: 'SITES.demo.limits.reads', value: '5', allowed: 'the keys beacons, misses' },
    ],
    [
      'a limit below none',
      withSite({ limits: { misses: -1 } }),
      { key: 'SITES.demo.limits.misses', value: '-1', allowed: 'a whole number from 0 to 100000' },
    ],
    [
      'beacons without events',
      withSite({ max_beacon_events: 0 }),
      { key: 'SITES.demo.max_beacon_events', value: '0', allowed: 'a whole number from 1 to 100' },
    ],
    [
      'an unknown time zone',
      withSite({ timezone: 'Mars/Olympus' }),
      { key: 'SITES.demo.timezone', value: '"Mars/Olympus"', allowed: 'an IANA time zone name like "Europe/Berlin"' },
    ],
    [
      'an impossible time of day',
      withSite({ day_starts_at: '24:00' }),
      { key: 'SITES.demo.day_starts_at', value: '"24:00"', allowed: 'a time of day from "00:00" to "23:59"' },
    ],
    [
      'an unknown weekday',
      withSite({ week_starts_on: 'Montag' }),
      {
        key: 'SITES.demo.week_starts_on',
        value: '"Montag"',
        allowed: '"monday", "tuesday", "wednesday", "thursday", "friday", "saturday" or "sunday"',
        meant: '"monday"',
      },
    ],
    [
      'an unknown window',
      withBoard({ windows: ['day', 'decade'] }),
      {
        key: 'SITES.demo.boards.articles.windows[1]',
        value: '"decade"',
        allowed:
          'hour, day, week, month, year, all, last-N-minutes (N from 2 to 744), last-N-hours (N from 2 to 744), last-N-days (N from 2 to 400), last-N-weeks (N from 2 to 366), last-N-months (N from 2 to 366), or a table with name and kind',
      },
    ],
    [
      'a fallback that is no window of the board',
      withBoard({ fallback: ['week'] }),
      { key: 'SITES.demo.boards.articles.fallback[0]', value: '"week"', allowed: "the board's windows, each once: day" },
    ],
    [
      'a fallback twice',
      withBoard({ fallback: ['day', 'day'] }),
      { key: 'SITES.demo.boards.articles.fallback[1]', value: '"day"', allowed: "the board's windows, each once: day" },
    ],
    [
      'a fallback that is no list',
      withBoard({ fallback: 'day' }),
      { key: 'SITES.demo.boards.articles.fallback', value: '"day"', allowed: "a list of the board's windows, each once: day" },
    ],
    [
      'bounds of members that are no numbers',
      withBoard({ max_members: '5000' }),
      {
        key: 'SITES.demo.boards.articles.max_members',
        value: '"5000"',
        allowed: 'a whole number from 1 to 100000000, or a table of such numbers with the keys day',
      },
    ],
    [
      'a bound of a rolling window, which has those of its periods',
      withBoard({ windows: ['last-7-days', 'all'], max_members: { 'last-7-days': 5 } }),
      { key: 'SITES.demo.boards.articles.max_members.last-7-days', value: '5', allowed: 'the keys day, all' },
    ],
    [
      'a bound that is none',
      withBoard({ max_members: { day: 0 } }),
      { key: 'SITES.demo.boards.articles.max_members.day', value: '0', allowed: 'a whole number from 1 to 100000000' },
    ],
    [
      'details that are neither',
      withBoard({ details: 'yes' }),
      { key: 'SITES.demo.boards.articles.details', value: '"yes"', allowed: 'true or false' },
    ],
    [
      'a weight of an unknown action',
      withBoard({ weights: { veiw: 1 } }),
      { key: 'SITES.demo.boards.articles.weights.veiw', value: '1', allowed: "the site's actions: view", meant: 'view' },
    ],
    [
      'a key that means nothing',
      withBoard({ weigths: {} }),
      {
        key: 'SITES.demo.boards.articles.weigths',
        value: '{}',
        allowed:
          'the keys members, items, sections, max_sections, score, order, decimals, actions, weights, windows, limit, max_members, replay_window, once, ties, ranking, tiers, breakdown, min_score, movement, fresh, details, fallback, history, history_every, keep, archive, late, totals, snapshot, template, public, on_event, max_boards',
        meant: 'weights',
      },
    ],
    [
      'a key of a site that means nothing',
      withSite({ actor_histroy: '31d' }),
      {
        key: 'SITES.demo.actor_histroy',
        value: '"31d"',
        allowed:
          'the keys origins, timezone, day_starts_at, week_starts_on, actor_history, activity, activity_entries, journal, actors, visitors_per_address, bots, ignore_addresses, limits, details_from_pages, title_strip, known_items, new_members, max_beacon_events, ingest, ingest_partitions, actor_homes, linger, acknowledge, forward, keep, actions, boards',
        meant: 'actor_history',
      },
    ],
    [
      'how long minutes are kept',
      withSite({ keep: { minute: '1h' } }),
      { key: 'SITES.demo.keep.minute', value: '"1h"', allowed: 'the keys hour, day, week, month, season, year' },
    ],
    [
      'a period that is kept for too long',
      withBoard({ keep: { hour: '32d' } }),
      {
        key: 'SITES.demo.boards.articles.keep.hour',
        value: '"32d"',
        allowed: 'a duration from "1h" to "31d", a whole number and s, m, h or d',
      },
    ],
    [
      'totals of a window that moves by itself',
      withBoard({ windows: ['day', 'last-7-days'], totals: [{ window: 'last-7-days' }] }),
      {
        key: 'SITES.demo.boards.articles.totals[0].window',
        value: '"last-7-days"',
        allowed: "the board's calendar windows, each once: day",
      },
    ],
    [
      'a snapshot of something else',
      withBoard({ snapshot: 'some' }),
      { key: 'SITES.demo.boards.articles.snapshot', value: '"some"', allowed: '"top" or "all"' },
    ],
    [
      'a snapshot of all members of a window that may have too many',
      withBoard({ snapshot: 'all', windows: ['day', 'last-30-days'], max_members: { day: 5000 } }),
      {
        key: 'SITES.demo.boards.articles.snapshot',
        value: '"all"',
        allowed: '"top", or max_members with which no window has more than 100000 members; last-30-days may have 150000',
      },
    ],
    [
      'totals of one window twice',
      withBoard({ windows: ['day'], totals: [{ window: 'day' }, { window: 'day', every: '1h' }] }),
      { key: 'SITES.demo.boards.articles.totals[1].window', value: '"day"', allowed: "the board's calendar windows, each once: day" },
    ],
    [
      'totals to an address in the clear',
      withBoard({ windows: ['day'], totals: [{ window: 'day', to: 'http://example.com/' }] }),
      {
        key: 'SITES.demo.boards.articles.totals[0].to',
        value: '"http://example.com/"',
        allowed: '"d1", the deployment\'s database, or an address that begins with https://, or with http://localhost or http://127.0.0.1',
      },
    ],
    [
      'totals that come too often',
      withBoard({ windows: ['day'], totals: [{ window: 'day', every: '30s' }] }),
      {
        key: 'SITES.demo.boards.articles.totals[0].every',
        value: '"30s"',
        allowed: 'a duration from "1m" to "1d", a whole number and s, m, h or d',
      },
    ],
    [
      'totals to a webhook without a secret',
      withBoard({ windows: ['day'], totals: [{ window: 'day', to: 'https://example.com/totals' }] }),
      {
        key: 'FORWARD_SECRET',
        problem: 'is missing; allowed: a secret of at least 16 characters, by which a webhook knows who sends to it',
      },
    ],
    [
      'new members of somebody else',
      withSite({ new_members: { actor: 5 } }),
      { key: 'SITES.demo.new_members.actor', value: '5', allowed: 'the keys visitor, address' },
    ],
    [
      'fewer new members than none',
      withSite({ new_members: { visitor: -1 } }),
      { key: 'SITES.demo.new_members.visitor', value: '-1', allowed: 'a whole number from 0 to 1000000' },
    ],
    [
      'known items that are named',
      withSite({ known_items: ['/posts/1'] }),
      { key: 'SITES.demo.known_items', value: '["/posts/1"]', allowed: 'true or false' },
    ],
    ...[['*'], ['https://*.example.com'], ['null']].map(
      (origins) =>
        /** @type {Row} */ ([
          `details_from_pages beside the origins ${origins}`,
          withSite({ details_from_pages: true, origins }),
          {
            key: 'SITES.demo.details_from_pages',
            value: 'true',
            allowed: 'true beside origins like ["https://example.com"], the first of which has the pages of the items',
          },
        ]),
    ),
    [
      'an end of titles that is none',
      withSite({ title_strip: ' ' }),
      { key: 'SITES.demo.title_strip', value: '" "', allowed: 'text of 1 to 100 characters, such as " – Example News"' },
    ],
    [
      'sections by something else',
      withBoard({ sections: 'author' }),
      { key: 'SITES.demo.boards.articles.sections', value: '"author"', allowed: '"category"' },
    ],
    [
      'a bound of no sections',
      withBoard({ max_sections: 8 }),
      { key: 'SITES.demo.boards.articles.max_sections', value: '8', allowed: 'a number beside sections = "category"' },
    ],
    [
      'a limit past the greatest',
      withBoard({ limit: 100_000 }),
      { key: 'SITES.demo.boards.articles.limit', value: '100000', allowed: 'a whole number from 1 to 1000' },
    ],
    ...['0s', '500ms', '61m', '2h', 2, ''].map(
      (fresh) =>
        /** @type {Row} */ ([
          `fresh for ${JSON.stringify(fresh)}`,
          withBoard({ fresh }),
          {
            key: 'SITES.demo.boards.articles.fresh',
            value: JSON.stringify(fresh),
            allowed: 'a duration from "1s" to "1h", a whole number and s, m, h or d',
          },
        ]),
    ),
    ...['decade', 'all', 'Day', '', 24].map(
      (unit) =>
        /** @type {Row} */ ([
          `an action that counts once per ${JSON.stringify(unit)}`,
          withBoard({ once: { view: unit } }),
          {
            key: 'SITES.demo.boards.articles.once.view',
            value: JSON.stringify(unit),
            allowed: '"hour", "day", "week", "month", "year" or "ever"',
            meant: unit === 'Day' ? '"day"' : undefined,
          },
        ]),
    ),
    ...['like', 'veiw'].map(
      (action) =>
        /** @type {Row} */ ([
          `${action}, to which the board gives no weight, counts once`,
          {
            SITES: {
              demo: {
                ...SITE,
                actions: { view: {}, like: {} },
                boards: { articles: { ...BOARD, once: { view: 'day', [action]: 'ever' } } },
              },
            },
          },
          {
            key: `SITES.demo.boards.articles.once.${action}`,
            value: '"ever"',
            allowed: 'the actions that the board gives a weight: view',
            meant: action === 'veiw' ? 'view' : undefined,
          },
        ]),
    ),
    ...['day', {}, ['view']].map(
      (once) =>
        /** @type {Row} */ ([
          `once = ${JSON.stringify(once)}`,
          withBoard({ once }),
          {
            key: 'SITES.demo.boards.articles.once',
            value: JSON.stringify(once),
            allowed: 'a table with at least one entry',
          },
        ]),
    ),
    ...['newest', 'First', true].map(
      (ties) =>
        /** @type {Row} */ ([
          `ties = ${JSON.stringify(ties)}`,
          withBoard({ ties }),
          {
            key: 'SITES.demo.boards.articles.ties',
            value: JSON.stringify(ties),
            allowed: '"first" or "last"',
            meant: ties === 'First' ? '"first"' : undefined,
          },
        ]),
    ),
    [
      'an order of ties with fractions',
      withBoard({ ties: 'first', weights: { view: 0.5 } }),
      {
        key: 'SITES.demo.boards.articles.ties',
        value: '"first"',
        allowed: 'whole weights only: the sequence number is packed with the score, and view has a fraction',
      },
    ],
    ...[HOT, FADING, SMOOTH].flatMap((window) => [
      /** @type {Row} */ ([
        `an order of ties with a ${window.kind} window`,
        withBoard({ ties: 'last', windows: ['day', window] }),
        {
          key: 'SITES.demo.boards.articles.ties',
          problem: `= "last" is not allowed with the window ${window.name}: decaying scores are hardly ever equal; give it a board of its own`,
        },
      ]),
      /** @type {Row} */ ([
        `dense ranks with a ${window.kind} window`,
        withBoard({ ranking: 'dense', windows: [window, 'day'] }),
        {
          key: 'SITES.demo.boards.articles.ranking',
          value: '"dense"',
          allowed: `"ordinal" or "competition" with the window ${window.name}: decaying scores are hardly ever equal`,
        },
      ]),
    ]),
    ...['standard', 'Dense', 1].map(
      (ranking) =>
        /** @type {Row} */ ([
          `ranking = ${JSON.stringify(ranking)}`,
          withBoard({ ranking }),
          {
            key: 'SITES.demo.boards.articles.ranking',
            value: JSON.stringify(ranking),
            allowed: '"ordinal", "competition" or "dense"',
            meant: ranking === 'Dense' ? '"dense"' : undefined,
          },
        ]),
    ),
    ...['true', 1].map(
      (breakdown) =>
        /** @type {Row} */ ([
          `breakdown = ${JSON.stringify(breakdown)}`,
          withBoard({ breakdown }),
          { key: 'SITES.demo.boards.articles.breakdown', value: JSON.stringify(breakdown), allowed: 'true or false' },
        ]),
    ),
    [
      'a pattern that is no text',
      withBoard({ items: ['/sports/*', 1] }),
      {
        key: 'SITES.demo.boards.articles.items[1]',
        value: '1',
        allowed: 'a pattern of ids like "/sports/*", of 1 to 256 bytes, in which * stands for any text',
      },
    ],
    ...['', [], 5].map(
      (items) =>
        /** @type {Row} */ ([
          `items = ${JSON.stringify(items)}`,
          withBoard({ items }),
          {
            key: 'SITES.demo.boards.articles.items',
            value: JSON.stringify(items),
            allowed: 'a pattern of ids like "/sports/*", of 1 to 256 bytes, in which * stands for any text, or a list of 1 to 20 of them',
          },
        ]),
    ),
    ...[-1, 1e15 + 1, '5'].map(
      (score) =>
        /** @type {Row} */ ([
          `min_score = ${JSON.stringify(score)}`,
          withBoard({ min_score: score }),
          {
            key: 'SITES.demo.boards.articles.min_score',
            value: JSON.stringify(score),
            allowed: 'a number from 0 to 1000000000000000',
          },
        ]),
    ),
    ...['59s', '32d', '1w', 60, true, ['1h'], null].map(
      (window) =>
        /** @type {Row} */ ([
          `replay_window = ${JSON.stringify(window)}`,
          withBoard({ replay_window: window }),
          {
            key: 'SITES.demo.boards.articles.replay_window',
            value: JSON.stringify(window),
            allowed: 'a duration from "1m" to "31d", a whole number and s, m, h or d; or a table like { browsers = "1h", servers = "24h" }',
          },
        ]),
    ),
    ...['59s', '32d', 60].map(
      (window) =>
        /** @type {Row} */ ([
          `replay_window = { servers = ${JSON.stringify(window)} }`,
          withBoard({ replay_window: { servers: window } }),
          {
            key: 'SITES.demo.boards.articles.replay_window.servers',
            value: JSON.stringify(window),
            allowed: 'a duration from "1m" to "31d", a whole number and s, m, h or d',
          },
        ]),
    ),
    [
      'a replay_window of nobody',
      withBoard({ replay_window: { browser: '1h' } }),
      {
        key: 'SITES.demo.boards.articles.replay_window.browser',
        value: '"1h"',
        allowed: 'the keys browsers, servers, queue',
        meant: 'browsers',
      },
    ],
    [
      'history_every = "week"',
      withBoard({ history: 10, history_every: 'week' }),
      { key: 'SITES.demo.boards.articles.history_every', value: '"week"', allowed: '"hour" or "day"' },
    ],
    ...['31', '367d', '23h', '-1d', '1w', '1.5d', 'd', '4294967297d', 31].map(
      (history) =>
        /** @type {Row} */ ([
          `actor_history = ${JSON.stringify(history)}`,
          withSite({ actor_history: history }),
          {
            key: 'SITES.demo.actor_history',
            value: JSON.stringify(history),
            allowed: 'a duration from "1d" to "366d", a whole number and s, m, h or d',
          },
        ]),
    ),
    ...['59m', '32d', true, 8].map(
      (journal) =>
        /** @type {Row} */ ([
          `journal = ${JSON.stringify(journal)}`,
          withSite({ journal }),
          {
            key: 'SITES.demo.journal',
            value: JSON.stringify(journal),
            allowed: 'a duration from "1h" to "31d", a whole number and s, m, h or d',
          },
        ]),
    ),
    ...['false', 0, null].map(
      (activity) =>
        /** @type {Row} */ ([
          `activity = ${JSON.stringify(activity)}`,
          withSite({ activity }),
          { key: 'SITES.demo.activity', value: JSON.stringify(activity), allowed: 'true or false' },
        ]),
    ),
    ...[-1, 1.5, '8', 1001].map(
      (entries) =>
        /** @type {Row} */ ([
          `activity_entries = ${JSON.stringify(entries)}`,
          withSite({ activity_entries: entries }),
          { key: 'SITES.demo.activity_entries', value: JSON.stringify(entries), allowed: 'a whole number from 0 to 1000' },
        ]),
    ),
    ...[-1, 1.5, '8', 1_000_001].map(
      (visitors) =>
        /** @type {Row} */ ([
          `visitors_per_address = ${JSON.stringify(visitors)}`,
          withSite({ visitors_per_address: visitors }),
          {
            key: 'SITES.demo.visitors_per_address',
            value: JSON.stringify(visitors),
            allowed: 'a whole number from 0 to 1000000',
          },
        ]),
    ),
    ...[0, 65, '8'].map(
      (homes) =>
        /** @type {Row} */ ([
          `actor_homes = ${JSON.stringify(homes)}`,
          withSite({ actor_homes: homes }),
          { key: 'SITES.demo.actor_homes', value: JSON.stringify(homes), allowed: 'a whole number from 1 to 64' },
        ]),
    ),
    ...['none', 'Any', true, null].map(
      (actors) =>
        /** @type {Row} */ ([
          `actors = ${JSON.stringify(actors)}`,
          withSite({ actors }),
          {
            key: 'SITES.demo.actors',
            value: JSON.stringify(actors),
            allowed: '"signed" or "any"',
            ...(actors === 'Any' && { meant: '"any"' }),
          },
        ]),
    ),
    [
      'a signed action that nothing keeps from being repeated',
      withSite({ actions: { view: { public: true }, like: { signed: true } } }),
      { key: 'SITES.demo.actions.like.signed', value: 'true', allowed: 'true beside reversible = true' },
    ],
    [
      'events that are handed on nowhere',
      withSite({ forward: { actions: ['view'] } }),
      { key: 'SITES.demo.forward', value: '{"actions":["view"]}', allowed: 'a table with either queue or webhook' },
    ],
    [
      'events that are handed on in the clear',
      withSite({ forward: { webhook: 'http://example.com/' } }),
      {
        key: 'SITES.demo.forward.webhook',
        value: '"http://example.com/"',
        allowed: 'an address that begins with https://, or with http://localhost or http://127.0.0.1',
      },
    ],
    [
      'a webhook that nobody signs for',
      withSite({ forward: { webhook: 'https://example.com/' } }),
      { key: 'FORWARD_SECRET', allowed: 'a secret of at least 16 characters, by which a webhook knows who sends to it' },
    ],
    [
      'a secret of webhooks that can be guessed',
      { FORWARD_SECRET: 'short' },
      {
        key: 'FORWARD_SECRET',
        problem: '= (not shown) is not allowed; allowed: a secret of at least 16 characters, by which a webhook knows who sends to it',
      },
    ],
    [
      'a dataset of no account',
      { ANALYTICS_TOKEN: 'a-token' },
      { key: 'ANALYTICS_ACCOUNT', allowed: 'the id of the account, which has letters and digits only' },
    ],
    [
      'an account that is none',
      { ANALYTICS_TOKEN: 'a-token', ANALYTICS_ACCOUNT: '../x' },
      {
        key: 'ANALYTICS_ACCOUNT',
        problem: '= (not shown) is not allowed; allowed: the id of the account, which has letters and digits only',
      },
    ],
    [
      'a dataset that is none',
      { ANALYTICS_TOKEN: 'a-token', ANALYTICS_ACCOUNT: 'abc', ANALYTICS_DATASET: "x'; --" },
      { key: 'ANALYTICS_DATASET', problem: '= (not shown) is not allowed; allowed: a name of letters, digits and _' },
    ],
    [
      'an API in the clear',
      { ANALYTICS_TOKEN: 'a-token', ANALYTICS_ACCOUNT: 'abc', ANALYTICS_API: 'http://example.com' },
      { key: 'ANALYTICS_API', problem: '= (not shown) is not allowed; allowed: an address that begins with https://' },
    ],
    [
      'a queue that is not bound',
      withSite({ forward: { queue: 'READING' } }),
      {
        key: 'SITES.demo.forward.queue',
        problem: '= "READING" needs a queue with this binding, which is not in the configuration file',
      },
    ],
    [
      'actions to hand on that the site does not have',
      withSite({ forward: { queue: 'READING', actions: ['share'] } }),
      { key: 'SITES.demo.forward.actions', value: '["share"]', allowed: 'a list of actions of the site: view' },
    ],
    [
      'a key and a value with line breaks, which are one line',
      withSite({ 'a\r\nb': 'c\nd\u2028e' }),
      {
        key: String.raw`SITES.demo.a\r\nb`,
        value: String.raw`"c\nd\u{2028}e"`,
        allowed:
          'the keys origins, timezone, day_starts_at, week_starts_on, actor_history, activity, activity_entries, journal, actors, visitors_per_address, bots, ignore_addresses, limits, details_from_pages, title_strip, known_items, new_members, max_beacon_events, ingest, ingest_partitions, actor_homes, linger, acknowledge, forward, keep, actions, boards',
      },
    ],
    [
      'a variable that is too large for the platform',
      { SITES_MORE: { shop: { ...SITE, origins: ['x'.repeat(5120)] } } },
      {
        key: 'SITES_MORE',
        problem:
          'has 5243 bytes; the platform allows at most 5120 in one variable; split it into several variables whose names begin with SITES, which are merged',
      },
    ],
    [
      'a token that is too large for the platform',
      { ADMIN_TOKEN: 'é'.repeat(2561) },
      { key: 'ADMIN_TOKEN', problem: 'has 5122 bytes; the platform allows at most 5120 in one variable' },
    ],
    ['a token that is a number', { WRITE_TOKEN: 12345678 }, { key: 'WRITE_TOKEN', value: '(not shown)', allowed: 'text' }],
    [
      'a queue that keeps messages for too long',
      { QUEUE_RETENTION: '15d' },
      { key: 'QUEUE_RETENTION', value: '"15d"', allowed: 'a duration from "1m" to "14d", a whole number and s, m, h or d' },
    ],
    [
      'a prefix of keys that is no name',
      { KEY_PREFIX: 'Staging' },
      { key: 'KEY_PREFIX', value: '"Staging"', allowed: '1 to 32 characters a-z, 0-9 and -, not beginning with -' },
    ],
    [
      'more viewers than an object can have',
      { LIVE_VIEWERS: 40_000 },
      { key: 'LIVE_VIEWERS', value: '40000', allowed: 'a whole number from 1 to 30000' },
    ],
    ['a name with a colon', { SITES: { 'demo:x': {} } }, { key: 'SITES.demo:x', problem: `is not allowed as a name; allowed: ${NAME}` }],
    [
      'a site with a name that is none, told without its table',
      { SITES: { 'My Site': SITE } },
      { key: 'SITES.My Site', problem: `is not allowed as a name; allowed: ${NAME}; did you mean my-site?` },
    ],
    [
      'a time zone that is mistyped',
      withSite({ timezone: 'europe/berln' }),
      { key: 'SITES.demo.timezone', value: '"europe/berln"', allowed: ZONE, meant: '"Europe/Berlin"' },
    ],
    [
      'a city in place of a time zone',
      withSite({ timezone: 'New York' }),
      { key: 'SITES.demo.timezone', value: '"New York"', allowed: ZONE, meant: '"America/New_York"' },
    ],
    [
      'two variables that disagree',
      { SITES_MORE: { demo: { origins: ['https://a.example'] } } },
      {
        key: 'SITES_MORE.demo.origins',
        value: '["https://a.example"]',
        allowed: 'one value; another variable says ["*"]',
      },
    ],
  ]);
  for (const [name, vars, expected] of sampled(rows)) test(name, (t) => check(t, vars, expected));
});
