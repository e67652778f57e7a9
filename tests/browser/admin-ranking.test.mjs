/** What the admin page does to members: beside their rows, after it asked, and never to nobody. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { launchChromium } from '../support/chromium.mjs';
import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { ADMIN_TOKEN, agree, decline, idsOf, openAdmin, rowOf, untilMessage } from './support/admin.mjs';

const SITE = {
  actions: { view: { public: true }, like: { reversible: true } },
  journal: '8d',
  boards: {
    articles: { weights: { view: 1 }, windows: ['day', 'all'] },
    people: { members: 'actors', weights: { view: 1 }, windows: ['day'] },
  },
};
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: SITE, plain: SITE },
    vars: { ADMIN_TOKEN },
    hasDatabase: true,
  });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
});
beforeEach(async () => {
  await deployment.reset();
  const events = [...'aaab', '/c'].map((item) => ({ action: 'view', item, actor: item === 'b' ? 'bob' : 'ann' }));
  assert.equal((await deployment.events({ events })).body.accepted, 5);
  const titles = [
    { id: 'a', title: 'The first' },
    { id: 'b', title: '<b>bold</b>' },
  ].map((item) => JSON.stringify(item));
  const init = { method: 'PUT', headers, body: titles.join('\n') };
  assert.equal((await deployment.fetch('/v1/demo/items', init)).status, 200);
});

/** Each of what readers get. @param {string} [board] */
const shown = async (board = 'articles') => (await deployment.freshTop(`${board}/day`)).body.entries.map((/** @type {any} */ { id }) => id);
const audited = async () => (await deployment.fetch('/v1/demo/admin/audit', { headers })).body.entries;

test('the ranking has titles, and buttons beside its rows', async () => {
  const { page } = await openAdmin(browser, deployment);
  await rowOf(page, 'a').waitFor();
  assert.deepEqual(await idsOf(page), ['a', 'b', '/c']);
  assert.match(await rowOf(page, 'a').innerText(), /^1\s+The first\s+a\s+3\s/);
  assert.match(await rowOf(page, 'b').innerText(), /^2\s+<b>bold<\/b>\s+b\s+1\s/, 'a title is text');

  await page.getByRole('button', { name: 'Hide b', exact: true }).click();
  await untilMessage(page, 'b is hidden on articles.');
  const texts = await rowOf(page, 'b').allInnerTexts();
  assert.ok(
    texts.every((text) => text.endsWith('hidden')),
    `also while caches show it: ${texts}`,
  );
  assert.deepEqual(await shown(), ['a', '/c']);
  await page.getByRole('button', { name: 'Show again b', exact: true }).click();
  await untilMessage(page, 'b is hidden no more');
  assert.deepEqual(await shown(), ['a', 'b', '/c']);

  await page.getByRole('button', { name: 'Pin /c', exact: true }).click();
  await untilMessage(page, '/c is pinned on articles.');
  assert.deepEqual(await shown(), ['/c', 'a', 'b']);
  await rowOf(page, '/c').getByRole('button', { name: 'Unpin /c', exact: true }).click();
  await untilMessage(page, '/c is pinned no more');
  await page.close();
});

