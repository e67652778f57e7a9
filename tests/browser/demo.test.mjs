/** The demo page, end to end: a real browser, the real worker as `npm start` serves it, a real Redis, and a site that the page leaves alone. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { startLocal } from '../support/local.mjs';
import { startRedis } from '../support/redis.mjs';
import { until } from '../support/until.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MAX_BYTES = 60_000;
const STORY = 'How tide tables are made';
const ITEM = '/posts/tide-tables';
/** What a user has instead of the shipped site. */
const SITES = {
  shop: {
    origins: ['*'],
    actors: 'any',
    actions: { view: { public: true } },
    boards: { articles: { weights: { view: 1 }, windows: ['day'] }, people: { members: 'actors', weights: { view: 1 }, windows: ['day'] } },
  },
};

/** @type {import('../support/redis.mjs').Redis} */
let redis;
/** @type {import('../support/worker.mjs').Worker} */
let worker;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  redis = await startRedis();
  worker = await startLocal({ sites: SITES, vars: { REDIS_URL: redis.url } });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await worker?.stop();
  await redis?.stop();
});
beforeEach(() => redis.command('FLUSHALL'));
// All pages have one address, which has only so many sockets.
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

/** @param {import('playwright-core').BrowserContextOptions} [options] */
async function open(options) {
  const page = await openPage(browser, options);
  /** @type {string[]} */
  const failures = [];
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
  page.on('response', (response) => response.status() >= 400 && failures.push(response.url()));
  await page.goto(`${worker.url}/?quiet`);
  const isEmpty = () => page.getByText('Nobody yet').first().waitFor({ timeout: 3000 });
  // What the page of the test before still sent may have come after the boards were emptied.
  for (let tries = 3; tries > 0; tries -= 1) {
    if (
      await isEmpty().then(
        () => true,
        () => false,
      )
    )
      return { page, failures };
    await redis.command('FLUSHALL');
  }
  await isEmpty();
  return { page, failures };
}

/** What a board shows, row by row: "1 A title 3". @param {import('playwright-core').Page} page @param {string} board */
const rowsOf = (page, board) =>
  page.locator(`edge-board${board} li`).evaluateAll((rows) =>
    rows.map((row) => {
      const slot = /** @type {HTMLSlotElement} */ (row.querySelector('slot'));
      const name = slot.assignedElements()[0] ?? slot.firstElementChild;
      return `${row.querySelector('[part=rank]')?.textContent} ${name?.textContent} ${row.querySelector('[part=score]')?.textContent}`;
    }),
  );

/** @param {import('playwright-core').Page} page @param {string} board @param {string} row */
const shown = (page, board, row) =>
  until(`"${row}" on ${board}`, async () => {
    const rows = await rowsOf(page, board);
    assert.ok(rows.includes(row), `it shows ${JSON.stringify(rows)}`);
    return true;
  });

test('a click shows on the boards of all windows, marked as the reader’s own', async () => {
  const { page, failures } = await open();
  for (let click = 0; click < 3; click++) await page.getByRole('link', { name: STORY }).click();
  for (const window of ['hot', 'day', 'last-7-days']) await shown(page, `[window="${window}"]`, `1 ${STORY} 3`);
  assert.equal(new URL(page.url()).hash, '', 'a story of the demo leads nowhere');
  assert.equal(await page.locator(`edge-board > .mine[slot="${ITEM}"]`).count(), 3);
  assert.match(
    (await page.locator('.card:not(#members):has([window=day]) > .quiet').textContent()) ?? '',
    /^1 ranked · next in \d\d:\d\d:\d\d$/,
  );
  assert.deepEqual(failures, []);
});

test('a like counts for who has the page’s token, and is taken back', async () => {
  const { page, failures } = await open();
  await page.getByRole('link', { name: STORY }).click();
  const like = page.getByRole('button', { name: `Like: ${STORY}` });
  await like.click();
  await shown(page, '[window=day]', `1 ${STORY} 3`);
  await like.click();
  await shown(page, '[window=day]', `1 ${STORY} 1`);
  assert.equal(await like.getAttribute('aria-pressed'), 'false');
  assert.equal((await worker.fetch('/')).headers.get('cache-control'), 'no-store');
  assert.deepEqual(failures, []);
});

