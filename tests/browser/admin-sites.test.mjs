/** The admin page acts on the site that is shown, by keyboard and on a phone as well. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { launchChromium } from '../support/chromium.mjs';
import { startDeployment } from '../support/deployment.mjs';
import { ADMIN_TOKEN, idsOf, openAdmin, rowOf, untilMessage } from './support/admin.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = 360;
const SITE = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } };
const SHOP = { actions: { view: {} }, boards: { goods: { weights: { view: 1 }, windows: ['day', 'week'] } } };

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: SITE, twin: SITE, shop: SHOP, closed: SITE },
    vars: { ADMIN_TOKEN_DEMO: ADMIN_TOKEN, ADMIN_TOKEN_TWIN: ADMIN_TOKEN, ADMIN_TOKEN_SHOP: ADMIN_TOKEN },
  });
  for (const [site, items] of Object.entries({ demo: ['of-demo', 'both'], twin: ['of-twin', 'both'], shop: ['chair'] })) {
    await deployment.events({ events: items.map((item) => ({ action: 'view', item })) }, { site });
  }
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
});

/** @param {string} site @param {string} board */
const hidden = async (site, board) =>
  (await deployment.fetch(`/v1/${site}/admin/boards/${board}/hidden`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).body.ids;

test('another site is shown as soon as it is chosen, and buttons are for it', async () => {
  const { page } = await openAdmin(browser, deployment);
  await rowOf(page, 'of-demo').waitFor();
  await page.locator('#change').getByLabel('Id').fill('both');
  await page.getByLabel('Site').selectOption('twin');
  await rowOf(page, 'of-twin').waitFor();
  assert.deepEqual([await rowOf(page, 'of-demo').count(), await page.locator('#change').getByLabel('Id').inputValue()], [0, '']);
  await page.getByRole('button', { name: 'Hide both', exact: true }).click();
  await untilMessage(page, 'both is hidden on articles.');
  assert.deepEqual([await hidden('demo', 'articles'), await hidden('twin', 'articles')], [[], ['both']]);

  await page.getByLabel('Site').selectOption('shop');
  await rowOf(page, 'chair').waitFor();
  assert.deepEqual(
    [
      await page.locator('#pick').getByLabel('Board').locator('option').allTextContents(),
      await page.locator('#pick').getByLabel('Window').locator('option').allTextContents(),
    ],
    [['goods'], ['day', 'week']],
  );
  // What the token does not open is not shown, and nothing of the last one is.
  await page.getByLabel('Site').selectOption('closed');
  await untilMessage(page, 'no ADMIN_TOKEN for the site closed');
  assert.equal(await page.locator('#shown').isVisible(), false);
  await page.reload();
  await untilMessage(page, 'no ADMIN_TOKEN for the site closed');
  await page.close();
});

test('an answer that comes for a site that is shown no more is dropped', async () => {
  const { page } = await openAdmin(browser, deployment, { site: 'twin' });
  await rowOf(page, 'of-twin').waitFor();
  /** @type {(() => void)[]} */
  const late = [];
  let isLate = true;
  await page.route('**/v1/demo/**', async (route) => {
    if (isLate) await new Promise((resolve) => late.push(() => resolve(undefined)));
    await route.continue();
  });
  const first = page.waitForRequest('**/v1/demo/**');
  await page.getByLabel('Site').selectOption('demo');
  await first;
  await page.getByLabel('Site').selectOption('shop');
  await rowOf(page, 'chair').waitFor();
  isLate = false;
  const answer = page.waitForResponse('**/v1/demo/**');
  for (const go of late) go();
  await (await answer).finished();
  // Its answer is read before this one's.
  await page.locator('#pick').getByRole('button', { name: 'Look again' }).click();
  await page.getByText(/^goods\/day of/).waitFor();
  assert.deepEqual([await idsOf(page), await page.locator('#windows th').allTextContents()], [['chair'], ['goods/day', 'goods/week']]);

  // Nor is anything done to the site that was shown when it was asked for.
  await page.getByLabel('Site').selectOption('twin');
  await rowOf(page, 'of-twin').waitFor();
  /** @type {() => void} */
  let go = () => {};
  await page.route('**/members/of-twin?dry_run=1', async (route) => {
    await new Promise((resolve) => (go = () => resolve(undefined)));
    await route.continue();
  });
  const asked = page.waitForRequest('**/members/of-twin?dry_run=1');
  await page.getByRole('button', { name: 'Remove… of-twin' }).click();
  await asked;
  await page.getByLabel('Site').selectOption('demo');
  await rowOf(page, 'of-demo').waitFor();
  const response = page.waitForResponse('**/members/of-twin?dry_run=1');
  go();
  await (await response).finished();
  await page.locator('#pick').getByRole('button', { name: 'Look again' }).click();
  await page.getByText(/^articles\/day of/).waitFor();
  assert.equal(await page.getByRole('dialog').isVisible(), false);
  await page.close();
});

test('it works by keyboard alone, on a phone, and axe finds nothing in what is unfolded or asked', async () => {
  const { page } = await openAdmin(browser, deployment, { site: 'shop', width: PHONE });
  await rowOf(page, 'chair').waitFor();
  for (const part of await page.locator('summary').all()) {
    await part.focus();
    await page.keyboard.press('Enter');
  }
  await page.getByText('No letter is dead.').waitFor();
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE, 'nothing is wider than the phone');
  const check = async (/** @type {string} */ what) => {
    await page.evaluate(AXE);
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate(async () => {
        const { violations } = await /** @type {any} */ (window).axe.run();
        return violations.map(
          (/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => node.html).join(' ')}`,
        );
      });
      assert.deepEqual(found, [], `${what}, ${colorScheme}`);
    }
  };
  await check('unfolded');
  await page.getByRole('button', { name: 'Remove… chair' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Remove for good' });
  await dialog.waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
  await check('asked');
  await page.keyboard.press('Enter');
  await untilMessage(page, 'Nothing was done.');
  assert.equal((await deployment.freshTop('goods/day', '', 'shop')).body.total, 1);
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Remove… chair');
  await page.close();
});

test('plots have axes with their units', async () => {
  const { page } = await openAdmin(browser, deployment, { site: 'shop', width: PHONE });
  const texts = page.locator('#commands text');
  await page.getByText('Drawn of the isolate that answers').waitFor();
  await page.waitForFunction(
    () => (document.querySelector('#commands polyline')?.getAttribute('points') ?? '').split(' ').length >= 2,
    undefined,
    {
      timeout: 30_000,
    },
  );
  const labels = await texts.allTextContents();
  assert.ok(labels.includes('↑ commands to Redis a second') && labels.includes('→ time (UTC)'), labels.join());
  assert.equal(labels[0], '0');
  assert.ok(labels.filter((text) => /^\d\d:\d\d(:\d\d)?$/.test(text)).length >= 2, labels.join());
  const most = Number(labels[2]);
  const top = /at most (\d+\.\d)$/.exec(await page.locator('#commands-caption').innerText())?.[1];
  assert.ok(most >= Number(top) && most <= 10 * Math.max(Number(top), 0.1), `${most} ${top}`);
  const box = await page.locator('#commands').boundingBox();
  for (const text of await texts.all()) {
    const at = await text.boundingBox();
    assert.ok(box && at && at.x >= box.x - 1 && at.x + at.width <= box.x + box.width + 1, await text.innerHTML());
  }
  await page.close();
});
