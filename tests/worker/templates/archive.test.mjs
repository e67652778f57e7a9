/**
 * Boards of templates with an archive: what is over is read from there when Redis keeps it no longer, follows what changes later, goes with its
 * board, and comes back into a Redis that lost it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { killAtEachStep } from '../../support/killed.mjs';
import { admin, count, keysOf, MINUTE_MS, NOW, pass, SITE, shown, start } from './site.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LEVEL = { template: true, on_event: true, members: 'actors', weights: { finish: 1 }, windows: ['day', 'all'], archive: true };
const OPTIONS = {
  site: {
    ...SITE,
    journal: '8d',
    boards: { articles: SITE.boards.articles, level: { ...LEVEL, fresh: '1s' }, plain: { ...LEVEL, archive: false } },
  },
  hasBucket: true,
};
const DAY = '?period=2026-11-20';
const DUE = 'eb:{demo}:boards:due';

const finish = (/** @type {string} */ actor, /** @type {string[]} */ ...boards) => ({ action: 'finish', actor, boards });

/** Lets hours pass, with a scheduled run in each. @param {Deployment} deployment @param {number} from @param {number} hours */
async function passHours(deployment, from, hours) {
  for (let hour = 1; hour <= hours; hour += 1) await runAt(deployment, from + hour * HOUR_MS);
}

/** @param {Deployment} deployment @param {number} at */
async function runAt(deployment, at) {
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at);
  await deployment.worker.scheduled();
}

/** The names of the objects of a board. @param {Pick<Deployment, 'worker'>} deployment @param {string} board @returns {Promise<string[]>} */
async function objectsOf({ worker }, board) {
  const bucket = /** @type {any} */ (await worker.miniflare.getR2Bucket('ARCHIVE'));
  const { objects } = await bucket.list({ prefix: `eb/demo/${board}/` });
  return objects.map((/** @type {{ key: string }} */ { key }) => key);
}

/** Has Redis forget the day, as it does when that is kept no longer. @param {Deployment} deployment @param {string} board */
async function forgetDay(deployment, board) {
  for (const key of await keysOf(deployment, board)) if (/:day:20777/.test(key)) await deployment.redis.command('DEL', key);
}

/** The day as readers get it. @param {Deployment} deployment @param {string} board */
const dayOf = async (deployment, board) => shown(await deployment.freshTop(`${board}/day`, DAY));

test('a day is archived within a day of its end, read from there, and the board costs nothing then', async (t) => {
  const deployment = await start(t, OPTIONS);
  assert.deepEqual(await count(deployment, finish('ann', 'level:1', 'plain:1'), finish('ann', 'level:1'), finish('bob', 'level:1')), []);
  await passHours(deployment, NOW, 36);
  assert.equal((await objectsOf(deployment, 'level:1')).filter((name) => name.endsWith('/day/2026-11-20.json')).length, 1);
  assert.deepEqual(await objectsOf(deployment, 'plain:1'), []);
  await forgetDay(deployment, 'level:1');
  assert.deepEqual(await dayOf(deployment, 'level:1'), ['ann 2', 'bob 1']);
  const { text } = await admin(deployment, 'GET', 'metrics');
  assert.match(text, /job="archive level"/);
  assert.doesNotMatch(text, /level:1/);

  for (let day = 2; day < 8; day += 1) await runAt(deployment, NOW + day * DAY_MS);
  assert.deepEqual(await deployment.redis.command('ZRANGE', DUE, 0, -1), [''], 'nobody looks at it any more');
  // A board that comes back has that day archived as well.
  await count(deployment, finish('cas', 'level:1'));
  await passHours(deployment, NOW + 7 * DAY_MS, 36);
  assert.equal((await objectsOf(deployment, 'level:1')).filter((name) => name.endsWith('.json')).length, 2);
});

test('a failover loses when a board is due, and nobody comes back: its day is archived all the same', async (t) => {
  const deployment = await start(t, OPTIONS);
  const boards = Array.from({ length: 12 }, (_, i) => `level:${i}`);
  for (const board of boards) await count(deployment, finish('ann', board));
  await deployment.redis.command('ZREM', DUE, 'level:3', 'level:11');
  await passHours(deployment, NOW, 36);
  for (const board of boards) {
    await forgetDay(deployment, board);
    assert.deepEqual(await dayOf(deployment, board), ['ann 1'], board);
  }
  for (let day = 2; day < 8; day += 1) await runAt(deployment, NOW + day * DAY_MS);
  assert.deepEqual(await deployment.redis.command('ZRANGE', DUE, 0, -1), [''], 'nobody looks at them any more');
});

