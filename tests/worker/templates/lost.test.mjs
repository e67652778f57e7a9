/**
 * A Redis that lost boards of templates: that is noticed on a site that has no others, and a restoration brings back what was said of them and how they
 * were. Archives that are behind are reported.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { backUp, load } from '../../support/backup.mjs';
import { admin, count, keysOf, MINUTE_MS, NOW, pass, shown, start } from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const HOUR_MS = 60 * MINUTE_MS;
const LEVEL = {
  template: true,
  on_event: true,
  members: 'actors',
  weights: { finish: 1 },
  windows: ['day', 'all'],
  archive: true,
  fresh: '1s',
};
const PLACES = { 'the database': { hasDatabase: true, hasBucket: true }, 'the bucket': { hasDatabase: false, hasBucket: true } };

const finish = (/** @type {string} */ actor, /** @type {string[]} */ ...boards) => ({ action: 'finish', actor, boards });
const states = async (/** @type {Deployment} */ deployment, template = 'level') => {
  const { body } = await admin(deployment, 'GET', `templates/${template}`);
  return body.boards.map((/** @type {any} */ { board, state, title }) => [board, state, title].join(' ').trim());
};

/** @param {Deployment} deployment @param {number} at */
async function runAt(deployment, at) {
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at);
  await deployment.worker.scheduled();
}

/** Restores until nothing is left. @param {Deployment} deployment */
async function restore(deployment) {
  const boards = [];
  for (let cursor = ''; cursor !== null; ) {
    const { status, body, text } = await admin(deployment, 'POST', `restore${cursor && `?cursor=${cursor}`}`);
    assert.ok([200, 202].includes(status), text);
    boards.push(...body.boards.map((/** @type {any} */ { board }) => board));
    cursor = body.cursor;
  }
  return boards;
}

for (const [place, bindings] of Object.entries(PLACES)) {
  test(`boards come back as they were, by what ${place} has`, async (t) => {
    const boards = { level: LEVEL, plain: { ...LEVEL, archive: false, on_event: false } };
    const deployment = await start(t, { site: { boards }, ...bindings });
    const ends_at = new Date(NOW + HOUR_MS).toISOString();
    for (const board of ['level:1', 'level:1-a', 'level:10', 'level:gone', 'plain:1']) {
      assert.equal((await admin(deployment, 'PUT', `boards/${board}`, { title: 'A mill' })).status, 201);
    }
    await admin(deployment, 'PUT', 'boards/level:1', { title: 'The mill', ends_at });
    await admin(deployment, 'PUT', 'boards/plain:1', { title: 'Plain', ends_at });
    await admin(deployment, 'PUT', 'boards/level:10', { title: 'Old', ends_at });
    assert.deepEqual(
      await count(deployment, ...['ann', 'ann', 'bob'].map((actor) => finish(actor, 'level:1', 'level:10', 'level:made'))),
      [],
    );
    await pass(deployment, 2);
    await runAt(deployment, NOW + 2 * HOUR_MS);
    assert.equal((await admin(deployment, 'PUT', 'boards/level:10/archive')).status, 202);
    await runAt(deployment, NOW + 28 * HOUR_MS);
    await pass(deployment, 8);
    assert.equal((await admin(deployment, 'DELETE', 'boards/level:gone')).status, 202);
    const before = await states(deployment);
    assert.deepEqual(before, [
      'level:1 closed The mill',
      'level:1-a open A mill',
      'level:10 archived Old',
      'level:gone going A mill',
      'level:made open',
    ]);
    assert.deepEqual((await admin(deployment, 'GET', 'restore')).body.loss, null);

    await deployment.redis.command('FLUSHALL');
    await runAt(deployment, NOW + 30 * HOUR_MS);
    assert.equal((await admin(deployment, 'GET', 'restore')).body.loss?.code, 'redis-lost');
    assert.equal((await deployment.fetch('/readyz')).body.status, 'redis-lost');
    assert.deepEqual(await count(deployment, finish('cas', 'level:1')), [], 'the next event makes it again');
    const dry = await admin(deployment, 'POST', 'restore?dry_run=1');
    assert.equal(dry.status, 200, dry.text);
    assert.deepEqual(await states(deployment), ['level:1 open'], 'and a dry run does nothing');

    assert.deepEqual(await restore(deployment), ['level:1-a', 'level:1', 'level:made']);
    assert.deepEqual(await states(deployment), before);
    assert.deepEqual(await states(deployment, 'plain'), ['plain:1 closed Plain']);
    assert.equal((await admin(deployment, 'GET', 'restore')).body.loss, null);
    await pass(deployment, 2);
    assert.deepEqual(await count(deployment, finish('cas', 'level:1'), finish('cas', 'plain:1')), ['0 board-closed', '1 board-closed']);
    assert.deepEqual(shown(await deployment.freshTop('level:1/all')).sort(), ['ann 2', 'bob 1', 'cas 1']);
    assert.deepEqual(shown(await deployment.freshTop('level:10/all')), ['ann 2', 'bob 1']);
    await pass(deployment, 6);
    assert.deepEqual(await keysOf(deployment, 'level:10'), [], 'it is in the archive alone');
    assert.deepEqual(
      await states(deployment),
      before.filter((board) => !board.includes('going')),
    );
    const bucket = /** @type {any} */ (await deployment.worker.miniflare.getR2Bucket('ARCHIVE'));
    assert.deepEqual((await bucket.list({ prefix: 'eb/demo/level:gone/' })).objects, []);
  });
}

