/**
 * What follows when the archive's periods are restored: totals, deletions, aliases, hidden and pinned members.
 */
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';

import { KEPT } from './kept.mjs';
import { start } from './site.mjs';
import { entriesOf } from '../../support/deployment.mjs';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOON = Date.parse('2026-11-20T12:10:00Z');
const BOARD = { windows: ['hour', 'day', 'all'], breakdown: true };
const views = (/** @type {Record<string, number>} */ counts) =>
  Object.entries(counts).map(([item, count]) => ({ action: 'view', item, count }));

/** @type {Awaited<ReturnType<typeof start>> | undefined} */
let to;
afterEach(() => to?.stop());

/** @param {NonNullable<typeof to>} on @param {number} minute */
async function runAt(on, minute) {
  on.setClocks(NOON + minute * MINUTE_MS);
  await on.run();
}

/** Clicks of three hours, all but the last archived. @param {NonNullable<typeof to>} on @param {Record<string, number>} counts */
async function live(on, counts) {
  for (let hour = 3; hour > 0; hour -= 1) {
    on.setClocks(NOON - hour * HOUR_MS);
    await on.send(views(counts));
    await on.run();
  }
  await runAt(on, 0);
}

/** Restores all of it. @param {NonNullable<typeof to>} on */
async function restore(on) {
  const { status, body, text } = await on.restore();
  assert.deepEqual([status, body.done, body.loss], [200, true, null], text);
}

/** @param {NonNullable<typeof to>} on @param {string} window */
const shown = async (on, window) => entriesOf(await on.deployment.freshTop(`articles/${window}`, '?limit=50'));

test('totals in the database are those of the boards, and nobody else stays', async () => {
  const totals = ['day', 'all'].map((window) => ({ window, every: '1m' }));
  to = await start({ kept: 'database', board: { ...BOARD, totals } });
  await live(to, { a: 5, b: 3, c: 1 });
  await to.send(views({ lost: 7, a: 1 }));
  await runAt(to, 2);
  const totalsOf = async (/** @type {string} */ window) =>
    Object.fromEntries(
      ((await to?.rows(`SELECT member, score FROM totals WHERE window_name = '${window}'`)) ?? []).map(
        (/** @type {any} */ { member, score }) => [member, score],
      ),
    );
  assert.deepEqual(await totalsOf('all'), { a: 16, b: 9, c: 3, lost: 7 });

  await to.deployment.redis.command('FLUSHALL');
  await runAt(to, 6);
  await to.send(views({ b: 2, new: 1 }));
  for (const minute of [7, 8, 10]) await runAt(to, minute);
  assert.deepEqual(await totalsOf('all'), { a: 16, b: 9, c: 3, lost: 7 });
  await restore(to);
  for (const minute of [11, 13, 15]) await runAt(to, minute);
  const expected = { a: 15, b: 11, c: 3, new: 1 };
  assert.deepEqual(Object.fromEntries(await shown(to, 'all')), expected);
  assert.deepEqual(await totalsOf('all'), expected);
  assert.deepEqual(await totalsOf('day'), expected);
  // Once more changes nothing.
  await restore(to);
  for (const minute of [17, 19]) await runAt(to, minute);
  assert.deepEqual(await totalsOf('all'), expected);
});

test('a Redis that was minutes behind, and lost no archived period, follows what is known beside it', async () => {
  to = await start({ kept: 'database', board: { ...BOARD, totals: [{ window: 'all', every: '1m' }] } });
  await live(to, { a: 5, b: 3, deleted: 9 });
  await runAt(to, 2);
  const before = await to.snapshot();
  assert.equal((await to.admin('PUT', 'boards/articles/hidden/b')).status, 204);
  assert.equal((await to.deployment.fetch('/v1/demo/items/deleted', { method: 'DELETE', headers: to.headers })).status, 204);
  await to.send(views({ a: 1 }));
  await runAt(to, 4);
  await to.restoreBackup(before);
  assert.equal((await to.loss()).loss, null, 'its marks are those of before');
  await restore(to);
  for (const minute of [10, 12, 14]) await runAt(to, minute);
  assert.deepEqual(await shown(to, 'all'), [['a', 15]]);
  assert.deepEqual(await to.rows('SELECT member, score FROM totals ORDER BY member'), [
    { member: 'a', score: 15 },
    { member: 'b', score: 9 },
  ]);
});

