/** What the admin page does to boards and periods, and what it tells of letters, losses and who did what. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { launchChromium } from '../support/chromium.mjs';
import { startDeployment } from '../support/deployment.mjs';
import { ADMIN_TOKEN, agree, decline, idsOf, openAdmin, untilMessage, unfold } from './support/admin.mjs';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
const BOARD = { weights: { view: 1 }, windows: ['day', 'last-7-days', 'all'], history: 5, archive: true };
const SITE = { actions: { view: { public: true } }, boards: { other: { weights: { view: 1 }, windows: ['day'] }, articles: BOARD } };
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: SITE },
    vars: { ADMIN_TOKEN },
    hasDatabase: true,
    hasBucket: true,
  });
  setClocks(NOW);
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
});

/** @param {number} ms */
function setClocks(ms) {
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(ms);
}

/** @param {string[]} items */
async function view(items) {
  await deployment.events({ events: items.map((item) => ({ action: 'view', item })) });
}

/** What a page shows of the board `articles`. */
async function openBoard() {
  const { page } = await openAdmin(browser, deployment);
  await page.getByText(/\/day of/).waitFor();
  await page.locator('#pick').getByLabel('Board').selectOption('articles');
  await page.getByText('articles/day of').waitFor();
  return page;
}

/** The cells of a table. @param {import('playwright-core').Page} page @param {string} id */
const cells = (page, id) =>
  page.locator(`#${id} tr`).evaluateAll((rows) => rows.map((row) => Array.from(row.children, (cell) => cell.textContent)));

test('a reset tells what it would take, and takes the name of its board', async () => {
  await view(['a', 'a', 'b']);
  const page = await openBoard();
  const part = await unfold(page, 'Reset');
  await part.getByRole('combobox').selectOption('day');
  await part.getByRole('button', { name: 'Count it only' }).click();
  await untilMessage(page, 'Nothing was reset.');
  assert.deepEqual(await cells(page, 'reset-figures'), [['day', '2026-11-20', '1', '2']]);
  assert.match((await part.locator('#reset-note').textContent()) ?? '', /^2 entries would go\. Made anew of what stays: last-7-days\.$/);

  await part.getByRole('button', { name: 'Reset…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reset' });
  assert.match(
    (await dialog.locator('#sure-text').textContent()) ?? '',
    /^Gone at once for every reader, for good: 2 entries of the window day of the board articles\.$/,
  );
  await dialog.getByLabel('Type articles').fill('other');
  assert.equal(await dialog.getByRole('button', { name: 'Reset' }).isDisabled(), true, 'another board is not this one');
  await decline(page, 'Reset');
  await untilMessage(page, 'Nothing was done.');
  assert.equal((await deployment.freshTop('articles/day')).body.total, 2);

  await part.getByRole('button', { name: 'Reset…' }).click();
  await agree(page, 'Reset', 'articles');
  await untilMessage(page, 'Reset: 2 entries of the window day of the board articles.');
  assert.equal((await deployment.freshTop('articles/day')).body.total, 0);
  assert.equal((await deployment.freshTop('other/day')).body.total, 2);
  await page.close();
});

test('periods are listed, shown and frozen anew; windows are rebuilt; an export is saved', async () => {
  setClocks(NOW + DAY_MS);
  await view(['a', 'a', 'b', 'c']);
  setClocks(NOW + 2 * DAY_MS);
  assert.equal((await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers })).status, 200);
  await view(['a']);
  const page = await openBoard();

  const periods = await unfold(page, 'Periods');
  await periods.getByRole('button', { name: 'List them' }).click();
  await page.getByRole('button', { name: 'Show 2026-11-21' }).waitFor();
  const [yesterday] = await cells(page, 'periods');
  assert.deepEqual(yesterday.slice(0, 4), ['2026-11-21', 'a (2)', '3', '1']);
  await page.getByRole('button', { name: 'Show 2026-11-21' }).click();
  await page.getByText('articles/day of 2026-11-21: 3 members.').waitFor();
  assert.deepEqual(await idsOf(page), ['a', 'c', 'b']);

  await deployment.fetch('/v1/demo/admin/boards/articles/hidden/b', { method: 'PUT', headers });
  await page.getByRole('button', { name: 'Freeze anew… 2026-11-21' }).click();
  assert.match(await agree(page, 'Freeze it anew'), /^articles\/day of 2026-11-21 is frozen/);
  await untilMessage(page, /^2026-11-21 was frozen anew, of (redis|archive)\.$/);
  assert.deepEqual((await cells(page, 'periods'))[0].slice(1, 4), ['a (2)', '2', '2']);

  const rebuild = await unfold(page, 'Rebuild');
  await rebuild.getByRole('button').click();
  await untilMessage(page, 'The windows are made anew.');

  const part = await unfold(page, 'Export');
  await part.getByRole('combobox').selectOption('day');
  await part.getByLabel('Period').fill('2026-11-21');
  const download = page.waitForEvent('download');
  await part.getByRole('button', { name: 'Save a table (CSV)' }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), 'articles-day-2026-11-21.csv');
  assert.equal(readFileSync(await file.path(), 'utf8').replaceAll('\r', ''), 'id,score\n"a",2\n"c",1\n"b",1\n');
  await untilMessage(page, 'articles-day-2026-11-21.csv was saved.');

  const audit = await unfold(page, 'Audit log');
  await audit.getByRole('row', { name: /freeze/ }).waitFor();
  const did = (await cells(page, 'audit')).map(([, what]) => what);
  assert.deepEqual(did, ['rebuild', 'freeze', 'reset']);
  await page.close();
});

