/**
 * Pages of other origins than the worker's, in a real browser: what they may send and read, and what the console says of a beacon
 * that was refused. Preflights are seen as the browser sends them.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { entriesOf, startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { listen } from './support/listen.mjs';

/**
 * @typedef {{ status: number, body: any, headers: Record<string, string | null> }} Read what the page could read
 * @typedef {{ url: string, close: () => Promise<unknown> }} Server
 */

/** Of pages that `origins` lists, and of others. @type {Server} */
let listed;
/** @type {Server} */
let foreign;
/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('playwright-core').Page} */
let page;
/** `METHOD path` of what the browser sent to the worker, preflights included. @type {string[]} */
let requests;
/** Warnings of the module. @type {string[]} */
let warnings;
let html = '';

before(async () => {
  const show = (/** @type {unknown} */ _, /** @type {import('node:http').ServerResponse} */ response) =>
    response.writeHead(200, { 'content-type': 'text/html;charset=utf-8' }).end(html);
  listed = await listen(show);
  foreign = await listen(show);
  const site = {
    origins: [listed.url],
    actions: { view: { public: true }, like: {} },
    boards: { articles: { weights: { view: 1 }, windows: ['day'], fresh: '1m' } },
  };
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: site } });
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set('2026-11-20T12:00:00Z');
  assert.equal((await deployment.beacon({ action: 'view', item: '/posts/1' })).status, 204);
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
  await Promise.all([listed?.close(), foreign?.close()]);
});

beforeEach(async () => {
  page = await openPage(browser);
  requests = [];
  warnings = [];
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', ({ request: { method, url } }) => {
    if (url.startsWith(deployment.worker.url)) requests.push(`${method} ${url.slice(deployment.worker.url.length)}`);
  });
  page.on('console', (message) => message.text().startsWith('edgeboard:') && warnings.push(message.text()));
});
afterEach(() => page.context().close());

/**
 * Sends a request as a script of a page does.
 *
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<Read | string>} or why it failed
 */
function send(path, init) {
  return page.evaluate(
    async ({ url, init }) => {
      try {
        const response = await fetch(url, init);
        const text = await response.text();
        const names = ['etag', 'cache-status', 'retry-after', 'cache-control'];
        const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
        return { status: response.status, body: text && JSON.parse(text), headers };
      } catch (error) {
        return String(error);
      }
    },
    { url: `${deployment.worker.url}${path}`, init },
  );
}

/**
 * What a page may read, and every request that it takes.
 *
 * @param {string} path
 * @param {RequestInit | undefined} init
 * @param {{ status: number, code?: string, sent: string[] }} expected
 */
async function check(path, init, { status, code, sent }) {
  html = '<!doctype html><title>A page</title>';
  await page.goto(foreign.url);
  const read = await send(path, init);
  assert.ok(typeof read === 'object', `${path}: ${read}`);
  assert.deepEqual([read.status, read.body?.code], [status, code]);
  // The browser reports a preflight before or after the request that it is for.
  assert.deepEqual(requests.toSorted(), sent.map((method) => `${method} ${path}`).toSorted());
  return read;
}

test('a page of another origin reads a ranking and its headers', async () => {
  const { body, headers } = await check('/v1/demo/boards/articles/day', undefined, { status: 200, sent: ['GET'] });
  assert.deepEqual(entriesOf({ body }), [['/posts/1', 1]]);
  assert.match(headers.etag ?? '', /^W\/"/);
  assert.match(headers['cache-status'] ?? '', /^edgeboard; /);
  assert.match(headers['cache-control'] ?? '', /^public, max-age=\d/);
});

test('it reads why there is no ranking', async () => {
  const { body } = await check('/v1/demo/boards/articels/day', undefined, { status: 404, code: 'unknown-board', sent: ['GET'] });
  assert.match(body.detail, /did you mean "articles"/);
});

test('it reads which parameter is wrong', async () => {
  await check('/v1/demo/boards/articles/day?/admin/', undefined, { status: 400, code: 'unknown-parameter', sent: ['GET'] });
});

test('it asks for ranks with JSON, after a preflight', async () => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ids: ['/posts/1'] }) };
  const { body } = await check('/v1/demo/boards/articles/day/ranks', init, { status: 200, sent: ['OPTIONS', 'POST'] });
  assert.deepEqual(body.ranks, [{ id: '/posts/1', rank: 1, score: 1, percentile: 100 }]);
});

test('it asks whether a ranking has changed, after a preflight, and it has not', async () => {
  const path = '/v1/demo/boards/articles/day';
  const { headers } = await check(path, undefined, { status: 200, sent: ['GET'] });
  requests.length = 0;
  const init = { headers: { 'if-none-match': headers.etag ?? '' } };
  const { body } = await check(path, init, { status: 304, sent: ['OPTIONS', 'GET'] });
  assert.equal(body, '');
});

test('the browser asks so by itself without a preflight', async () => {
  const path = '/v1/demo/boards/articles/day';
  await check(path, undefined, { status: 200, sent: ['GET'] });
  /** @type {Promise<number>} */
  const answered = new Promise((resolve) => {
    page.on('response', async (response) => resolve((await response.request().sizes()).responseBodySize));
  });
  const read = await send(path, { cache: 'no-cache' });
  assert.equal(typeof read === 'object' && read.status, 200);
  assert.equal(await answered, 0, 'the answer has no body, the browser has it');
  assert.deepEqual(requests, [`GET ${path}`, `GET ${path}`]);
});

