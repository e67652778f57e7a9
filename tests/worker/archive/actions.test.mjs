/**
 * Counts by action go with their members: into the archive, through its corrections, and back into a Redis that lost them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { KEPT } from './kept.mjs';
import { ADMIN_TOKEN, COPIED, DAY_MS, FORGOTTEN, MINUTE_MS, NOW, shown, start } from './site.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Started */
/** @typedef {Record<string, Record<string, number>>} Actions by member */

const TALLIED = { breakdown: true, windows: ['day', 'month', 'all'] };
const COUNTED = [
  ...Array.from({ length: 3 }, () => ({ action: 'view', item: 'a' })),
  { action: 'like', item: 'a', actor: 'ann' },
  { action: 'like', item: 'b', actor: 'ben' },
  { action: 'view', item: 'c' },
];
/** @type {Actions} */
const ACTIONS = { a: { view: 3, like: 1 }, b: { like: 1 }, c: { view: 1 } };

/** @param {import('./kept.mjs').Kept} kept @param {object} [board] */
async function startWith(kept, board = {}) {
  const to = await start({ kept, board: { ...TALLIED, ...board } });
  to.setClocks(NOW);
  await to.send(COUNTED);

  /** Each member's counts by action. @param {string} [window] @param {string} [period] @returns {Promise<Actions>} */
  async function actions(window = 'day', period = '?period=2026-11-20&') {
    const { status, body, text } = await to.deployment.freshTop(`articles/${window}`, `${period}actions=1`);
    assert.equal(status, 200, text);
    return Object.fromEntries(body.entries.map((/** @type {any} */ entry) => [entry.id, entry.actions]));
  }

  /** The lines of the day's parts. */
  async function lines() {
    const parts = (await to.objects.names()).filter((name) => name.includes('/members/day/2026-11-20/'));
    const texts = await Promise.all(parts.map(to.objects.read));
    return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line));
  }

  const restore = () =>
    to.deployment.fetch('/v1/demo/admin/restore', { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  return { ...to, actions, lines, restore };
}

for (const kept of KEPT) {
  test(`they are archived with a period, and corrected, in a ${kept}`, async () => {
    const to = await startWith(kept);
    try {
      to.setClocks(COPIED);
      await to.archive();
      assert.deepEqual(await to.lines(), [
        { id: 'a', score: 5, actions: { view: [3, 3], like: [1, 2] } },
        { id: 'b', score: 2, actions: { like: [1, 2] } },
        { id: 'c', score: 1, actions: { view: [1, 1] } },
      ]);
      assert.deepEqual(await to.actions(), ACTIONS, 'Redis has them');
      await to.send([{ action: 'view', item: 'b', at: NOW }]);
      to.setClocks(FORGOTTEN);
      await to.archive();
      assert.deepEqual(await to.stored(), [0, 0]);
      assert.deepEqual(await to.deployment.redis.command('KEYS', '*articles}:day:20777*'), [], 'Redis forgets them with the period');
      assert.deepEqual(await to.actions(), { ...ACTIONS, b: { like: 1, view: 1 } });

      // An undo, what came late, a new member, and what is worth nothing together: two views and a like that was taken back.
      await to.send([
        { action: 'like', item: 'b', actor: 'ben', undo: true },
        { action: 'view', item: 'c', at: NOW },
        { action: 'view', item: 'd', at: NOW },
        { action: 'like', item: 'a', actor: 'ann', undo: true },
        { action: 'view', item: 'a', at: NOW },
        { action: 'view', item: 'a', at: NOW },
      ]);
      await to.archive();
      const corrected = { a: { view: 5 }, b: { view: 1 }, c: { view: 2 }, d: { view: 1 } };
      assert.deepEqual(await to.actions(), corrected);
      assert.deepEqual(shown((await to.day()).body), [
        ['a', 5],
        ['c', 2],
        ['d', 1],
        ['b', 1],
      ]);
      const series = await to.deployment.fetch('/v1/demo/boards/articles/day/members/a/series?from=2026-11-20&to=2026-11-20&actions=1');
      assert.deepEqual(series.body.points[0].actions, { view: 5 }, series.text);
      assert.equal((await to.remove('a')).body.done, true);
      assert.deepEqual(Object.keys(await to.actions()), ['c', 'd', 'b']);
    } finally {
      await to.stop();
    }
  });

  test(`a Redis that lost them gets them back, from a ${kept}`, async () => {
    const to = await startWith(kept);
    try {
      to.setClocks(COPIED);
      await to.archive();
      await to.deployment.redis.command('FLUSHALL');
      to.setClocks(COPIED + MINUTE_MS);
      await to.send([
        { action: 'view', item: 'a' },
        { action: 'like', item: 'b', actor: 'cas' },
      ]);
      const { status, body, text } = await to.restore();
      assert.deepEqual([status, body.done], [200, true], text);
      const sums = { a: { view: 4, like: 1 }, b: { like: 2 }, c: { view: 1 } };
      for (const window of ['month', 'all']) assert.deepEqual(await to.actions(window, '?'), sums, window);
      assert.deepEqual(await to.actions(), ACTIONS);
      assert.deepEqual(await to.deployment.redis.command('KEYS', '*:restored*'), []);
      // They are the period's own: they count on, and leave with it.
      await to.send([{ action: 'view', item: 'c', at: NOW }]);
      assert.deepEqual((await to.actions()).c, { view: 2 });
      for (const day of ['20777', '20778']) {
        const ttl = await to.deployment.redis.command('TTL', `eb:{demo:articles}:day:${day}:actions`);
        assert.ok(ttl > 60 * (DAY_MS / 1000), `${ttl} s`);
      }
      to.setClocks(FORGOTTEN);
      await to.archive();
      assert.deepEqual(await to.actions(), { ...ACTIONS, c: { view: 2 } });
    } finally {
      await to.stop();
    }
  });
}

test('what was archived without them is read, corrected and restored without', async () => {
  const to = await startWith('redis', { breakdown: false });
  try {
    to.setClocks(COPIED);
    await to.archive();
    assert.deepEqual((await to.lines())[0], { id: 'a', score: 5 });
    const manifest = 'eb/demo/articles/manifests/day/2026-11-20.json';
    const json = JSON.parse(await to.objects.read(manifest));
    assert.equal(json.tallied, false);
    to.setClocks(FORGOTTEN);
    await to.archive();
    await to.send([{ action: 'view', item: 'c', at: NOW }]);
    await to.archive();
    assert.deepEqual((await to.lines()).map(({ id, score, actions }) => [id, score, actions]).at(-1), ['b', 2, undefined]);
    const { body } = await to.deployment.freshTop('articles/day', '?period=2026-11-20&actions=1');
    assert.equal(body.code, 'invalid-parameter');
  } finally {
    await to.stop();
  }
});