/** One restores the periods at a time; others are told to come again. */
test('several requests at once restore, and none fails', async () => {
  for (const kept of /** @type {const} */ (['database', 'bucket'])) {
    const on = await start({ kept, board: BOARD });
    to = on;
    await live(on, { a: 5, b: 3 });
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => on.restore()));
      for (const { status, text } of answers) assert.ok(status === 200 || status === 202, text);
      assert.ok(answers.some(({ status }) => status === 200));
    }
    await restore(on);
    assert.deepEqual(await shown(on, 'day'), [
      ['a', 15],
      ['b', 9],
    ]);
    if (kept === 'database') await on.stop();
  }
});

test('deleted items and aliases are what they were', async () => {
  to = await start({ kept: 'database', board: BOARD });
  const on = to;
  const edit = (/** @type {string} */ method, /** @type {string} */ path, /** @type {object} */ body) =>
    on.deployment.fetch(`/v1/demo/items/${path}`, { method, headers: on.headers, ...(body && { body: JSON.stringify(body) }) });
  await live(to, { a: 5, b: 3, old: 2, deleted: 9 });
  assert.equal((await edit('DELETE', 'deleted', {})).status, 204);
  assert.equal((await edit('POST', 'old/alias', { to: 'b' })).status, 200);
  assert.deepEqual(await shown(to, 'all'), [
    ['b', 15],
    ['a', 15],
  ]);
  await to.deployment.redis.command('FLUSHALL');
  await runAt(to, 6);
  await to.send(views({ old: 1, deleted: 4, a: 2 }));
  await restore(to);
  for (const minute of [12, 18]) await runAt(to, minute);
  const { status, body } = await to.deployment.events({ events: views({ old: 1, deleted: 1 }) });
  assert.deepEqual([status, body.accepted, body.rejected.map((/** @type {any} */ { code }) => code)], [200, 1, ['item-gone']]);
  assert.deepEqual(await shown(to, 'all'), [
    ['b', 17],
    ['a', 17],
  ]);
  for (const { state } of await to.rows('SELECT state FROM taken_down UNION ALL SELECT state FROM aliases'))
    assert.match(state, /^(off|done)$/);
});

for (const kept of KEPT)
  describe(`lists whose copy is in ${kept === 'database' ? 'the database' : `an archive in a ${kept}`}`, () => {
    /** @param {string} list */
    const listed = async (list) => (await to?.admin('GET', `boards/articles/${list}`))?.body.ids.sort();
    /** @param {string} method @param {...string} paths */
    async function change(method, ...paths) {
      for (const path of paths) {
        const { status, text } = (await to?.admin(method, `boards/articles/${path}`)) ?? assert.fail();
        assert.ok(status === 204 || status === 200, text);
      }
    }

    test('who is hidden and pinned is so again, but for those who were shown or removed meanwhile', async () => {
      to = await start({ kept, board: BOARD });
      await live(to, { a: 5, b: 3, c: 1, d: 1, e: 1, f: 1 });
      await change('PUT', 'hidden/a', 'hidden/b', 'hidden/c', 'pinned/f', 'pinned/d', 'pinned/e');
      await change('DELETE', 'hidden/c');
      await to.deployment.redis.command('FLUSHALL');
      // Before anybody noticed, and after.
      await change('DELETE', 'hidden/b', 'members/e');
      await runAt(to, 6);
      assert.equal((await to.reported(1)).length, 1);
      await change('PUT', 'hidden/late');
      await change('DELETE', 'pinned/d');
      await to.send(views({ a: 1 }));
      await restore(to);
      assert.deepEqual([await listed('hidden'), await listed('pinned')], [['a', 'late'], ['f']]);
      assert.deepEqual((await shown(to, 'all'))[0], ['f', 3]);
      // And once more: the copy is whole again.
      await to.deployment.redis.command('FLUSHALL');
      await runAt(to, 12);
      await restore(to);
      assert.deepEqual([await listed('hidden'), await listed('pinned')], [['a', 'late'], ['f']]);
    });

    test('lists of before there was a copy are copied by upkeep', async () => {
      to = await start({ kept, board: BOARD });
      await live(to, { a: 5 });
      await to.forgetLists();
      await to.deployment.redis.command('ZADD', 'eb:{demo:articles}:curated', '-1', 'a', '2', 'two', '1', 'one');
      await runAt(to, 65);
      await to.deployment.redis.command('FLUSHALL');
      await runAt(to, 71);
      await restore(to);
      assert.deepEqual([await listed('hidden'), await listed('pinned')], [['a'], ['one', 'two']]);
      const { body } = await to.admin('GET', 'boards/articles/pinned');
      assert.deepEqual(body.ids, ['one', 'two']);
    });
  });
