/**
 * Quotas: a site that uses what it may is told so, and others go on; what is used is told, and costs two commands in ten seconds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { overhear } from '../../support/overheard.mjs';
import { until } from '../../support/until.mjs';
import { count, database, later, make, MINUTE_MS, NOW, refusal, SHOP, shown, sites, start } from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const VIEW = { action: 'view', item: '/a' };
const DAY_MS = 24 * 60 * MINUTE_MS;
const REPORT_MS = 10_000;
const MONTH_ENDS = Date.parse('2026-12-01T00:00:00Z');
const LEVELS = { level: { template: true, on_event: true, weights: { view: 1 }, windows: ['all'] } };

/** What a site uses, as its administrator is told. @param {Deployment} deployment @param {string} name */
const used = async (deployment, name) => (await sites(deployment, 'GET', `/${name}`)).body.used;

/**
 * Counts, ten seconds after each other, until that is refused. Answers how often it counted, and the refusal.
 *
 * @param {Deployment} deployment @param {string} name @param {string} token @param {number} most
 */
async function countUntilRefused(deployment, name, token, most) {
  for (let counted = 0; counted < most; counted += 1) {
    later(deployment, REPORT_MS);
    const answer = await count(deployment, name, token, { ...VIEW, item: `/${counted}` });
    if (answer.status !== 200) return { counted, answer };
    // What is told in the background may take a moment.
    await until('it was told', async () => (await used(deployment, name)).commands_per_month > 0);
  }
  throw new Error(`it counted ${most} times`);
}

test('past its commands a site is told so until the month ends: events, and reads by origin', async (t) => {
  const deployment = await start(t);
  const [shop, blog] = [await make(deployment, 'shop', { quota: { commands_per_month: 500 } }), await make(deployment, 'blog')];
  assert.deepEqual(await used(deployment, 'shop'), { boards: 2, members: 0, commands_per_month: 0, until: '2026-12-01T00:00:00Z' });
  assert.equal(await used(deployment, 'blog'), undefined);
  const cached = await deployment.top('articles/all', '', 'shop');
  assert.equal(cached.status, 200);
  const { counted, answer } = await countUntilRefused(deployment, 'shop', shop.write, 100);
  assert.ok(counted > 3, `${counted}`);
  assert.deepEqual(refusal(answer), [429, 'quota']);
  assert.equal(answer.body.detail, 'the site uses all that quota.commands_per_month allows');
  const waitS = Math.ceil((MONTH_ENDS - deployment.edgeClock.now()) / 1000);
  assert.ok(Math.abs(Number(answer.headers.get('retry-after')) - waitS) <= 2, `${answer.headers.get('retry-after')} ${waitS}`);
  const { commands_per_month: commands } = await used(deployment, 'shop');
  assert.ok(commands >= 500 && commands < 700, `${commands}`);
  for (const refused of [
    await deployment.beacon(VIEW, { site: 'shop' }),
    await deployment.fetch('/v1/shop/beacon.gif?action=view&item=%2Fa'),
    await deployment.top('articles/day', '', 'shop'),
    await deployment.fetch('/v1/shop/boards/articles/all/ranks', { method: 'POST', body: JSON.stringify({ ids: ['/0'] }) }),
  ]) {
    assert.deepEqual(refusal(refused), [429, 'quota']);
    assert.equal(refused.headers.get('cache-control'), 'no-store');
  }
  const served = await deployment.top('articles/all', '', 'shop');
  assert.deepEqual([served.status, served.body.generated_at], [200, cached.body.generated_at], 'what is cached is served on');
  assert.equal((await count(deployment, 'blog', blog.write, VIEW)).status, 200);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'blog')), ['/a 1']);
  const { status } = await deployment.fetch('/v1/shop/admin/hidden/x', {
    method: 'PUT',
    headers: { authorization: `Bearer ${shop.admin}` },
  });
  assert.equal(status, 204, 'administrators go on');
  later(deployment, MONTH_ENDS - NOW);
  assert.equal((await count(deployment, 'shop', shop.write, VIEW)).status, 200, 'another month');
  await until('that was told', async () => (await used(deployment, 'shop')).commands_per_month > 0);
  const { until: ends, commands_per_month: since } = await used(deployment, 'shop');
  assert.deepEqual([ends, since < 200], ['2027-01-01T00:00:00Z', true], `${since}`);
});

