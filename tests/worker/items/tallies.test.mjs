/**
 * Rankings with counts by action: what is shown, on which windows, and what it costs.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const ARTICLES = {
  weights: { view: 1, like: 2.5 },
  windows: ['day', 'last-7-days', 'all', { name: 'hot', kind: 'half-life', half_life: '6h' }],
  breakdown: true,
};
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    articles: ARTICLES,
    tied: { ...ARTICLES, weights: { view: 1, like: 2 }, windows: ['day'], ties: 'first', ranking: 'competition' },
    plain: { weights: { view: 1 }, windows: ['day'] },
  },
};

describe('counts by action', () => {
  /** @type {Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE } });
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(Date.parse('2026-11-20T12:00:00Z'));
    const view = (/** @type {string} */ item) => ({ action: 'view', item });
    const like = (/** @type {string} */ item, /** @type {string} */ actor) => ({ action: 'like', item, actor });
    const events = [
      view('a'),
      view('a'),
      view('a'),
      like('a', 'x'),
      like('a', 'y'),
      { ...like('a', 'x'), undo: true },
      view('b'),
      like('c', 'x'),
    ];
    assert.equal((await deployment.events({ events })).body.accepted, events.length);
  });
  after(() => deployment?.stop());

  /** @param {string} ranking @param {string} [query] */
  async function shown(ranking, query = '?actions=1') {
    const { status, body, text } = await deployment.freshTop(ranking, query);
    assert.equal(status, 200, text);
    return body.entries.map((/** @type {{ id: string, actions?: object }} */ { id, actions }) => [id, actions]);
  }
  const EACH = [
    ['a', { view: 3, like: 1 }],
    ['c', { like: 1 }],
    ['b', { view: 1 }],
  ];

  test('are told of calendar and decaying windows, without what was undone', async () => {
    for (const ranking of ['articles/day', 'articles/all', 'articles/hot', 'tied/day'])
      assert.deepEqual(await shown(ranking), EACH, ranking);
    assert.deepEqual(await shown('articles/day', '?actions=1&offset=1&limit=1'), EACH.slice(1, 2));
    assert.deepEqual(
      await shown('articles/day', '?actions=0'),
      EACH.map(([id]) => [id, undefined]),
    );
  });

  test('are refused where nobody keeps them', async () => {
    for (const [ranking, detail] of [
      ['articles/last-7-days', 'counts by action are kept for calendar and decaying windows, and last-7-days is neither'],
      ['plain/day', 'the board plain keeps no counts by action; breakdown = true makes it'],
    ]) {
      const { status, body } = await deployment.top(ranking, '?actions=1');
      assert.deepEqual([status, body.code, body.detail], [400, 'invalid-parameter', detail]);
    }
  });

  test('cost one command', async () => {
    const bare = await deployment.commandsDuring(() => shown('articles/day', '?limit=99'));
    const commands = await deployment.commandsDuring(() => shown('articles/day', '?actions=1&limit=98'));
    assert.deepEqual(commands, { ...bare, hmget: bare.hmget + 1 });
  });
});