test('what changes in a day that was archived follows: events that come late, and what is taken back', async (t) => {
  const deployment = await start(t, OPTIONS);
  await count(deployment, finish('ann', 'level:1'), finish('bob', 'level:1'), finish('bob', 'level:1'));
  await passHours(deployment, NOW, 36);
  assert.deepEqual(await count(deployment, { ...finish('ann', 'level:1'), at: NOW }, { ...finish('cas', 'level:1'), at: NOW }), []);
  await pass(deployment, 12);
  const revoked = await admin(deployment, 'POST', 'revoke', { actor: 'bob' });
  assert.deepEqual([revoked.status, revoked.body.events], [200, 4], `on the board and in the log: ${revoked.text}`);
  await pass(deployment, 12);
  await forgetDay(deployment, 'level:1');
  assert.deepEqual(await dayOf(deployment, 'level:1'), ['ann 2', 'cas 1']);
  const init = { method: 'DELETE', headers: { authorization: 'Bearer a-token-for-writing' } };
  assert.equal((await deployment.fetch('/v1/demo/actors/cas', init)).status, 204);
  assert.deepEqual(await dayOf(deployment, 'level:1'), ['ann 2']);
});

test('a board that is deleted before or after it was archived leaves nothing, and nothing comes back', async (t) => {
  const deployment = await start(t, OPTIONS);
  await count(deployment, finish('ann', 'level:1', 'level:2'));
  await passHours(deployment, NOW, 11);
  // A copy of the day is due in some minutes.
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:2')).status, 202);
  await passHours(deployment, NOW + 11 * HOUR_MS, 25);
  assert.notDeepEqual(await objectsOf(deployment, 'level:1'), []);
  assert.deepEqual(await objectsOf(deployment, 'level:2'), []);
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:1')).status, 202);
  await pass(deployment, 5);
  assert.deepEqual(await objectsOf(deployment, 'level:1'), []);
  for (const board of ['level:1', 'level:2']) {
    assert.deepEqual(await keysOf(deployment, board), []);
    assert.equal((await admin(deployment, 'PUT', `boards/${board}`)).status, 201);
    assert.deepEqual(await dayOf(deployment, board), []);
  }
});

test('boards that Redis lost are made again and restored from their archives', async (t) => {
  const deployment = await start(t, OPTIONS);
  for (const board of ['level:1', 'level:2', 'level:30']) await count(deployment, finish('ann', board), finish('ann', board));
  await count(deployment, finish('bob', 'level:2'));
  await passHours(deployment, NOW, 36);
  await deployment.redis.command('FLUSHALL');
  await pass(deployment, 2);
  await count(deployment, finish('bob', 'level:30'));
  const { status, body, text } = await admin(deployment, 'POST', 'restore');
  assert.deepEqual([status, body.done, body.cursor], [200, true, null], text);
  assert.deepEqual(
    body.boards.map((/** @type {any} */ { board, members }) => `${board} ${members}`),
    ['level:1 1', 'level:2 2', 'level:30 1'],
  );
  assert.equal((await admin(deployment, 'GET', 'templates/level')).body.total, 3);
  assert.deepEqual(await dayOf(deployment, 'level:2'), ['ann 2', 'bob 1']);
  assert.deepEqual(shown(await deployment.freshTop('level:30/all')).sort(), ['ann 2', 'bob 1']);
  // They are kept on.
  await count(deployment, finish('cas', 'level:1'));
  await passHours(deployment, NOW + 36 * HOUR_MS, 36);
  assert.equal((await objectsOf(deployment, 'level:1')).filter((name) => name.endsWith('.json')).length, 2);
});

test('a run that archives is killed at each step, and the next one ends it', async (t) => {
  const deployment = await start(t, { ...OPTIONS, relayed: true });
  let at = NOW;
  const steps = await killAtEachStep(/** @type {any} */ (deployment.link), {
    async before(killedAt) {
      await runAt(deployment, at);
      await count(deployment, finish('ann', `level:${killedAt}`), finish('bob', `level:${killedAt}`), finish('ann', `level:${killedAt}`));
      await pass(deployment, 1);
      at += DAY_MS;
      for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at + 12 * HOUR_MS);
    },
    run: () => deployment.worker.scheduled(),
    async after(killedAt) {
      await pass(deployment, 12);
      const day = new Date(at - DAY_MS).toISOString().slice(0, 10);
      const board = `level:${killedAt}`;
      for (const key of await keysOf(deployment, board)) if (/:day:\d/.test(key)) await deployment.redis.command('DEL', key);
      const read = await deployment.freshTop(`${board}/day`, `?period=${day}`);
      assert.deepEqual(shown(read), ['ann 2', 'bob 1'], `killed at ${killedAt}: ${read.text}`);
      at += DAY_MS;
    },
  });
  assert.ok(steps > 5, `${steps} steps`);
});
