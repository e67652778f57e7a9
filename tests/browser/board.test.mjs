/** `<edge-board>`, end to end: a page of another origin in a real browser, the real worker, a real Redis. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { startRedis } from '../support/redis.mjs';
import { until } from '../support/until.mjs';
import { startWorker } from '../support/worker.mjs';
import { listen } from './support/listen.mjs';

const WRITE_TOKEN = 'a-token-for-writing';
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true } },
    boards: { articles: { weights: { view: 1 }, windows: ['day', 'all'] } },
  },
};
/** @type {('socket' | 'stream')[]} */
const POLLING = ['socket', 'stream'];
const BOARD = 'site="demo" board="articles" window="day"';

/** @type {import('../support/redis.mjs').Redis} */
let redis;
/** @type {import('../support/worker.mjs').Worker} */
let worker;
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof listen>>} */
let site;
let html = '';

before(async () => {
  redis = await startRedis();
  worker = await startWorker({ vars: { REDIS_URL: redis.url, WRITE_TOKEN, SITES } });
  browser = await launchChromium();
  site = await listen((_, response) => response.setHeader('content-type', 'text/html').end(html));
});
after(async () => {
  await browser?.close();
  await site?.close();
  await worker?.stop();
  await redis?.stop();
});
beforeEach(() => redis.command('FLUSHALL'));

/** @param {Record<string, number>} views of each item */
async function count(views) {
  const events = Object.entries(views).flatMap(([item, times]) => Array.from({ length: times }, () => ({ action: 'view', item })));
  const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
  const answer = await worker.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify({ events }) });
  assert.equal(answer.status, 200, await answer.text());
}

/**
 * A page of another origin with elements in it.
 *
 * @param {string} body
 * @param {('socket' | 'stream')[]} [blocked]
 */
async function open(body, blocked = []) {
  html = `<!doctype html><html lang="en"><title>News</title><script type="module" src="${worker.url}/board.js"></script><body>${body}`;
  const page = await openPage(browser);
  /** @type {string[]} */
  const asked = [];
  /** Sockets that are open. @type {Set<import('playwright-core').WebSocket>} */
  const sockets = new Set();
  page.on('request', (request) => /\/boards\/(?!.*\/live)/.test(request.url()) && asked.push(request.url()));
  page.on('websocket', (socket) => sockets.add(socket).size && socket.on('close', () => sockets.delete(socket)));
  if (blocked.includes('socket')) await page.routeWebSocket(/live/, (socket) => socket.close());
  if (blocked.includes('stream')) await page.route('**/live**', (route) => route.abort());
  await page.goto(site.url);
  return { page, asked, sockets };
}

/** What the element shows, row by row. @param {import('playwright-core').Page} page */
const rowsOf = (page) =>
  page.locator('edge-board li').evaluateAll((rows) =>
    rows.map((row) => {
      const slot = /** @type {HTMLSlotElement} */ (row.querySelector('slot'));
      const name = slot.assignedElements()[0] ?? slot.firstElementChild;
      const part = (/** @type {string} */ name) => row.querySelector(`[part=${name}]`)?.textContent;
      return `${part('rank')} ${name?.textContent} ${part('score')}`;
    }),
  );

/** @param {import('playwright-core').Page} page @param {boolean} isSeen */
const see = (page, isSeen) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, !isSeen);

/** @param {import('playwright-core').Page} page @param {string[]} rows */
const shows = (page, rows) =>
  until(`the board to show ${rows.join(', ')}`, async () => String(await rowsOf(page)) === String(rows), { timeoutMs: 8000 });

for (const [way, blocked] of /** @type {[string, ('socket' | 'stream')[]][]} */ ([
  ['a socket', []],
  ['an event stream', ['socket']],
  ['asking', POLLING],
])) {
  test(`it follows clicks by ${way}`, async () => {
    await count({ a: 1 });
    const { page, asked, sockets } = await open(`<edge-board ${BOARD}></edge-board>`, blocked);
    await shows(page, ['1 a 1']);
    for (let score = 2; score < 5; score++) {
      await count({ b: 1 });
      await until(`b with ${score - 1}`, async () => (await rowsOf(page)).some((row) => row.endsWith(`b ${score - 1}`)), {
        timeoutMs: 8000,
      });
    }
    assert.equal(sockets.size, way === 'a socket' ? 1 : 0);
    if (way === 'asking') assert.ok(asked.length > 3, String(asked));
    else assert.equal(asked.length, way === 'a socket' ? 1 : 2, String(asked));
  });
}