test('dead letters are listed, replayed and thrown away after it asked', async () => {
  const letter = async (/** @type {{ action: string, item: string }} */ event) => {
    const message = JSON.stringify({ site: 'demo', id: `letter-${event.item}`, events: [event] });
    const sent = `${deployment.clock.now()}`;
    await deployment.redis.command(
      'XADD',
      'eb:{demo}:dead',
      '*',
      'code',
      'unknown-action',
      'detail',
      'it was so',
      'sent',
      sent,
      'message',
      message,
    );
  };
  await letter({ action: 'view', item: 'mended' });
  await letter({ action: 'nothing', item: 'lost' });
  await letter({ action: 'nothing', item: 'left' });
  const page = await openBoard();
  const part = await unfold(page, 'Dead letters');
  await page
    .getByRole('button', { name: /^Replay… / })
    .nth(2)
    .waitFor();
  assert.match((await cells(page, 'letters'))[0].join(' '), /unknown-action it was so .*"item":"mended"/);

  await part.getByRole('button', { name: 'Replay all…' }).click();
  assert.equal(await agree(page, 'Replay'), 'To be counted, at the instants at which it was sent: 1 event. To stay dead: 2 letters.');
  await untilMessage(page, 'Counted: 1 event. Still dead: 2 letters.');
  assert.ok((await deployment.freshTop('articles/day')).body.entries.some((/** @type {any} */ { id }) => id === 'mended'));

  await page
    .getByRole('button', { name: /^Discard… / })
    .first()
    .click();
  await decline(page, 'Discard');
  assert.equal((await cells(page, 'letters')).length, 2);
  await page
    .getByRole('button', { name: /^Discard… / })
    .first()
    .click();
  assert.match(await agree(page, 'Discard'), /^The letter \d+-\d+ is thrown away/);
  await untilMessage(page, 'was thrown away');
  assert.equal((await cells(page, 'letters')).length, 1);
  await part.getByRole('button', { name: 'Discard all…' }).click();
  await agree(page, 'Discard');
  await untilMessage(page, 'Every dead letter was thrown away.');
  await part.getByText('No letter is dead.').waitFor();
  await page.close();
});

test('what Redis lost is told, and restored or accepted after it asked', async () => {
  const page = await openBoard();
  const part = await unfold(page, 'Restore');
  await part.getByText('Redis lost nothing that is known.').waitFor();
  await deployment.redis.command('FLUSHALL');
  await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
  const alert = page.getByRole('alert').filter({ hasText: 'redis-lost' });
  await alert.waitFor({ timeout: 15_000 });
  await part.getByRole('button', { name: 'Look again' }).click();
  await part.getByText(/^redis-lost, noticed 2026-11-22 /).waitFor();
  assert.match((await cells(page, 'restorable')).join(), /^articles,\d+,\d+$/);

  await alert.getByRole('button', { name: 'That is fine…' }).click();
  await decline(page, 'Accept the loss');
  await untilMessage(page, 'Nothing was done.');
  assert.ok(await alert.isVisible());
  await alert.getByRole('button', { name: 'Restore it from the archive…' }).click();
  await agree(page, 'Restore');
  await untilMessage(page, 'Nothing is missing any more.');
  await alert.waitFor({ state: 'hidden' });
  const { body } = await deployment.freshTop('articles/day', '?period=2026-11-21');
  assert.equal(body.entries[0].id, 'a');
  await page.close();
});
