/**
 * The queue: a way in for other services, and where events wait while Redis is out.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startDeployment } from '../../support/deployment.mjs';
import { startRedis } from '../../support/redis.mjs';
import { until } from '../../support/until.mjs';
import { createRandom } from '../../support/windows.mjs';
import { startWorker } from '../../support/worker.mjs';
import { ADMIN_TOKEN, score, start } from './queued.mjs';
import { sitesWith } from './site.mjs';

const CONFIG = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url));
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
const view = { action: 'view', item: '/posts/1' };
const CLICKS = 1000;
/** What is delivered comes within that, where nothing failed. */
const SOON = { timeoutMs: 20_000 };

/** @param {Awaited<ReturnType<typeof start>>} deployment */
async function dead({ fetch }, query = '') {
  const { status, body, text } = await fetch(`/v1/demo/admin/dead${query}`, { headers: admin });
  assert.equal(status, 200, text);
  return body.letters;
}

/** @param {Awaited<ReturnType<typeof start>>} deployment @param {unknown} body */
async function replay({ fetch }, body, query = '') {
  const init = { method: 'POST', headers: admin, body: JSON.stringify(body) };
  return fetch(`/v1/demo/admin/dead/replay${query}`, init);
}

test('messages of one click each cost at most half a command a click', async (t) => {
  const deployment = await start(t);
  await deployment.beacon(view);
  const counts = await deployment.commandsDuring(async () => {
    await deployment.send(Array.from({ length: CLICKS }, (_, n) => ({ site: 'demo', ...view, item: `/posts/${n % 7}`, id: `m${n}` })));
    const all = async () => {
      const scores = await Promise.all(Array.from({ length: 7 }, (_, n) => score(deployment, `/posts/${n}`)));
      return scores.reduce((sum, each) => sum + each, 0) === CLICKS + 1;
    };
    await until('all clicks counted', all, SOON);
  });
  const { zscore = 0, ...counting } = counts;
  const commands = Object.values(counting).reduce((sum, calls) => sum + calls, 0);
  t.diagnostic(`${commands / CLICKS} commands a click, ${zscore} to look`);
  assert.ok(commands <= CLICKS / 2, JSON.stringify(counting));
});

test('a message is the body of /events and the site; it counts at its own instant, and once', async (t) => {
  const deployment = await start(t);
  const batch = {
    site: 'demo',
    id: 'b1',
    events: [view, { ...view, ago: 86_400_000 }, { ...view, actor: 'u1' }, { ...view, action: 'gone' }],
  };
  await deployment.send([batch, batch, { site: 'demo', ...view, id: 'e1' }, { site: 'demo', ...view, id: 'e1' }]);
  await until('counted', async () => (await score(deployment)) === 4, SOON);
  const [, yesterday] = await deployment.redis.command('KEYS', 'eb:{demo:articles}:day:*');
  assert.ok(yesterday, 'two days');
  await until('all delivered', async () => (await dead(deployment)).length === 2, SOON);
  assert.equal(await score(deployment), 4);
  assert.equal(await score(deployment, 'u1', 'people'), 1);
});

test('ingest = "queue": what is acknowledged counts, and what needs an order is refused', async (t) => {
  const deployment = await start(t, { site: { ingest: 'queue' } });
  const { beacon, events, fetch } = deployment;
  assert.equal((await beacon({ id: 'b', events: [view, view] })).status, 204);
  assert.equal((await beacon({ id: 'b', events: [view, view] })).status, 204);
  assert.equal((await fetch('/v1/demo/beacon.gif?action=view&item=%2Fposts%2F1')).status, 200);
  assert.equal((await beacon({ action: 'none', item: 'a' })).status, 400);
  const like = { action: 'like', item: '/posts/1', actor: 'u1' };
  const { status, body } = await events({ id: 'e', events: [view, like, { ...like, undo: true }] });
  assert.deepEqual([status, body.accepted, body.duplicate], [202, 1, 0]);
  assert.deepEqual(
    body.rejected.map((/** @type {any} */ { index, code }) => [index, code]),
    [
      [1, 'seq-missing'],
      [2, 'seq-missing'],
    ],
  );
  await until('counted', async () => (await score(deployment)) === 4, SOON);
});

