/**
 * Counted events that are handed on, to a webhook or to a queue.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { WRITE_TOKEN } from '../../support/deployment.mjs';
import { startRedis } from '../../support/redis.mjs';
import { until } from '../../support/until.mjs';
import { assertSigned, startWebhook } from '../../support/webhook.mjs';
import { startWorker } from '../../support/worker.mjs';
import { sitesWith } from './site.mjs';

const CONFIG = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url));
const FORWARD_SECRET = 'sixteen-letters-and-more';
const view = { action: 'view', item: '/posts/1' };
const like = { action: 'like', item: '/posts/1', actor: 'u1' };

/** @param {import('node:test').TestContext} t @param {Parameters<typeof startWebhook>[0]} [statusOf] */
async function startReceiver(t, statusOf) {
  const webhook = await startWebhook(statusOf);
  t.after(webhook.stop);
  return webhook;
}

/**
 * @param {import('node:test').TestContext} t
 * @param {{ site: Record<string, import('miniflare').Json>, config?: string, hasQueue?: boolean }} options
 */
async function start(t, { site, config, hasQueue }) {
  const redis = await startRedis();
  t.after(redis.stop);
  const vars = { REDIS_URL: redis.url, WRITE_TOKEN, FORWARD_SECRET, SITES: sitesWith(site) };
  const worker = await startWorker({ config, hasQueue, vars });
  t.after(worker.stop);
  const send = async (/** @type {string} */ path, /** @type {unknown} */ body) => {
    const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
    const response = await worker.fetch(`/v1/demo/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined };
  };
  return {
    worker,
    redis,
    beacon: (/** @type {unknown} */ body) => send('beacon', body),
    events: (/** @type {unknown} */ body) => send('events', body),
  };
}

/** @param {Awaited<ReturnType<typeof startReceiver>>} receiver @param {number} n */
const hears = (receiver, n) => until(`${n} messages`, () => receiver.heard.length >= n, { timeoutMs: 20_000 });

test('what a queue kept is handed on when it is counted', async (t) => {
  const receiver = await startReceiver(t);
  const { events } = await start(t, { site: { ingest: 'queue', forward: { webhook: receiver.url } }, hasQueue: true });
  const before = Date.now();
  assert.equal(
    (
      await events({
        id: 'b1',
        events: [
          { ...view, ago: 60_000, count: 3 },
          { ...like, seq: 7 },
        ],
      })
    ).status,
    202,
  );
  await hears(receiver, 1);
  const [first, second] = receiver.heard[0].message.events;
  assert.deepEqual([first.id, first.item, first.count], ['b1/0', '/posts/1', 3]);
  assert.deepEqual([second.id, second.actor, second.seq, second.count], ['b1/1', 'u1', 7, undefined]);
  assert.ok(Math.abs(first.at + 60_000 - before) < 5_000 && Math.abs(second.at - before) < 5_000, JSON.stringify([first, second]));
});

for (const ingest of ['direct', 'grouped']) {
  test(`a webhook gets what was counted, signed (${ingest} ingest)`, async (t) => {
    const receiver = await startReceiver(t);
    const { beacon, events } = await start(t, { site: { ingest, forward: { webhook: receiver.url } } });
    const before = Date.now();
    assert.equal((await beacon({ id: 'b1', events: [view, { ...view, item: '/posts/2', ago: 60_000 }] })).status, 204);
    await hears(receiver, 1);
    const [{ headers, message }] = receiver.heard;
    const at = assertSigned(receiver.heard[0], FORWARD_SECRET);
    assert.ok(Math.abs(at - Date.now() / 1000) < 60);
    assert.equal(headers['content-type'], 'application/json');
    const [first, second] = message.events;
    assert.deepEqual(message, {
      site: 'demo',
      events: [
        { id: 'b1/0', action: 'view', item: '/posts/1', at: first.at },
        { id: 'b1/1', action: 'view', item: '/posts/2', at: first.at - 60_000 },
      ],
    });
    assert.ok(first.at >= before - 1000 && first.at <= Date.now() && second.at === first.at - 60_000);

    const sent = [like, { action: 'none', item: 'a' }, { ...like, actor: 'u2', undo: true }, { ...like, undo: true, seq: 3, id: 'own' }];
    assert.equal((await events({ id: 'e1', events: sent })).body.accepted, 2);
    await hears(receiver, 2);
    const [done, undone] = receiver.heard[1].message.events;
    assert.equal(receiver.heard[1].message.events.length, 2, 'what was refused is not among them');
    assert.deepEqual(done, { id: 'e1/0', ...like, at: done.at });
    assert.deepEqual(undone, { id: 'own', ...like, undo: true, seq: 3, at: undone.at });

    // Its first message may have been lost.
    await beacon({ id: 'b1', events: [view] });
    await hears(receiver, 3);
    assert.equal(receiver.heard[2].message.events[0].id, 'b1/0');
    await beacon(view);
    await hears(receiver, 4);
    assert.match(receiver.heard[3].message.events[0].id, /^[!-~]{8,}\/0$/);
  });
}

test('some actions alone', async (t) => {
  const receiver = await startReceiver(t);
  const { beacon, events } = await start(t, { site: { forward: { webhook: receiver.url, actions: ['like'] } } });
  await beacon({ id: 'b1', events: [view] });
  await events({ id: 'e1', events: [view, like] });
  await hears(receiver, 1);
  assert.deepEqual(
    receiver.heard[0].message.events.map((/** @type {any} */ { id }) => id),
    ['e1/1'],
  );
});

test('a webhook that fails: no beacon does, and it is tried again', async (t) => {
  const receiver = await startReceiver(t, (n) => (n < 3 ? [500, 429][n - 1] : 200));
  const { beacon, redis } = await start(t, { site: { forward: { webhook: receiver.url } } });
  assert.equal((await beacon({ id: 'b1', events: [view] })).status, 204);
  await hears(receiver, 3);
  const texts = receiver.heard.map(({ text }) => text);
  assert.deepEqual(texts, [texts[0], texts[0], texts[0]]);
  assert.equal(await redis.command('ZSCORE', 'eb:{demo:articles}:all:0', '/posts/1'), '1');
});

test('a webhook that is out for longer: what it did not take comes in its order when it is back', async (t) => {
  const receiver = await startReceiver(t);
  const { beacon, worker } = await start(t, { site: { forward: { webhook: receiver.url } } });
  const waits = () => worker.log.filter(({ message }) => message.includes('forward-waits')).length;
  receiver.answers.status = 503;
  const ids = Array.from({ length: 8 }, (_, n) => `b${n}`);
  const send = async (/** @type {string} */ id) => {
    assert.equal((await beacon({ id, events: [view] })).status, 204);
    // Redis says when a message is kept, and so when it was counted to within a trip.
    await setTimeout(200);
  };
  for (const id of ids.slice(0, 4)) await send(id);
  await until('the first ones are kept', () => waits() > 0, { timeoutMs: 20_000 });
  const tried = receiver.heard.length;
  for (const id of ids.slice(4)) await send(id);
  await worker.scheduled();
  await until('upkeep tries it', () => receiver.heard.length > tried && waits() > 1, { timeoutMs: 20_000 });
  receiver.answers.status = 204;
  const before = receiver.heard.length;
  const all = async () => {
    await worker.scheduled();
    return receiver.heard.slice(before).flatMap(({ message }) => message.events).length >= ids.length;
  };
  await until('all are sent', all, { timeoutMs: 40_000 });
  const late = receiver.heard.slice(before).flatMap(({ message }) => message.events.map((/** @type {any} */ { id }) => id));
  assert.deepEqual(
    late,
    ids.map((id) => `${id}/0`),
  );
  for (const heard of receiver.heard) assertSigned(heard, FORWARD_SECRET);
  const then = receiver.heard.length;
  assert.equal((await beacon({ id: 'after', events: [view] })).status, 204);
  await hears(receiver, then + 1);
  assert.equal(receiver.heard.at(-1)?.message.events[0].id, 'after/0');
});

for (const [what, status] of /** @type {const} */ ([
  ['refuses', 403],
  ['leads elsewhere', 302],
])) {
  test(`a webhook that ${what} is asked once, and it is logged`, async (t) => {
    const receiver = await startReceiver(t, () => status);
    const { beacon, worker } = await start(t, { site: { forward: { webhook: receiver.url } } });
    assert.equal((await beacon({ id: 'b1', events: [view] })).status, 204);
    const line = () => worker.log.map(({ message }) => message).find((message) => message.includes('not-forwarded'));
    await until('it is logged', () => line() !== undefined);
    const logged = JSON.parse(line() ?? '');
    assert.deepEqual([logged.level, logged.site, logged.detail], ['error', 'demo', `Error: the webhook answered ${status}`]);
    assert.equal(receiver.heard.length, 1);
  });
}

test('a webhook that never answers keeps no beacon waiting', async (t) => {
  const receiver = await startReceiver(t, () => undefined);
  const { beacon } = await start(t, { site: { forward: { webhook: receiver.url } } });
  for (let n = 0; n < 5; n += 1) assert.equal((await beacon({ id: `b${n}`, events: [view] })).status, 204);
  await hears(receiver, 5);
});

test('a queue gets what was counted', async (t) => {
  const receiver = await startReceiver(t);
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-forward-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(join(dirname(CONFIG), 'build'), folder, { recursive: true });
  const source = `import Worker from './index.js';
    export * from './index.js';
    export default class extends Worker {
      async queue(batch) {
        for (const { body } of batch.messages) await fetch('${receiver.url}', { method: 'POST', body: JSON.stringify(body) });
      }
    }`;
  writeFileSync(join(folder, 'other.js'), source);
  const queue = `
    [[queues.producers]]
    queue = "reading"
    binding = "READING"
    [[queues.consumers]]
    queue = "reading"
    max_batch_timeout = 0`;
  const config = join(folder, 'wrangler.toml');
  writeFileSync(config, readFileSync(CONFIG, 'utf8').replace('build/index.js', join(folder, 'other.js')) + queue);
  const { beacon } = await start(t, { site: { forward: { queue: 'READING' } }, config });
  for (let n = 0; n < 3; n += 1) assert.equal((await beacon({ id: `b${n}`, events: [view] })).status, 204);
  await hears(receiver, 3);
  const ids = receiver.heard.map(({ message }) => message.events[0].id);
  assert.deepEqual(ids.toSorted(), ['b0/0', 'b1/0', 'b2/0']);
  const { at, ...event } = receiver.heard[0].message.events[0];
  assert.ok(at > 0);
  assert.deepEqual({ ...receiver.heard[0].message, events: [event] }, { site: 'demo', events: [{ ...view, id: event.id }] });
});
