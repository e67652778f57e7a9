/** What the admin page does to boards of templates. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launchChromium } from '../support/chromium.mjs';
import { startDeployment } from '../support/deployment.mjs';
import { ADMIN_TOKEN, agree, decline, openAdmin, untilMessage } from './support/admin.mjs';

const WEIGHTS = { weights: { view: 1 }, windows: ['all'] };
const SITES = {
  demo: { actions: { view: {} }, boards: { articles: WEIGHTS, level: { ...WEIGHTS, template: true, archive: true } } },
  plain: { actions: { view: {} }, boards: { articles: WEIGHTS } },
};

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars: { ADMIN_TOKEN }, hasBucket: true });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
});

/** @param {string} board */
const known = async (board) =>
  (await deployment.fetch(`/v1/demo/admin/boards/${board}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).body;

/** @param {import('playwright-core').Page} page */
const listed = (page) =>
  page.locator('#made tr').evaluateAll((rows) => rows.map((row) => Array.from(row.children, (cell) => cell.textContent).slice(0, 3)));

test('boards are made, changed, listed by pages, ended, archived and deleted', async () => {
  const { page } = await openAdmin(browser, deployment);
  const part = page.locator('#templates');
  await part.waitFor();
  await part.getByLabel('Name of a board').fill('snow');
  await part.getByLabel('Title').fill('Snow <b>week</b>');
  await part.getByLabel(/^Begins/).fill('2030-01-01T10:00');
  await part.getByRole('button', { name: 'Make it, or change it' }).click();
  await untilMessage(page, 'level:snow is waiting.');
  assert.equal((await known('level:snow')).starts_at, '2030-01-01T10:00:00.000Z');
  await part.getByLabel(/^Begins/).fill('');
  await part.getByRole('button', { name: 'Make it, or change it' }).click();
  await untilMessage(page, 'level:snow is open.');
  assert.deepEqual(await listed(page), [['level:snow', 'Snow <b>week</b>', 'open']]);

  for (let i = 0; i < 60; i += 1) {
    const init = { method: 'PUT', headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, body: '{}' };
    assert.equal((await deployment.fetch(`/v1/demo/admin/boards/level:a${i}`, init)).status, 201);
  }
  await part.getByRole('button', { name: 'List its boards' }).click();
  await page.getByText('level has 61 of 1,000 boards.').waitFor();
  assert.equal((await listed(page)).length, 50);
  await part.getByRole('button', { name: 'More' }).click();
  await part.getByRole('button', { name: 'Delete… level:snow' }).waitFor();
  assert.equal((await listed(page)).length, 61);

  await part.getByRole('button', { name: 'End… level:snow' }).click();
  assert.match(await agree(page, 'End it'), /^level:snow takes no events/);
  await untilMessage(page, 'level:snow has ended.');
  const ended = await known('level:snow');
  assert.deepEqual([ended.state, ended.title], ['closed', 'Snow <b>week</b>'], 'the rest stays');
  await part.getByRole('button', { name: 'More' }).click();
  await part.getByRole('button', { name: 'Archive… level:snow' }).click();
  assert.match(await agree(page, 'Archive it'), /^When all periods of level:snow are over/);
  await untilMessage(page, 'level:snow is being archived.');
  assert.equal((await known('level:snow')).state, 'archiving');

  await part.getByRole('button', { name: 'Delete… level:a0', exact: true }).click();
  await decline(page, 'Delete it');
  await untilMessage(page, 'Nothing was done.');
  assert.equal((await known('level:a0')).state, 'open');
  await part.getByRole('button', { name: 'Delete… level:a0', exact: true }).click();
  await agree(page, 'Delete it', 'level:a0');
  await untilMessage(page, 'level:a0 is being deleted.');
  assert.equal((await known('level:a0')).state, 'going');
  assert.deepEqual((await listed(page))[0], ['level:a0', '–', 'going']);
  await page.close();
});

test('a site without templates shows nothing of them', async () => {
  const { page } = await openAdmin(browser, deployment, { site: 'plain' });
  await page.getByText('articles/all of all: 0 members.').waitFor();
  assert.equal(await page.locator('#templates').isVisible(), false);
  await page.close();
});