test('what is done and undone with a seq comes in any order, and the last one holds', async (t) => {
  const deployment = await start(t, { site: { ingest: 'queue' } });
  const random = createRandom(20261122);
  const [actors, each] = [20, 5];
  const sent = Array.from({ length: actors * each }, (_, n) => {
    const [actor, seq] = [n % actors, 1 + Math.floor(n / actors)];
    // Of even actors the last one does, of odd ones it undoes.
    return { site: 'demo', action: 'like', item: '/posts/1', actor: `u${actor}`, seq, undo: (seq + actor) % 2 === 0, at: random() };
  });
  sent.sort((a, b) => a.at - b.at);
  const { status } = await deployment.events({ action: 'like', item: '/posts/2', actor: 'u1', seq: 1 });
  assert.equal(status, 202);
  await deployment.send(sent.map(({ at: _, ...event }) => event));
  await deployment.send([{ site: 'demo', ...view, item: '/last' }]);
  await until('all delivered', async () => (await score(deployment, '/last')) === 1, SOON);
  assert.equal(await score(deployment), actors, 'half of the actors like it, and a like is worth 2');
  assert.equal(await score(deployment, '/posts/2'), 2);
  assert.deepEqual(await dead(deployment), []);
});

test('poison ends among the dead, its neighbours count, and a replay counts once', async (t) => {
  const deployment = await start(t);
  const { redis, fetch } = deployment;
  const visitor = { address: '192.0.2.77', agent: 'Mozilla/5.0' };
  await deployment.send([
    '{ not JSON',
    { site: 'demo', ...view, id: 'good' },
    { site: 'demo', id: 'half', events: [view, { ...view, action: 'later', visitor }, { ...view, item: '' }] },
    { site: 'nowhere', ...view },
    { site: 'demo', action: 'like', item: '/posts/1', actor: 'u1' },
    [1],
  ]);
  await until('the good ones counted', async () => (await score(deployment)) === 2, SOON);
  const letters = await until('the others dead', async () => (await dead(deployment)).length === 2 && dead(deployment), SOON);
  assert.deepEqual(letters.map((/** @type {any} */ { code }) => code).sort(), ['seq-missing', 'unknown-action']);
  const half = letters.find((/** @type {any} */ { code }) => code === 'unknown-action');
  assert.match(half.detail, /"later"/);
  assert.equal(half.message.events.length, 2);
  assert.ok(half.sent_at && half.died_at && half.id, JSON.stringify(half));
  assert.doesNotMatch((await redis.command('XRANGE', 'eb:{demo}:dead', '-', '+')).flat(3).join(), /192\.0\.2|Mozilla/);
  const strangers = await dead(deployment, '?unknown=1');
  assert.deepEqual(strangers.map((/** @type {any} */ { code }) => code).sort(), ['invalid-json', 'invalid-json', 'unknown-site']);

  const dry = await replay(deployment, { all: true, dry_run: true });
  assert.deepEqual([dry.body.counted, dry.body.dead.length], [0, 2]);
  assert.equal((await replay(deployment, { ids: ['nonsense'] })).status, 400);
  assert.equal((await replay(deployment, {})).status, 400);

  // As if the configuration had been mended.
  const letter = ['code', 'unknown-action', 'detail', 'x', 'sent', `${Date.now()}`, 'message'];
  const mended = JSON.stringify({ ...half.message, events: [{ ...half.message.events[0], action: 'view' }, half.message.events[1]] });
  const id = await redis.command('XADD', 'eb:{demo}:dead', '*', ...letter, mended);
  const replays = await Promise.all([replay(deployment, { ids: [id] }), replay(deployment, { ids: [id] })]);
  for (const { status, text } of replays) assert.equal(status, 200, text);
  assert.equal(await score(deployment), 3, 'it counts once');
  const remaining = await dead(deployment);
  assert.ok(!remaining.some((/** @type {any} */ { id: place }) => place === id), 'it is gone');
  const rest = remaining.filter((/** @type {any} */ { code }) => code === 'invalid-item');
  assert.ok(rest.length > 0 && rest.every((/** @type {any} */ { message }) => message.events.length === 1), 'what cannot count stays');

  for (const { id: place } of remaining) {
    assert.equal((await fetch(`/v1/demo/admin/dead/${place}`, { method: 'DELETE', headers: admin })).status, 204);
  }
  assert.deepEqual(await dead(deployment), []);
  assert.equal((await fetch('/v1/demo/admin/dead?unknown=1', { method: 'DELETE', headers: admin })).status, 204);
  assert.deepEqual(await dead(deployment, '?unknown=1'), []);
  const done = (await fetch('/v1/demo/admin/audit', { headers: admin })).body.entries.map((/** @type {any} */ { did }) => did);
  assert.ok(done.includes('replay-dead') && done.includes('delete-dead'), done.join());
});

