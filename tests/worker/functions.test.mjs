/**
 * The library of functions that Redis keeps, seen from outside: what becomes of clicks and readers where it is lost, cannot be loaded, or where Redis
 * has no functions.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { entriesOf, startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { startRedis } from '../support/redis.mjs';
import { TRANSPORTS } from '../support/transports.mjs';
import { until } from '../support/until.mjs';
import { startWorker } from '../support/worker.mjs';

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
  const admin = (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body = undefined) =>
    deployment.fetch(`/v1/demo/${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
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

for (const transport of TRANSPORTS) {
  test(`over ${transport}, where Redis has no functions, all goes on with scripts, and the log says so once`, async (t) => {
    const without = ['FCALL', 'FCALL_RO', 'FUNCTION'].flatMap((name) => ['--rename-command', name, '']);
    const deployment = await start(t, { transport, redisArgs: without });
    await useIt(deployment);
    assert.equal(deployment.lines('no-functions'), 1);
    assert.deepEqual((await deployment.fetch('/readyz')).body, { status: 'ready', functions: false });
    assert.match(await deployment.redis.command('INFO', 'commandstats'), /cmdstat_evalsha:/);
  });

  test(`over ${transport}, where Redis has them, no script is run`, async (t) => {
    const deployment = await start(t, { transport });
    await useIt(deployment);
    assert.equal(deployment.lines('no-functions'), 0);
    assert.deepEqual((await deployment.fetch('/readyz')).body, { status: 'ready' });
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

for (const forgets of [false, true]) {
  test(`a server that keeps ${forgets ? 'nothing' : 'what it is given'} between calls of functions: all is right${forgets ? ', and the log says so' : ''}`, async (t) => {
    const deployment = await start(t, { transport: 'http://', forgets });
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(Date.parse('2026-11-20T00:10:00Z'));
    await useIt(deployment);
    await deployment.worker.scheduled();
    assert.equal(deployment.lines('no-memo'), forgets ? 1 : 0);
    assert.deepEqual((await deployment.fetch('/readyz')).body, { status: 'ready', ...(forgets && { memo: false }) });
  });
}

test('a full Redis: readers are answered, what frees memory works and takes 4 KB at most, events are refused and count later', async (t) => {
  const deployment = await start(t, { sites: { demo: { ...SITE, journal: '8d' } } });
  const { events, freshTop, admin, redis, fetch } = deployment;
  await useIt(deployment);
  const revoke = () => admin('POST', 'admin/revoke', { actor: 'bob' });
  const erase = () => fetch('/v1/demo/actors/ann', { method: 'DELETE', headers: { authorization: `Bearer ${WRITE_TOKEN}` } });
  const reset = () => admin('POST', 'admin/boards/people/reset');
  for (const item of ['/b', '/c']) assert.equal((await events({ action: 'view', item })).body.accepted, 1);
  // The first note of what was done by hand makes a stream, of 5 KB.
  assert.equal((await admin('DELETE', 'admin/boards/articles/members/%2Fnobody')).status, 200);
  await redis.command('CONFIG', 'SET', 'maxmemory', 1);

  /** @type {[string, () => Promise<import('../support/deployment.mjs').Answer>, number][]} */
  const works = [
    ['show', () => admin('DELETE', 'admin/boards/articles/hidden/%2Fa'), 204],
    ['hide', () => admin('PUT', 'admin/boards/articles/hidden/%2Fb'), 204],
    ['pin', () => admin('PUT', 'admin/boards/articles/pinned/%2Fc'), 204],
    ['remove', () => admin('DELETE', 'admin/boards/articles/members/%2Fb'), 200],
    ['revoke', revoke, 200],
    ['erase', erase, 204],
    ['reset', reset, 200],
    ['read', () => freshTop('articles/day'), 200],
    ['unconfigured', () => admin('GET', 'admin/unconfigured'), 200],
    ['letters', () => admin('DELETE', 'admin/dead'), 204],
    ['upkeep', () => admin('POST', 'admin/upkeep'), 200],
  ];
  for (const [what, work, status] of works) {
    const before = await bytes(redis);
    const answer = await work();
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    const more = (await bytes(redis)) - before;
    assert.ok(more <= 4096, `${what} takes ${more} bytes more`);
  }
  const later = { id: 'later', events: [{ action: 'view', item: '/d' }] };
  const refused = await events(later);
  assert.deepEqual([refused.status, refused.body.code], [503, 'redis-unavailable']);

  // Without its library, Redis takes none: readers run sources, and so does what only takes away.
  await redis.command('FUNCTION', 'FLUSH');
  assert.deepEqual((await freshTop('articles/day')).status, 200);
  assert.ok([503, 504].includes((await admin('DELETE', 'admin/boards/articles/members/%2Fa')).status));
  for (let n = 0; n < 3; n += 1) assert.equal((await events(later)).status, 503);
  assert.deepEqual(await libraries(redis), []);
  // It is of 280 KB, so it is sent once, and then rests.
  const refusals = /function\|load:.*rejected_calls=(\d+)/.exec(await redis.command('INFO', 'commandstats'))?.[1];
  assert.equal(Number(refusals), 1);
  await redis.command('CONFIG', 'SET', 'maxmemory', 0);
  assert.equal((await fetch('/readyz')).status, 200);
  deployment.edgeClock.advance(10_000);
  assert.equal((await events(later)).body.accepted, 1);
  assert.equal((await libraries(redis)).length, 1);
});

