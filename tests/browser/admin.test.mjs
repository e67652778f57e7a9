/** The admin page, end to end: what it shows is what Redis holds, what it does is done, and its token stays where it is. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ADMIN_TOKEN = 'a-token-for-admins';
const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['day', 'last-7-days'], max_members: 4 } },
};

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
  await deployment.events({ events: ['a', 'a', 'b', '/c'].map((item) => ({ action: 'view', item })) });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
});

/** @param {string} token */
async function open(token) {
  const page = await openPage(browser);
  /** @type {string[]} */
  const addresses = [];
  page.on('request', (request) => addresses.push(request.url()));
  await page.goto(`${deployment.worker.url}/admin`);
  await page.getByLabel('ADMIN_TOKEN').fill(token);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  return { page, addresses };
}

test('it shows the boards, hides a member and shows it again', async () => {
  const { page, addresses } = await open(ADMIN_TOKEN);
  const row = page.getByRole('row', { name: 'articles/day' });
  await row.waitFor();
  assert.match(await row.innerText(), /^articles\/day\s+3\s+0\s+complete\s+–$/);
  assert.equal(await row.locator('meter').evaluate((meter) => /** @type {HTMLMeterElement} */ (meter).value), 3);

  const ids = async () => (await deployment.freshTop('articles/day')).body.entries.map((/** @type {any} */ { id }) => id);
  await page.getByLabel('Id').fill('/c');
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.getByText('/c: hide').waitFor();
  assert.deepEqual(await ids(), ['a', 'b']);
  assert.deepEqual(await page.locator('#lists dd').allTextContents(), ['/c', 'nobody']);
  await page.getByRole('button', { name: 'Show again' }).click();
  await until('it is shown again', async () => (await ids()).length === 3);
  await page.getByRole('button', { name: 'Do upkeep now' }).click();
  await page.getByText('Upkeep was done.').waitFor();

  assert.ok(!addresses.some((address) => address.includes(ADMIN_TOKEN)), 'no token in an address');
  assert.equal(await page.evaluate(() => localStorage.length), 0);
  assert.equal((await page.context().storageState()).cookies.length, 0);
  await page.reload();
  await row.waitFor();
  await page.getByRole('button', { name: 'Forget the token' }).click();
  await page.reload();
  assert.equal(await page.getByLabel('ADMIN_TOKEN').inputValue(), '');
  assert.equal(await row.isVisible(), false);
});

test('a wrong token is told so, and shows nothing', async () => {
  const { page } = await open('wrong');
  await until('the refusal', async () => /token/i.test((await page.getByRole('status').textContent()) ?? ''));
  assert.equal(await page.locator('#shown').isVisible(), false);
});

test('axe finds nothing, and the page is in no cache', async () => {
  const { page } = await open(ADMIN_TOKEN);
  await page.getByRole('row', { name: 'articles/day' }).waitFor();
  assert.equal((await deployment.fetch('/admin')).headers.get('cache-control'), 'no-store');
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE); // not as a script element, which the page's policy refuses
    const found = await page.evaluate(async () => {
      const { violations } = await /** @type {any} */ (window).axe.run();
      return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => node.html).join(' ')}`);
    });
    assert.deepEqual(found, [], colorScheme);
  }
});