test('what lacks a seq gets one by hand, in the order of the letters', async (t) => {
  const deployment = await start(t);
  const like = { action: 'like', item: '/posts/1' };
  const both = { site: 'demo', events: [{ ...like, actor: 'u2' }, { ...like, actor: 'u2', undo: true }, view] };
  await deployment.send([{ site: 'demo', ...like, actor: 'u1', id: 'a-like' }]);
  await until('one is dead', async () => (await dead(deployment)).length === 1, SOON);
  await deployment.send([both]);
  await until('both are dead', async () => (await dead(deployment)).length === 2, SOON);
  await deployment.send([{ site: 'demo', action: 'gone', item: 'a', actor: 'u1' }]);
  await until('three are dead', async () => (await dead(deployment)).length === 3, SOON);
  assert.deepEqual([(await replay(deployment, { all: true })).body.counted, await score(deployment)], [0, 1]);
  for (const seq of [0, 1.5, '1', 2 ** 53]) {
    const { status, body } = await replay(deployment, { all: true, seq });
    assert.deepEqual([status, body.code], [400, 'invalid-replay']);
    assert.match(body.detail, /seq .*; allowed: a whole number from 1 to 9007199254740991$/);
  }
  const dry = await replay(deployment, { all: true, seq: 7, dry_run: true });
  assert.deepEqual([dry.body.counted, dry.body.dead.length, dry.body.next_seq, await score(deployment)], [2, 1, 10, 1]);
  const { body } = await replay(deployment, { all: true, seq: 7 });
  assert.deepEqual([body.counted, body.next_seq, await score(deployment)], [2, 10, 3], 'one like, one that was undone, and the view');
  assert.deepEqual(
    (await dead(deployment)).map((/** @type {any} */ { code }) => code),
    ['unknown-action'],
  );
  // They are remembered with the numbers that they got.
  const undo = async (/** @type {number} */ seq) => (await deployment.events({ ...like, actor: 'u1', undo: true, seq })).body;
  assert.equal((await undo(6)).accepted ?? 0, 0, 'an older one');
  assert.deepEqual([(await undo(8)).accepted, await score(deployment)], [1, 1]);
});

test('letters come by pages', async (t) => {
  const deployment = await start(t);
  await deployment.send(Array.from({ length: 25 }, (_, n) => ({ site: 'demo', action: 'none', item: `i${n}` })));
  await until('all dead', async () => (await dead(deployment)).length === 25, SOON);
  const items = [];
  let query = '?limit=10';
  for (let pages = 1; ; pages += 1) {
    const { body } = await deployment.fetch(`/v1/demo/admin/dead${query}`, { headers: admin });
    items.push(...body.letters.map((/** @type {any} */ { message }) => message.item));
    if (body.next === null) break;
    assert.ok(pages < 4, 'three pages');
    query = `?limit=10&after=${body.next}`;
  }
  assert.deepEqual(new Set(items).size, 25);
});

