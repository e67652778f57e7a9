/**
 * Sites are made, changed, suspended and listed while the deployment runs; tokens are issued and replaced.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';

import { signActor } from '../../../packages/edgeboard/serve/actor-token.mjs';
import { WRITE_TOKEN } from '../../support/deployment.mjs';
import { count, database, later, make, NOW, refusal, SHOP, shown, sites, SITES_SECRET, start } from './site.mjs';

const VIEW = { action: 'view', item: '/a' };

test('a site counts and is read with its own tokens, and with no other site’s', async (t) => {
  const deployment = await start(t);
  const [shop, blog] = [await make(deployment, 'shop'), await make(deployment, 'blog')];
  for (const token of [shop.write, WRITE_TOKEN]) assert.equal((await count(deployment, 'shop', token, VIEW)).status, 200);
  for (const token of [blog.write, shop.admin, shop.actor, 'wrong']) {
    assert.deepEqual(refusal(await count(deployment, 'shop', token, VIEW)), [401, 'unauthorized']);
  }
  assert.deepEqual(refusal(await count(deployment, 'demo', shop.write, VIEW)), [401, 'unauthorized']);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), ['/a 2']);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'blog')), []);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'demo')), []);
  const beacon = await deployment.beacon(VIEW, { site: 'blog' });
  assert.equal(beacon.status, 204, beacon.text);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'blog')), ['/a 1']);
  const audit = (/** @type {string} */ token) =>
    deployment.fetch('/v1/shop/admin/audit', { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual([(await audit(shop.admin)).status, (await audit(blog.admin)).status, (await audit(shop.write)).status], [200, 401, 401]);
});

test('who has no token of all sites administers none', async (t) => {
  const deployment = await start(t, { vars: { ADMIN_TOKEN_DEMO: 'a-token-of-the-demo' } });
  const shop = await make(deployment, 'shop');
  for (const token of ['wrong', WRITE_TOKEN, shop.admin, 'a-token-of-the-demo']) {
    assert.deepEqual(refusal(await sites(deployment, 'GET', '/shop', undefined, token)), [401, 'unauthorized'], token);
  }
});

test('a deployment without a secret or a database says so', async (t) => {
  const [first, second] = [await start(t, { vars: { SITES_SECRET: '' } }), await start(t, { hasDatabase: false })];
  for (const [method, path, body] of /** @type {[string, string, object?][]} */ ([
    ['GET', ''],
    ['GET', '/shop'],
    ['PUT', '/shop', SHOP],
    ['DELETE', '/shop'],
    ['PUT', '/shop/state', { state: 'active' }],
    ['POST', '/shop/tokens/write'],
    ['DELETE', '/shop/tokens/write'],
  ])) {
    assert.deepEqual(refusal(await sites(first, method, path, body)), [404, 'no-sites-secret']);
    assert.deepEqual(refusal(await sites(second, method, path, body)), [404, 'no-database']);
  }
  for (const deployment of [first, second])
    assert.deepEqual(refusal(await deployment.top('articles/all', '', 'shop')), [404, 'unknown-site']);
});

test('a configuration is checked as that of the file, and what only a binding gives is refused with the reason', async (t) => {
  const deployment = await start(t);
  for (const [change, detail] of /** @type {[object, RegExp][]} */ ([
    [{ boards: {} }, /^SITES\.shop\.boards = \{\} is not allowed; allowed: a table with at least one entry$/],
    [{ timezone: 'Europe/Berln' }, /^SITES\.shop\.timezone = "Europe\/Berln" is not allowed; .*did you mean "Europe\/Berlin"\?$/],
    [{ forward: { queue: 'EVENTS' } }, /^SITES\.shop\.forward\.queue = "EVENTS" .*only wrangler\.toml binds a queue/],
    [{ forward: { webhook: 'http://127.0.0.1/' } }, /^SITES\.shop\.forward\.webhook = .*an address of the public network/],
    [{ limits: { misses: 7 } }, /^SITES\.shop\.limits .*only a binding of wrangler\.toml has another rate limit$/],
    [{ ingest: 'queue' }, /^SITES\.shop\.ingest = "queue" needs the queue producer binding INGEST_QUEUE/],
    [
      { boards: { articles: { ...SHOP.boards.articles, archive: true } } },
      /^SITES\.shop\.boards\.articles\.archive = true needs the R2 bucket/,
    ],
  ])) {
    const answer = await sites(deployment, 'PUT', '/shop', { ...SHOP, ...change });
    assert.deepEqual(refusal(answer), [400, 'invalid-site']);
    assert.match(answer.body.detail, detail);
  }
  for (const [name, expected] of [
    ['admin', 400],
    ['Shop', 400],
    ['demo', 409],
  ]) {
    assert.equal((await sites(deployment, 'PUT', `/${name}`, SHOP)).status, expected, `${name}`);
  }
  assert.equal((await sites(deployment, 'GET', '')).body.total, 0);
});

