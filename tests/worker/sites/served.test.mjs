/**
 * How a site of run time is served: a read of the database a minute, from what was read last while the database is out, and not at all where
 * its configuration is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { until } from '../../support/until.mjs';
import { count, database, later, make, MINUTE_MS, refusal, SHOP, shown, sites, start } from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const VIEW = { action: 'view', item: '/a' };
const DAY_MS = 24 * 60 * MINUTE_MS;

const breakDatabase = (/** @type {Deployment} */ deployment) => database(deployment, 'ALTER TABLE sites RENAME TO elsewhere');
const mendDatabase = (/** @type {Deployment} */ deployment) => database(deployment, 'ALTER TABLE elsewhere RENAME TO sites');

/** Trips to the database meanwhile, without those of asking for them. @param {Deployment} deployment @param {() => Promise<unknown>} work */
async function tripsDuring(deployment, work) {
  const trips = async () => {
    const headers = { authorization: 'Bearer a-token-of-all-sites' };
    const { text } = await deployment.fetch('/v1/demo/admin/metrics', { headers });
    return Number(/^edgeboard_isolate_database_total\{site="",what="trips"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const [first, before] = [await trips(), await trips()];
  await work();
  return (await trips()) - before - (before - first);
}

test('a site is read once a minute, and a name that is not there likewise', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop');
  const ask = () => count(deployment, 'shop', write, VIEW);
  const askNobody = async () => assert.deepEqual(refusal(await deployment.top('articles/all', '', 'nobody')), [404, 'unknown-site']);
  assert.equal(await tripsDuring(deployment, async () => Promise.all([ask(), ask(), ask()])), 1, 'one reads, and the others wait');
  for (const [work, trips] of /** @type {[() => Promise<unknown>, number][]} */ ([
    [ask, 0],
    [askNobody, 1],
    [askNobody, 0],
  ])) {
    assert.equal(await tripsDuring(deployment, work), trips);
  }
  later(deployment);
  assert.equal(await tripsDuring(deployment, ask), 1);
  assert.equal(await tripsDuring(deployment, askNobody), 1);
  assert.equal(await tripsDuring(deployment, () => deployment.top('articles/all', '', 'demo')), 0);
});

test('what another isolate changes holds within a minute: a token that was replaced ends, and a suspended site counts nothing', async (t) => {
  const deployment = await start(t);
  const { write: old } = await make(deployment, 'shop');
  const { issued } = (await sites(deployment, 'POST', '/shop/tokens/write')).body;
  const ask = async () =>
    [await count(deployment, 'shop', old, VIEW), await count(deployment, 'shop', issued, VIEW)].map(({ status }) => status);
  assert.deepEqual(await ask(), [200, 200]);
  const tokens = `json_remove(tokens, '$.write[0]')`;
  for (const [change, after] of /** @type {[string, number[]][]} */ ([
    [`tokens = ${tokens}`, [401, 200]],
    [`state = 'suspended'`, [403, 403]],
  ])) {
    const before = await ask();
    await database(deployment, `UPDATE sites SET version = version + 1, ${change} WHERE name = 'shop'`);
    assert.deepEqual(await ask(), before, 'the isolate has read it within the minute');
    later(deployment);
    assert.deepEqual(await ask(), after, change);
  }
});

test('made-up names count as misses of the address', async (t) => {
  const deployment = await start(t, { isAskedItself: false });
  await make(deployment, 'shop');
  const headers = { 'cf-connecting-ip': '203.0.113.9' };
  const codes = [];
  for (let i = 0; i < 320 && codes.at(-1) !== 'too-many-requests'; i += 1) {
    codes.push((await deployment.fetch(`/v1/made-up-${i}/boards`, { headers })).body.code);
  }
  assert.equal(codes.at(-1), 'too-many-requests', `${codes.length}`);
  assert.equal(codes.length, 301);
  const other = { 'cf-connecting-ip': '203.0.113.10' };
  assert.equal((await deployment.fetch('/v1/shop/boards', { headers: other })).status, 200);
});

test('while the database is out, a site is served as it was read last for a day, and one that was not read is 503', async (t) => {
  const deployment = await start(t);
  const [shop, blog] = [await make(deployment, 'shop'), await make(deployment, 'blog')];
  assert.equal((await count(deployment, 'shop', shop.write, VIEW)).status, 200);
  await breakDatabase(deployment);
  later(deployment, 10 * MINUTE_MS);
  assert.equal((await count(deployment, 'shop', shop.write, VIEW)).status, 200);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), ['/a 2']);
  const unread = await count(deployment, 'blog', blog.write, VIEW);
  assert.deepEqual([...refusal(unread), unread.headers.get('retry-after')], [503, 'database-unavailable', '1']);
  assert.deepEqual(refusal(await sites(deployment, 'GET', '/shop')), [503, 'database-unavailable']);
  assert.equal((await deployment.top('articles/all', '', 'demo')).status, 200);
  later(deployment, DAY_MS);
  assert.deepEqual(refusal(await count(deployment, 'shop', shop.write, VIEW)), [503, 'database-unavailable']);
  await mendDatabase(deployment);
  later(deployment);
  for (const [site, { write }] of Object.entries({ shop, blog })) assert.equal((await count(deployment, site, write, VIEW)).status, 200);
});

