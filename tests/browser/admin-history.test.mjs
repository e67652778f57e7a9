/** The plots of the admin page, where the deployment reads its dataset: of all isolates, over hours and days. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { startDataset, table } from '../support/dataset.mjs';
import { startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ADMIN_TOKEN = 'a-token-for-admins';
const SITE = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } };
const STEP_S = 300;
/** What the page's clock says, so that no step ends meanwhile. */
const NOW = Date.now();

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('../support/dataset.mjs').Dataset} */
let dataset;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  dataset = await startDataset();
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN, ...dataset.vars } });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
  dataset?.close();
});

/** @param {number} width */
async function open(width) {
  const page = await openPage(browser, { viewport: { width, height: 800 } });
  await page.addInitScript((now) => {
    Date.now = () => now;
  }, NOW);
  await page.goto(`${deployment.worker.url}/admin`);
  await page.getByLabel('ADMIN_TOKEN').fill(ADMIN_TOKEN);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('row', { name: 'articles/day' }).waitFor();
  return page;
}

test('the plots are those of the dataset, and follow the span that is chosen', async () => {
  const now = Math.floor(NOW / 1000 / STEP_S) * STEP_S;
  dataset.answer.body = table([
    { at: now - 2 * STEP_S, series: 'events', total: 600 },
    { at: now - 2 * STEP_S, series: 'redis', total: 3000 },
    { at: now - STEP_S, series: 'events', total: 300 },
  ]);
  const page = await open(1280);
  await page.getByText('events a second: 1.0, at most 2.0').waitFor();
  await page.getByText('commands to Redis a second: 0.0, at most 10.0').waitFor();
  await page.getByText('Drawn of all isolates, as they report.').waitFor();
  const points = await page.locator('#events polyline').evaluate((line) => /** @type {SVGPolylineElement} */ (line).points.length);
  assert.equal(points, (24 * 3600) / STEP_S, 'steps in which nothing happened are drawn as well');
  assert.match(dataset.asked.at(-1)?.sql ?? '', /INTERVAL '24' HOUR/);
  await page.getByLabel('Plots of all isolates').selectOption('over 7 days');
  await until('the other span', () => /INTERVAL '168' HOUR/.test(dataset.asked.at(-1)?.sql ?? ''));
  await page.evaluate(AXE);
  assert.deepEqual(await page.evaluate(async () => (await /** @type {any} */ (window).axe.run()).violations), []);
  await page.close();
});

test('when the dataset does not answer the page says so, and shows the rest', async () => {
  dataset.answer = { status: 500, body: 'out' };
  const page = await open(360);
  await page.getByText('the dataset of metrics did not answer').waitFor();
  assert.equal(await page.getByLabel('Plots of all isolates').isVisible(), false);
  await until('what this isolate does', async () => /\d/.test(await page.locator('#events-caption').innerText()), { timeoutMs: 20_000 });
  await page.close();
});