test('a token is valid until the one that replaces it is all that there is', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop');
  const issue = async (kind = 'write') => (await sites(deployment, 'POST', `/shop/tokens/${kind}`)).body.issued;
  const lost = await issue();
  const next = await issue();
  const allowed = async (/** @type {string[]} */ ...tokens) =>
    Promise.all(tokens.map(async (token) => (await count(deployment, 'shop', token, VIEW)).status));
  assert.deepEqual(await allowed(write, lost, next), [200, 401, 200]);
  assert.equal((await sites(deployment, 'DELETE', '/shop/tokens/write')).status, 204);
  later(deployment);
  assert.deepEqual(await allowed(write, next), [401, 200]);
  assert.deepEqual(refusal(await sites(deployment, 'DELETE', '/shop/tokens/write')), [409, 'no-older-token']);
  assert.deepEqual(refusal(await sites(deployment, 'POST', '/shop/tokens/else')), [400, 'invalid-site']);
  assert.deepEqual(refusal(await sites(deployment, 'POST', '/nobody/tokens/write')), [404, 'unknown-site']);
});

test('tokens of actors are signed with a secret that is derived and stored nowhere', async (t) => {
  const deployment = await start(t);
  const { actor, ...others } = await make(deployment, 'shop', {
    actions: { view: { public: true }, like: { reversible: true, signed: true } },
  });
  const token = (/** @type {string} */ secret, site = 'shop') => signActor({ secret, site, actor: 'ann', expiry: NOW / 1000 + 3600 });
  const like = (/** @type {string} */ by) => deployment.beacon({ token: by, events: [{ action: 'like', item: '/b' }] }, { site: 'shop' });
  assert.equal((await like(token(actor))).status, 204);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), ['/b 2']);
  const [{ tokens, configuration }] = await database(deployment, 'SELECT * FROM sites');
  const {
    actor: [generation],
  } = JSON.parse(`${tokens}`);
  const derived = createHmac('sha256', SITES_SECRET).update(`edgeboard sites\nshop\nactor\n${generation}`).digest('base64url');
  assert.equal(actor, derived);
  for (const secret of [actor, ...Object.values(others)]) assert.ok(!`${tokens}${configuration}`.includes(secret));
});

test('a suspended site counts and changes nothing, and is read', async (t) => {
  const deployment = await start(t);
  const { write, admin } = await make(deployment, 'shop');
  await count(deployment, 'shop', write, VIEW);
  const suspended = await sites(deployment, 'PUT', '/shop/state', { state: 'suspended' });
  assert.deepEqual([suspended.status, suspended.body.state, suspended.body.version], [200, 'suspended', 2]);
  const headers = { authorization: `Bearer ${admin}` };
  for (const answer of [
    await count(deployment, 'shop', write, VIEW),
    await deployment.beacon(VIEW, { site: 'shop' }),
    await deployment.fetch('/v1/shop/beacon.gif?action=view&item=/a'),
    await deployment.fetch('/v1/shop/admin/hidden/x', { method: 'PUT', headers }),
  ]) {
    assert.deepEqual(refusal(answer), [403, 'site-suspended']);
  }
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), ['/a 1']);
  assert.equal((await deployment.fetch('/v1/shop/admin/audit', { headers })).status, 200);
  assert.equal((await sites(deployment, 'PUT', '/shop/state', { state: 'active' })).body.state, 'active');
  assert.equal((await count(deployment, 'shop', write, VIEW)).status, 200);
  for (const body of [{ state: 'gone' }, {}, { state: 'active', more: 1 }]) {
    assert.deepEqual(refusal(await sites(deployment, 'PUT', '/shop/state', body)), [400, 'invalid-site']);
  }
});

test('a changed configuration holds, what was counted stays, and nothing is issued', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop');
  await count(deployment, 'shop', write, VIEW);
  const boards = { ...SHOP.boards, talk: { weights: { view: 3 }, windows: ['all'] } };
  const { status, body } = await sites(deployment, 'PUT', '/shop', { ...SHOP, boards });
  assert.deepEqual(
    [status, body.version, body.issued, Object.keys(body.configuration.boards)],
    [200, 2, undefined, ['articles', 'rolled', 'talk']],
  );
  await count(deployment, 'shop', write, VIEW);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), ['/a 2']);
  assert.deepEqual(shown(await deployment.freshTop('talk/all', '', 'shop')), ['/a 3']);
});

test('sites are listed in the order of their names, page by page', async (t) => {
  const deployment = await start(t);
  const names = Array.from({ length: 25 }, (_, i) => `site-${i + 10}`);
  for (const name of [...names].reverse()) await make(deployment, name);
  /** @type {string[]} */
  const listed = [];
  for (let cursor = ''; ; ) {
    const { body } = await sites(deployment, 'GET', `?limit=10${cursor}`);
    assert.equal(body.total, 25);
    listed.push(...body.sites.map((/** @type {{ site: string }} */ { site }) => site));
    if (body.next === null) break;
    cursor = `&cursor=${body.next}`;
  }
  assert.deepEqual(listed, names);
});
