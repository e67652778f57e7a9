/**
 * `acknowledge = "replicated"`: an event is acknowledged once a replica has it. One that no replica has is 504, also when it is sent again,
 * and counts once.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startCluster } from '../support/cluster.mjs';
import { startDeployment, unlimited, WRITE_TOKEN } from '../support/deployment.mjs';
import { startRedis } from '../support/redis.mjs';
import { until } from '../support/until.mjs';
import { startWorker } from '../support/worker.mjs';

const SITE = {
  acknowledge: 'replicated',
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    articles: { weights: { view: 1, like: 5 }, windows: ['day', 'all'] },
    people: { members: 'actors', weights: { view: 1, like: 1 }, windows: ['all'] },
  },
};
const view = { action: 'view', item: 'x' };

/** @param {import('node:test').TestContext} t @param {{ site?: Record<string, any>, isQueued?: boolean }} [options] */
async function start(t, { site, isQueued = false } = {}) {
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: { ...SITE, ...site } }, hasQueue: isQueued });
  t.after(deployment.stop);
  const { redis } = deployment;
  const replica = await startRedis({
    clock: deployment.clock,
    args: ['--replicaof', '127.0.0.1', String(redis.port), '--repl-diskless-sync-delay', '0'],
  });
  t.after(replica.stop);
  const isBack = () => until('the replica is back', async () => /^slave0:.*state=online/m.test(await redis.command('INFO', 'replication')));
  await isBack();
  return {
    ...deployment,
    redis,
    replica,
    isBack,
    hold: () => process.kill(replica.pid, 'SIGSTOP'),
    letGo: () => process.kill(replica.pid, 'SIGCONT'),
    click: (/** @type {string} */ id, action = 'view') => deployment.events({ id, events: [{ action, item: 'x', actor: 'erika' }] }),
    score: (on = redis, key = 'eb:{demo:articles}:all:0') => on.command('ZSCORE', key, 'x').then(Number),
  };
}

describe('a replica', () => {
  for (const ingest of ['direct', 'grouped'])
    test(`has what is acknowledged, ${ingest}`, async (t) => {
      const { click, beacon, score, replica } = await start(t, { site: { ingest } });
      for (let n = 1; n <= 20; n += 1) {
        assert.equal((await click(`click-${n}`)).status, 200);
        assert.equal(await score(replica), n);
      }
      assert.equal((await beacon(view)).status, 204);
      assert.equal(await score(replica), 21);
      assert.equal((await click('a-like', 'like')).status, 200);
      assert.equal(await score(replica), 26);
    });

  test('costs two commands more a trip, and a site that does not ask for it none', async (t) => {
    const { commandsDuring, restartWorker, beacon } = await start(t);
    const counts = async () => {
      await beacon(view);
      const { set, wait, ...others } = await commandsDuring(() => beacon(view));
      return { set, wait, calls: others.calls };
    };
    assert.deepEqual(await counts(), { set: 1, wait: 1, calls: 1 });
    await restartWorker({ SITES: unlimited({ demo: { ...SITE, acknowledge: 'written' } }) });
    assert.deepEqual(await counts(), { set: undefined, wait: undefined, calls: 1 });
  });

  for (const ingest of ['direct', 'grouped'])
    test(`that hangs: 504, as often as it is sent, and it counts once, ${ingest}`, async (t) => {
      const { click, score, hold, letGo, fetch, replica } = await start(t, { site: { ingest } });
      assert.equal((await click('before')).status, 200);
      hold();
      try {
        for (const action of ['view', 'like']) {
          for (let times = 0; times < 2; times += 1) {
            const { status, body, text } = await click(`a-${action}`, action);
            assert.deepEqual([status, body.code], [504, 'outcome-unknown'], text);
          }
        }
        const ready = await fetch('/readyz');
        assert.deepEqual([ready.status, ready.body.detail], [503, 'no replica has what is written']);
      } finally {
        letGo();
      }
      for (const action of ['view', 'like']) {
        await until(`the ${action} is acknowledged`, async () => (await click(`a-${action}`, action)).status === 200);
      }
      assert.deepEqual([await score(), await score(replica)], [7, 7]);
      await until('it is ready', async () => (await fetch('/readyz')).status === 200);
    });

  test('that is gone: 504, and 503 where Redis refuses writes without one; then nothing is written', async (t) => {
    const { click, score, redis, replica, isBack } = await start(t);
    await redis.command('CONFIG', 'SET', 'min-replicas-to-write', 1);
    assert.equal((await click('before')).status, 200);
    await replica.kill();
    await until('Redis knows', async () => (await redis.command('INFO', 'replication')).includes('connected_slaves:0'));
    const refused = await click('refused');
    assert.deepEqual([refused.status, refused.body.code], [503, 'redis-unavailable'], refused.text);
    assert.equal(await score(), 1);
    await redis.command('CONFIG', 'SET', 'min-replicas-to-write', 0);
    for (let times = 0; times < 2; times += 1) assert.equal((await click('doubtful')).status, 504);
    assert.equal(await score(), 2);
    await replica.restart();
    await isBack();
    for (const id of ['refused', 'doubtful']) await until('it is acknowledged', async () => (await click(id)).status === 200);
    assert.deepEqual([await score(), await score(replica)], [3, 3]);
  });

  test('that hangs: a queue that is bound keeps the event, and counts it once when the replica is back', async (t) => {
    const { click, hold, letGo, score, replica } = await start(t, { isQueued: true });
    hold();
    const kept = await click('kept');
    assert.equal(kept.status, 202, kept.text);
    letGo();
    await until('it is on the replica', async () => (await score(replica)) === 1);
    assert.equal((await click('kept')).status, 200);
    assert.equal(await score(), 1);
  });
});