test('it cannot send as a server does, whatever token it has', async () => {
  html = '<!doctype html><title>A page</title>';
  const before = await deployment.redis.command('DBSIZE');
  for (const { url } of [foreign, listed]) {
    await page.goto(url);
    requests.length = 0;
    const init = { method: 'POST', headers: { authorization: `Bearer ${WRITE_TOKEN}` }, body: '{"action":"view","item":"x","id":"a"}' };
    assert.match(String(await send('/v1/demo/events', init)), /Failed to fetch/);
    assert.equal(requests.filter((request) => request.startsWith('OPTIONS')).length, 1);
  }
  assert.equal(await deployment.redis.command('DBSIZE'), before, 'nothing was counted');
});

/**
 * A view by the module on a page; the module waits a second.
 *
 * @param {Server} server
 * @param {{ attributes?: string, action?: string }} [options]
 */
async function clickOn(server, { attributes = '', action = 'view' } = {}) {
  const script = `<script type="module" src="${deployment.worker.url}/shelf.js" data-edgeboard-site="demo" ${attributes}></script>`;
  html = `<!doctype html>${script}<button data-edgeboard-item="/posts/2" data-edgeboard-action="${action}">A post</button>`;
  await page.goto(server.url);
  requests.length = 0;
  await page.click('button');
  await until('the beacon', () => requests.length > 0);
}

test('a page loads the module by its content, and no other one', async () => {
  const { path, integrity } = (await deployment.fetch('/v1/demo/boards')).body.module;
  for (const [claimed, item] of [
    [integrity, '/posts/right'],
    ['sha256-XwwtepGz6EYlm7iqzIbSvmE/e3KzQ5GZ2eG4kUVqYl0=', '/posts/wrong'],
  ]) {
    const script = `<script type="module" src="${deployment.worker.url}${path}" integrity="${claimed}" data-edgeboard-site="demo"></script>`;
    html = `<!doctype html>${script}<button data-edgeboard-item="${item}">A post</button>`;
    await page.goto(listed.url, { waitUntil: 'load' });
    requests.length = 0;
    await page.click('button');
    if (claimed === integrity) await until('the beacon', () => requests.includes('POST /v1/demo/shelf'));
    await page.goto('about:blank');
    assert.equal(requests.includes('POST /v1/demo/shelf'), claimed === integrity);
  }
  const counted = async () => entriesOf(await deployment.freshTop('articles/day')).map(([id]) => id);
  await until('the view', async () => (await counted()).includes('/posts/right'));
  assert.ok(!(await counted()).includes('/posts/wrong'));
});

const DEBUG = 'data-edgeboard-debug';
const BEACON = 'POST /v1/demo/shelf';
const score = async () => new Map(entriesOf(await deployment.freshTop('articles/day'))).get('/posts/2') ?? 0;

for (const [what, action, reason] of [
  ['an unknown action', 'veiw', /"code":"unknown-action","detail":"\\"veiw\\" is not an action of the site demo; it has like, view/],
  ['an action of servers', 'like', /"code":"action-not-public"/],
]) {
  test(`with ${DEBUG} the console says that a beacon was refused for ${what}`, async () => {
    await clickOn(listed, { attributes: DEBUG, action: String(action) });
    await until('a warning', () => warnings.length > 0);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /** @type {RegExp} */ (reason));
    assert.deepEqual(requests, [BEACON], 'no preflight, and no second try of what stays wrong');
  });
}

test(`with ${DEBUG} the console of a page that is not listed names origins`, async () => {
  const before = await score();
  await clickOn(foreign, { attributes: DEBUG });
  await until('a warning', () => warnings.length > 0);
  assert.deepEqual(warnings, ['edgeboard: is the page in `origins`?']);
  assert.deepEqual(requests, [BEACON], 'no preflight');
  assert.equal(await score(), before);
});

test(`with ${DEBUG} the console says that a view counts without the actor that the page names`, async () => {
  const before = await score();
  for (const [attributes, warning] of [
    ['data-edgeboard-actor="u7"', 'edgeboard: actor ignored'],
    ['data-edgeboard-token="v1.1.dTc.x"', 'edgeboard: actor invalid'],
  ]) {
    warnings.length = 0;
    await clickOn(listed, { attributes: `${DEBUG} ${attributes}` });
    await until('a warning', () => warnings.length > 0);
    assert.deepEqual(warnings, [warning]);
  }
  assert.equal(await score(), before + 2);
});

test(`with ${DEBUG} a beacon that is counted says nothing`, async () => {
  const before = await score();
  await clickOn(listed, { attributes: DEBUG });
  await until('the view', async () => (await score()) === before + 1);
  assert.deepEqual([requests, warnings], [[BEACON], []]);
});

test(`without ${DEBUG} a refused beacon is silent`, async () => {
  const before = await score();
  for (const [server, action] of /** @type {[Server, string][]} */ ([
    [listed, 'veiw'],
    [foreign, 'view'],
  ])) {
    await clickOn(server, { action });
    assert.deepEqual([requests, warnings], [[BEACON], []]);
  }
  // A click that counts comes after them.
  await clickOn(listed);
  await until('the view', async () => (await score()) === before + 1);
  assert.deepEqual(warnings, []);
});

test('it reads when to try again while Redis is away', async () => {
  await deployment.redis.kill();
  try {
    const { headers } = await check('/readyz', undefined, { status: 503, code: 'redis-unavailable', sent: ['GET'] });
    assert.match(headers['retry-after'] ?? '', /^\d+$/);
  } finally {
    await deployment.redis.restart();
  }
});