test('with a higher quota a site goes on within a minute, and at once where that was said', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop', { quota: { commands_per_month: 200 } });
  await countUntilRefused(deployment, 'shop', write, 100);
  for (const [quota, status] of /** @type {[object, number][]} */ ([
    [{ commands_per_month: 100_000 }, 200],
    [{ commands_per_month: 1 }, 429],
    [{}, 200],
  ])) {
    assert.equal((await sites(deployment, 'PUT', '/shop', { ...SHOP, quota })).status, 200);
    assert.equal((await count(deployment, 'shop', write, VIEW)).status, status, JSON.stringify(quota));
  }
  const { body } = await sites(deployment, 'GET', '/shop');
  assert.deepEqual([body.configuration.quota, body.used], [{}, undefined]);
});

test('what others let through within ten seconds goes past a quota, and the overshoot is shown', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop', { quota: { commands_per_month: 10_000 } });
  const send = async () => (await count(deployment, 'shop', write, VIEW)).status;
  assert.equal(await send(), 200);
  await until('it is told', async () => (await used(deployment, 'shop')).commands_per_month > 0);
  // What another isolate adds.
  await deployment.redis.command('HINCRBY', 'eb:{shop}:usage', 'commands:2026-11', '20000');
  assert.equal(await send(), 200, 'it does not know yet');
  later(deployment, REPORT_MS);
  const before = (await used(deployment, 'shop')).commands_per_month;
  assert.equal(await send(), 200, 'it tells and asks in the background');
  await until('it is told', async () => (await used(deployment, 'shop')).commands_per_month > before);
  assert.equal(await send(), 429);
  assert.ok((await used(deployment, 'shop')).commands_per_month > 20_000);
});

test('telling what is used takes two commands in ten seconds, and none while nothing is called', async (t) => {
  const deployment = await start(t);
  const [shop, blog] = [await make(deployment, 'shop', { quota: { commands_per_month: 1_000_000 } }), await make(deployment, 'blog')];
  const call = (/** @type {string} */ name, /** @type {string} */ token) => async () =>
    assert.equal((await count(deployment, name, token, VIEW)).status, 200);
  const [callShop, callBlog] = [call('shop', shop.write), call('blog', blog.write)];
  for (const warm of [callShop, callBlog]) await warm();
  const ten = async () => {
    for (let i = 0; i < 10; i += 1) await callShop();
  };
  const heard = await overhear(deployment.redis, [
    ten,
    async () => {
      later(deployment, REPORT_MS);
      const before = (await deployment.redis.command('HVALS', 'eb:{shop}:usage'))[0];
      await ten();
      await until('it was told', async () => (await deployment.redis.command('HVALS', 'eb:{shop}:usage'))[0] !== before);
    },
    async () => later(deployment, 10 * MINUTE_MS),
    callBlog,
  ]);
  const reports = heard.map((commands) => {
    const sent = commands.filter(({ isOfScript }) => !isOfScript).map(({ command: [name] }) => name.toUpperCase());
    return sent.filter((name) => ['HINCRBY', 'TIME'].includes(name));
  });
  assert.deepEqual(reports, [[], ['HINCRBY', 'TIME'], [], []]);
});

test('the month is that of the clock of Redis', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop', { quota: { commands_per_month: 1_000_000 } });
  deployment.clock.set(MONTH_ENDS + MINUTE_MS);
  deployment.edgeClock.set(MONTH_ENDS - MINUTE_MS);
  assert.equal((await count(deployment, 'shop', write, VIEW)).status, 200);
  const all = () => deployment.redis.command('HGETALL', 'eb:{shop}:usage');
  await until('it is told', async () => (await all()).length === 4 && (await all())[1] === '0');
  const [november, none, december, some] = await all();
  assert.deepEqual([november, none, december, Number(some) > 0], ['commands:2026-11', '0', 'commands:2026-12', true]);
  assert.equal((await used(deployment, 'shop')).until, '2027-01-01T00:00:00Z');
});

