/** The demo page, end to end: a real browser, the real worker, a real Redis. */

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { signActor } from '../../scripts/serve/actor-token.mjs';
import { launchChromium, openPage } from '../support/chromium.mjs';
import { startRedis } from '../support/redis.mjs';
import { until } from '../support/until.mjs';
import { startWorker } from '../support/worker.mjs';

const TARGET = fileURLToPath(new URL('../../target/', import.meta.url));
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true } },
    boards: {
      articles: { members: 'items', weights: { view: 1 }, windows: ['hour', 'day', 'week', 'month', 'year', 'all'] },
    },
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
  worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES } });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await worker?.stop();
  await redis?.stop();
});

/** What the board shows, row by row: "1 A title 3". @param {import('playwright-core').Page} page */
const rowsOf = (page) =>
  page
    .locator('#entries li')
    .evaluateAll((rows) => rows.map((row) => ['.rank', '.title', '.score'].map((part) => row.querySelector(part)?.textContent).join(' ')));

/** @param {import('playwright-core').Page} page @param {string} row */
const shown = (page, row) => until(`"${row}" on the board`, async () => (await rowsOf(page)).includes(row), { timeoutMs: 5000 });

test('three clicks on an article put it first, with a score of three, within five seconds', async () => {
  const page = await openPage(browser);
  /** @type {(Error | string)[]} */
  const failures = [];
  page.on('pageerror', (error) => failures.push(error));
  page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
  page.on('response', (response) => response.status() >= 400 && failures.push(response.url()));

  await page.goto(worker.url);
  await page.getByText('No clicks yet today').waitFor();
  assert.deepEqual(await rowsOf(page), []);

  const article = page.getByRole('link', { name: 'How tide tables are made' });
  for (let click = 0; click < 3; click++) await article.click();
  await shown(page, '1 How tide tables are made 3');

  assert.equal(new URL(page.url()).hash, '', 'an article of the demo leads nowhere');
  assert.match((await page.locator('#facts').textContent()) ?? '', /Period \d{4}-\d\d-\d\d · 1 ranked · Cache-Status: \w/);
  assert.deepEqual(failures, []);
  mkdirSync(TARGET, { recursive: true });
  await page.screenshot({ path: `${TARGET}demo.png`, fullPage: true });
});

test('a token that the deployment has for the page is in it, and its reader is the actor', async () => {
  const secret = 'a-secret-of-the-demo';
  const token = signActor({ secret, site: 'demo', actor: 'you', expiry: Math.floor(Date.now() / 1000) + 3600 });
  const signed = await startWorker({ vars: { REDIS_URL: redis.url, SITES, ACTOR_SECRET: secret, DEMO_TOKEN: token } });
  try {
    const answer = await signed.fetch('/');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const page = await openPage(browser);
    await page.goto(signed.url);
    await page.getByRole('link', { name: 'How tide tables are made' }).click();
    await until('the actor', async () => (await redis.command('KEYS', 'eb:{demo}:day:*')).length > 0);
    const [key] = await redis.command('KEYS', 'eb:{demo}:day:*:actions');
    assert.equal(await redis.command('HEXISTS', key, 'you'), 1);
  } finally {
    await signed.stop();
  }
});

test('what the public sends is text, never markup', async () => {
  const page = await openPage(browser);
  await page.goto(worker.url);
  await page.evaluate(async () => {
    const module = '/shelf.js'; // of the page's origin
    const { track } = await import(module);
    for (let count = 0; count < 4; count++) track('view', '<img src=x onerror="document.title=1">');
  });
  await shown(page, '1 <img src=x onerror="document.title=1"> 4');
  assert.equal(await page.locator('#entries img').count(), 0);
});
