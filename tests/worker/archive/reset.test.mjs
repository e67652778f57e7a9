/**
 * A reset of a board with an archive: what is over is archived first, and stays readable. What it takes of current periods is archived apart.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, COPIED, NOW, shown, start } from './site.mjs';

const board = { windows: ['day', 'last-2-days'] };

const RESETS = 'eb/demo/articles/manifests/resets/';

/** @typedef {Awaited<ReturnType<typeof start>>} To */

/** @param {To} to */
const reset = (to, query = '?window=last-2-days') =>
  to.deployment.fetch(`/v1/demo/admin/boards/articles/reset${query}`, {
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

/** What resets took, by the names of the manifests behind `resets/`. @param {To} to */
async function taken({ objects }) {
  /** @type {Record<string, [string, number][]>} */
  const found = {};
  for (const name of (await objects.names()).filter((name) => name.startsWith(RESETS))) {
    const manifest = JSON.parse(await objects.read(name));
    const folder = name.replace('/manifests/', '/members/').replace(/\.json$/, '/');
    const parts = await Promise.all(manifest.parts.map((/** @type {any} */ { object }) => objects.read(folder + object)));
    const members = parts.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
    found[name.slice(RESETS.length)] = members.map(({ id, score }) => [id, score]);
  }
  return found;
}

const view = (/** @type {string} */ item) => ({ action: 'view', item });

for (const kept of /** @type {const} */ (['bucket', 'redis']))
  test(`what is taken of current periods is in the archive by itself, in a ${kept}`, async () => {
    const to = await start({ kept, board: { windows: ['day', 'all', 'last-2-days'] } });
    try {
      to.setClocks(NOW);
      await to.send([view('a'), view('b'), view('b')]);
      const { status, body, text } = await reset(to, '');
      assert.equal(status, 200, text);
      const at = Date.parse(body.reset_at);
      const both = [
        ['b', 2],
        ['a', 1],
      ];
      assert.deepEqual(await taken(to), { [`all/all/${at}.json`]: both, [`day/2026-11-20/${at}.json`]: both });
      assert.deepEqual(await to.deployment.redis.command('KEYS', '*:reset:*'), [], 'Redis has it no more');

      await to.send([view('c')]);
      to.setClocks(COPIED);
      assert.equal(await to.archive(), 1);
      const own = 'eb/demo/articles/manifests/day/2026-11-20.json';
      assert.equal(JSON.parse(await to.objects.read(own)).total, 1, 'the period has what came after the reset');
      assert.deepEqual((await taken(to))[`day/2026-11-20/${at}.json`], both);

      assert.equal((await to.remove('a')).status, 200);
      assert.deepEqual(await taken(to), { [`all/all/${at}.json`]: [['b', 2]], [`day/2026-11-20/${at}.json`]: [['b', 2]] });
    } finally {
      await to.stop();
    }
  });

test('upkeep archives what a reset left that was killed', async () => {
  const to = await start({ board });
  const key = 'eb:{demo:articles}';
  try {
    to.setClocks(NOW);
    await to.send([view('c')]);
    await to.deployment.redis.command('ZADD', `${key}:day:20777:reset:1000`, '2', 'a', '1', 'b', '-inf', '\0');
    await to.deployment.redis.command('HSET', `${key}:archive`, 'reset:d:20777:1000', '1795132800 1795219200');
    assert.equal((await to.remove('b')).status, 200, 'who is removed meanwhile is not archived');
    assert.equal(await to.archive(), 1);
    assert.deepEqual(await taken(to), { 'day/2026-11-20/1000.json': [['a', 2]] });
    assert.deepEqual(shown((await to.deployment.freshTop('articles/day')).body), [['c', 1]]);
    assert.equal(await to.archive(), 0);
    assert.equal(await to.deployment.redis.command('HEXISTS', `${key}:archive`, 'reset:d:20777:1000'), 0);
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