test('past its members a site counts no events until it is allowed more', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop', { boards: { ...SHOP.boards, ...LEVELS }, quota: { members: 5 } });
  assert.equal((await count(deployment, 'shop', write, VIEW, { ...VIEW, item: '/b' })).status, 200);
  assert.equal((await count(deployment, 'shop', write, { ...VIEW, item: '/c', boards: ['level:1'] })).status, 200);
  const look = async () => {
    later(deployment, 60 * MINUTE_MS);
    await deployment.worker.scheduled();
  };
  await look();
  assert.deepEqual(await used(deployment, 'shop'), { boards: 3, members: 7, commands_per_month: 0, until: '2026-12-01T00:00:00Z' });
  const refused = await count(deployment, 'shop', write, VIEW);
  assert.deepEqual([...refusal(refused), refused.headers.get('retry-after')], [429, 'quota', '3600']);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), ['/c 1', '/b 1', '/a 1'], 'it is read');
  assert.equal((await sites(deployment, 'PUT', '/shop', { ...SHOP, quota: { members: 100 } })).status, 200);
  assert.equal((await count(deployment, 'shop', write, VIEW)).status, 200);
  const [row] = await database(deployment, `SELECT members FROM sites WHERE name = 'shop'`);
  assert.equal(row.members, 7);
});

test('past its boards a site makes none', async (t) => {
  const deployment = await start(t);
  const { write, admin } = await make(deployment, 'shop', { boards: { ...SHOP.boards, ...LEVELS }, quota: { boards: 4 } });
  const headers = { authorization: `Bearer ${admin}` };
  const put = (/** @type {string} */ board) => deployment.fetch(`/v1/shop/admin/boards/${board}`, { method: 'PUT', headers });
  assert.deepEqual([(await put('level:1')).status, (await put('level:2')).status, (await put('level:1')).status], [201, 201, 200]);
  const refused = await put('level:3');
  assert.deepEqual(refusal(refused), [429, 'quota']);
  assert.equal(refused.body.detail, 'the site shop has as many boards as its quota allows: 4');
  const { body } = await count(deployment, 'shop', write, { ...VIEW, boards: ['level:3'] });
  assert.equal(body.rejected[0].code, 'unknown-board', 'nor does an event make one');
  const more = { boards: { a: SHOP.boards.articles, b: SHOP.boards.articles }, quota: { boards: 1 } };
  const wrong = await sites(deployment, 'PUT', '/blog', { ...SHOP, ...more });
  assert.deepEqual(refusal(wrong), [400, 'invalid-site']);
  assert.equal(wrong.body.detail, 'SITES.blog.quota.boards = 1 is not allowed beside 2 boards in the configuration');
});

test('metrics tell what is used', async (t) => {
  const deployment = await start(t);
  const { write, admin } = await make(deployment, 'shop', { quota: { boards: 10, commands_per_month: 10_000 } });
  assert.equal((await count(deployment, 'shop', write, VIEW)).status, 200);
  await until('it is told', async () => (await used(deployment, 'shop')).commands_per_month > 0);
  const { text } = await deployment.fetch('/v1/shop/admin/metrics', { headers: { authorization: `Bearer ${admin}` } });
  const { commands_per_month: commands } = await used(deployment, 'shop');
  for (const line of [
    `edgeboard_quota_used{site="shop",option="boards"} 2`,
    `edgeboard_quota_used{site="shop",option="commands_per_month"} ${commands}`,
    `edgeboard_quota_max{site="shop",option="commands_per_month"} 10000`,
    `edgeboard_isolate_quota_total{site="shop",what="commands"} ${commands}`,
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line}\n${text.split('\n').filter((line) => line.includes('quota'))}`);
  }
  assert.ok(!text.includes('option="members"'), 'it has none of those');
});

test('a site that has the name later has used nothing', async (t) => {
  const deployment = await start(t);
  const quota = { commands_per_month: 200 };
  const { write } = await make(deployment, 'shop', { quota });
  await countUntilRefused(deployment, 'shop', write, 100);
  assert.equal((await sites(deployment, 'DELETE', '/shop')).status, 202);
  for (let minute = 0; minute < 9; minute += 1) {
    later(deployment);
    await deployment.worker.scheduled();
  }
  const again = await make(deployment, 'shop', { quota });
  assert.equal((await used(deployment, 'shop')).commands_per_month, 0);
  assert.equal((await count(deployment, 'shop', again.write, VIEW)).status, 200);
  assert.ok(deployment.edgeClock.now() < NOW + DAY_MS);
});
