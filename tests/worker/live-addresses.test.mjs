/** Live rankings: which addresses are one object, and how much of it one client may have. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { untilReceived, viewers } from '../support/viewers.mjs';

const BOARD = { weights: { view: 1 }, windows: ['day'] };
const SITE = { origins: ['*'], actions: { view: { public: true } }, boards: { articles: BOARD, few: { ...BOARD, limit: 20 } } };
const SITES = { demo: SITE, busy: { ...SITE, ingest: 'grouped' }, limited: { ...SITE, limits: { misses: 3 } } };
const LIVE = '/v1/demo/boards/articles/day/live';
/** Sockets and streams of an address and an object. */
const MOST = 8;
const ITEMS = 40;

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
const storage = mkdtempSync(join(tmpdir(), 'edgeboard-live-addresses-'));
const viewing = viewers(() => deployment.worker);
let clients = 0;

before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: SITES, storage });
});
after(async () => {
  await deployment?.stop();
  rmSync(storage, { recursive: true, force: true });
});
beforeEach(async (t) => {
  clients += 1;
  await deployment.redis.command('FLUSHALL');
  /** @type {import('node:test').TestContext} */ (t).after(viewing.leave);
});

const client = (host = 1) => `2001:db8:0:${clients}::${host}`;

/** What who asks for a stream is answered. It is closed at once. @param {string} path @param {string} address */
async function ask(path, address) {
  const abort = new AbortController();
  const init = { headers: { accept: 'text/event-stream', 'cf-connecting-ip': address }, signal: abort.signal };
  const response = await deployment.worker.fetch(path, init);
  const { code } = response.ok ? { code: undefined } : await response.json();
  abort.abort();
  return { status: response.status, headers: response.headers, code };
}

test('all addresses of a ranking are one object', async () => {
  const received = await viewing.watch(LIVE, 'readers');
  const others = ['?limit=02', '?%6cimit=7', '?&&&', '?details=1&limit=10'].map((query) => LIVE + query);
  for (const [at, path] of [...others, LIVE.replace('demo', '%64emo')].entries()) {
    await viewing.watch(path);
    await until(`${path} is counted`, () => received.at(-1)?.readers === at + 2);
  }
});

test('a limit rounds up to one of a few', async () => {
  const events = Array.from({ length: ITEMS }, (_, i) => ({ action: 'view', item: `item-${i}` }));
  assert.equal((await deployment.events({ events })).status, 200);
  for (const [path, entries] of /** @type {[string, number][]} */ ([
    [`${LIVE}?limit=3`, 10],
    [`${LIVE}?limit=11`, 30],
    [`${LIVE}?limit=31`, ITEMS],
    ['/v1/demo/boards/few/day/live?limit=11', 20],
  ])) {
    const received = await viewing.watch(path);
    await until(`${entries} of ${path} are told`, () => received.at(-1)?.entries.length === entries);
  }
});

describe(`an address has ${MOST} sockets and streams of an object`, () => {
  const fill = async () => {
    const sockets = [];
    for (let i = 0; i < MOST - 1; i += 1) sockets.push(await viewing.watch(LIVE, undefined, client(i)));
    await viewing.stream(LIVE, { 'cf-connecting-ip': client(99) });
    return sockets;
  };

  /** @param {Awaited<ReturnType<typeof ask>>} answer */
  function checkRefused({ status, code, headers }) {
    const received = ['retry-after', 'cache-control', 'access-control-allow-origin'].map((name) => headers.get(name));
    assert.deepEqual([status, code, ...received], [429, 'too-many-sockets', '60', 'no-store', '*']);
  }

  test('and no more, and the network of the address has none either', async () => {
    await fill();
    checkRefused(await ask(LIVE, client(1)));
    checkRefused(await ask(`${LIVE}?limit=7`, client(1000)));
    await assert.rejects(viewing.watch(LIVE, undefined, client(1)), /refused/);
  });

  test('and as many of another one; other addresses have theirs', async () => {
    await fill();
    assert.equal((await ask(`${LIVE}?limit=30`, client())).status, 200);
    assert.equal((await ask(LIVE, '192.0.2.1')).status, 200);
    assert.equal((await ask('/v1/demo/boards/articles/day', client())).status, 200, 'who asks now and then is served');
  });

  test('and others when some have gone', async () => {
    const [first] = await fill();
    first.socket.close();
    await until('room', async () => (await ask(LIVE, client())).status === 200);
  });

  test('also when they come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 2 * MOST }, () => viewing.stream(LIVE, { 'cf-connecting-ip': client() })));
    assert.equal(answers.filter(({ response }) => response.status === 200).length, MOST);
  });

  test('also where the object was out of memory meanwhile', async () => {
    // One that is told of events sleeps soon.
    const name = LIVE.replace('demo', 'busy');
    const sockets = [];
    for (let i = 0; i < MOST; i += 1) sockets.push(await viewing.watch(name, undefined, client(i)));
    await deployment.worker.miniflare.unsafeEvictDurableObject('edgeboard', 'LiveBoard', { name, webSockets: 'hibernate' });
    checkRefused(await ask(name, client()));
    assert.equal((await deployment.beacon({ action: 'view', item: 'a' }, { site: 'busy' })).status, 204);
    for (const received of sockets) await untilReceived(received, 'a 1', 30_000);
  });
});

test('nothing of an address is stored', async () => {
  await viewing.watch(LIVE, 'readers', '192.0.2.77');
  const files = readdirSync(storage, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.includes('LiveBoard') && /sqlite/.test(name),
  );
  assert.ok(files.length > 0, String(readdirSync(storage)));
  const stored = files.map((name) => readFileSync(join(storage, name), 'latin1')).join('');
  assert.ok(stored.includes('articles/day'), 'which ranking it looks for is');
  for (const text of ['192.0.2.77', 'c000024d', 'cf-connecting-ip']) assert.ok(!stored.includes(text), text);
});

test('who opens has Redis asked, and may do that as often as the site says', async () => {
  const path = LIVE.replace('demo', 'limited');
  for (let i = 0; i < 3; i += 1) assert.equal((await ask(path, client())).status, 200);
  const { status, code } = await ask(path, client());
  assert.deepEqual([status, code], [429, 'too-many-requests']);
  await assert.rejects(viewing.watch(path, undefined, client()), /refused/);
  assert.equal((await ask(path, '192.0.2.1')).status, 200);
});

test('clients are not told what the object is', async () => {
  const { status, headers } = await deployment.fetch(LIVE);
  assert.deepEqual([status, headers.get('edgeboard-live')], [426, null]);
});