test('simulated readers and members fill the boards, and a member’s rank is explained', async () => {
  const { page, failures } = await open();
  const simulate = page.getByRole('button', { name: 'Simulated readers' });
  await simulate.click();
  await until('readers', async () => (await rowsOf(page, '[window=day]')).length >= 5);
  const member = page.locator('#members edge-board > button:visible').first();
  await member.waitFor();
  await simulate.click();
  await member.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: /^Why is .+ number \d+\?$/ }).waitFor();
  const points = await dialog.locator('tbody tr').evaluateAll((rows) => rows.map((row) => Number(row.lastElementChild?.textContent)));
  assert.equal(
    points.reduce((sum, score) => sum + score, 0),
    Number(await dialog.locator('tfoot td').last().textContent()),
  );
  await page.keyboard.press('Escape');
  assert.equal(await dialog.isVisible(), false);
  assert.deepEqual(failures, []);
});

test('what the page does is on the site demo alone, whose keys are apart', async () => {
  const { page } = await open();
  await page.getByRole('link', { name: STORY }).click();
  const simulate = page.getByRole('button', { name: 'Simulated readers' });
  await simulate.click();
  await until('readers', async () => (await rowsOf(page, '[window=day]')).length >= 5);
  await until('members', async () => (await rowsOf(page, '[board=people]')).length >= 1);
  await simulate.click();
  const keys = /** @type {string[]} */ (await redis.command('KEYS', '*'));
  assert.deepEqual(
    keys.filter((key) => !key.startsWith('eb:start:{demo')),
    [],
  );
  for (const board of ['articles', 'people']) assert.equal((await (await worker.fetch(`/v1/shop/boards/${board}/day`)).json()).total, 0);
});

test('it says what it is, boards are full at once and move until the readers are stopped, and a click is shown as it was sent', async () => {
  const page = await openPage(browser);
  await page.goto(worker.url);
  await page.getByRole('heading', { level: 1, name: 'edgeboard' }).waitFor();
  const links = await page
    .getByRole('navigation')
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => link.textContent));
  assert.deepEqual(links, ['Documents', 'Admin page', 'Source']);
  await until('history', async () => (await rowsOf(page, '[window=last-7-days]')).length >= 8);
  await page.getByRole('button', { name: 'Simulated readers' }).click();
  await page.getByRole('link', { name: STORY }).click();
  const sent = page.locator('#sent');
  await sent.filter({ hasText: ITEM }).waitFor();
  const text = (await sent.textContent()) ?? '';
  assert.match(text, /^POST \/v1\/demo\/shelf\n\{\n.*"action": "view".*\n\}\n\n204$/s);
  assert.ok(!text.includes('token'), 'a token is nobody’s to read');
});

test('what the public sends is text, never markup', async () => {
  const { page } = await open();
  await page.evaluate(async () => {
    const module = '/shelf.js'; // of the page's origin
    const { track } = await import(module);
    for (let count = 0; count < 4; count++) track('view', '<img src=x onerror="document.title=1">');
  });
  await shown(page, '[window=day]', '1 <img src=x onerror="document.title=1"> 4');
  // The element's own pictures have no source, since nobody asked for pictures.
  assert.equal(await page.locator('edge-board img[src]').count(), 0);
  assert.notEqual(await page.title(), '1');
});

test('on a phone the board is in view when a story is tapped, and nothing is wider than the screen', async () => {
  const { page } = await open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await page.getByRole('link', { name: STORY }).tap();
  await shown(page, '[window=hot]', `1 ${STORY} 1`);
  const row = await page.locator('edge-board[window=hot] li').first().boundingBox();
  assert.ok(row && row.y > 0 && row.y + row.height < 740, JSON.stringify(row));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
});

test('axe finds nothing, light and dark, wide and narrow', async () => {
  const { page } = await open();
  await page.getByRole('link', { name: STORY }).click();
  await shown(page, '[window=day]', `1 ${STORY} 1`);
  for (const width of [1280, 360]) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.setViewportSize({ width, height: 740 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(AXE); // not as a script element, which the page's policy refuses
      const found = await page.evaluate(async () => {
        const { violations } = await /** @type {any} */ (window).axe.run();
        return violations.map(
          (/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => node.html).join(' ')}`,
        );
      });
      assert.deepEqual(found, [], `${width} ${colorScheme}`);
    }
  }
});

test(`the page with its modules has less than ${MAX_BYTES} bytes, and does not shift when the boards come`, async () => {
  const page = await openPage(browser);
  /** @type {Promise<number>[]} */
  const sizes = [];
  page.on('response', (response) => {
    if (/\/(\w+\.js)?$/.test(new URL(response.url()).pathname)) sizes.push(response.body().then(({ length }) => length));
  });
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) /** @type {any} */ (window).shift += /** @type {any} */ (entry).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(`${worker.url}/?quiet`);
  await page.getByText('Nobody yet').first().waitFor();
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  assert.ok(bytes > 10_000 && bytes < MAX_BYTES, String(bytes));
  const shift = await page.evaluate(() => /** @type {any} */ (window).shift);
  assert.ok(shift < 0.01, String(shift));
});
