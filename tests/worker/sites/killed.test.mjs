/**
 * workerd is killed by SIGKILL behind each statement that writes, while a site is made, suspended, given other tokens, exported, put back, and
 * deleted. What is done again ends the same: a site is whole, or its name is free.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { longTest } from '../../support/part.mjs';
import { startStatements } from '../../support/statements.mjs';
import { ADMIN_TOKEN, count, database, later, make, MINUTE_MS, refusal, SHOP, shown, sites, start } from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const VIEW = { action: 'view', item: '/a' };

/** @param {import('node:test').TestContext} t */
async function startKilled(t) {
  const statements = await startStatements();
  t.after(statements.stop);
  const deployment = await start(t, statements);
  /**
   * Asks until no batch of statements is its last one. `after` looks at what is left.
   *
   * @param {() => Promise<{ status: number } | { outcome: string }>} ask @param {(killedAt: number) => Promise<void>} after
   */
  const killAtEach = async (ask, after) => {
    for (let killedAt = 1; ; killedAt += 1) {
      statements.killAt(killedAt, () => deployment.worker.kill());
      const answer = await ask().catch(() => undefined);
      const isKilled = statements.passed >= killedAt;
      statements.killAt(Infinity, async () => {});
      assert.equal(answer === undefined, isKilled, `${killedAt}: ${JSON.stringify(answer)}`);
      if (isKilled) await deployment.restartWorker();
      await after(killedAt);
      if (!isKilled) return killedAt - 1;
    }
  };
  return { deployment, killAtEach };
}

/** Scheduled runs, a minute apart. @param {Deployment} deployment @param {number} runs */
async function pass(deployment, runs) {
  for (let i = 0; i < runs; i += 1) {
    later(deployment);
    await deployment.worker.scheduled();
  }
}

/** What a site has in Redis and in the database. @param {Deployment} deployment */
async function remains(deployment) {
  const keys = [...(await deployment.redis.command('KEYS', 'eb:{shop}*')), ...(await deployment.redis.command('KEYS', 'eb:{shop:*'))];
  const tables = ['items', 'state_documents'].map((table) => `SELECT '${table}' AS name FROM ${table} WHERE site = 'shop'`);
  return [...keys, ...(await database(deployment, tables.join(' UNION '))).map((/** @type {any} */ { name }) => name)];
}

/** What a site is, as its administrator is told. @param {Deployment} deployment */
const known = async (deployment) => (await sites(deployment, 'GET', '/shop')).body;

test('a site is made, suspended, and given another token', async (t) => {
  const { deployment, killAtEach } = await startKilled(t);
  /** @type {number[]} */
  const kills = [];
  await sites(deployment, 'GET', ''); // makes the tables
  const put = () => sites(deployment, 'PUT', '/shop', SHOP);
  kills.push(
    await killAtEach(put, async (killedAt) => {
      const { state, valid } = await known(deployment);
      assert.deepEqual([state, valid.write, valid.admin], ['active', 1, 1], `${killedAt}`);
    }),
  );
  let { issued } = (await sites(deployment, 'POST', '/shop/tokens/write')).body;
  assert.equal((await sites(deployment, 'DELETE', '/shop/tokens/write')).status, 204);
  assert.equal((await count(deployment, 'shop', issued, VIEW)).status, 200);
  for (const [state, expected] of /** @type {const} */ ([
    ['suspended', 403],
    ['active', 200],
  ])) {
    const change = () => sites(deployment, 'PUT', '/shop/state', { state });
    kills.push(
      await killAtEach(change, async () => {
        assert.equal((await known(deployment)).state, state);
        assert.equal((await count(deployment, 'shop', issued, VIEW)).status, expected);
      }),
    );
  }
  const old = issued;
  kills.push(
    await killAtEach(
      async () => {
        const answer = await sites(deployment, 'POST', '/shop/tokens/write');
        issued = answer.body.issued;
        return answer;
      },
      async () => {
        assert.equal((await known(deployment)).valid.write, 2);
        assert.equal((await count(deployment, 'shop', old, VIEW)).status, 200, 'the older one is valid');
      },
    ),
  );
  kills.push(
    await killAtEach(
      () => sites(deployment, 'DELETE', '/shop/tokens/write'),
      async () => {
        assert.equal((await known(deployment)).valid.write, 1);
        assert.deepEqual(refusal(await count(deployment, 'shop', old, VIEW)), [401, 'unauthorized']);
        assert.equal((await count(deployment, 'shop', issued, VIEW)).status, 200, 'the newer one stays');
      },
    ),
  );
  assert.deepEqual(kills, [1, 1, 1, 1, 1]);
});

longTest('a site is exported, put back, and deleted', async (t) => {
  const { deployment, killAtEach } = await startKilled(t);
  const { write, admin } = await make(deployment, 'shop');
  const { status } = await deployment.fetch('/v1/shop/items/%2Fa', {
    method: 'PUT',
    headers: { authorization: `Bearer ${admin}` },
    body: JSON.stringify({ title: 'A' }),
  });
  assert.equal(status, 201);
  assert.equal((await count(deployment, 'shop', write, VIEW, VIEW, { ...VIEW, item: '/b' })).status, 200);
  const transfer = (/** @type {string} */ path, init = {}) =>
    deployment.fetch(`/v1/admin/sites/${path}`, { ...init, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  const whole = await transfer('shop/export');
  await deployment.restartWorker();
  assert.equal((await transfer('shop/export')).text, whole.text);

  await make(deployment, 'copy');
  const putBack = () => transfer('copy/import', { method: 'POST', body: whole.text });
  const title = async () => (await deployment.fetch('/v1/copy/items/%2Fa')).body.details.title;
  const puts = await killAtEach(putBack, async (killedAt) => {
    assert.equal((await putBack()).status, 200, `${killedAt}`);
    assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'copy')), ['/a 2', '/b 1'], `${killedAt}`);
    assert.equal(await title(), 'A', `${killedAt}`);
  });
  assert.ok(puts > 0, `${puts}`);

  const end = await killAtEach(
    () => sites(deployment, 'DELETE', '/shop'),
    async () => {
      assert.equal((await known(deployment)).state, 'going');
      assert.deepEqual(refusal(await deployment.top('articles/all', '', 'shop')), [410, 'site-going']);
    },
  );
  assert.equal(end, 1);
  later(deployment, 3 * MINUTE_MS);
  const runs = await killAtEach(
    () => deployment.worker.scheduled(),
    async (killedAt) => {
      const { status } = await sites(deployment, 'GET', '/shop');
      if (status === 404) assert.deepEqual(await remains(deployment), [], `${killedAt}`);
      else assert.deepEqual(refusal(await deployment.top('articles/all', '', 'shop')), [410, 'site-going'], `${killedAt}`);
      later(deployment, 2 * MINUTE_MS);
    },
  );
  assert.ok(runs > 3, `${runs}`);
  await pass(deployment, 8);
  assert.deepEqual(refusal(await sites(deployment, 'GET', '/shop')), [404, 'unknown-site']);
  assert.deepEqual(await remains(deployment), []);
  const again = await make(deployment, 'shop');
  assert.equal((await count(deployment, 'shop', again.write, VIEW)).status, 200);
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'shop')), ['/a 1'], 'nothing comes back');
  assert.deepEqual(shown(await deployment.freshTop('articles/all', '', 'copy')), ['/a 2', '/b 1']);
});
