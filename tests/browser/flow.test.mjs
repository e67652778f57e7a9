/**
 * An article's life, in the Workers runtime with a real Redis, database, bucket and queue: it is published, clicked, liked, shown on every
 * kind of board, renamed, and taken down; and what was frozen of the month before is read.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { entriesOf, startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { assertSigned, startWebhook } from '../support/webhook.mjs';
import { listen } from './support/listen.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

const ADMIN_TOKEN = 'a-token-for-editors';
const FORWARD_SECRET = 'sixteen-letters-and-more';
const MINUTE_MS = 60_000;
/** Half an hour before a month's end. */
const OCTOBER = Date.parse('2026-10-31T23:30:00Z');
const NOVEMBER = OCTOBER + 70 * MINUTE_MS;
const ITEM = '/posts/1';
const RENAMED = '/posts/the-winter-ahead';
const TITLE = 'The winter ahead';
const WINDOWS = ['day', 'month', 'last-7-days', 'all'];
const BOARDS = {
  // Of several actions, and a board for each section.
  stories: { weights: { view: 1, like: 2, comment: 3 }, windows: WINDOWS, sections: 'category', details: true, history: 3, archive: true },
  liked: { weights: { like: 1 }, windows: WINDOWS, details: true },
  people: { members: 'actors', weights: { like: 1, comment: 1 }, windows: WINDOWS },
};
/** What October has. @type {[id: string, score: number][]} */
const OLD = [
  ['/posts/old', 6],
  ['/posts/older', 3],
];
const ALL = WINDOWS.flatMap((window) => ['stories', 'stories.science', 'liked'].map((board) => `${board}/${window}`));

