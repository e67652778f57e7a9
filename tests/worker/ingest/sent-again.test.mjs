/**
 * Redis is out and a queue keeps what comes. Its senders send the same again, while Redis is out and when it is back: each batch counts
 * once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { INGESTS } from '../../support/ingests.mjs';
import { until } from '../../support/until.mjs';
import { createRandom, scoresOf } from '../../support/windows.mjs';
import { ADMIN_TOKEN, delivered as allDelivered, messages as messagesOf, score, start } from './queued.mjs';

const ALL = 'eb:{demo:articles}:all:0';
const view = { action: 'view', item: '/posts/1' };
const PATIENCE = { timeoutMs: 60_000 };
const messages = (/** @type {import('../../support/deployment.mjs').Deployment} */ deployment) => messagesOf(deployment, ADMIN_TOKEN);
/** @param {import('../../support/deployment.mjs').Deployment} deployment @param {number} [own] */
const delivered = (deployment, own) => allDelivered(deployment, ADMIN_TOKEN, own);
/** Batches of the model, and what befalls them. */
const [BATCHES, SENT, OUTAGES, LOST] = [90, 240, 3, 0.08];

for (const ingest of INGESTS) {
  test(`${ingest}: a batch that was kept counts once when it is sent again before the delivery, and after it`, async (t) => {
    const deployment = await start(t, { site: { ingest } });
    const { beacon, events, redis } = deployment;
    const of = (/** @type {string} */ id) => ({
      id,
      events: [
        { ...view, item: `/${id}` },
        { ...view, item: `/${id}` },
      ],
    });
    const send = async () => {
      assert.equal((await beacon(of('page'))).status, 204);
      const { status, body } = await events(of('server'));
      assert.ok(status === 200 || status === 202, JSON.stringify(body));
    };
    await beacon({ id: 'before', events: [view] });
    await redis.kill();
    await send();
    await redis.restart();
    await send();
    await delivered(deployment);
    await send();
    await delivered(deployment);
    assert.deepEqual([await score(deployment, '/page'), await score(deployment, '/server')], [2, 2]);
  });
}

for (const [ingest, relayed] of INGESTS.flatMap((way) => [/** @type {const} */ ([way, false]), /** @type {const} */ ([way, true])])) {
  const faults = relayed ? 'is killed and replies are lost' : 'is killed';
  test(`${ingest}: numbered batches are sent again and again while Redis ${faults}`, async (t) => {
    const deployment = await start(t, { site: { ingest }, relayed });
    const { beacon, events, redis, link } = deployment;
    const seed = Math.floor(Math.random() * 2 ** 31);
    t.diagnostic(`seed ${seed}`);
    const random = createRandom(seed);
    if (relayed) link.loseRepliesWhen(() => random() < LOST);
    /** @type {Set<number>} */
    const acknowledged = new Set();
    const one = async (/** @type {number} */ n) => {
      // Browsers and servers use the same ids, for other things.
      const items = Array.from({ length: 1 + (n % 3) }, (_, i) => ({ ...view, item: `/${n}/${i}` }));
      const body = { id: `b${n >> 1}`, events: items };
      const { status } = await (n % 2 === 0 ? beacon(body) : events(body));
      if ([200, 202, 204].includes(status)) acknowledged.add(n);
    };
    for (let outage = 0; outage < OUTAGES; outage += 1) {
      const some = async (/** @type {number} */ part) => {
        const sent = Array.from({ length: Math.floor(SENT / OUTAGES / part) }, () => one(Math.floor(random() * BATCHES)));
        await Promise.all(sent);
      };
      await some(2);
      const during = some(8);
      await redis.kill();
      await Promise.all([during, some(8)]);
      await redis.restart();
      await some(4);
    }
    if (relayed) link.loseRepliesWhen(() => false);
    for (let n = 0; n < BATCHES; n += 1) {
      const isTaken = async () => {
        await one(n);
        return acknowledged.has(n);
      };
      await until(`batch ${n} is taken`, isTaken, PATIENCE);
    }
    await delivered(deployment);
    const scores = await scoresOf(redis, ALL);
    const wrong = [];
    for (let n = 0; n < BATCHES; n += 1) {
      for (let i = 0; i <= n % 3; i += 1) if (scores.get(`/${n}/${i}`) !== 1) wrong.push([`/${n}/${i}`, scores.get(`/${n}/${i}`)]);
    }
    t.diagnostic(JSON.stringify(await messages(deployment)));
    assert.deepEqual(wrong, []);
    assert.equal((await messages(deployment)).dead, 0);
  });
}

