/**
 * A site that has sections and templates: an event counts on the board of its item's section and on the boards that it names.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { admin, count, MINUTE_MS, shown, SITE, start } from './site.mjs';

const stories = { weights: { view: 1 }, windows: ['all'], sections: 'category', fresh: '1s' };

test('an event counts on the section of its item and on the boards that it names, whatever is remembered', async (t) => {
  const deployment = await start(t, { site: { boards: { ...SITE.boards, stories } }, hasDatabase: true });
  const described = await deployment.fetch('/v1/demo/items', {
    method: 'PUT',
    headers: { authorization: 'Bearer a-token-for-owners' },
    body: JSON.stringify({ id: '/a', title: 'A', category: 'sports' }),
  });
  assert.equal(described.status, 200, described.text);
  const view = (/** @type {string} */ board) => ({ action: 'view', item: '/a', boards: [board] });
  assert.deepEqual(await count(deployment, view('made:1')), []);
  assert.deepEqual(await count(deployment, view('made:1'), { action: 'view', item: '/a' }), []);
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(2 * MINUTE_MS);
  assert.deepEqual(await count(deployment, view('made:2')), []);
  assert.deepEqual(shown(await deployment.freshTop('stories.sports/all')), ['/a 4']);
  assert.deepEqual(shown(await deployment.freshTop('made:1/all')), ['/a 2']);
  assert.deepEqual(shown(await deployment.freshTop('made:2/all')), ['/a 1']);
  const { body } = await deployment.fetch('/v1/demo/boards');
  const listed = body.boards.map((/** @type {{ board: string }} */ { board }) => board);
  assert.deepEqual(listed, ['articles', 'stories', 'stories.sports'], 'what one request names is not remembered for others');
  assert.equal((await admin(deployment, 'DELETE', 'boards/made:1')).status, 202);
  assert.deepEqual(await count(deployment, view('made:1')), ['0 unknown-board']);
});
