/** `<edge-board>`, end to end: a page of another origin in a real browser, the real worker, a real Redis. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { startRedis } from '../support/redis.mjs';
import { until } from '../support/until.mjs';
import { viewers } from '../support/viewers.mjs';
import { startWorker } from '../support/worker.mjs';
import { listen } from './support/listen.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ADMIN_TOKEN = 'a-token-for-admins';
const WRITE_TOKEN = 'a-token-for-writing';
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true }, share: {}, vote: {} },
    boards: {
      articles: { weights: { view: 1 }, windows: ['day', 'all'] },
      shared: { weights: { share: 1 }, windows: ['day', 'all'], fallback: ['all'] },
      tiered: {
        weights: { vote: 1 },
        windows: ['day'],
        tiers: [
          { name: 'gold', top: '20%' },
          { name: 'silver', top: '50%' },
        ],
      },
    },
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
const viewing = viewers(() => worker);

const start = (port = 0) => startWorker({ port, vars: { REDIS_URL: redis.url, ADMIN_TOKEN, WRITE_TOKEN, SITES } });

before(async () => {
  redis = await startRedis();
  worker = await start();
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
// All pages have one address, which has only so many sockets.
afterEach(async () => {
  viewing.leave();
  await Promise.all(browser.contexts().map((context) => context.close()));
});

/** @param {Record<string, number>} times of each item */
async function count(times, action = 'view') {
  const events = Object.entries(times).map(([item, count]) => ({ action, item, count }));
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
  /** What the element says on the console. @type {string[]} */
  const logged = [];
  page.on('console', (message) => message.text().startsWith('edge-board:') && logged.push(message.text()));
  /** Sockets that are open. @type {Set<import('playwright-core').WebSocket>} */
  const sockets = new Set();
  page.on('request', (request) => /\/boards\/(?!.*\/live)/.test(request.url()) && asked.push(request.url()));
  page.on('websocket', (socket) => sockets.add(socket).size && socket.on('close', () => sockets.delete(socket)));
  if (blocked.includes('socket')) await page.routeWebSocket(/live/, (socket) => socket.close());
  if (blocked.includes('stream')) await page.route('**/live**', (route) => route.abort());
  await page.goto(site.url);
  return { page, asked, logged, sockets };
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

/** What axe finds on a page. @param {import('playwright-core').Page} page @returns {Promise<string[]>} */
async function violations(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await /** @type {any} */ (window).axe.run();
    return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => node.html).join(' ')}`);
  });
}

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

test('numbers are written as the nearest language has them', async () => {
  const event = { action: 'view', item: 'a', count: 1234 };
  const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
  await worker.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify(event) });
  const board = `<edge-board ${BOARD}></edge-board>`;
  for (const [body, written] of [
    [board, '1,234'],
    [`<main lang="de"><p lang="fr"></p>${board}</main>`, '1.234'],
    [`<main lang="de">${board.replace('>', ' lang="en">')}</main>`, '1,234'],
  ]) {
    const { page } = await open(body);
    const score = page.locator('edge-board [part=score]').first();
    // A cache may have the list of the test before for a while.
    await until(`${written} in ${body}`, async () => (await score.textContent()) === written);
    await page.context().close();
  }
});

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

test('titles and links where they are known, and never a link that a stranger made', async () => {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  for (const [id, details] of Object.entries({
    1: { title: 'The <first>', url: 'https://news.example/1' },
    2: { title: 'The second', url: '/second' },
    3: { title: 'The third', url: '//evil.example' },
    4: { title: 'The fourth' },
  })) {
    const answer = await worker.fetch(`/v1/demo/items/${id}`, { method: 'PUT', headers, body: JSON.stringify(details) });
    assert.ok(answer.ok, await answer.text());
  }
  await count({ 1: 6, 2: 5, 3: 4, 4: 3, 'https://evil.example': 2, '/5': 1 });
  const { page, sockets } = await open(`<edge-board ${BOARD} details></edge-board>`);
  const names = ['The <first>', 'The second', 'The third', 'The fourth', 'https://evil.example', '/5'];
  await shows(
    page,
    names.map((name, at) => `${at + 1} ${name} ${6 - at}`),
  );
  const links = page.locator('edge-board a');
  assert.deepEqual(await links.evaluateAll((found) => found.map((link) => link.getAttribute('href'))), [
    'https://news.example/1',
    '/second',
    '/5',
  ]);
  await until('a socket', () => sockets.size === 1);
  await links.nth(1).focus();
  await count({ 2: 5 });
  await until('the second is first', async () => (await rowsOf(page))[0] === '1 The second 10', { timeoutMs: 8000 });
  assert.equal(
    await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent),
    'The second',
    'it keeps the focus',
  );
});

test('rows that fill it up from another window say so, until they are of its own', async () => {
  const share = (/** @type {string} */ item, count = 1, ago = 0) => ({ action: 'share', item, count, ago });
  const send = async (/** @type {object[]} */ ...events) => {
    const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
    const answer = await worker.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify({ events }) });
    assert.equal(answer.status, 200, await answer.text());
  };
  await send(share('new'), share('old', 4, 86_400_000));
  const { page } = await open('<edge-board site="demo" board="shared" window="day"></edge-board>');
  const rows = () =>
    page
      .locator('edge-board li')
      .evaluateAll((found) =>
        found.map((row) => [row.getAttribute('part'), row.getAttribute('data-window'), row.style.getPropertyValue('--share')]),
      );
  await shows(page, ['1 new 1', '2 old 4']);
  assert.deepEqual(await rows(), [
    ['item', null, '1'],
    ['item filled', 'all', '0'],
  ]);
  await send(share('old', 2));
  await shows(page, ['1 old 2', '2 new 1']);
  assert.deepEqual(await rows(), [
    ['item', null, '1'],
    ['item', null, '0.5'],
  ]);
});

test('rows have the parts of their tiers, and bars show how many members have which scores', async () => {
  await count({ a: 9, b: 5, c: 5, d: 1 }, 'vote');
  const { page, asked } = await open(
    '<main><h1>Votes</h1><edge-board site="demo" board="tiered" window="day" limit="3" distribution="How votes are spread"></edge-board></main>',
  );
  await shows(page, ['1 a 9', '2 c 5', '3 b 5']);
  const rows = page.locator('edge-board li');
  assert.deepEqual(await rows.evaluateAll((found) => found.map((row) => row.getAttribute('part'))), [
    'item tier-gold',
    'item tier-silver',
    'item',
  ]);
  const bars = async () =>
    page
      .getByRole('img', { name: 'How votes are spread' })
      .locator('[part=interval]')
      .evaluateAll((found) =>
        found.map((bar) => [/** @type {HTMLElement} */ (bar).title, /** @type {HTMLElement} */ (bar).style.blockSize]),
      );
  const shown = await until('bars', async () => (await bars()).length === 3 && bars());
  assert.deepEqual(shown, [
    ['9: 1 (25 %)', '50%'],
    ['5: 2 (75 %)', '100%'],
    ['1: 1 (100 %)', '50%'],
  ]);
  assert.ok(asked.filter((url) => url.endsWith('/tiered/day/distribution')).length <= 3, String(asked));
  assert.deepEqual(await violations(page), []);
  await count({ e: 9 }, 'vote');
  await until('another bar to be the highest', async () => (await bars())[0]?.[0] === '9: 2 (40 %)', { timeoutMs: 8000 });
  await page.locator('edge-board').evaluate((element) => element.removeAttribute('distribution'));
  await until('no bars', async () => (await page.locator('edge-board [part=interval]').count()) === 0);
});

for (const [way, blocked] of /** @type {[string, ('socket' | 'stream')[]][]} */ ([
  ['a socket', []],
  ['an event stream', ['socket']],
])) {
  test(`it shows how many look at it by ${way}, if it is asked to`, async () => {
    await count({ a: 1 });
    const own = `${BOARD} limit="${20 + blocked.length * 20}"`; // what the test before had open may still be counted
    const { page } = await open(`<edge-board ${own} readers="{n} on it"></edge-board>`, blocked);
    await page.getByText('1 on it').waitFor({ timeout: 8000 });
    const other = await open(`<edge-board ${own}></edge-board>`);
    await page.getByText('2 on it').waitFor({ timeout: 8000 });
    assert.equal(await other.page.locator('edge-board').getByText('on it').count(), 0, 'off by default');
    await other.page.close();
    await page.getByText('1 on it').waitFor({ timeout: 8000 });
  });
}

test('axe finds nothing', async () => {
  await count({ '/a': 3, b: 2, c: 1 });
  const { page } = await open(`<main><h1>News</h1><edge-board ${BOARD} label="Most read" readers></edge-board></main>`);
  await shows(page, ['1 /a 3', '2 b 2', '3 c 1']);
  await page.getByText('reading now').waitFor();
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => document.documentElement.style.setProperty('color-scheme', 'light dark'));
    assert.deepEqual(await violations(page), [], colorScheme);
  }
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

test('what is wrong with its attributes is said once on the console, and not asked again', async () => {
  await count({ a: 1 });
  const { page, asked, logged } = await open('<edge-board site="demo" board="articles" window="dai"></edge-board>', POLLING);
  await until('it to say so', () => logged.length === 1);
  assert.equal(logged[0], 'edge-board: the board articles has no window "dai"; it has day, all; did you mean "day"?');
  await see(page, false);
  await see(page, true);
  // Another element of another page goes on; when it asked four times, this one would have.
  const other = await open(`<edge-board ${BOARD} limit="5"></edge-board><edge-board ${BOARD} limit="0"></edge-board>`, POLLING);
  await until('the other one to go on', () => other.asked.filter((url) => url.endsWith('=5')).length >= 4, { timeoutMs: 15_000 });
  assert.deepEqual([asked.length, logged.length], [1, 1]);
  assert.equal(other.asked.filter((url) => url.endsWith('=0')).length, 1, 'a 400 is not asked again either');
  assert.match(String(other.logged), /^edge-board: limit = "0" is not allowed/);
  assert.equal(await page.locator('edge-board[stale]').count(), 1);
  await page.locator('edge-board').evaluate((element) => element.setAttribute('window', 'day'));
  await shows(page, ['1 a 1']);
});

test('what fails for a while is asked again, and said once', async () => {
  await count({ a: 1 });
  const { page, asked, logged } = await open(`<edge-board ${BOARD}></edge-board>`, POLLING);
  await shows(page, ['1 a 1']);
  const json = { code: 'redis-unavailable', detail: 'Redis did not answer' };
  await page.route('**/boards/**', (route) => route.fulfill({ status: 503, json, headers: { 'access-control-allow-origin': '*' } }));
  const before = asked.length;
  await until('it to ask again', () => asked.length >= before + 3, { timeoutMs: 15_000 });
  assert.deepEqual(logged, ['edge-board: Redis did not answer']);
  await page.unroute('**/boards/**');
  await count({ a: 1 });
  await shows(page, ['1 a 2']);
});

test('where its address has all sockets that it may have, it asks', async () => {
  await count({ a: 1 });
  for (let i = 0; i < 8; i += 1) await viewing.watch('/v1/demo/boards/articles/day/live', undefined, '127.0.0.1');
  const { page, asked, sockets } = await open(`<edge-board ${BOARD}></edge-board>`);
  await shows(page, ['1 a 1']);
  await until('it to ask', () => asked.length >= 3, { timeoutMs: 15_000 });
  assert.equal(sockets.size, 0);
  await count({ b: 2 });
  await shows(page, ['1 b 2', '2 a 1']);
});

test('it shows as many as its limit says, which a live ranking rounds up', async () => {
  await count({ a: 2, b: 1 });
  const { page, sockets } = await open(`<edge-board ${BOARD} limit="1"></edge-board>`);
  await shows(page, ['1 a 2']);
  await until('a socket', () => sockets.size === 1);
  await count({ b: 2 });
  await shows(page, ['1 b 3']);
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

test('pages come back to a worker that was killed and started again', async () => {
  await count({ a: 1 });
  const pages = [await open(`<edge-board ${BOARD}></edge-board>`), await open(`<edge-board ${BOARD}></edge-board>`, ['socket'])];
  for (const { page } of pages) await shows(page, ['1 a 1']);
  const { port } = new URL(worker.url);
  await worker.stop();
  for (const { page } of pages) await page.locator('edge-board[stale]').waitFor({ timeout: 15_000 });
  assert.deepEqual(await rowsOf(pages[0].page), ['1 a 1'], 'the last list stays');
  worker = await start(Number(port));
  await count({ b: 2 });
  for (const { page } of pages) await shows(page, ['1 b 2', '2 a 1']);
});
