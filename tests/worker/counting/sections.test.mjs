/**
 * Boards of a section: they count events about the items that are like their patterns, and no others.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';

const BOARD = { weights: { view: 1, like: 2 }, windows: ['day', 'last-7-days'] };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    articles: BOARD,
    sports: { ...BOARD, items: '/sports/*' },
    reports: { ...BOARD, items: ['*-report', '/reports/*/final'] },
    fans: { ...BOARD, members: 'actors', items: '/sports/*' },
  },
};

/** @type {import('../../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE } });
});
after(() => deployment?.stop());

/** @param {string} ranking */
const shown = async (ranking) => entriesOf(await deployment.freshTop(ranking));

test('a board counts the items that are like one of its patterns', async () => {
  const seen = ['/sports/1', '/sports/1', '/sports/match-report', '/news/1', '/reports/2026/final', '/reports/final', '/sports'];
  assert.equal((await deployment.beacon({ events: seen.map((item) => ({ action: 'view', item })) })).status, 204);
  const like = { action: 'like', item: '/sports/2', actor: 'ann' };
  const likes = [like, { ...like, item: '/sports/3' }, { ...like, undo: true }, { ...like, item: '/news/1' }];
  const { body } = await deployment.events({ events: likes });
  assert.deepEqual(body, { accepted: 4, duplicate: 0, rejected: [] });

  const sports = [
    ['/sports/3', 2],
    ['/sports/1', 2],
    ['/sports/match-report', 1],
  ];
  assert.deepEqual(await shown('sports/day'), sports);
  assert.deepEqual(await shown('sports/last-7-days'), sports);
  const reports = [
    ['/sports/match-report', 1],
    ['/reports/2026/final', 1],
  ];
  assert.deepEqual(await shown('reports/day'), reports);
  assert.deepEqual(await shown('fans/day'), [['ann', 2]]);
  assert.equal((await shown('articles/day')).length, 7);
});
