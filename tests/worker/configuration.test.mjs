/**
 * A wrong configuration answers every request with one problem, which names the key, the value and what is allowed; and
 * touches Redis never.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startRedis } from '../support/redis.mjs';
import { startWorker } from '../support/worker.mjs';

const BOARD = { weights: { view: 1 }, windows: ['day'] };
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

describe('a wrong configuration', () => {
  /**
   * @param {import('node:test').TestContext} t
   * @param {Record<string, any>} vars instead of those of a working deployment
   * @param {{ key: string, value?: string, allowed: string }} expected `value` as JSON; undefined when it is missing
   */
  async function check(t, vars, { key, value, allowed }) {
    const redis = await startRedis();
    t.after(redis.stop);
    const all = { REDIS_URL: redis.url, WRITE_TOKEN: 'token', SITES: { demo: SITE }, ...vars };
    const given = Object.fromEntries(Object.entries(all).filter(([, there]) => there !== undefined));
    const worker = await startWorker({ vars: given });
    t.after(worker.stop);
    await redis.command('CONFIG', 'RESETSTAT');

    const expected = {
      title: 'Internal Server Error',
      status: 500,
      code: 'configuration-invalid',
      detail:
        value === undefined
          ? `${key} is missing; allowed: ${allowed}`
          : `${key} = ${value} is not allowed; allowed: ${allowed}`,
    };
    for (const [method, path] of EVERYWHERE) {
      const body = method === 'POST' ? JSON.stringify({ action: 'view', item: 'x' }) : undefined;
      const response = await worker.fetch(path, { method, body, headers: { authorization: 'Bearer token' } });
      assert.equal(response.status, 500, `${method} ${path}`);
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.deepEqual(await response.json(), expected, `${method} ${path}`);
    }
    assert.match(await redis.command('INFO', 'stats'), /total_connections_received:0\r/);
  }

  const URLS =
    'redis://[user:password@]host[:port][/database], rediss:// likewise, or the https:// address of an Upstash REST endpoint';
  const NAME = 'as a name, 1 to 32 characters a-z, 0-9 and -, not beginning with -';
  for (const [
    name,
    vars,
    expected,
  ] of /** @type {[string, Record<string, any>, { key: string, value?: string, allowed: string }][]} */ ([
    ['no sites', { SITES: undefined }, { key: 'SITES', value: '{}', allowed: 'a table with at least one entry' }],
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
        allowed: 'monday, tuesday, wednesday, thursday, friday, saturday, sunday',
      },
    ],
    [
      'an unknown window',
      withBoard({ windows: ['day', 'decade'] }),
      { key: 'SITES.demo.boards.articles.windows[1]', value: '"decade"', allowed:
          'hour, day, week, month, year, all, last-N-hours, last-N-days, last-N-weeks, last-N-months (N from 2 to 366), or a table with name and kind',
      },
    ],
    [
      'a weight of an unknown action',
      withBoard({ weights: { veiw: 1 } }),
      { key: 'SITES.demo.boards.articles.weights.veiw', value: '1', allowed: "the site's actions: view" },
    ],
    [
      'a key that means nothing',
      withBoard({ weigths: {} }),
      {
        key: 'SITES.demo.boards.articles.weigths',
        value: '{}',
        allowed: 'the keys ranks, weights, windows, limit, max_members, replay_window',
      },
    ],
    [
      'a limit past the greatest',
      withBoard({ limit: 100_000 }),
      { key: 'SITES.demo.boards.articles.limit', value: '100000', allowed: 'a whole number from 1 to 1000' },
    ],
    ['a name with a colon', { SITES: { 'demo:x': {} } }, { key: 'SITES.demo:x', value: '{}', allowed: NAME }],
    [
      'two variables that disagree',
      { SITES_MORE: { demo: { origins: ['https://a.example'] } } },
      {
        key: 'SITES_MORE.demo.origins',
        value: '["https://a.example"]',
        allowed: 'one value; another variable says ["*"]',
      },
    ],
  ])) {
    test(name, (t) => check(t, vars, expected));
  }
});

test('sites and boards that are spread over variables make one deployment', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  const worker = await startWorker({
    vars: {
      REDIS_URL: redis.url,
      SITES: { demo: { ...SITE, timezone: 'Asia/Shanghai' } },
      SITES_PEOPLE: { demo: { boards: { people: { ...BOARD, ranks: 'actor' } } } },
      SITES2: { shop: SITE },
      SITES_NOTE: 'text means nothing here',
    },
  });
  t.after(worker.stop);
  const boards = async (/** @type {string} */ site) => (await worker.fetch(`/v1/${site}/boards`)).json();
  const articles = { board: 'articles', ranks: 'item', weights: { view: 1 }, limit: 100, windows: ['day'] };
  assert.deepEqual(await boards('demo'), {
    site: 'demo',
    timezone: 'Asia/Shanghai',
    boards: [articles, { ...articles, board: 'people', ranks: 'actor' }],
  });
  assert.deepEqual(await boards('shop'), { site: 'shop', timezone: 'UTC', boards: [articles] });
});
