/**
 * Grouped ingest: many requests' events go to Redis together, over one connection, and each sender hears what became of its own.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';
import { startRedis } from '../../support/redis.mjs';
import { TRANSPORTS } from '../../support/transports.mjs';
import { until } from '../../support/until.mjs';
import { createRandom } from '../../support/windows.mjs';
import { startWorker } from '../../support/worker.mjs';
import { info, sendAll, sitesWith } from './site.mjs';

const CONFIG = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url));
const SENDERS = 64;
const PARTITIONS = 2;
const view = { action: 'view', item: '/posts/1' };

/**
 * @param {import('node:test').TestContext} t
 * @param {{ transport?: import('../../support/deployment.mjs').Transport, site?: Record<string, import('miniflare').Json>, relayed?: boolean }} [options]
 */
async function start(t, { transport = 'redis://', site = {}, relayed = false } = {}) {
  const deployment = await startDeployment({ transport, relayed, sites: sitesWith({ ingest: 'grouped', ...site }) });
  t.after(deployment.stop);
  return deployment;
}

/** @param {import('../../support/deployment.mjs').Deployment} deployment */
async function score(deployment, key = 'eb:{demo:articles}:all:0', member = '/posts/1') {
  return Number((await deployment.redis.command('ZSCORE', key, member)) ?? 0);
}

for (const transport of TRANSPORTS) {
  describe(`over ${transport}`, () => {
    test('answers are those of direct ingest', async (t) => {
      const site = { ingest_partitions: PARTITIONS };
      const deployment = await start(t, { transport, site });
      const { beacon, events, fetch } = deployment;
      const batch = { id: 'b1', events: [view, { ...view, actor: 'u1' }, { ...view, actor: 'u2' }, { ...view, actor: 'u3' }] };
      assert.equal((await beacon(batch)).status, 204);
      assert.equal((await beacon(batch)).status, 204);
      assert.equal((await fetch('/v1/demo/beacon.gif?action=view&item=%2Fposts%2F1&id=p')).status, 200);
      assert.equal((await beacon({ ...view, id: 'b1/2' })).status, 204);
      assert.equal(await score(deployment), 5, 'each id counts once');
      assert.deepEqual(
        [(await beacon({ action: 'none', item: 'a' })).status, (await beacon({ action: 'like', item: 'a' })).status],
        [400, 403],
      );
      const like = { action: 'like', item: '/posts/2', actor: 'u1' };
      const sent = [like, { action: 'none', item: 'a' }, like, { ...like, undo: true }, { ...like, actor: 'u9', undo: true }, view];
      const { status, body } = await events({ id: 'e1', events: sent });
      assert.equal(status, 200);
      assert.deepEqual([body.accepted, body.duplicate], [3, 0]);
      assert.deepEqual(
        body.rejected.map((/** @type {any} */ { index, code }) => [index, code]),
        [
          [1, 'unknown-action'],
          [2, 'already-done'],
          [4, 'not-done'],
        ],
      );
      assert.deepEqual((await events({ id: 'e1', events: sent })).body.duplicate, 5);
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/all')), [['/posts/1', 6]]);
    });
  });
}

test(`${SENDERS} senders share a connection and its commands`, async (t) => {
  const deployment = await start(t, { relayed: true });
  const { redis, beacon } = deployment;
  await beacon(view);
  await redis.command('CONFIG', 'RESETSTAT');
  const [each, before] = [20, await score(deployment)];
  const counts = await deployment.commandsDuring(async () => {
    await sendAll(SENDERS, each, async (sender, n) => {
      const { status, text } = await beacon({ id: `s${sender}-${n}`, events: [{ ...view, actor: `u${sender}` }] });
      assert.equal(status, 204, text);
    });
  });
  const clicks = SENDERS * each;
  assert.equal(await score(deployment), before + clicks);
  const commands = Object.values(counts).reduce((sum, calls) => sum + calls, 0);
  const connections = await info(redis, 'stats', 'total_connections_received');
  t.diagnostic(`${(commands / clicks).toFixed(2)} commands a click, ${counts.calls} calls, ${connections} connections`);
  assert.ok(connections <= 2, `${connections} connections`);
  assert.ok(counts.calls < clicks, 'no click has calls of its own');
});

test('one sender waits for nobody, and what it costs is what it costs directly', async (t) => {
  const [grouped, direct] = [await start(t), await start(t, { site: { ingest: 'direct' } })];
  const costs = await Promise.all(
    [grouped, direct].map(async (deployment) => {
      for (const id of ['first', 'second']) await deployment.beacon({ id, events: [view] });
      return deployment.commandsDuring(async () => {
        for (let n = 0; n < 5; n += 1) assert.equal((await deployment.beacon({ id: `n${n}`, events: [view] })).status, 204);
      });
    }),
  );
  // Now and then it is looked whether the set of ids is full.
  assert.deepEqual({ ...costs[0], scard: 0 }, { ...costs[1], scard: 0 });
});

