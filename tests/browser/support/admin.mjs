/** How tests use the page of administration: as somebody who reads it. */
import { openPage } from '../../support/chromium.mjs';

export const ADMIN_TOKEN = 'a-token-for-admins';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Opens the page, and shows a site.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {import('../../support/deployment.mjs').Deployment} deployment
 * @param {object} [options]
 * @param {string} [options.site]
 * @param {string} [options.token]
 * @param {number} [options.width]
 */
export async function openAdmin(browser, deployment, { site = 'demo', token = ADMIN_TOKEN, width = 1280 } = {}) {
  const page = await openPage(browser, { viewport: { width, height: 800 }, acceptDownloads: true });
  /** @type {string[]} */
  const addresses = [];
  page.on('request', (request) => addresses.push(request.url()));
  await page.goto(`${deployment.worker.url}/admin`);
  await page.getByLabel('Site').selectOption(site);
  await page.getByLabel('ADMIN_TOKEN').fill(token);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  return { page, addresses };
}

/** The line that tells what became of something. @param {Page} page @param {string | RegExp} text */
export const untilMessage = (page, text) => page.locator('#status').filter({ hasText: text }).waitFor();

/** The row of a member in the ranking. @param {Page} page @param {string} id */
export const rowOf = (page, id) => page.locator(`#entries tr[data-id="${id}"]`);

/** The ids of the ranking. @param {Page} page */
export const idsOf = (page) =>
  page.locator('#entries tr').evaluateAll((rows) => rows.map((row) => /** @type {HTMLElement} */ (row).dataset.id));

/** Opens a part of the page that is closed. @param {Page} page @param {string} name */
export async function unfold(page, name) {
  const part = page.locator('details', { has: page.getByRole('heading', { name, exact: true }) });
  await part.locator('summary').click();
  return part;
}

/**
 * Answers what the page asks before it does something: with a name, where one is to be typed.
 *
 * @param {Page} page
 * @param {string} what its button says
 * @param {string} [name]
 */
export async function agree(page, what, name) {
  const dialog = page.getByRole('dialog', { name: what, exact: true });
  await dialog.waitFor();
  const text = (await dialog.locator('#sure-text').textContent()) ?? '';
  if (name !== undefined) await dialog.getByLabel(/^Type /).fill(name);
  await dialog.getByRole('button', { name: what, exact: true }).click();
  return text;
}

/** Thinks better of it. @param {Page} page @param {string} what */
export async function decline(page, what) {
  await page.getByRole('dialog', { name: what, exact: true }).getByRole('button', { name: 'Cancel' }).click();
}
