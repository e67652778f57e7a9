/**
 * What a right configuration may be: sites over several variables, wildcards of origins, every value of every option.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startRedis } from '../support/redis.mjs';
import { startWorker } from '../support/worker.mjs';

const BOARD = { weights: { view: 1 }, windows: ['day'] };
const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };
const FADING = { name: 'fading', kind: 'step', every: 'day', factor: 0.5 };
const SMOOTH = { name: 'smooth', kind: 'linear', resets: 'day' };
const SITE = { origins: ['*'], actions: { view: { public: true } }, boards: { articles: BOARD } };

test('sites and boards that are spread over variables make one deployment', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  const worker = await startWorker({
    vars: {
      REDIS_URL: redis.url,
      SITES: { demo: { ...SITE, timezone: 'Asia/Shanghai' } },
      SITES_PEOPLE: { demo: { boards: { people: { ...BOARD, members: 'actors' } } } },
      SITES2: { shop: SITE },
      SITES_NOTE: 'text means nothing here',
    },
  });
  t.after(worker.stop);
  const boards = async (/** @type {string} */ site) => {
    const { module, ...described } = await (await worker.fetch(`/v1/${site}/boards`)).json();
    assert.equal(module.beacon_path, 'shelf');
    return described;
  };
  const articles = { board: 'articles', members: 'items', weights: { view: 1 }, limit: 100, windows: ['day'] };
  assert.deepEqual(await boards('demo'), {
    site: 'demo',
    timezone: 'Asia/Shanghai',
    boards: [articles, { ...articles, board: 'people', members: 'actors' }],
  });
  assert.deepEqual(await boards('shop'), { site: 'shop', timezone: 'UTC', boards: [articles] });
});

test('origins may be the direct subdomains of a domain', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  const SITES = { demo: { ...SITE, origins: ['https://shop.example', 'https://*.example.com'] } };
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES } });
  t.after(worker.stop);
  for (const [origin, status] of /** @type {[string, number][]} */ ([
    ['https://shop.example', 204],
    ['https://a.example.com', 204],
    ['https://example.com', 403],
    ['https://a.b.example.com', 403],
    ['https://a.example.com.evil.com', 403],
    ['https://a.example.com:8443', 403],
    ['http://a.example.com', 403],
    ['https://a.shop.example', 403],
    ['null', 403],
  ])) {
    const body = JSON.stringify({ action: 'view', item: 'x' });
    const response = await worker.fetch('/v1/demo/beacon', { method: 'POST', body, headers: { origin } });
    assert.equal(response.status, status, origin);
  }
});

test('every value of the options is allowed, up to the last', async (t) => {
  const weights = Object.fromEntries(['hour', 'day', 'week', 'month', 'year', 'ever'].map((unit) => [`view-${unit}`, 1]));
  const actions = Object.fromEntries(Object.keys(weights).map((action) => [action, { public: true, reversible: true }]));
  const once = Object.fromEntries(Object.keys(weights).map((action) => [action, action.slice('view-'.length)]));
  const board = (/** @type {object} */ options) => ({ weights, windows: ['day', 'last-7-days'], ...options });
  const boards = {
    once: board({ once }),
    first: board({ ties: 'first', ranking: 'dense', breakdown: true, min_score: 0 }),
    last: board({ ties: 'last', ranking: 'competition', breakdown: false, min_score: 1e15 }),
    hot: board({ ranking: 'competition', min_score: 0.000001, windows: [HOT, FADING, SMOOTH] }),
  };
  const sites = [
    { actor_history: '1d', activity: true, activity_entries: 1000 },
    { actor_history: '24h' },
    { actor_history: '366d', activity: false },
    { actor_history: '8784h' },
    { bots: 'count', ignore_addresses: ['192.0.2.0/24', '::1'], limits: { beacons: 100_000, misses: 0 }, max_beacon_events: 100 },
    { bots: 'drop', ignore_addresses: [], limits: {}, max_beacon_events: 20 },
  ];
  const vars = Object.fromEntries(sites.map((site, i) => [`SITES_${i}`, { [`s${i}`]: { ...site, actions, boards } }]));
  const redis = await startRedis();
  t.after(redis.stop);
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, ...vars } });
  t.after(worker.stop);
  for (const site of sites.keys().map((i) => `s${i}`)) {
    const beacon = await worker.fetch(`/v1/${site}/beacon`, {
      method: 'POST',
      body: JSON.stringify({ events: Object.keys(weights).map((action) => ({ action, item: 'x', actor: 'u1' })) }),
    });
    assert.equal(beacon.status, 204, await beacon.text());
    const top = await (await worker.fetch(`/v1/${site}/boards/first/last-7-days`)).json();
    assert.deepEqual(
      top.entries.map((/** @type {any} */ { id, score }) => [id, score]),
      [['x', 6]],
      site,
    );
  }
});
