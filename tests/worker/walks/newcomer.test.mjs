/**
 * A newcomer's ten minutes: what README.md says to do after `npm start`, line by line, and what is said of the first mistakes.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { launchChromium, openPage } from '../../support/chromium.mjs';
import { curlLines, requestOf } from '../../support/curl.mjs';
import { startLocal } from '../../support/local.mjs';
import { startRedis } from '../../support/redis.mjs';
import { tomlBlocks, varsOf } from '../../support/toml.mjs';
import { startWorker } from '../../support/worker.mjs';

const WRITE_TOKEN = 'a-token-that-npm-start-made';
const [CLICK, RANKING] = curlLines('README.md', '## Try it');
const [FROM_SERVER] = curlLines('README.md', '## Count on your pages');
const [TOML] = tomlBlocks('README.md').filter((toml) => toml.includes('[vars.SITES.demo]'));

describe("a newcomer's ten minutes", { concurrency: 1 }, () => {
  /** @type {import('../../support/redis.mjs').Redis} */
  let redis;
  /** @type {import('../../support/worker.mjs').Worker} */
  let worker;
  const sites = varsOf(TOML).SITES;
  before(async () => {
    redis = await startRedis();
    worker = await startLocal({ sites, vars: { REDIS_URL: redis.url, WRITE_TOKEN } });
  });
  after(async () => {
    await worker?.stop();
    await redis?.stop();
  });

  /** What a document has one type. @param {string} line @param {Record<string, string>} [headers] */
  async function type(line, headers = {}) {
    const { path, init } = requestOf(line, { WRITE_TOKEN });
    const response = await worker.fetch(path, { ...init, headers: { ...init.headers, ...headers } });
    const text = await response.text();
    return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
  }

  test('a click counts, and its ranking shows it', async () => {
    assert.equal((await type(CLICK)).status, 204);
    const { status, body } = await type(RANKING);
    assert.deepEqual([status, body.entries[0].id, body.entries[0].score], [200, '/posts/1', 1]);
  });

  test('the same reader counts once an hour, as the board says', async () => {
    assert.equal((await type(CLICK)).status, 204);
    assert.equal((await type(RANKING)).body.entries[0].score, 1);
  });

  test('without -A the click is of a bot, and the ranking stays', async () => {
    assert.ok([204, 403].includes((await type(CLICK.replace('-A Mozilla/5.0 ', ''), { 'user-agent': 'curl/8.0' })).status));
    assert.equal((await type(RANKING)).body.entries[0].score, 1);
  });

  test('a server sends what browsers may not, and sent again it counts nothing', async () => {
    const first = await type(FROM_SERVER);
    assert.deepEqual([first.status, first.body.accepted], [200, 1], first.text);
    const again = await type(FROM_SERVER);
    assert.deepEqual([again.status, again.body.accepted, again.body.duplicate], [200, 0, 1], again.text);
  });

  test('a wrong token, action and window are told with what is right', async () => {
    const forbidden = await type(FROM_SERVER.replace('$WRITE_TOKEN', 'wrong'));
    assert.deepEqual([forbidden.status, forbidden.body.code], [401, 'unauthorized'], forbidden.text);
    const action = await type(FROM_SERVER.replace('"action": "comment"', '"action": "coment"').replace('order-4711', 'order-4712'));
    assert.equal(action.status, 400);
    assert.match(action.text, /coment.*comment/);
    const window = await type(`${RANKING.replace('/day', '/last-7-day')}`);
    assert.equal(window.status, 404);
    assert.match(window.text, /last-7-days/);
    const board = await type(RANKING.replace('/articles/day', '/article/day'));
    assert.equal(board.status, 404);
    assert.match(board.text, /articles/);
  });

  test('a page with the element of the README shows the ranking', async () => {
    const browser = await launchChromium();
    try {
      const page = await openPage(browser);
      await page.setContent(`<script type="module" src="${worker.url}/board.js"></script>
        <edge-board site="demo" board="articles" window="day"></edge-board>`);
      await page.locator('edge-board li').first().waitFor();
      assert.match(await page.locator('edge-board li').first().innerText(), /posts\/1/);
    } finally {
      await browser.close();
    }
  });

  test('a mistake in the configuration is named with its place, what is allowed and what was probably meant', async (t) => {
    for (const [right, wrong, message] of [
      ['Europe/London', 'Europe/Londn', /timezone.*Europe\/London/],
      ['"last-7-days"', '"last-7-day"', /windows\[1\].*last-7-days/],
      ['once    =', 'onse    =', /onse.*once/],
      ['comment = {}', '', /weights.*comment/],
    ]) {
      const vars = varsOf(TOML.replace(String(right), String(wrong)));
      const bad = await startWorker({ vars: { ...vars, REDIS_URL: redis.url, WRITE_TOKEN } });
      t.after(bad.stop);
      const answer = await bad.fetch('/v1/demo/boards/articles/day');
      assert.equal(answer.status, 500);
      assert.match(await answer.text(), /** @type {RegExp} */ (message));
    }
  });
});
