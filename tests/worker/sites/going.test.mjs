/**
 * Sites go: nothing of one is left in Redis, the archive and the database, whenever the run that deletes it is killed; nothing comes back, and
 * its name is free.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { backUp, load } from '../../support/backup.mjs';
import { killAtEachStep } from '../../support/killed.mjs';
import { until } from '../../support/until.mjs';
import { count, database, later, make, MINUTE_MS, refusal, SHOP, shown, sites, start } from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const VIEW = { action: 'view', item: '/a' };
const TABLES = [
  'items',
  'actors',
  'history',
  'taken_down',
  'page_reads',
  'totals',
  'totals_runs',
  'snapshots',
  'snapshot_pages',
  'aliases',
  'state_documents',
];
const RICH = {
  activity: true,
  journal: '8d',
  boards: {
    ...SHOP.boards,
    kept: {
      weights: { view: 1 },
      windows: ['hour', 'all'],
      history: 10,
      totals: [{ window: 'all' }],
      snapshot: 'top',
      archive: true,
      once: { view: 'day' },
    },
    level: { template: true, on_event: true, weights: { view: 1 }, windows: ['all'] },
  },
};

/** @param {Deployment} deployment @param {string} site */
const keysOf = async ({ redis }, site) =>
  [...(await redis.command('KEYS', `eb:{${site}}*`)), ...(await redis.command('KEYS', `eb:{${site}:*`))].sort();

/** Tables with rows of a site. @param {Deployment} deployment @param {string} site */
async function tablesOf(deployment, site) {
  const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table} WHERE site = '${site}') AS ${table}`);
  const [row] = await database(deployment, `SELECT ${counts.join(', ')}`);
  return Object.entries(row).flatMap(([table, rows]) => (rows ? [table] : []));
}

/** @param {Deployment} deployment @param {string} site */
async function objectsOf({ worker }, site) {
  const bucket = /** @type {any} */ (await worker.miniflare.getR2Bucket('ARCHIVE'));
  return (await bucket.list({ prefix: `eb/${site}/` })).objects.map((/** @type {{ key: string }} */ { key }) => key);
}

/** Runs of upkeep, a minute apart. @param {Deployment} deployment @param {number} minutes */
async function pass(deployment, minutes) {
  for (let i = 0; i < minutes; i += 1) {
    later(deployment);
    await deployment.worker.scheduled();
  }
}

/** Makes a site and fills it. @param {Deployment} deployment @param {string} name @param {object} [more] */
async function fill(deployment, name, more = {}) {
  const issued = await make(deployment, name, more);
  const headers = { authorization: `Bearer ${issued.admin}` };
  const counted = await count(deployment, name, issued.write, { ...VIEW, actor: 'ann' }, { action: 'like', item: '/a', actor: 'ann' });
  assert.deepEqual([counted.status, counted.body.accepted], [200, 2], counted.text);
  const put = (/** @type {string} */ path, /** @type {object} */ body) =>
    deployment.fetch(`/v1/${name}/${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
  for (const path of ['items/%2Fa', 'actors/ann'])
    assert.equal((await put(path, path.startsWith('items') ? { title: 'A' } : { name: 'Ann' })).status, 201);
  assert.equal((await put('admin/hidden/x', {})).status, 204);
  return issued;
}

test('all that a site has is deleted, two minutes after it went, and nothing of another one', async (t) => {
  const deployment = await start(t, { hasBucket: true });
  const shop = await fill(deployment, 'shop', RICH);
  const blog = await fill(deployment, 'blog', RICH);
  await count(deployment, 'shop', shop.write, { ...VIEW, boards: ['level:1'] });
  later(deployment, 2 * 60 * MINUTE_MS);
  await pass(deployment, 8);
  for (const site of ['shop', 'blog']) {
    assert.ok((await keysOf(deployment, site)).length > 10, site);
    assert.deepEqual(
      (await tablesOf(deployment, site)).filter((table) =>
        ['items', 'actors', 'history', 'totals', 'snapshots', 'state_documents'].includes(table),
      ).length,
      6,
      `${await tablesOf(deployment, site)}`,
    );
    assert.ok((await objectsOf(deployment, site)).length > 0, site);
  }
  const of = {
    keys: await keysOf(deployment, 'blog'),
    tables: await tablesOf(deployment, 'blog'),
    objects: await objectsOf(deployment, 'blog'),
  };
  const { status, body } = await sites(deployment, 'DELETE', '/shop');
  assert.deepEqual([status, body.state, body.deleted.keys], [202, 'going', 0]);
  for (const answer of [
    await count(deployment, 'shop', shop.write, VIEW),
    await deployment.beacon(VIEW, { site: 'shop' }),
    await deployment.top('articles/all', '', 'shop'),
    await deployment.fetch('/v1/shop/admin/audit', { headers: { authorization: `Bearer ${shop.admin}` } }),
    await sites(deployment, 'PUT', '/shop', SHOP),
    await sites(deployment, 'PUT', '/shop/state', { state: 'active' }),
    await sites(deployment, 'POST', '/shop/tokens/write'),
  ]) {
    assert.deepEqual(refusal(answer), [410, 'site-going']);
  }
  assert.equal((await sites(deployment, 'DELETE', '/shop')).status, 202, 'once more');
  await pass(deployment, 1);
  assert.ok((await keysOf(deployment, 'shop')).length > 10, 'nothing is deleted yet');
  await pass(deployment, 6);
  assert.deepEqual(await keysOf(deployment, 'shop'), []);
  assert.deepEqual(await tablesOf(deployment, 'shop'), []);
  assert.deepEqual(await objectsOf(deployment, 'shop'), []);
  assert.deepEqual(refusal(await sites(deployment, 'GET', '/shop')), [404, 'unknown-site']);
  assert.deepEqual(refusal(await deployment.top('articles/all', '', 'shop')), [404, 'unknown-site']);
  assert.equal((await sites(deployment, 'GET', '')).body.total, 1);
  for (const key of of.keys) assert.ok(key.includes(':entries:') || (await keysOf(deployment, 'blog')).includes(key), key);
  assert.deepEqual([await tablesOf(deployment, 'blog'), await objectsOf(deployment, 'blog')], [of.tables, of.objects]);

  const next = await make(deployment, 'shop', RICH);
  assert.ok(Object.entries(next).every(([kind, token]) => token !== shop[/** @type {'write'} */ (kind)]));
  assert.deepEqual(refusal(await count(deployment, 'shop', shop.write, VIEW)), [401, 'unauthorized']);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), []);
  assert.equal((await deployment.fetch('/v1/shop/items/%2Fa')).status, 404);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'blog')), ['/a 3']);
  assert.equal((await count(deployment, 'blog', blog.write, VIEW)).status, 200);
});

