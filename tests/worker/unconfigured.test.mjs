/**
 * What Redis keeps of boards and windows that are no longer configured is told and removed, and nothing else.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-owners';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const NOW = Date.parse('2026-11-20T12:00:00Z');
const ACTIONS = { view: { public: true }, like: { reversible: true }, finish: {} };
const SITE = { origins: ['*'], timezone: 'Europe/Berlin', actions: ACTIONS };
const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };
const ARTICLES = { weights: { view: 1, like: 2 }, ties: undefined };

const BEFORE = {
  demo: {
    ...SITE,
    boards: {
      articles: {
        ...ARTICLES,
        windows: ['hour', 'day', 'month', 'all', 'last-7-days', 'last-24-hours', HOT],
        totals: [{ window: 'month' }],
      },
      old: { ...ARTICLES, windows: ['day', 'all'], breakdown: true },
      best: { score: 'max', actions: ['finish'], members: 'actors', windows: ['all'] },
      kept: { ...ARTICLES, windows: ['all'] },
    },
  },
  'demo-two': { ...SITE, boards: { old: { ...ARTICLES, windows: ['day', 'all'] } } },
};
/** The days stay, since a rolling window is made of them. */
const AFTER = {
  demo: {
    ...SITE,
    boards: {
      articles: { ...ARTICLES, windows: ['last-7-days', 'month'] },
      best: { score: 'min', order: 'ascending', actions: ['finish'], members: 'actors', windows: ['all'] },
      kept: { ...ARTICLES, windows: ['all'] },
    },
  },
  'demo-two': BEFORE['demo-two'],
};

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('../support/deployment.mjs').Deployment} */
let later;
before(async () => {
  const sites = /** @type {any} */ (JSON.parse(JSON.stringify(BEFORE)));
  deployment = await startDeployment({ transport: 'redis://', sites, vars: { ADMIN_TOKEN } });
  deployment.clock.set(NOW);
  deployment.edgeClock.set(NOW);
  for (const site of ['demo', 'demo-two']) {
    const events = [
      { action: 'view', item: 'a', actor: 'ann' },
      { action: 'like', item: 'b', actor: 'ann' },
    ];
    assert.equal((await deployment.events({ id: 'batch', events }, { site })).status, 200);
  }
  assert.equal((await deployment.events({ events: [{ action: 'finish', actor: 'ann', value: 3 }] })).status, 200);
  // Names that are nobody's, or of others that share the Redis.
  for (const key of ['eb:{demo', 'eb:{demonic:old}:all:0', 'other:{demo:old}:all:0', 'eb:ready'])
    await deployment.redis.command('SET', key, '1');
  later = await startDeployment({
    transport: 'redis://',
    sites: JSON.parse(JSON.stringify(AFTER)),
    vars: { ADMIN_TOKEN, REDIS_URL: deployment.redis.url },
  });
  later.clock.set(NOW);
  later.edgeClock.set(NOW);
});
after(async () => {
  await later?.stop();
  await deployment?.stop();
});

const keys = async () => /** @type {string[]} */ ((await deployment.redis.command('KEYS', '*')).sort());
const shape = (/** @type {any} */ body) =>
  body.unconfigured
    .map((/** @type {any} */ { board, part, keys: count }) => [board, part, count])
    .sort((/** @type {any} */ one, /** @type {any} */ other) => (String(one) < String(other) ? -1 : 1));

/** @param {string} [query] @param {string} [method] */
const ask = (query = '', method = 'GET') => later.fetch(`/v1/demo/admin/unconfigured${query}`, { method, headers });

test('what is configured is not told, and what is not is told by its part', async () => {
  const { status, body, text } = await ask();
  assert.equal(status, 200, text);
  const stored = await keys();
  const of = (/** @type {RegExp} */ pattern) => stored.filter((key) => pattern.test(key)).length;
  assert.deepEqual(shape(body), [
    ['articles', 'all', 1],
    ['articles', 'hot', 1],
    ['articles', 'hour', 1],
    ['articles', 'last-24-hours', of(/articles.:window:last-24-hours:/)],
    ['articles', 'totals', 1],
    ['best', 'max:descending:6', of(/best.:max:/)],
    ['old', null, of(/^eb:.demo:old.:/)],
  ]);
  assert.deepEqual([body.dry_run, body.cursor], [true, null]);
  for (const { bytes } of body.unconfigured) assert.ok(bytes > 50, `${bytes}`);
  assert.deepEqual(await keys(), stored, 'nothing was removed');
});

test('a part, a board, and no more', async () => {
  const stored = await keys();
  assert.equal((await ask('', 'DELETE')).status, 400);
  const dry = await ask('?board=old&dry_run=1', 'DELETE');
  assert.deepEqual([dry.status, dry.body.dry_run, dry.body.unconfigured.length], [200, true, 1]);
  assert.deepEqual(await keys(), stored);

  const removed = await ask('?board=articles&part=hour&by=ada', 'DELETE');
  assert.deepEqual([removed.status, removed.body.dry_run, shape(removed.body)], [200, false, [['articles', 'hour', 1]]]);
  const expected = stored.filter((key) => !key.startsWith('eb:{demo:articles}:hour:'));
  assert.deepEqual(
    (await keys()).filter((key) => key !== 'eb:{demo}:audit'),
    expected,
  );
  for (const board of ['old', 'best', 'articles', 'kept']) assert.equal((await ask(`?board=${board}`, 'DELETE')).status, 200);
  assert.deepEqual((await ask()).body.unconfigured, []);
  const stays = (await keys()).filter((key) => !/audit$/.test(key));
  const isRemoved = (/** @type {string} */ key) =>
    /^eb:.demo:(old|best).:/.test(key) || /^eb:.demo:articles.:(all|hour|changed|window:(hot|last-24-hours)):/.test(key);
  assert.deepEqual(
    stays,
    stored.filter((key) => !isRemoved(key)),
  );
  assert.ok(stays.some((key) => /articles.:day:/.test(key)) && stays.some((key) => /demo-two:old.:all/.test(key)));
  const { body } = await later.fetch('/v1/demo/admin/audit', { headers });
  const [last] = body.entries.slice(-1);
  assert.deepEqual([last.did, last.board, last.part, last.by], ['remove-unconfigured', 'articles', 'hour', 'ada']);
  const { body: ranking } = await later.freshTop('articles/last-7-days');
  assert.deepEqual(
    ranking.entries.map((/** @type {any} */ { id, score }) => [id, score]),
    [
      ['b', 2],
      ['a', 1],
    ],
  );
});

test('many keys, in pieces', async () => {
  for (let i = 0; i < 2500; i += 1) await deployment.redis.command('SET', `eb:{demo:gone}:day:${i}`, 'x');
  const found = (await ask()).body.unconfigured;
  // SCAN may tell a key twice where its table grows; it does not miss any.
  assert.ok(found.length === 1 && found[0].keys >= 2500, JSON.stringify(found));
  const { unconfigured } = (await ask('?board=gone', 'DELETE')).body;
  assert.ok(unconfigured[0].keys >= 2500);
  assert.deepEqual((await ask()).body.unconfigured, []);
  assert.equal((await ask('?cursor=x')).status, 400);
});