test('where libraries may not be deleted, those that nobody uses stay, and the log says so once', async (t) => {
  const deployment = await start(t, { vars: ({ redis }) => ({ REDIS_URL: redis.url.replace('redis://', 'redis://keeper:secret@') }) });
  const { redis, clock, edgeClock, worker } = deployment;
  await redis.command('ACL', 'SETUSER', 'keeper', 'on', '>secret', 'allkeys', '+@all', '-function|delete');
  const unused = 'eb_0123456789ab';
  await redis.command('FUNCTION', 'LOAD', `#!lua name=${unused}\nredis.register_function('${unused}_top', function() return 1 end)`);
  await redis.command('HSET', 'edgeboard:libraries', unused, Date.parse('2026-11-01T00:00:00Z') / 1000);
  for (const instant of ['2026-11-20T00:10:00Z', '2026-11-21T00:10:00Z']) {
    for (const each of [clock, edgeClock]) each.set(instant);
    await worker.scheduled();
    assert.equal(deployment.lines('libraries-stay'), 1, instant);
  }
  assert.ok((await libraries(redis)).includes(unused));
});

/** What all keys take. @param {import('../support/redis.mjs').Redis} redis */
async function bytes(redis) {
  let sum = 0;
  for (const key of await redis.command('KEYS', '*')) sum += await redis.command('MEMORY', 'USAGE', key, 'SAMPLES', 0);
  return sum;
}

test('a worker with functions and one with scripts beside each other count each click once, and undo what the other did', async (t) => {
  const { redis, events, freshTop } = await start(t, {});
  await redis.command('ACL', 'SETUSER', 'old', 'on', '>secret', 'allkeys', '+@all', '-fcall', '-fcall_ro', '-function');
  const other = await startWorker({
    vars: { REDIS_URL: redis.url.replace('redis://', 'redis://old:secret@'), SITES: { demo: SITE }, WRITE_TOKEN },
  });
  t.after(other.stop);
  const headers = { authorization: `Bearer ${WRITE_TOKEN}`, 'content-type': 'application/json' };
  const ask = (/** @type {unknown} */ body) => other.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify(body) });
  const sends = [
    async (/** @type {unknown} */ body) => (await events(body)).body,
    async (/** @type {unknown} */ body) => JSON.parse(await (await ask(body)).text()),
  ];
  let accepted = 0;
  for (let n = 0; n < 80; n += 1) {
    const [first, second] = n % 4 < 2 ? sends : sends.toReversed();
    const click = { id: `c${n}`, events: [{ action: 'view', item: `/${n % 5}` }] };
    accepted += (await first(click)).accepted + (await second(click)).accepted;
    const done = { ...like, item: `/${n % 5}`, actor: `u${n}` };
    assert.equal((await first(done)).accepted, 1);
    assert.deepEqual((await second(done)).rejected?.[0]?.code ?? 'already-done', 'already-done');
    if (n % 2 === 0) assert.equal((await second({ ...done, undo: true })).accepted, 1);
  }
  assert.equal(accepted, 80);
  // 16 clicks and eight likes that stand, of three points each.
  const expected = ['/0', '/1', '/2', '/3', '/4'].map((item) => [item, 16 + 8 * 3]);
  for (const window of ['day', 'last-2-days']) assert.deepEqual(entriesOf(await freshTop(`articles/${window}`)).sort(), expected, window);
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
