/**
 * A reset of a board with an archive: what is over is archived first, and stays readable.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, COPIED, NOW, shown, start } from './site.mjs';

const board = { windows: ['day', 'last-2-days'] };

/** @param {Awaited<ReturnType<typeof start>>} to */
const reset = (to) =>
  to.deployment.fetch('/v1/demo/admin/boards/articles/reset?window=last-2-days', {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });

for (const kept of /** @type {const} */ (['bucket', 'redis']))
  test(`days that a rolling window takes with it are in the archive in a ${kept}`, async () => {
    const to = await start({ kept, board });
    try {
      to.setClocks(NOW);
      await to.send([{ action: 'view', item: 'a' }]);
      to.setClocks(COPIED);
      await to.send([{ action: 'view', item: 'b' }]);
      const { status, body, text } = await reset(to);
      assert.deepEqual([status, body.entries], [200, 2], text);
      assert.deepEqual(await to.stored(), [0, 0], 'Redis has it no more');
      assert.deepEqual(shown((await to.day()).body), [['a', 1]]);
      for (const window of board.windows) assert.deepEqual(shown((await to.deployment.freshTop(`articles/${window}`)).body), [], window);
    } finally {
      await to.stop();
    }
  });

test('where there is no archive nothing is reset', async () => {
  const to = await start({ kept: 'nowhere', board });
  try {
    to.setClocks(NOW);
    await to.send([{ action: 'view', item: 'a' }]);
    const { status, body } = await reset(to);
    assert.deepEqual([status, body.code], [503, 'database-unavailable']);
    assert.deepEqual(shown((await to.deployment.freshTop('articles/day')).body), [['a', 1]]);
  } finally {
    await to.stop();
  }
});