describe('the life of an article', () => {
  /** @type {Deployment} */
  let deployment;
  /** @type {import('playwright-core').Browser} */
  let browser;
  /** @type {Awaited<ReturnType<typeof startWebhook>>} */
  let webhook;
  /** @type {Awaited<ReturnType<typeof listen>>} */
  let site;

  before(async () => {
    webhook = await startWebhook();
    site = await listen((_, response) => response.setHeader('content-type', 'text/html').end(page()));
    const demo = {
      origins: [site.url],
      ingest: 'queue',
      actions: { view: { public: true }, like: { reversible: true }, comment: {} },
      boards: BOARDS,
      forward: { webhook: webhook.url, actions: [], periods: true },
    };
    const vars = { ADMIN_TOKEN, FORWARD_SECRET };
    deployment = await startDeployment({
      transport: 'redis://',
      sites: { demo },
      vars,
      hasDatabase: true,
      hasBucket: true,
      hasQueue: true,
    });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await deployment?.stop();
    await site?.close();
    webhook?.stop();
  });

  const page = () =>
    `<!doctype html><script type="module" src="${deployment.worker.url}/beacon.js" data-edgeboard-site="demo"></script>
    <a href="#read" data-edgeboard-item="${ITEM}">${TITLE}</a>`;
  /** Sets both clocks. @param {number} ms */
  function setClocks(ms) {
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(ms);
  }
  /** @param {string} method @param {string} path @param {unknown} [body] */
  const edit = (method, path, body) =>
    deployment.fetch(`/v1/demo/${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  /** Sends events as the site's server does; the queue keeps them. @param {...object} events */
  async function send(...events) {
    const { status, text } = await deployment.events({ events });
    assert.equal(status, 202, text);
  }
  /**
   * Until an item has these points for good. While messages wait, the worker's clock must stand: they count as long ago as it says.
   *
   * @param {string} item
   * @param {number} score
   */
  const counts = (item, score) =>
    until(`${item} has ${score}`, async () => {
      assert.equal(Number(await deployment.redis.command('ZSCORE', 'eb:{demo:stories}:all:0', item)), score);
      return true;
    });
  /** @param {string} ranking @param {[id: string, score: number][]} expected */
  const shows = async (ranking, expected) => assert.deepEqual(entriesOf(await deployment.freshTop(ranking)), expected, ranking);
  /** What October left on windows that reach back. @param {string} ranking */
  const others = (ranking) => (/^stories\/(all|last)/.test(ranking) ? OLD : []);
  const upkeep = async () => {
    const { status, body, text } = await edit('POST', 'admin/upkeep');
    assert.equal(status, 200, text);
    return body;
  };

  test('an old month ends: its winners are frozen, told and archived', async () => {
    setClocks(OCTOBER);
    const comments = (/** @type {string} */ item, /** @type {string[]} */ actors) =>
      actors.map((actor) => ({ action: 'comment', item, actor }));
    await send(...comments('/posts/old', ['ann', 'ben']), ...comments('/posts/older', ['ann']));
    for (const [item, score] of OLD) await counts(item, score);
    await shows('stories/month', OLD);
    setClocks(NOVEMBER);
    const ofMonth = () => webhook.heard.find(({ message: { period } }) => period.board === 'stories' && period.window === 'month');
    await until('the month is frozen', async () => (await upkeep()) && ofMonth(), { timeoutMs: 20_000 });
    const heard = ofMonth();
    assertSigned(heard, FORWARD_SECRET);
    const { period } = heard?.message ?? {};
    assert.deepEqual([period.id, period.total], ['2026-10', 2]);
    assert.deepEqual(entriesOf({ body: period }), OLD);
    const bucket = /** @type {any} */ (await deployment.worker.miniflare.getR2Bucket('ARCHIVE'));
    await until('the month is archived', async () => {
      await upkeep();
      const { objects } = await bucket.list();
      return objects.some((/** @type {{ key: string }} */ { key }) => /stories.*month/.test(key));
    });
  });

  test('an article is published, clicked, commented and liked', async () => {
    const described = await edit('PUT', `items/${encodeURIComponent(ITEM)}`, { title: TITLE, url: ITEM, category: 'science' });
    assert.equal(described.status, 201, described.text);
    const open = await openPage(browser);
    await open.goto(site.url);
    await open.click('a');
    await counts(ITEM, 1);
    await shows('stories/day', [[ITEM, 1]]);
    await send(
      { action: 'comment', item: ITEM, actor: 'ann' },
      { action: 'like', item: ITEM, actor: 'ann', seq: 1 },
      { action: 'like', item: ITEM, actor: 'ben', seq: 1 },
    );
    await counts(ITEM, 8);
    for (const ranking of ALL) {
      await shows(ranking, [[ITEM, ranking.startsWith('liked') ? 2 : 8], ...others(ranking)]);
      const [entry] = (await deployment.freshTop(ranking)).body.entries;
      assert.equal(entry.details.title, TITLE, ranking);
    }
    await shows('people/day', [
      ['ann', 2],
      ['ben', 1],
    ]);
  });

  test('who takes a like back takes its points from every board', async () => {
    await send({ action: 'like', item: ITEM, actor: 'ben', undo: true, seq: 2 });
    await counts(ITEM, 6);
    for (const ranking of ALL) await shows(ranking, ordered([[ITEM, ranking.startsWith('liked') ? 1 : 6], ...others(ranking)]));
    await shows('people/day', [['ann', 2]]);
  });

  test('renamed, it has all that it had, and either address counts for the new one', async () => {
    const renamed = await edit('POST', `items/${encodeURIComponent(ITEM)}/alias`, { to: RENAMED });
    assert.deepEqual([renamed.status, renamed.body.done], [200, true], renamed.text);
    await counts(RENAMED, 6);
    const open = await openPage(browser);
    await open.goto(site.url);
    await open.click('a');
    await counts(RENAMED, 7);
    // Ann likes it since it was called otherwise.
    await send({ action: 'like', item: RENAMED, actor: 'ann', seq: 2 }, { action: 'like', item: ITEM, actor: 'ben', seq: 3 });
    await counts(RENAMED, 9);
    await send({ action: 'like', item: RENAMED, actor: 'ann', undo: true, seq: 3 });
    await counts(RENAMED, 7);
    for (const ranking of ALL) {
      await shows(ranking, ordered([[RENAMED, ranking.startsWith('liked') ? 1 : 7], ...others(ranking)]));
      const { entries } = (await deployment.freshTop(ranking)).body;
      assert.equal(entries.find((/** @type {{ id: string }} */ { id }) => id === RENAMED).details.title, TITLE, ranking);
    }
    await shows('people/day', [
      ['ben', 1],
      ['ann', 1],
    ]);
    const moved = await deployment.fetch(`/v1/demo/items/${encodeURIComponent(ITEM)}`);
    assert.deepEqual([moved.status, decodeURIComponent(moved.headers.get('location') ?? '')], [308, `/v1/demo/items/${RENAMED}`]);
  });

  test('taken down, it is gone everywhere, and clicks do not bring it back', async () => {
    assert.equal((await edit('DELETE', `items/${encodeURIComponent(RENAMED)}`)).status, 204);
    const open = await openPage(browser);
    await open.goto(site.url);
    await open.click('a');
    await send({ action: 'comment', item: '/posts/2', actor: 'cas' });
    await counts('/posts/2', 3);
    await shows('stories/day', [['/posts/2', 3]]);
    for (const ranking of ALL) {
      const shown = entriesOf(await deployment.freshTop(ranking)).map(([id]) => id);
      for (const id of [ITEM, RENAMED]) assert.ok(!shown.includes(id), ranking);
    }
    for (const id of [ITEM, RENAMED]) {
      assert.equal((await deployment.fetch(`/v1/demo/boards/stories/all/members/${encodeURIComponent(id)}`)).status, 404, id);
    }
    assert.equal((await deployment.fetch(`/v1/demo/items/${encodeURIComponent(RENAMED)}`)).body.code, 'not-described');
  });

  test('the frozen board of the month before is as it was', async () => {
    const { body } = await deployment.freshTop('stories/month', '?period=2026-10');
    assert.deepEqual(entriesOf({ body }), OLD);
    const { body: list } = await deployment.fetch('/v1/demo/boards/stories/month/periods');
    assert.deepEqual(
      list.periods.map((/** @type {any} */ { id, total }) => [id, total]),
      [['2026-10', 2]],
    );
    await deployment.redis.command('FLUSHALL');
    const restored = await deployment.freshTop('stories/month', '?period=2026-10');
    assert.deepEqual(entriesOf(restored), entriesOf({ body }), 'also where Redis has lost it');
  });
});

/** Best first, and the greater id first among equals. @param {[id: string, score: number][]} entries */
function ordered(entries) {
  return entries.toSorted(([a, one], [b, other]) => other - one || (a < b ? 1 : -1));
}
