/** The objects of live rankings: how many they serve, what ends them, and who wakes them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { startDeployment } from '../support/deployment.mjs';
import { freePort } from '../support/port.mjs';
import { startRedis } from '../support/redis.mjs';
import { until } from '../support/until.mjs';
import { rows, untilReceived, viewers } from '../support/viewers.mjs';
import { startWorker } from '../support/worker.mjs';

const SITE = { origins: ['*'], actions: { view: { public: true } }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } };
const SITES = { demo: SITE, busy: { ...SITE, ingest: 'grouped' } };
const live = (/** @type {string} */ site) => `/v1/${site}/boards/articles/day/live`;
const ADMIN_TOKEN = 'a-token-for-admins';
const VIEWERS = 3;

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
const viewing = viewers(() => deployment.worker);

before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars: { ADMIN_TOKEN, LIVE_VIEWERS: VIEWERS } });
});
after(() => deployment?.stop());
beforeEach(async (t) => {
  await deployment.redis.command('FLUSHALL');
  /** @type {import('node:test').TestContext} */ (t).after(viewing.leave);
});

/** @param {string} item @param {string} [site] */
const click = async (item, site) => assert.equal((await deployment.beacon({ action: 'view', item }, { site })).status, 204);

/** Takes the object of a ranking out of memory, as the platform does after 10 s without work. Its sockets stay. @param {string} name */
const evict = (name) => deployment.worker.miniflare.unsafeEvictDurableObject('edgeboard', 'LiveBoard', { name, webSockets: 'hibernate' });

test('past its viewers an object refuses politely, and serves others when some have gone', async () => {
  const first = await viewing.watch(live('demo'));
  await viewing.watch(live('demo'));
  const last = await viewing.stream(live('demo'));
  const refused = await deployment.fetch(live('demo'), { headers: { accept: 'text/event-stream' } });
  assert.deepEqual(
    [refused.status, refused.body.code, refused.headers.get('retry-after'), refused.headers.get('access-control-allow-origin')],
    [503, 'too-many-viewers', '60', '*'],
  );
  await assert.rejects(viewing.watch(live('demo')), /refused/);
  const refusals = () => deployment.worker.log.filter(({ message }) => message.includes('too-many-viewers'));
  const lines = await until('both lines', () => refusals().length >= 2 && refusals());
  assert.deepEqual(
    lines.map(({ level, message }) => [level, JSON.parse(message).status]),
    [
      ['warn', 503],
      ['warn', 503],
    ],
    'a line for each 503',
  );
  assert.equal((await deployment.top('articles/day')).status, 200, 'who asks now and then is served');
  first.socket.close();
  last.end();
  await until('room', async () => (await viewing.watch(live('demo')).catch(() => undefined)) !== undefined);
});

test('who asks is told how many watch, and again when that changes', async () => {
  await click('a');
  const received = await viewing.watch(live('demo'), 'readers');
  await until('one', () => received.some(({ readers }) => readers === 1));
  const other = await viewing.watch(live('demo'));
  const streamed = await viewing.stream(live('demo'));
  await until('three', () => received.at(-1).readers === 3 && streamed.text.includes('event: readers\ndata: {"readers":3}\n\n'));
  other.socket.close();
  await until('two', () => received.at(-1).readers === 2);
  assert.ok(
    other.every(({ readers }) => readers === undefined),
    'who did not ask is not told',
  );
});

test('an object that sleeps is taken out of memory, and who gathers events wakes it: nobody is lost', async () => {
  await click('a', 'busy');
  const received = await viewing.watch(live('busy'), 'readers');
  await untilReceived(received, 'a 1');
  await evict(live('busy'));
  await click('b', 'busy');
  await click('b', 'busy');
  await untilReceived(received, 'b 2,a 1');
  const other = await viewing.watch(live('busy'));
  await untilReceived(other, 'b 2,a 1');
  await until('both are counted', () => received.at(-1).readers === 2);
});

test('an object that sleeps wakes by itself for what no event changed', async () => {
  await click('a', 'busy');
  await click('b', 'busy');
  await click('b', 'busy');
  const received = await viewing.watch(live('busy'));
  await untilReceived(received, 'b 2,a 1');
  await evict(live('busy'));
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  assert.equal((await deployment.fetch('/v1/busy/admin/boards/articles/hidden/b', { method: 'PUT', headers })).status, 204);
  await untilReceived(received, 'a 1', 30_000);
});

test('many clicks are told at most once a second', async (t) => {
  await click('a', 'busy');
  const received = await viewing.watch(live('busy'));
  await untilReceived(received, 'a 1');
  const before = received.length;
  const start = performance.now();
  for (let score = 2; score <= 100; score++) await click('a', 'busy');
  await untilReceived(received, 'a 100');
  const seconds = (performance.now() - start) / 1000;
  t.diagnostic(`${seconds.toFixed(1)} s, told ${received.length - before} times`);
  assert.ok(received.length - before <= seconds + 1);
});

test('viewers come back to a worker that was killed: what they missed is the first that they are told', async () => {
  const [redis, port, storage] = [await startRedis(), await freePort(), mkdtempSync(join(tmpdir(), 'edgeboard-live-'))];
  const start = () => startWorker({ port, storage, vars: { REDIS_URL: redis.url, SITES } });
  let worker = await start();
  const others = viewers(() => worker);
  const send = (/** @type {string} */ item) =>
    worker.fetch('/v1/demo/beacon', { method: 'POST', body: JSON.stringify({ action: 'view', item }) });
  try {
    await send('a');
    const [received, streamed] = [await others.watch(live('demo')), await others.stream(live('demo'))];
    await untilReceived(received, 'a 1');
    await until('an event', () => /^id: /m.test(streamed.text));
    const seen = /^id: (\w+)/m.exec(streamed.text)?.[1] ?? '';
    const closed = new Promise((resolve) => received.socket.addEventListener('close', resolve));
    await worker.stop();
    await closed;
    worker = await start();
    const same = await others.stream(live('demo'), { 'last-event-id': seen });
    await until('a sign of life', () => same.text.includes(':'));
    assert.doesNotMatch(same.text, /entries/, 'who has the version is not told it again, also by an object that is new');
    await send('b');
    await send('b');
    await untilReceived(await others.watch(live('demo')), 'b 2,a 1');
    await until('the change', () => same.text.includes('"id":"b"'));
  } finally {
    others.leave();
    await worker.stop();
    await redis.stop();
    rmSync(storage, { recursive: true, force: true });
  }
});

test('a lone reader who comes back while Redis is slow is told what changes', async () => {
  for (const afterMs of [700, 800, 900, 1000]) {
    await click('a');
    const before = await viewing.watch(live('demo'));
    await until('the first', () => before.length > 0);
    // It leaves during the next look, and comes back shortly before the one after that, which finds nobody.
    await deployment.redis.command('CLIENT', 'PAUSE', '1500');
    await pause(1250);
    viewing.leave();
    await pause(afterMs);
    await deployment.redis.command('CLIENT', 'PAUSE', '600');
    const received = await viewing.watch(live('demo'));
    const item = `after-${afterMs}`;
    await click(item);
    await until(`the click ${afterMs} ms after`, () => rows(received.at(-1)).includes(`${item} 1`));
    viewing.leave();
  }
});
