/**
 * Redis is out and a queue is bound: what is acknowledged is kept, and counts once when Redis is back.
 */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';

import { OUTAGES, proveOutbox, wrongInOutbox } from '../../prove/outbox.mjs';
import { startRedis } from '../../support/redis.mjs';
import { until } from '../../support/until.mjs';
import { startWorker } from '../../support/worker.mjs';
import { score, start } from './queued.mjs';
import { sitesWith } from './site.mjs';

const view = { action: 'view', item: '/posts/1' };
const SOON = { timeoutMs: 30_000 };
const OUTAGE = { seconds: 6, perSecond: 50 };

for (const outage of /** @type {(keyof typeof OUTAGES)[]} */ (Object.keys(OUTAGES))) {
  test(`Redis is ${outage}: every beacon is acknowledged and counts once`, async (t) => {
    const figures = await proveOutbox({ outage, ...OUTAGE });
    t.diagnostic(JSON.stringify(figures));
    assert.deepEqual(wrongInOutbox(figures), []);
  });
}

test("the site's servers are told that their events are kept", async (t) => {
  const { events, redis, ...deployment } = await start(t);
  await redis.kill();
  const sent = [view, { action: 'none', item: 'a' }, { ...view, actor: 'u1' }];
  const { status, body } = await events({ id: 'b', events: sent });
  assert.deepEqual([status, body.accepted, body.duplicate, body.rejected.length], [202, 2, 0, 1]);
  await redis.restart();
  await until('counted', async () => (await score({ redis })) === 2, SOON);
  assert.equal((await deployment.beacon(view)).status, 204);
});

test('what needs an order is never kept', async (t) => {
  const { events, redis } = await start(t);
  const like = { action: 'like', item: '/posts/1', actor: 'u1' };
  await redis.kill();
  const { status, body } = await events({ id: 'b', events: [view, like] });
  assert.deepEqual([status, body.code], [503, 'redis-unavailable']);
  await redis.restart();
  assert.deepEqual((await events({ id: 'c', events: [like] })).body.accepted, 1);
  assert.equal(await score({ redis }), 2, 'nothing of the first');
  await redis.kill();
  assert.equal((await events({ id: 'd', events: [{ ...like, actor: 'u2', seq: 1 }] })).status, 202, 'with a seq it is kept');
  await redis.restart();
  await until('counted', async () => (await score({ redis })) === 4, SOON);
});

test('what Redis may have is kept with the ids of its senders, and without ids it is not', async (t) => {
  const deployment = await start(t, { relayed: true });
  const { beacon, link } = deployment;
  await beacon(view);
  link.loseReplies(2); // of both tries
  assert.equal((await beacon({ id: 'lost', events: [view] })).status, 204);
  link.loseReplies(1);
  const unknown = await beacon(view);
  assert.deepEqual([unknown.status, unknown.body?.code], [504, 'outcome-unknown']);
  await deployment.beacon({ id: 'after', events: [{ ...view, item: '/after' }] });
  await deployment.send([{ site: 'demo', ...view, item: '/last' }]);
  await until('the queue is empty', async () => (await score(deployment, '/last')) === 1, SOON);
  assert.equal(await score(deployment), 3, 'once each');
});

test('what may have been counted longer ago than its id is remembered waits among the dead', async (t) => {
  const deployment = await start(t);
  const kept = (/** @type {string} */ id, /** @type {boolean} */ tried) => ({
    ...{ site: 'demo', server: false, whole: true, sent: Date.now() - 7_200_000, tried, id },
    events: [{ ...view, item: `/${id}`, index: 0 }],
  });
  await deployment.send([kept('tried', true), kept('untried', false)]);
  await until('the other one counted', async () => (await score(deployment, '/untried')) === 1, SOON);
  const headers = { authorization: 'Bearer a-token-for-administrators' };
  const letters = async () => (await deployment.fetch('/v1/demo/admin/dead', { headers })).body.letters;
  await until('the first one waits', async () => (await letters()).length > 0, SOON);
  assert.deepEqual(
    (await letters()).map((/** @type {any} */ { code }) => code),
    ['tried-too-long-ago'],
  );
  assert.equal(await score(deployment, '/tried'), 0);
  const init = { method: 'POST', headers, body: JSON.stringify({ all: true }) };
  assert.equal((await deployment.fetch('/v1/demo/admin/dead/replay', init)).body.counted, 1);
  assert.equal(await score(deployment, '/tried'), 1, 'by hand it counts');
});

test('the consumer is killed half-way through a batch: each message counts once', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  /** @type {import('node:child_process').ChildProcess[]} */
  const runtimes = [];
  const onChild = (/** @type {any} */ { process: child }) =>
    child.once('spawn', () => /workerd$/.test(child.spawnfile) && runtimes.push(child));
  subscribe('child_process', onChild);
  t.after(() => unsubscribe('child_process', onChild));
  const startOne = async () => {
    const worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES: sitesWith() }, hasQueue: true });
    t.after(worker.stop);
    return worker;
  };
  // Of several calls each: 500 events go at most together.
  const events = (/** @type {number} */ n) => Array.from({ length: 50 }, (_, i) => ({ ...view, item: `/posts/${n}-${i}` }));
  const messages = Array.from({ length: 100 }, (_, n) => ({
    ...{ id: `m${n}`, timestamp: new Date(), attempts: 1 },
    body: JSON.stringify({ site: 'demo', events: events(n) }),
  }));
  const counted = async () => Number(await redis.command('ZCARD', 'eb:{demo:articles}:all:0'));
  /** @param {typeof messages} batch */
  const deliver = async (batch) => {
    const worker = /** @type {any} */ (await (await startOne()).miniflare.getWorker());
    return worker.queue('edgeboard-ingest', batch);
  };
  const killed = deliver(messages).catch(() => 'killed');
  await until('some are counted', async () => (await counted()) > 1);
  runtimes.at(-1)?.kill('SIGKILL');
  await killed;
  const before = await counted();
  t.diagnostic(`${before} of 5000 were counted before`);
  const again = messages.map((message) => ({ ...message, attempts: 2 }));
  const result = await deliver(again);
  assert.equal(result.outcome, 'ok', JSON.stringify(result));
  const scores = await redis.command('ZRANGE', 'eb:{demo:articles}:all:0', '0', '-1', 'WITHSCORES');
  const wrong = scores.filter(
    (/** @type {string} */ _, /** @type {number} */ i) => i % 2 === 1 && scores[i] !== '1' && scores[i] !== '-inf',
  );
  assert.deepEqual(wrong, []);
  assert.ok(scores.length >= 10_000, `${scores.length / 2} members`);
});
