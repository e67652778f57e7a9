/**
 * Making, changing and deleting a site where any of its statements fails, or an answer gets lost: the same again ends in one site with tokens that
 * are valid, and a deletion goes on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { count, database, later, make, refusal, SHOP, shown, sites, start } from './site.mjs';

const VIEW = { action: 'view', item: '/a' };

/**
 * Has the database fail at a statement, as if it were out.
 *
 * @param {import('./site.mjs').Deployment} deployment @param {string} event such as `INSERT ON sites`
 */
async function failing(deployment, event, condition = '1') {
  await database(deployment, `CREATE TRIGGER fault BEFORE ${event} WHEN ${condition} BEGIN SELECT RAISE(ABORT, 'a fault'); END`);
  return () => database(deployment, 'DROP TRIGGER fault');
}

/** A site is there once, and its tokens are valid. @param {import('./site.mjs').Deployment} deployment @param {string} name */
async function isWhole(deployment, name) {
  const rows = await database(deployment, `SELECT state, tokens FROM sites WHERE name = '${name}'`);
  assert.deepEqual([rows.length, rows[0].state], [1, 'active'], name);
  const { write, admin } = JSON.parse(rows[0].tokens);
  assert.deepEqual([write.length, admin.length], [1, 1], name);
  // An owner who did not get them has others issued, and ends the first.
  const { status, body } = await sites(deployment, 'POST', `/${name}/tokens/write`);
  assert.equal(status, 201, name);
  assert.equal((await sites(deployment, 'DELETE', `/${name}/tokens/write`)).status, 204, name);
  assert.equal((await count(deployment, name, body.issued, VIEW)).status, 200, name);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', name)), ['/a 1'], name);
}

test('where the answer got lost, the same request again ends in one site, and tokens are issued anew', async (t) => {
  const deployment = await start(t);
  const [first, again] = [await sites(deployment, 'PUT', '/shop', SHOP), await sites(deployment, 'PUT', '/shop', SHOP)];
  assert.deepEqual([first.status, again.status, 'issued' in again.body], [201, 200, false]);
  await isWhole(deployment, 'shop');
  const old = await count(deployment, 'shop', first.body.issued.write, VIEW);
  assert.deepEqual(refusal(old), [401, 'unauthorized'], 'what got lost ends with the replacement');
  const both = await Promise.all([1, 2, 3].map(() => sites(deployment, 'PUT', '/blog', SHOP)));
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 200, 201], 'of several at once, one makes it');
  await isWhole(deployment, 'blog');
});

test('where a statement of making or changing fails, the same request again does it', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'blog');
  let mend = await failing(deployment, 'INSERT ON sites');
  assert.deepEqual(refusal(await sites(deployment, 'PUT', '/shop', SHOP)), [503, 'database-unavailable']);
  assert.deepEqual(refusal(await deployment.top('articles/all', '', 'shop')), [404, 'unknown-site']);
  await mend();
  assert.equal((await sites(deployment, 'PUT', '/shop', SHOP)).status, 201);
  await isWhole(deployment, 'shop');
  mend = await failing(deployment, 'UPDATE ON sites');
  for (const [method, path, body] of /** @type {[string, string, unknown][]} */ ([
    ['PUT', '/blog', SHOP],
    ['PUT', '/blog/state', { state: 'suspended' }],
    ['POST', '/blog/tokens/write', undefined],
    ['DELETE', '/blog', undefined],
  ])) {
    assert.deepEqual(refusal(await sites(deployment, method, path, body)), [503, 'database-unavailable'], `${method} ${path}`);
    const { body: known } = await sites(deployment, 'GET', '/blog');
    assert.deepEqual([known.state, known.version, known.valid.write], ['active', 1, 1], `${method} ${path}`);
    assert.equal((await count(deployment, 'blog', write, VIEW)).status, 200);
  }
  await mend();
  assert.equal((await sites(deployment, 'PUT', '/blog/state', { state: 'suspended' })).status, 200);
});

test('a deletion goes on where any of its statements failed', async (t) => {
  const deployment = await start(t);
  const faults = [
    ['UPDATE OF owner ON sites', `NEW.owner <> ''`],
    ['UPDATE OF deleted ON sites', '1'],
    ['DELETE ON items', '1'],
    ['UPDATE OF state ON sites', `NEW.state = 'gone'`],
    ['UPDATE OF owner ON sites', `NEW.owner = ''`],
  ];
  for (const [event, condition] of faults) {
    const { write, admin } = await make(deployment, 'shop');
    await count(deployment, 'shop', write, VIEW);
    const headers = { authorization: `Bearer ${admin}` };
    const item = await deployment.fetch('/v1/shop/items/%2Fa', { method: 'PUT', headers, body: JSON.stringify({ title: 'A' }) });
    assert.equal(item.status, 201);
    assert.equal((await sites(deployment, 'DELETE', '/shop')).status, 202);
    later(deployment, 150_000);
    const mend = await failing(deployment, event, condition);
    for (let i = 0; i < 2; i += 1) {
      later(deployment);
      await deployment.worker.scheduled();
    }
    assert.deepEqual(refusal(await deployment.top('articles/all', '', 'shop')), [410, 'site-going'], `${event} ${condition}`);
    await mend();
    for (let i = 0; i < 8; i += 1) {
      later(deployment);
      await deployment.worker.scheduled();
    }
    assert.deepEqual(refusal(await sites(deployment, 'GET', '/shop')), [404, 'unknown-site'], `${event} ${condition}`);
    const keys = [...(await deployment.redis.command('KEYS', 'eb:{shop}*')), ...(await deployment.redis.command('KEYS', 'eb:{shop:*'))];
    assert.deepEqual(keys, [], `${event} ${condition}`);
    assert.deepEqual(await database(deployment, `SELECT id FROM items WHERE site = 'shop'`), [], `${event} ${condition}`);
  }
});