for (const ingest of INGESTS) {
  test(`${ingest}: what another service queues is known to a server, and no id of a browser is`, async (t) => {
    const deployment = await start(t, { site: { ingest } });
    const { beacon, events } = deployment;
    await deployment.send([{ site: 'demo', id: 'b', events: [view] }]);
    await until('counted', async () => (await score(deployment)) === 1, PATIENCE);
    const { body } = await events({ id: 'b', events: [view] });
    // A queue does not know of duplicates yet.
    assert.equal(body.duplicate, ingest === 'queue' ? 0 : 1);
    assert.equal((await beacon({ id: 'b', events: [view] })).status, 204);
    await delivered(deployment, 1);
    assert.equal(await score(deployment), 2);
    // A browser guesses what a service will queue.
    await deployment.redis.kill();
    assert.equal((await beacon({ id: 'guessed', events: [{ ...view, item: '/guess' }] })).status, 204);
    await deployment.redis.restart();
    await until('counted', async () => (await score(deployment, '/guess')) === 1, PATIENCE);
    await deployment.send([{ site: 'demo', id: 'guessed', events: [{ ...view, item: '/real' }] }]);
    await until('counted as well', async () => (await score(deployment, '/real')) === 1, PATIENCE);
    // And what a server will send, itself or while Redis is out.
    for (const id of ['soon', 'kept']) assert.equal((await beacon({ id, events: [{ ...view, item: '/guess' }] })).status, 204);
    await delivered(deployment, 2);
    assert.ok([200, 202].includes((await events({ id: 'soon', events: [{ ...view, item: '/soon' }] })).status));
    await deployment.redis.kill();
    assert.equal((await events({ id: 'kept', events: [{ ...view, item: '/kept' }] })).status, 202);
    await deployment.redis.restart();
    await delivered(deployment, 2);
    assert.deepEqual([await score(deployment, '/soon'), await score(deployment, '/kept')], [1, 1]);
  });

  test(`${ingest}: ids of messages that an earlier version noted are known until they expire`, async (t) => {
    const deployment = await start(t, { site: { ingest } });
    const { beacon, events, redis } = deployment;
    await events({ events: [view] });
    await until('counted', async () => (await score(deployment)) === 1, PATIENCE);
    const [now_s] = await redis.command('TIME');
    await redis.command('HSET', 'eb:{demo:articles}:state', 'ids:queue', '3', 'turned:queue', now_s);
    await redis.command('SADD', 'eb:{demo:articles}:ids:queue:3', 'page', 'server');
    const of = (/** @type {string} */ id) => ({ id, events: [{ ...view, item: `/${id}` }] });
    await redis.kill();
    for (const id of ['page', 'new-page']) assert.equal((await beacon(of(id))).status, 204);
    for (const id of ['server', 'new-server']) assert.equal((await events(of(id))).status, 202);
    await redis.restart();
    await delivered(deployment);
    const scores = () => Promise.all(['/page', '/server', '/new-page', '/new-server'].map((item) => score(deployment, item)));
    assert.deepEqual(await scores(), [0, 0, 1, 1]);
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(8 * 86_400_000 + 60_000);
    await deployment.send([{ site: 'demo', ...of('server') }]);
    await until('counted again', async () => (await score(deployment, '/server')) === 1, PATIENCE);
    assert.deepEqual(await scores(), [0, 1, 1, 1]);
  });
}