test('it asks before a member is removed for good, with what that takes', async () => {
  const { page } = await openAdmin(browser, deployment);
  await page.getByRole('button', { name: 'Remove… a', exact: true }).click();
  await decline(page, 'Remove for good');
  await untilMessage(page, 'Nothing was done.');
  await page.getByRole('button', { name: 'Remove… a', exact: true }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await untilMessage(page, 'Nothing was done.');
  assert.deepEqual([await shown(), await audited()], [['a', 'b', '/c'], []]);

  await page.getByLabel('Your name, for the audit log').fill('ada');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('button', { name: 'Remove… a', exact: true }).click();
  assert.match(await agree(page, 'Remove for good'), /“a” loses its 2 entries on all periods of articles/);
  await untilMessage(page, 'a was removed from articles.');
  assert.deepEqual(await shown(), ['b', '/c']);
  const [{ did, by }] = await audited();
  assert.deepEqual([did, by], ['remove', 'ada']);
  await page.getByRole('button', { name: 'Let in again a', exact: true }).click();
  await untilMessage(page, 'a is let in again');
  await page.close();
});

test('an id that is nobody is refused, whatever is to be done', async () => {
  const { page } = await openAdmin(browser, deployment);
  await rowOf(page, 'a').waitFor();
  const id = page.locator('#change').getByLabel('Id');
  await id.fill('/nobody');
  // No message follows an equal one, so each is waited for.
  for (const [name, message] of [
    ['Hide', '“/nobody” is nobody: it is on no period of articles. Nothing was done.'],
    ['Show again', '“/nobody” is not hidden on articles. Nothing was done.'],
    ['Pin', '“/nobody” is nobody: it is on no period of articles. Nothing was done.'],
    ['Unpin', '“/nobody” is not pinned on articles. Nothing was done.'],
    ['Remove for good…', '“/nobody” is nobody: it is on no period of articles. Nothing was done.'],
    ['Let in again', '“/nobody” is not kept off articles. Nothing was done.'],
    ['Delete the item…', '“/nobody” is nobody: it is on no board of items, and has no details. Nothing was done.'],
  ]) {
    await page.locator('#change').getByRole('button', { name, exact: true }).click();
    await untilMessage(page, message);
    assert.equal(await page.getByRole('dialog').isVisible(), false, name);
  }
  await page.getByText('Make an item another one').click();
  await page.getByLabel('Item', { exact: true }).fill('/nobody');
  await page.getByLabel('The item that it becomes').fill('a');
  await page.getByRole('button', { name: 'Make it the other one…' }).click();
  await untilMessage(page, '“/nobody” is nobody: it is on no board of items');
  await page.getByText('Erase an actor').click();
  await page.getByLabel('Actor', { exact: true }).fill('/nobody');
  await page.getByLabel(/^WRITE_TOKEN/).fill(WRITE_TOKEN);
  await page.getByRole('button', { name: /^Erase everything/ }).click();
  await untilMessage(page, '“/nobody” is nobody: no board, no details and no activity name such an actor');
  await page.getByText('Take back what somebody did').click();
  const revoke = page.locator('#revoke');
  await revoke.getByLabel('Id').fill('/nobody');
  const day = new Date(deployment.clock.now()).toISOString().slice(0, 10);
  await revoke.getByLabel('From (UTC)').fill(`${day}T00:00`);
  await revoke.getByLabel('Until (UTC)').fill(`${day}T23:59`);
  await revoke.getByRole('button', { name: 'Take it back…' }).click();
  await untilMessage(page, '“/nobody” is nobody: nothing of this actor is noted in that time');
  const lists = await Promise.all(
    ['hidden', 'pinned', 'removed'].map(
      async (list) => (await deployment.fetch(`/v1/demo/admin/boards/articles/${list}`, { headers })).body,
    ),
  );
  assert.deepEqual([lists[0].ids, lists[1].ids, lists[2].removed, await audited()], [[], [], [], []]);

  // One that was somebody yesterday is.
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(86_400_000);
  await id.fill('b');
  await page.locator('#change').getByRole('button', { name: 'Hide', exact: true }).click();
  await untilMessage(page, 'b is hidden on articles.');
  await page.close();
});

test('erasing and deleting take the name, typed', async () => {
  const { page } = await openAdmin(browser, deployment);
  await page.getByRole('button', { name: 'Delete item… b', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the item' });
  const go = dialog.getByRole('button', { name: 'Delete the item' });
  const typed = dialog.getByLabel('Type b');
  assert.equal(await go.isDisabled(), true);
  await typed.fill('a');
  await typed.press('Enter');
  assert.deepEqual([await go.isDisabled(), await dialog.isVisible()], [true, true]);
  await typed.fill('b');
  await typed.press('Enter');
  await untilMessage(page, 'b was deleted.');
  assert.deepEqual(await shown(), ['a', '/c']);

  await page.locator('#pick').getByLabel('Board').selectOption('people');
  await rowOf(page, 'ann').getByRole('button', { name: 'Erase… ann' }).click();
  await untilMessage(page, 'Erasing ann takes the WRITE_TOKEN.');
  await page.keyboard.type(WRITE_TOKEN);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Erase the actor' }).waitFor();
  assert.deepEqual(await shown('people'), ['ann', 'bob']);
  assert.match(await agree(page, 'Erase the actor', 'ann'), /^Everything about the actor “ann” is erased/);
  await untilMessage(page, 'ann was erased.');
  assert.deepEqual(await shown('people'), ['bob']);
  await page.close();
});

test('an item becomes another one after it asked', async () => {
  const { page } = await openAdmin(browser, deployment);
  await rowOf(page, 'a').waitFor();
  await page.getByText('Make an item another one').click();
  await page.getByLabel('Item', { exact: true }).fill('b');
  await page.getByLabel('The item that it becomes').fill('/new');
  await page.getByRole('button', { name: 'Make it the other one…' }).click();
  assert.match(
    await agree(page, 'Make it the other one'),
    /^All that “b” has, 2 entries on boards, becomes that of “\/new”, which is nobody yet\./,
  );
  await untilMessage(page, 'b is /new now.');
  await until('it to be so', async () => (await shown()).includes('/new'));
  await page.close();
});