test('a run that deletes a site is killed at each step', async (t) => {
  const deployment = await start(t, { relayed: true });
  await fill(deployment, 'blog');
  const steps = await killAtEachStep(deployment.link, {
    async before(killedAt) {
      await fill(deployment, 'shop');
      const keys = "for i = 1, 2500 do redis.call('SET', 'eb:{shop:articles}:did:' .. i, '') end";
      await deployment.redis.command('EVAL', keys, '0');
      assert.equal((await sites(deployment, 'DELETE', '/shop')).status, 202, `${killedAt}`);
      // Until the isolate looks again.
      later(deployment, 6 * MINUTE_MS);
    },
    run: () => deployment.worker.scheduled(),
    async after(killedAt) {
      const of = `killed at ${killedAt}`;
      const { status } = await sites(deployment, 'GET', '/shop');
      const remaining = await keysOf(deployment, 'shop');
      assert.ok(status === 200 || (status === 404 && remaining.length === 0), `${of}: ${status} with ${remaining.length} keys`);
      await pass(deployment, 9);
      assert.deepEqual([await keysOf(deployment, 'shop'), await tablesOf(deployment, 'shop')], [[], []], of);
      assert.deepEqual(refusal(await sites(deployment, 'GET', '/shop')), [404, 'unknown-site'], of);
      assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'blog')), ['/a 3'], of);
    },
  });
  assert.ok(steps > 4, `${steps} steps`);
});

test('messages of a site that is going or gone are dropped, and count for no site that is made later', async (t) => {
  const deployment = await start(t, { hasQueue: true });
  await fill(deployment, 'shop');
  const queue = await deployment.worker.miniflare.getQueueProducer('INGEST_QUEUE');
  const sent = deployment.edgeClock.now();
  const dropped = () => deployment.worker.log.filter(({ message }) => message.includes('messages-dropped')).length;
  const send = async (/** @type {string} */ id) => {
    const before = dropped();
    await queue.send(/** @type {any} */ ({ site: 'shop', id, sent, events: [VIEW] }));
    await until('it is dropped', () => dropped() > before, { timeoutMs: 20_000 });
  };
  await sites(deployment, 'DELETE', '/shop');
  await send('m1');
  later(deployment, 6 * MINUTE_MS);
  await pass(deployment, 2);
  assert.equal((await sites(deployment, 'GET', '/shop')).status, 404);
  await send('m2');
  assert.deepEqual(await deployment.redis.command('KEYS', 'eb:unknown*'), []);
  await make(deployment, 'shop');
  await send('m3');
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), []);
});

test('a backup of Redis that still has sites that are gone brings none of them back, and their keys go again', async (t) => {
  const deployment = await start(t);
  const shop = await fill(deployment, 'shop');
  await fill(deployment, 'blog');
  await fill(deployment, 'kept');
  const backup = await backUp(deployment.redis);
  const kept = await keysOf(deployment, 'kept');
  for (const site of ['shop', 'blog']) {
    assert.equal((await sites(deployment, 'DELETE', `/${site}`)).status, 202);
    await pass(deployment, 9);
    assert.deepEqual(await keysOf(deployment, site), []);
  }
  await load(deployment.redis, backup);
  for (const [site, { length }] of Object.entries({ shop: await keysOf(deployment, 'shop'), blog: await keysOf(deployment, 'blog') })) {
    assert.ok(length > 10, site);
    for (const answer of [
      await deployment.top('articles/all', '', site),
      await count(deployment, site, shop.write, VIEW),
      await sites(deployment, 'GET', `/${site}`),
    ]) {
      assert.deepEqual(refusal(answer), [404, 'unknown-site'], site);
    }
  }
  const codes = new Set();
  for (let minute = 0; minute < 12; minute += 1) {
    await pass(deployment, 1);
    codes.add((await deployment.top('articles/all', '', 'shop')).body.code);
  }
  assert.deepEqual([...codes].sort(), ['site-going', 'unknown-site'], 'its name is taken until they are gone');
  for (const site of ['shop', 'blog']) {
    assert.deepEqual(refusal(await sites(deployment, 'GET', `/${site}`)), [404, 'unknown-site'], site);
    assert.deepEqual(await keysOf(deployment, site), [], site);
  }
  for (const key of kept) assert.ok(key.includes(':entries:') || (await keysOf(deployment, 'kept')).includes(key), key);
  await make(deployment, 'shop');
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), []);
});
