/** What the admin page does to sites that are made at run time. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launchChromium } from '../support/chromium.mjs';
import { startDeployment } from '../support/deployment.mjs';
import { ADMIN_TOKEN, agree, decline, openAdmin, rowOf, untilMessage } from './support/admin.mjs';

const SITE = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['all'] } } };
const OF_DEMO = 'a-token-for-one-site';

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  const vars = { ADMIN_TOKEN, ADMIN_TOKEN_DEMO: OF_DEMO, SITES_SECRET: 'a-secret-of-which-others-are-derived' };
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
});

/** @param {string} method @param {string} path @param {object} [body] */
const sites = async (method, path, body) => {
  const init = { method, headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, body: body && JSON.stringify(body) };
  return (await deployment.fetch(`/v1/admin/sites/${path}`, init)).body;
};

/** @param {import('playwright-core').Page} page */
const listed = (page) =>
  page.locator('#made-sites tr').evaluateAll((rows) => rows.map((row) => Array.from(row.children, (cell) => cell.textContent)));

test('sites are listed by pages with what they use, shown, suspended, resumed and deleted', async () => {
  const quota = { members: 1000, commands_per_month: 50_000 };
  const { issued } = await sites('PUT', 'shop', { ...SITE, quota });
  for (let i = 0; i < 22; i += 1) await sites('PUT', `a${String(i).padStart(2, '0')}`, SITE);
  const event = { action: 'view', item: '/<b>lamp' };
  await deployment.events({ events: [event] }, { site: 'shop', headers: { authorization: `Bearer ${issued.write}` } });
  const { page } = await openAdmin(browser, deployment);
  await page.getByRole('button', { name: 'List them', exact: true }).filter({ visible: true }).click();
  await page.getByText('23 sites were made at run time.').waitFor();
  assert.equal((await listed(page)).length, 20);
  await page.locator('#sites').getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Delete… shop' }).waitFor();
  const rows = await listed(page);
  assert.equal(rows.length, 23);
  assert.deepEqual(
    [rows[0].filter((_, i) => i !== 2).slice(0, 5), rows[22][1], rows[22].slice(3, 5)],
    [['a00', 'active', '–', '–', '–'], 'active', ['1', '0 of 1,000']],
  );
  assert.match(rows[22][5] ?? '', /^[\d,]+ of 50,000$/);

  await page.getByRole('button', { name: 'Suspend… shop' }).click();
  await decline(page, 'Suspend it');
  assert.equal((await sites('GET', 'shop')).state, 'active');
  await page.getByRole('button', { name: 'Suspend… a00' }).click();
  assert.match(await agree(page, 'Suspend it'), /^a00 counts and changes nothing/);
  await untilMessage(page, 'a00 is suspended.');
  assert.equal((await sites('GET', 'a00')).state, 'suspended');
  await page.getByRole('button', { name: 'Resume a00' }).click();
  await untilMessage(page, 'a00 is active.');
  assert.equal((await sites('GET', 'a00')).state, 'active');

  await page.getByRole('button', { name: 'Delete… a01' }).click();
  assert.match(await agree(page, 'Delete it', 'a01'), /^All that a01 has goes for good/);
  await untilMessage(page, 'a01 is being deleted.');
  assert.equal((await sites('GET', 'a01')).state, 'going');
  assert.deepEqual((await listed(page))[1].filter((_, i) => i !== 2).slice(0, 2), ['a01', 'going']);

  await page.locator('#sites').getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Show shop' }).click();
  await rowOf(page, '/<b>lamp').waitFor();
  assert.equal(await page.getByLabel('Site').inputValue(), 'shop');
  await page.close();
});

test('the token of one site shows nothing of them', async () => {
  const { page } = await openAdmin(browser, deployment, { token: OF_DEMO });
  await page.getByText('articles/all of all: 0 members.').waitFor();
  assert.equal(await page.locator('#sites').isVisible(), false);
  await page.close();
});