test('a stored configuration that this version refuses stops that site alone', async (t) => {
  const deployment = await start(t);
  const [shop, blog] = [await make(deployment, 'shop'), await make(deployment, 'blog')];
  await database(
    deployment,
    `UPDATE sites SET version = 2, configuration = json_set(configuration, '$.of_an_older_version', 1) WHERE name = 'shop'`,
  );
  later(deployment);
  const refused = await count(deployment, 'shop', shop.write, VIEW);
  assert.deepEqual(refusal(refused), [500, 'configuration-invalid']);
  assert.match(refused.body.detail, /^SITES\.shop\.of_an_older_version = 1 is not allowed; allowed: the keys /);
  assert.equal((await count(deployment, 'blog', blog.write, VIEW)).status, 200);
  assert.match((await sites(deployment, 'GET', '/shop')).body.refused, /^SITES\.shop\.of_an_older_version/);
  const ready = async () => {
    await deployment.worker.scheduled();
    later(deployment);
    const { status, body } = await deployment.fetch('/readyz');
    return [status, body.refused_sites];
  };
  assert.deepEqual(await ready(), [200, ['shop']]);
  assert.equal((await sites(deployment, 'PUT', '/shop', SHOP)).status, 200);
  assert.deepEqual(await ready(), [200, undefined]);
  assert.equal((await count(deployment, 'shop', shop.write, VIEW)).status, 200);
});

test('sites of run time are looked after by scheduled runs', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop');
  await count(deployment, 'shop', write, VIEW);
  later(deployment, DAY_MS);
  await deployment.worker.scheduled();
  const { body } = await deployment.freshTop('rolled/last-3-days', '', 'shop');
  assert.deepEqual([body.complete, body.entries.length], [true, 1]);
});

for (const ingest of ['grouped', 'queue']) {
  test(`events of a site with ingest = "${ingest}" count`, async (t) => {
    const deployment = await start(t, { hasQueue: true });
    const { write } = await make(deployment, 'shop', {
      ingest,
      actions: { view: {} },
      boards: { articles: { weights: { view: 1 }, windows: ['all'] } },
    });
    const { status, text } = await count(deployment, 'shop', write, { ...VIEW, id: 'v1' });
    assert.ok([200, 202].includes(status), text);
    const isCounted = async () => shown(await deployment.freshTop('articles/all', '', 'shop'))[0] === '/a 1';
    await until('it is counted', isCounted, { timeoutMs: 20_000 });
  });
}

test('messages wait while the database is out, and those of a site that had the name before are dropped', async (t) => {
  const deployment = await start(t, { hasQueue: true });
  await make(deployment, 'shop');
  const queue = await deployment.worker.miniflare.getQueueProducer('INGEST_QUEUE');
  await breakDatabase(deployment);
  const sent = deployment.edgeClock.now();
  await queue.send(/** @type {any} */ ({ site: 'shop', id: 'm1', sent, events: [VIEW] }));
  await queue.send(/** @type {any} */ ({ site: 'shop', id: 'm2', sent: sent - DAY_MS, events: [{ ...VIEW, item: '/before' }] }));
  await until('it was tried', () => deployment.worker.log.some(({ message }) => message.includes('queue-waits')), { timeoutMs: 20_000 });
  await mendDatabase(deployment);
  const shownNow = async () => shown(await deployment.freshTop('articles/all', '', 'shop'));
  await until('the one is counted', async () => (await shownNow())[0] === '/a 1', { timeoutMs: 30_000 });
  await until('the other is dropped', () => deployment.worker.log.some(({ message }) => message.includes('messages-dropped')), {
    timeoutMs: 30_000,
  });
  assert.deepEqual(await shownNow(), ['/a 1']);
});
