/** The admin page, end to end: what it shows is what Redis and the log hold, what it does is done, and its tokens stay where they are. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { launchChromium } from '../support/chromium.mjs';
import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { ADMIN_TOKEN, agree, openAdmin, untilMessage, unfold } from './support/admin.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['day', 'last-7-days'], max_members: 4 } },
};
const SITES = { demo: SITE, kept: { ...SITE, journal: '2d' }, busy: SITE };

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars: { ADMIN_TOKEN } });
  // So that an hour does not pass midnight.
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set('2026-11-20T12:00:00Z');
  await deployment.events({ events: ['a', 'a', 'b', '/c'].map((item) => ({ action: 'view', item })) });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
});

/** @param {string} token @param {string} [site] */
const open = (token, site = 'demo') => openAdmin(browser, deployment, { token, site });

test('it names boards whose node of a cluster is gone', async () => {
  const { page } = await open(ADMIN_TOKEN);
  await page.getByRole('row', { name: 'articles/day' }).waitFor();
  assert.equal(await page.locator('#unavailable').isVisible(), false);
  await page.route('**/admin/metrics', async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({
      response,
      body: text.replace('board_available{site="demo",board="articles"} 1', 'board_available{site="demo",board="articles"} 0'),
    });
  });
  await page.locator('#pick').getByRole('button', { name: 'Look again' }).click();
  await page.getByText('These boards do not answer, since their node of the cluster is gone: articles.').waitFor();
  await page.close();
});