test('a master is killed after the last acknowledgement: its replica has every click', async (t) => {
  const { click, redis, replica, score, restartWorker } = await start(t);
  let acknowledged = 0;
  const sender = async (/** @type {number} */ from) => {
    for (let n = 0; n < 25; n += 1) if ((await click(`click-${from}-${n}`)).status === 200) acknowledged += 1;
  };
  await Promise.all(Array.from({ length: 8 }, (_, from) => sender(from)));
  await redis.kill();
  await replica.command('REPLICAOF', 'NO', 'ONE');
  assert.equal(acknowledged, 200);
  assert.equal(await score(replica), acknowledged);
  await restartWorker({ REDIS_URL: replica.url, SITES: unlimited({ demo: { ...SITE, acknowledge: 'written' } }) });
  assert.equal((await click('click-0-0')).status, 200);
  assert.equal(await score(replica), acknowledged, 'it knows the ids, too');
});

test('on a cluster each node waits for a replica of its own', async (t) => {
  const cluster = await startCluster({ hasReplicas: true });
  t.after(cluster.stop);
  const boards = Object.fromEntries(['articles', 'a', 'people'].map((name) => [name, { weights: { view: 1 }, windows: ['all'] }]));
  const sites = unlimited({ demo: { ...SITE, actions: { view: {} }, activity: false, boards } });
  const worker = await startWorker({ isAskedItself: true, vars: { REDIS_URL: cluster.url, WRITE_TOKEN, SITES: sites } });
  t.after(worker.stop);
  const click = async (/** @type {string} */ id) => {
    const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
    const response = await worker.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify({ id, events: [view] }) });
    await response.text();
    return response.status;
  };
  const scores = async () => {
    const all = ['articles', 'a', 'people'].map((name) => cluster.command('ZSCORE', `eb:{demo:${name}}:all:0`, 'x'));
    return (await Promise.all(all)).map(Number);
  };
  assert.equal(await click('first'), 200);
  for (const replica of cluster.replicas) assert.notEqual(await replica.command('DBSIZE'), 0);
  process.kill(cluster.replicas[1].pid, 'SIGSTOP');
  assert.equal(await click('second'), 504);
  const ready = await worker.fetch('/readyz');
  const { detail } = /** @type {any} */ (await ready.json());
  assert.deepEqual([ready.status, detail], [503, 'no replica of the slots 5462-10922 has what is written']);
  assert.equal(await click('second'), 504, 'a board that has counted it waits for its replica again');
  process.kill(cluster.replicas[1].pid, 'SIGCONT');
  await until('it is acknowledged', async () => (await click('second')) === 200);
  assert.deepEqual(await scores(), [2, 2, 2]);
});

test('over REST it is refused, with the reason', async (t) => {
  const vars = { REDIS_URL: 'http://127.0.0.1:1', REDIS_TOKEN: 'a-token', SITES: unlimited({ demo: SITE }) };
  const worker = await startWorker({ vars });
  t.after(worker.stop);
  const { code, detail } = /** @type {any} */ (await (await worker.fetch('/healthz')).json());
  assert.equal(code, 'configuration-invalid');
  assert.match(
    detail,
    /^SITES\.demo\.acknowledge = "replicated" is not allowed where REDIS_URL begins with https:\/\/: a replica is waited for/,
  );
});