test('a socket is closed while nobody sees the page', async () => {
  await count({ a: 1 });
  const { page, sockets } = await open(`<edge-board ${BOARD}></edge-board>`);
  await until('a socket', () => sockets.size === 1);
  await see(page, false);
  await until('no socket', () => sockets.size === 0);
  await count({ a: 1 });
  await see(page, true);
  await shows(page, ['1 a 2']);
  await until('a socket', () => sockets.size === 1);
});

test('a list with ranks, names of slots, links to paths alone, and scores', async () => {
  await count({ '/posts/1': 3, '<b>x</b>': 2, 'javascript:alert(1)': 1 });
  const { page } = await open(`<edge-board ${BOARD} label="Most read"><a slot="/posts/1" href="/a">First</a></edge-board>`);
  await shows(page, ['1 First 3', '2 <b>x</b> 2', '3 javascript:alert(1) 1']);
  await page.getByRole('list', { name: 'Most read' }).getByRole('listitem').first().waitFor();
  assert.equal(await page.locator('edge-board').evaluate((element) => element.shadowRoot?.querySelectorAll('b').length), 0);
  assert.equal(await page.getByRole('link', { name: 'javascript' }).count(), 0);
  await count({ '<b>x</b>': 8 });
  await shows(page, ['1 <b>x</b> 10', '2 First 3', '3 javascript:alert(1) 1']);
});

test('what stands in it is shown until there is a list, and "empty" when the list has nothing', async () => {
  const { page } = await open(`<edge-board ${BOARD} src="http://localhost:1">Loading</edge-board>`);
  await until('a failure', () => page.locator('edge-board[stale]').count());
  assert.equal(await page.getByText('Loading').isVisible(), true);
  await page.locator('edge-board').evaluate((element) => {
    element.innerHTML = '<p slot="empty">Nobody yet</p>';
    element.removeAttribute('src');
  });
  await page.getByText('Nobody yet').waitFor();
});

test('attributes can change: the window, the limit', async () => {
  await count({ a: 2, b: 1 });
  const { page, asked } = await open(`<edge-board ${BOARD} limit="1"></edge-board>`);
  await shows(page, ['1 a 2']);
  await page.locator('edge-board').evaluate((element) => {
    element.setAttribute('window', 'all');
    element.setAttribute('limit', '2');
  });
  await shows(page, ['1 a 2', '2 b 1']);
  assert.match(asked.at(-1) ?? '', /\/articles\/all\?limit=2$/);
});

test('a page that nobody sees asks for nothing, and asks at once when it is seen again', async () => {
  await count({ a: 1 });
  const { page, asked } = await open(`<edge-board ${BOARD}></edge-board>`, POLLING);
  await shows(page, ['1 a 1']);
  await see(page, false);
  const before = asked.length;
  // Another element of another page goes on; when it asked three times, this one would have.
  const other = await open(`<edge-board ${BOARD}></edge-board>`, POLLING);
  await until('the other one to ask', () => other.asked.length >= 4, { timeoutMs: 15_000 });
  assert.equal(asked.length, before);
  await count({ a: 1 });
  await see(page, true);
  await shows(page, ['1 a 2']);
});

test('the last list stays while the worker fails, and the element goes on after it', async () => {
  await count({ a: 1 });
  const { page } = await open(`<edge-board ${BOARD}></edge-board>`, POLLING);
  await shows(page, ['1 a 1']);
  await page.route('**/boards/**', (route) => route.abort());
  await page.locator('edge-board[stale]').waitFor({ timeout: 8000 });
  assert.deepEqual(await rowsOf(page), ['1 a 1']);
  await page.unroute('**/boards/**');
  await count({ a: 4 });
  await shows(page, ['1 a 5']);
  assert.equal(await page.locator('edge-board[stale]').count(), 0);
});

test('one that was taken out of the page asks for nothing more', async () => {
  await count({ a: 1 });
  const { page, asked } = await open(`<edge-board ${BOARD}></edge-board><edge-board ${BOARD} limit="2"></edge-board>`, POLLING);
  await until('both to ask', () => asked.some((url) => url.includes('limit')) && asked.some((url) => !url.includes('limit')));
  await page.locator('edge-board[limit]').evaluate((element) => element.remove());
  const ofRemoved = () => asked.filter((url) => url.includes('limit')).length;
  const [before, all] = [ofRemoved(), asked.length];
  await until('the other one to go on', () => asked.length >= all + 3, { timeoutMs: 15_000 });
  assert.equal(ofRemoved(), before);
});