test('it shows the boards, hides a member and shows it again', async () => {
  const { page, addresses } = await open(ADMIN_TOKEN);
  const row = page.getByRole('row', { name: 'articles/day' });
  await row.waitFor();
  assert.match(await row.innerText(), /^articles\/day\s+3\s+0\s+complete\s+–\s+(hit|miss|stale)( \w+)?\s+\d+\.\d s$/);
  assert.equal(await row.locator('meter').evaluate((meter) => /** @type {HTMLMeterElement} */ (meter).value), 3);

  const ids = async () => (await deployment.freshTop('articles/day')).body.entries.map((/** @type {any} */ { id }) => id);
  await page.locator('#change').getByLabel('Id').fill('/c');
  await page.locator('#change').getByRole('button', { name: 'Hide' }).click();
  await untilMessage(page, '/c is hidden on articles.');
  assert.deepEqual(await ids(), ['a', 'b']);
  assert.deepEqual(await page.locator('#lists section').allInnerTexts(), [
    'hidden on articles\n/c Show again',
    'pinned on articles\n\nnobody',
    'removed on articles\n\nnobody',
  ]);
  await page.locator('#change').getByRole('button', { name: 'Show again' }).click();
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

test('it removes a member for good, takes back what somebody did, and erases an actor', async () => {
  const events = ['/x', '/y'].flatMap((item) => ['ann', 'bob'].map((actor) => ({ action: 'view', item, actor })));
  assert.equal((await deployment.events({ events }, { site: 'kept' })).body.accepted, 4);
  const { page, addresses } = await open(ADMIN_TOKEN, 'kept');
  const scores = async () =>
    (await deployment.freshTop('articles/day', '', 'kept')).body.entries.map((/** @type {any} */ { id, score }) => `${id} ${score}`);
  await page.locator('#change').getByLabel('Id').fill('/y');
  await page.locator('#change').getByRole('button', { name: 'Remove for good…' }).click();
  await agree(page, 'Remove for good');
  await untilMessage(page, '/y was removed from articles.');
  assert.deepEqual(await scores(), ['/x 2']);
  await page.locator('#lists li').filter({ hasText: '/y' }).waitFor();

  const at = new Date(deployment.clock.now());
  const minute = (/** @type {number} */ from) => new Date(at.getTime() + from).toISOString().slice(0, 16);
  await unfold(page, 'Take back what somebody did');
  await page.locator('#revoke').getByLabel('Id').fill('bob');
  await page.getByLabel('From (UTC)').fill(minute(-3_600_000));
  await page.getByLabel('Until (UTC)').fill(minute(3_600_000));
  await page.getByRole('button', { name: 'Count it only' }).click();
  await untilMessage(page, /^\d+ events would be taken back\.$/);
  assert.deepEqual(await scores(), ['/x 2']);
  await page.getByRole('button', { name: 'Take it back…' }).click();
  await agree(page, 'Take it back');
  await untilMessage(page, /^Taken back: \d+ events\.$/);
  assert.deepEqual(await scores(), ['/x 1']);

  await unfold(page, 'Erase an actor');
  await page.getByLabel('Actor', { exact: true }).fill('ann');
  await page.getByLabel(/^WRITE_TOKEN/).fill(WRITE_TOKEN);
  await page.getByRole('button', { name: /^Erase everything/ }).click();
  await agree(page, 'Erase the actor', 'ann');
  await untilMessage(page, 'ann was erased.');
  const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
  assert.deepEqual((await deployment.fetch('/v1/kept/actors/ann/activity', { headers })).body.days, []);
  assert.ok(!addresses.some((address) => address.includes(WRITE_TOKEN) || address.includes(ADMIN_TOKEN)), 'no token in an address');
  assert.doesNotMatch(JSON.stringify(await page.evaluate(() => ({ ...sessionStorage }))), new RegExp(WRITE_TOKEN));
  const log = deployment.worker.log.map(({ message }) => message).join('\n');
  assert.ok(!log.includes(WRITE_TOKEN) && !log.includes(ADMIN_TOKEN), 'no token in the log');
});

/** Of the site, and of no site. @param {string} metrics */
const commandsOf = (metrics) =>
  Array.from(metrics.matchAll(/what="commands"} (\d+)/g), ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);

test('after an hour its figures are those of Redis and of the log', async () => {
  /** What was accepted and refused. */
  const sent = { accepted: 0, refused: 0, bots: 0 };
  // The pages of other tests ask for the figures of their sites.
  await Promise.all(browser.contexts().map((context) => context.close()));
  // Upkeep also sends commands that scripts use as well, which Redis's statistics do not tell apart: it runs before.
  await deployment.worker.scheduled();
  const metrics = await deployment.fetch('/v1/busy/admin/metrics', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  const before = commandsOf(metrics.text);
  let others = 0; // what memory answered of other sites
  for (const site of Object.keys(SITES).filter((site) => site !== 'busy')) {
    const { text } = await deployment.fetch(`/v1/${site}/admin/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    others += Number(/^edgeboard_isolate_reads_total\{[^}]*from="memory"[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0);
  }
  await deployment.redis.command('CONFIG', 'RESETSTAT');
  const { page } = await open(ADMIN_TOKEN, 'busy');
  await page.getByRole('row', { name: 'articles/day' }).waitFor();
  /** A figure of a table of the page. @param {string} table @param {string} name */
  const figure = async (table, name) => {
    const cell = page
      .getByRole('table', { name: table, exact: true })
      .getByRole('row', { name: new RegExp(`^${name} `) })
      .getByRole('cell');
    return (await cell.count()) === 0 ? 0 : Number((await cell.innerText()).replaceAll(',', ''));
  };
  for (let minute = 0; minute < 60; minute += 5) {
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(5 * 60_000);
    for (let i = 0; i < 7; i += 1) {
      const { status } = await deployment.beacon({ action: 'view', item: `/${i}` }, { site: 'busy' });
      assert.equal(status, 204);
      // The board holds four members.
      sent[i < 4 ? 'accepted' : 'refused'] += 1;
    }
    await deployment.beacon({ action: 'view', item: '/0' }, { site: 'busy', headers: { 'user-agent': 'Googlebot/2.1' } });
    sent.bots += 1;
    await deployment.top('articles/day', '', 'busy');
    await deployment.top('articles/day', '', 'busy');
  }
  await until('the last click to be shown', async () => (await figure('clicks that do not count', 'declared')) === sent.bots, {
    timeoutMs: 20_000,
  });
  assert.equal(await figure('events by outcome', 'accepted'), sent.accepted);
  assert.equal(await figure('events by outcome', 'board-full'), sent.refused);

  const row = page.getByRole('row', { name: 'articles/day' });
  const held = (await deployment.freshTop('articles/day', '', 'busy')).body;
  assert.match(await row.innerText(), new RegExp(`^articles/day\\s+${held.total}\\s+${held.refused}\\s`));
  assert.deepEqual([held.total, held.refused], [4, sent.refused]);

  const last = (/** @type {string} */ code) =>
    JSON.parse(deployment.worker.log.findLast(({ message }) => message.includes(`"code":"${code}"`))?.message ?? '{}');
  assert.equal(last('not-counted').declared, sent.bots, 'the log has it each five minutes');
  // The last line is written by the first of the two last reads, so it has eleven of those that memory answered; more are the page's. The
  // line is of all sites, of which other tests read some.
  const { memory } = last('reads');
  const ofPage = await figure('reads by where they were answered from', 'memory');
  assert.ok(memory >= 11 && memory <= ofPage + others, JSON.stringify([last('reads'), ofPage, others]));

  // What the page asks for itself is counted as well.
  const commands = async () => {
    const info = await deployment.redis.command('INFO', 'commandstats');
    const found = info.matchAll(/^cmdstat_(?:fcall|fcall_ro|evalsha|eval):calls=(\d+)/gm);
    return Array.from(found, ([, calls]) => Number(calls)).reduce((sum, calls) => sum + calls, 0);
  };
  // A look asks for several things, one after the other: its figure lacks what was asked for after it.
  const LOOK = 8;
  await until(
    'the page to tell as many commands as Redis saw',
    async () => {
      const behind = (await commands()) - ((await figure('Redis', 'commands')) - before);
      return behind >= 0 && behind <= LOOK;
    },
    { timeoutMs: 20_000 },
  );
  for (const plot of ['events', 'commands']) {
    await until(
      `a line of ${plot}`,
      async () => ((await page.locator(`#${plot} polyline`).getAttribute('points')) ?? '').split(' ').length >= 2,
      { timeoutMs: 30_000 },
    );
    assert.match(await page.locator(`#${plot}-caption`).innerText(), /a second: \d+\.\d, at most \d+\.\d$/);
  }
  // Nobody looks any more, so both are the same.
  await page.close();
  await until('both to be the same', async () => {
    const { text } = await deployment.fetch('/v1/busy/admin/metrics', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    return commandsOf(text) - before === (await commands());
  });
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
