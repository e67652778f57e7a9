/**
 * Rolling windows are made anew on demand: whatever their keys hold, they equal the sum of their base periods again.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { until } from '../../support/until.mjs';
import { createRandom, DAY_MS } from '../../support/windows.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const ADMIN_TOKEN = 'a-token-for-owners';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const NOW = Date.parse('2026-11-20T12:00:00Z');
const WINDOWS = ['day', 'last-3-days', 'last-7-days', 'all'];
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, finish: {} },
  boards: {
    articles: { weights: { view: 1 }, windows: WINDOWS, limit: 1000 },
    dense: { weights: { view: 1 }, windows: WINDOWS, limit: 1000, ranking: 'dense' },
    bare: { weights: { view: 1 }, windows: ['day'] },
    best: { members: 'actors', score: 'max', actions: ['finish'], windows: ['day', 'last-7-days'], max_members: 1000 },
  },
};

describe('rolling windows', () => {
  /** @type {Deployment} */
  let deployment;
  const random = createRandom(27);
  /** The views of each day. @type {Record<string, number>[]} */
  const days = [];
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', relayed: true, sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
    for (let day = -8; day <= 0; day += 1) {
      deployment.clock.set(NOW + day * DAY_MS);
      deployment.edgeClock.set(NOW + day * DAY_MS);
      days.push({});
      await view(60);
      await deployment.worker.scheduled();
    }
  });
  after(() => deployment?.stop());

  /** @param {number} events */
  async function view(events) {
    const items = Array.from({ length: events }, () => `/posts/${Math.floor(random() * 40)}`);
    const { body, text } = await deployment.events({ events: items.map((item) => ({ action: 'view', item })) });
    assert.equal(body.accepted, events, text);
    const today = days.at(-1) ?? {};
    for (const item of items) today[item] = (today[item] ?? 0) + 1;
  }
  /** @param {number} length */
  function expected(length) {
    /** @type {Record<string, number>} */
    const sums = {};
    for (const day of days.slice(-length)) for (const [item, count] of Object.entries(day)) sums[item] = (sums[item] ?? 0) + count;
    return sums;
  }
  /** @param {string} ranking */
  async function shown(ranking) {
    const { body } = await deployment.freshTop(ranking, '?limit=1000');
    return {
      complete: body.complete,
      scores: Object.fromEntries(body.entries.map((/** @type {any} */ { id, score }) => [id, score])),
    };
  }
  /** Spoils the boards of a rolling window, of now and of tomorrow. @param {string} board @param {string} window */
  async function spoil(board, window) {
    // Which prepares tomorrow's.
    await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
    const today = Math.floor(NOW / DAY_MS);
    for (const day of [today, today + 1]) {
      const key = `eb:{demo:${board}}:window:${window}:${day}`;
      const members = await deployment.redis.command('ZRANGE', key, '2', '20');
      assert.ok(members.length > 5, key);
      await deployment.redis.command('ZADD', key, '999', 'nobody', '7777', members[3]);
      await deployment.redis.command('ZREM', key, ...members.slice(5));
    }
  }
  /** @param {string} board @param {string} [query] */
  const rebuild = (board, query = '') => deployment.fetch(`/v1/demo/admin/boards/${board}/rebuild${query}`, { method: 'POST', headers });
  const progress = async () => {
    const { body } = await deployment.fetch('/v1/demo/admin/upkeep', { headers });
    return /** @type {any[]} */ (body.windows);
  };

  for (const board of ['articles', 'dense']) {
    test(`of ${board}: one, and all of them`, async () => {
      await spoil(board, 'last-7-days');
      await spoil(board, 'last-3-days');
      assert.notDeepEqual((await shown(`${board}/last-7-days`)).scores, expected(7), 'spoiled');
      const { status, body, text } = await rebuild(board, '?window=last-7-days&by=ann');
      assert.equal(status, 200, text);
      assert.deepEqual([body.site, body.board, body.done], ['demo', board, true]);
      assert.deepEqual(
        body.windows.map((/** @type {any} */ { window, complete }) => [window, complete]),
        [['last-7-days', true]],
      );
      assert.deepEqual(await shown(`${board}/last-7-days`), { complete: true, scores: expected(7) });
      assert.notDeepEqual((await shown(`${board}/last-3-days`)).scores, expected(3), 'the other one was left alone');

      const all = await rebuild(board);
      assert.deepEqual([all.status, all.body.done, all.body.windows.length], [200, true, 2]);
      assert.deepEqual(await shown(`${board}/last-3-days`), { complete: true, scores: expected(3) });
      assert.deepEqual(await shown(`${board}/day`), { complete: true, scores: expected(1) });
    });
  }

  test('while clicks are counted, and replies are lost', async () => {
    await spoil('articles', 'last-7-days');
    let trips = 0;
    deployment.link.loseRepliesWhen(() => (trips += 1) % 9 === 4);
    const views = Array.from({ length: 4 }, () => view(20).catch(() => undefined));
    const [answer] = await Promise.all([rebuild('articles'), ...views]);
    deployment.link.loseRepliesWhen(() => false);
    assert.ok([200, 202, 503, 504].includes(answer.status), answer.text);
    assert.ok([200, 202].includes((await rebuild('articles')).status));
    const isComplete = async () => (await progress()).filter(({ board }) => board === 'articles').every(({ complete }) => complete);
    await until('both are complete', isComplete);
    // What Redis has of today is what the windows are made of: of a click whose reply was lost the sender does not know.
    days[days.length - 1] = (await shown('articles/day')).scores;
    assert.deepEqual(await shown('articles/last-7-days'), { complete: true, scores: expected(7) });
    assert.deepEqual(await shown('articles/last-3-days'), { complete: true, scores: expected(3) });
  });

  test('of tomorrow are right as well', async () => {
    await spoil('articles', 'last-7-days');
    assert.equal((await rebuild('articles')).status, 200);
    await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(DAY_MS);
    days.push({});
    assert.deepEqual(await shown('articles/last-7-days'), { complete: true, scores: expected(7) });
  });

  test('are noted, and what is none is refused', async () => {
    const { body } = await deployment.fetch('/v1/demo/admin/audit?limit=100', { headers });
    const noted = body.entries.filter((/** @type {any} */ { did }) => did === 'rebuild');
    assert.ok(noted.some((/** @type {any} */ { by, board, window }) => by === 'ann' && board === 'articles' && window === 'last-7-days'));
    assert.ok(noted.some((/** @type {any} */ { board, window }) => board === 'articles' && window === null));
    for (const [board, query, status, code] of [
      ['articles', '?window=day', 404, 'unknown-window'],
      ['articles', '?window=nothing', 404, 'unknown-window'],
      ['bare', '', 404, 'unknown-window'],
      ['best', '?window=last-7-days', 404, 'unknown-window'],
      ['nothing', '', 404, 'unknown-board'],
      ['articles', '?windows=last-7-days', 400, 'unknown-parameter'],
    ]) {
      const answer = await rebuild(String(board), String(query));
      assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
    }
    const path = '/v1/demo/admin/boards/articles/rebuild';
    assert.equal((await deployment.fetch(path, { method: 'POST' })).status, 401);
    assert.equal((await deployment.fetch(path, { headers })).status, 405);
  });
});