test('the archive of a board that is behind is reported, until it follows', async (t) => {
  const deployment = await start(t, { site: { boards: { level: LEVEL } }, hasDatabase: true, hasBucket: true });
  await count(deployment, finish('ann', 'level:1', 'level:2'));
  await pass(deployment, 2);
  await runAt(deployment, NOW + 24 * HOUR_MS);
  await pass(deployment, 12);
  const bucket = /** @type {any} */ (await deployment.worker.miniflare.getR2Bucket('ARCHIVE'));
  const { objects } = await bucket.list({ prefix: 'eb/demo/level:1/members/' });
  const [{ key }] = objects;
  const lost = await (await bucket.get(key)).arrayBuffer();
  await bucket.delete(key);
  assert.deepEqual(await count(deployment, { ...finish('bob', 'level:1', 'level:2'), at: NOW }), []);
  // Upkeep looks once a day.
  await runAt(deployment, NOW + 50 * HOUR_MS);
  const { body } = await admin(deployment, 'GET', 'restore');
  const behind = body.archive.behind.map((/** @type {any} */ { board, window, period, why }) => [board, window, period, why]);
  assert.deepEqual(behind, [['level:1', 'day', '2026-11-20', 'counted']]);
  assert.equal(body.archive.until, body.archive.behind[0].since);
  await bucket.put(key, lost);
  await pass(deployment, 12);
  assert.deepEqual((await admin(deployment, 'GET', 'restore')).body.archive?.behind ?? [], []);
});

test('an older backup has a board that was deleted since: that is noticed, and the board is listed until it is deleted again', async (t) => {
  const deployment = await start(t, { site: { boards: { level: LEVEL } }, hasDatabase: true, hasBucket: true });
  assert.deepEqual(await count(deployment, finish('ann', 'level:1', 'level:2')), []);
  await pass(deployment, 2);
  const backup = await backUp(deployment.redis);
  await runAt(deployment, NOW + 2 * HOUR_MS);
  assert.deepEqual(await count(deployment, finish('bob', 'level:2')), []);
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:1')).status, 202);
  await runAt(deployment, NOW + 4 * HOUR_MS);
  await pass(deployment, 6);
  assert.deepEqual(await states(deployment), ['level:2 open']);

  await load(deployment.redis, backup);
  await runAt(deployment, NOW + 6 * HOUR_MS);
  assert.equal((await admin(deployment, 'GET', 'restore')).body.loss?.code, 'redis-behind');
  assert.equal((await deployment.fetch('/readyz')).body.status, 'redis-behind');
  await restore(deployment);
  assert.equal((await admin(deployment, 'GET', 'restore')).body.loss, null);
  assert.deepEqual(await states(deployment), ['level:1 open', 'level:2 open']);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), ['ann 1'], 'as the backup has it');
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:1')).status, 202);
  await pass(deployment, 6);
  assert.deepEqual(await keysOf(deployment, 'level:1'), []);
  assert.deepEqual(await states(deployment), ['level:2 open']);
});
