/**
 * The members that are shown without `min_score`: of sums those above 0, of values all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';

const VALUES = { members: 'actors', score: 'max', actions: ['finish'], windows: ['day'], max_members: 1000 };
const SUMS = { weights: { up: 2.5, down: -1.25 }, windows: ['day', 'last-7-days'] };
const SITE = {
  actions: { up: {}, down: {}, finish: {} },
  boards: { sums: SUMS, 'sums-from-0': { ...SUMS, min_score: 0 }, values: VALUES, 'values-from': { ...VALUES, min_score: -1.5 } },
};

test('without min_score a board shows who has something', async (t) => {
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE } });
  t.after(() => deployment.stop());
  const send = async (/** @type {object[]} */ events) => assert.deepEqual((await deployment.events({ events })).body.rejected, []);
  const count = (/** @type {string} */ item, /** @type {number} */ up, /** @type {number} */ down) => [
    ...(up ? [{ action: 'up', item, count: up }] : []),
    ...(down ? [{ action: 'down', item, count: down }] : []),
  ];
  await send([...count('above', 3, 1), ...count('none', 1, 2), ...count('below', 0, 3)]);
  await send([1.5, 0, -1.5, -7].map((value) => ({ action: 'finish', actor: `v${value}`, value })));

  for (const ranking of ['sums/day', 'sums/last-7-days', 'sums-from-0/day']) {
    assert.deepEqual(entriesOf(await deployment.freshTop(ranking)), [['above', 6.25]], ranking);
  }
  const all = [
    ['v1.5', 1.5],
    ['v0', 0],
    ['v-1.5', -1.5],
    ['v-7', -7],
  ];
  assert.deepEqual(entriesOf(await deployment.freshTop('values/day')), all);
  assert.deepEqual(entriesOf(await deployment.freshTop('values-from/day')), all.slice(0, 3));
  const hidden = await deployment.fetch('/v1/demo/boards/sums/day/members/below');
  assert.deepEqual([hidden.status, hidden.body.code], [404, 'not-on-board']);

  // It was kept all the while.
  await send(count('below', 2, 0));
  assert.deepEqual(entriesOf(await deployment.freshTop('sums/day')), [
    ['above', 6.25],
    ['below', 1.25],
  ]);
});