test('letters of unknown sites are for who has the token of all sites', async (t) => {
  const deployment = await start(t, { vars: { ADMIN_TOKEN_DEMO: 'the-token-of-one-site' } });
  const headers = { authorization: 'Bearer the-token-of-one-site' };
  assert.equal((await deployment.fetch('/v1/demo/admin/dead', { headers })).status, 200);
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'DELETE'],
    ['/1-1', 'DELETE'],
    ['/replay', 'POST'],
  ]) {
    const init = { method, headers, ...(method === 'POST' && { body: '{"all":true}' }) };
    assert.equal((await deployment.fetch(`/v1/demo/admin/dead${path}?unknown=1`, init)).status, 401, `${method} ${path}`);
  }
});

test('erasing an actor reaches the dead letters', async (t) => {
  const deployment = await start(t);
  const of = (/** @type {string} */ actor) => ({ action: 'none', item: 'a', actor });
  await deployment.send([
    { site: 'demo', ...of('u1') },
    { site: 'demo', id: 'two', events: [of('u1'), of('u2')] },
    { site: 'nowhere', ...of('u1') },
    '{"actor":"u1"',
    { site: 'demo', ...of('u2') },
  ]);
  await until('all dead', async () => (await dead(deployment)).length === 3 && (await dead(deployment, '?unknown=1')).length === 2, SOON);
  const headers = { authorization: 'Bearer a-token-for-writing' };
  assert.equal((await deployment.fetch('/v1/demo/actors/u1', { method: 'DELETE', headers })).status, 204);
  const remaining = await dead(deployment);
  assert.equal(remaining.length, 2);
  assert.doesNotMatch(JSON.stringify(remaining), /u1/);
  assert.equal(JSON.stringify(remaining).match(/u2/g)?.length, 2);
  // Another site's actor of the same id is somebody else.
  assert.deepEqual(
    (await dead(deployment, '?unknown=1')).map((/** @type {any} */ { code }) => code),
    ['unknown-site'],
  );
});

test('a queue that keeps messages for longer than ids are remembered is refused', async (t) => {
  const short = await start(t, { vars: { QUEUE_RETENTION: '5d' } });
  const problem = (await short.beacon(view)).body;
  assert.equal(problem.code, 'configuration-invalid');
  assert.match(problem.detail, /^SITES\.demo\.boards\.articles\.replay_window\.queue = "4d" is shorter .* QUEUE_RETENTION = "5d"$/);
  const boards = { articles: { weights: { view: 1 }, windows: ['all'], replay_window: { queue: '5d' } } };
  const long = await start(t, { vars: { QUEUE_RETENTION: '5d' }, site: { boards } });
  assert.equal((await long.beacon(view)).status, 204);
});

test('what wrangler.toml has in comments is a queue', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-queue-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'wrangler.toml');
  const shipped = readFileSync(CONFIG, 'utf8').replace('build/index.js', join(dirname(CONFIG), 'build/index.js'));
  const example = /# (\[\[queues\.producers\]\][\s\S]*?\n)\n/.exec(shipped)?.[1] ?? '';
  writeFileSync(config, `${shipped}\n${example.replaceAll(/^# ?/gm, '')}`);
  const redis = await startRedis();
  t.after(redis.stop);
  await redis.kill();
  const worker = await startWorker({ config, vars: { REDIS_URL: redis.url, SITES: sitesWith() } });
  t.after(worker.stop);
  assert.equal((await worker.fetch('/v1/demo/beacon', { method: 'POST', body: JSON.stringify(view) })).status, 204);
  await redis.restart();
  await until('counted', async () => (await score({ redis })) === 1, SOON);
});

test('ingest = "queue" without a queue is refused', async (t) => {
  const deployment = await startDeployment({ transport: 'redis://', sites: sitesWith({ ingest: 'queue' }) });
  t.after(deployment.stop);
  const { body } = await deployment.beacon(view);
  assert.match(body.detail, /^SITES\.demo\.ingest = "queue" needs the queue producer binding INGEST_QUEUE/);
});
