/**
 * The library of functions that Redis keeps, seen from outside: what becomes of clicks and readers where it is lost, cannot be loaded, or where Redis
 * has no functions.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ALL_TRANSPORTS, entriesOf, startDeployment } from '../support/deployment.mjs';
import { startRedis } from '../support/redis.mjs';
import { until } from '../support/until.mjs';

const ADMIN_TOKEN = 'a-token-for-administration';
const SITE = {
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    articles: { weights: { view: 1, like: 3 }, windows: ['day', 'last-2-days', { name: 'hot', kind: 'half-life', half_life: '6h' }] },
    people: { members: 'actors', weights: { like: 1 }, windows: ['day', 'all'], ties: 'first' },
  },
};
const like = { action: 'like', item: '/a', actor: 'ann' };

/** @param {import('node:test').TestContext} t @param {Partial<Parameters<typeof startDeployment>[0]>} options */
async function start(t, options) {
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN }, ...options });
  t.after(deployment.stop);
  const lines = (/** @type {string} */ code) => deployment.worker.log.filter(({ message }) => message.includes(`"${code}"`)).length;
  const admin = (/** @type {string} */ method, /** @type {string} */ path) =>
    deployment.fetch(`/v1/demo/${path}`, { method, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  return { ...deployment, lines, admin };
}

/** @param {import('../support/redis.mjs').Redis} redis @returns {Promise<string[]>} */
async function libraries(redis) {
  return (await redis.command('FUNCTION', 'LIST')).map((/** @type {string[]} */ library) => library[1]);
}

/** Does what a site does in a day. @param {Pick<Awaited<ReturnType<typeof start>>, 'beacon' | 'events' | 'freshTop' | 'admin'>} to */
async function useIt({ beacon, events, freshTop, admin }) {
  for (let n = 0; n < 5; n += 1) assert.equal((await beacon({ id: `b${n >> 1}`, events: [{ action: 'view', item: '/a' }] })).status, 204);
  assert.equal((await events({ events: [like, { ...like, actor: 'bob' }] })).body.accepted, 2);
  assert.equal((await events({ ...like, undo: true })).body.accepted, 1);
  assert.equal((await admin('POST', 'admin/upkeep')).status, 200);
  assert.deepEqual(entriesOf(await freshTop('articles/day')), [['/a', 6]]);
  assert.deepEqual(entriesOf(await freshTop('articles/last-2-days')), [['/a', 6]]);
  assert.deepEqual(entriesOf(await freshTop('people/all')), [['bob', 1]]);
  assert.equal((await admin('PUT', 'admin/boards/articles/hidden/%2Fa')).status, 204);
  assert.deepEqual(entriesOf(await freshTop('articles/day')), []);
}

for (const transport of ALL_TRANSPORTS) {
  test(`over ${transport}, where Redis has no functions, all goes on with scripts, and the log says so once`, async (t) => {
    const without = ['FCALL', 'FCALL_RO', 'FUNCTION'].flatMap((name) => ['--rename-command', name, '']);
    const deployment = await start(t, { transport, redisArgs: without });
    await useIt(deployment);
    // Each of the two modules says it.
    assert.ok([1, 2].includes(deployment.lines('no-functions')));
    assert.match(await deployment.redis.command('INFO', 'commandstats'), /cmdstat_evalsha:/);
  });

  test(`over ${transport}, where Redis has them, no script is run`, async (t) => {
    const deployment = await start(t, { transport });
    await useIt(deployment);
    assert.equal(deployment.lines('no-functions'), 0);
    assert.equal((await libraries(deployment.redis)).length, 1);
    assert.doesNotMatch(await deployment.redis.command('INFO', 'commandstats'), /cmdstat_eval/);
  });

  test(`over ${transport}, the library is lost again and again under traffic: each click counts once`, async (t) => {
    const { beacon, redis } = await start(t, { transport });
    let isOver = false;
    const flush = async () => {
      while (!isOver) {
        await redis.command('FUNCTION', 'FLUSH');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const flushed = flush();
    const clicks = Array.from({ length: 160 }, (_, n) => n);
    for (let i = 0; i < clicks.length; i += 20) {
      const sent = clicks.slice(i, i + 20).map((n) => beacon({ id: `c${n}`, events: [{ action: 'view', item: '/a' }] }));
      for (const { status } of await Promise.all(sent)) assert.equal(status, 204);
    }
    isOver = true;
    await flushed;
    const day = (await redis.command('KEYS', 'eb:{demo:articles}:day:*')).find((/** @type {string} */ key) => /:\d+$/.test(key));
    assert.equal(await redis.command('ZSCORE', day, '/a'), '160');
  });
}

test('a full Redis: readers are answered, members are removed, hidden and erased, events are refused and count later', async (t) => {
  const { beacon, events, freshTop, admin, redis, fetch } = await start(t, {});
  await useIt({ beacon, events, freshTop, admin });
  await redis.command('CONFIG', 'SET', 'maxmemory', 1);
  for (const isLoaded of [true, false]) {
    if (!isLoaded) await redis.command('FUNCTION', 'FLUSH');
    const refused = await events({ id: 'later', events: [{ action: 'view', item: '/b' }] });
    assert.deepEqual([refused.status, refused.body.code], [503, 'redis-unavailable'], `loaded: ${isLoaded}`);
    assert.deepEqual(entriesOf(await freshTop('people/all')), [['bob', 1]], `loaded: ${isLoaded}`);
  }
  assert.equal((await admin('DELETE', 'admin/boards/articles/hidden/%2Fa')).status, 204, 'which frees');
  await redis.command('CONFIG', 'SET', 'maxmemory', 0);
  assert.equal((await fetch('/readyz')).status, 200);
  assert.equal((await events({ id: 'later', events: [{ action: 'view', item: '/b' }] })).body.accepted, 1);
});

test('a replica that becomes the master has the library, and readers of a replica are answered', async (t) => {
  const { beacon, redis, freshTop, worker } = await start(t, {});
  assert.equal((await beacon({ action: 'view', item: '/a' })).status, 204);
  const replica = await startRedis({});
  t.after(replica.stop);
  await replica.command('REPLICAOF', '127.0.0.1', redis.port);
  await until('the replica has all', async () => (await replica.command('INFO', 'replication')).includes('master_link_status:up'));
  assert.deepEqual(await libraries(replica), await libraries(redis));
  await redis.command('REPLICAOF', '127.0.0.1', replica.port);
  await replica.command('REPLICAOF', 'NO', 'ONE');
  assert.deepEqual(entriesOf(await freshTop('articles/day')), [['/a', 1]], 'of what is a replica now');
  assert.equal((await beacon({ action: 'view', item: '/a' })).status, 503);
  assert.equal(worker.log.filter(({ message }) => message.includes('no-functions')).length, 0);
});