for (const awayMs of [0, 15]) {
  test(`replies that get lost, ${awayMs} ms away: what was acknowledged counts exactly once`, async (t) => {
    const deployment = await start(t, { relayed: true, site: { ingest_partitions: PARTITIONS } });
    const { beacon, link } = deployment;
    link.delayBy(awayMs);
    const random = createRandom(20261122);
    let lost = 0;
    link.loseRepliesWhen(() => {
      const loses = random() < 1 / 5;
      if (loses) lost += 1;
      return loses;
    });
    const each = 15;
    await sendAll(SENDERS, each, async (sender, n) => {
      const body = { id: `s${sender}-${n}`, events: [{ ...view, actor: `u${sender}` }] };
      for (let tries = 1; (await beacon(body)).status !== 204; tries += 1) assert.ok(tries < 30, 'not acknowledged');
    });
    link.loseRepliesWhen(() => false);
    t.diagnostic(`${lost} replies lost`);
    assert.ok(lost > 0);
    assert.equal(await score(deployment), SENDERS * each);
    for (let sender = 0; sender < SENDERS; sender += 1) {
      assert.equal(await score(deployment, 'eb:{demo:people}:all:0', `u${sender}`), each, `u${sender}`);
    }
  });
}

test('a do and its undo end as they were sent', async (t) => {
  const deployment = await start(t, { site: { ingest_partitions: PARTITIONS } });
  const actors = 40;
  await sendAll(actors, 6, async (actor, n) => {
    const { status, body } = await deployment.events({ action: 'like', item: '/posts/1', actor: `u${actor}`, undo: n % 2 === 1 });
    assert.deepEqual([status, body.accepted], [200, 1], `${actor} ${n}: ${JSON.stringify(body)}`);
  });
  assert.equal(await score(deployment), 0);
  await sendAll(actors, 1, async (actor) => {
    await deployment.events({ action: 'like', item: '/posts/1', actor: `u${actor}` });
  });
  assert.equal(await score(deployment), 2 * actors);
});

test('Redis is away: 503, and it counts when it is back', async (t) => {
  const deployment = await start(t);
  const { beacon, redis } = deployment;
  assert.equal((await beacon({ id: 'a', events: [view] })).status, 204);
  await redis.kill();
  const { status, body } = await beacon({ id: 'b', events: [view] });
  assert.ok([503, 504].includes(status), body.code);
  await redis.restart();
  assert.equal((await beacon({ id: 'b', events: [view] })).status, 204);
  assert.equal(await score(deployment), 1);
});

test('the worker and its objects are killed in the middle: what was acknowledged counts exactly once', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  const startOne = async () => {
    const worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES: sitesWith({ ingest: 'grouped' }) } });
    t.after(worker.stop);
    return worker;
  };
  let worker = await startOne();
  const [each, kills] = [40, 2];
  let [acknowledged, killed] = [0, 0];
  const killSometimes = async () => {
    if (acknowledged < ((killed + 1) * SENDERS * each) / (kills + 1) || killed === kills) return;
    killed += 1;
    await worker.kill();
    worker = await startOne();
  };
  await sendAll(SENDERS, each, async (sender, n) => {
    const body = JSON.stringify({ id: `s${sender}-${n}`, events: [{ ...view, item: `/posts/${sender}` }] });
    const send = async () => (await worker.fetch('/v1/demo/beacon', { method: 'POST', body })).status === 204;
    await until(`click ${n} of ${sender} acknowledged`, send, { timeoutMs: 60_000 });
    acknowledged += 1;
    await killSometimes();
  });
  assert.equal(killed, kills);
  for (let sender = 0; sender < SENDERS; sender += 1) {
    assert.equal(Number(await redis.command('ZSCORE', 'eb:{demo:articles}:all:0', `/posts/${sender}`)), each, `sender ${sender}`);
  }
});

test('a deployment without the objects is told so', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-ingest-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const shipped = readFileSync(CONFIG, 'utf8');
  const bound = /\[\[durable_objects\.bindings\]\][^[]*/;
  assert.match(shipped, bound);
  const config = join(folder, 'wrangler.toml');
  writeFileSync(config, shipped.replace(bound, '').replace('build/index.js', join(dirname(CONFIG), 'build/index.js')));
  const worker = await startWorker({ config, vars: { REDIS_URL: 'redis://127.0.0.1:1', SITES: sitesWith({ ingest: 'grouped' }) } });
  t.after(worker.stop);
  const problem = await (await worker.fetch('/v1/demo/beacon', { method: 'POST', body: JSON.stringify(view) })).json();
  assert.equal(problem.code, 'configuration-invalid');
  assert.match(problem.detail, /^SITES\.demo\.ingest = "grouped" needs the Durable Object binding INGEST/);
});
