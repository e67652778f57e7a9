/**
 * A board of a template is made, counted on, and deleted, by a request or a run that ends after any of its trips to Redis. What is done
 * again ends the same, and nothing of a deleted board comes back.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { killAtEachStep } from '../../support/killed.mjs';
import { admin, count, keysOf, MINUTE_MS, pass, shown, SITE, start } from './site.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

/** More than an isolate believes what it read. @param {Deployment} deployment */
function later({ clock, edgeClock }, minutes = 2) {
  for (const each of [clock, edgeClock]) each.advance(minutes * MINUTE_MS);
}

const finish = (/** @type {string} */ actor, /** @type {string[]} */ ...boards) => ({ action: 'finish', actor, boards });
const states = async (/** @type {Deployment} */ deployment) => {
  const { body } = await admin(deployment, 'GET', 'templates/level');
  return body.boards.map((/** @type {{ board: string, state: string }} */ { board, state }) => `${board} ${state}`);
};

/** Makes a board, with the keys of many actors besides, and counts on it and on another one. @param {Deployment} deployment */
async function fill(deployment) {
  assert.equal((await admin(deployment, 'PUT', 'boards/level:1')).status, 201, 'its name is free');
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), [], 'nothing comes back');
  assert.deepEqual(await count(deployment, finish('ann', 'level:1', 'level:2'), finish('bob', 'level:1')), []);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')).sort(), ['ann 1', 'bob 1']);
  const keys = "for i = 1, 2500 do redis.call('SET', 'eb:{demo:level:1}:did:' .. i, '') end";
  await deployment.redis.command('EVAL', keys, '0');
}

/** @param {Deployment} deployment @param {string} of what happened */
async function assertDeleted(deployment, of) {
  assert.deepEqual(await keysOf(deployment, 'level:1'), [], of);
  assert.deepEqual(await states(deployment), ['level:2 open'], of);
  assert.deepEqual(await deployment.redis.command('KEYS', 'eb:{demo}:boards:*'), ['eb:{demo}:boards:names'], of);
  assert.deepEqual(await count(deployment, finish('cyd', 'level:1')), ['0 unknown-board'], of);
  assert.deepEqual(await keysOf(deployment, 'level:1'), [], of);
}

test('a request that deletes a board is killed at each step', async (t) => {
  const deployment = await start(t, { relayed: true });
  await admin(deployment, 'PUT', 'boards/level:2');
  const steps = await killAtEachStep(deployment.link, {
    before: () => fill(deployment),
    run: () => admin(deployment, 'DELETE', 'boards/level:1'),
    async after(killedAt) {
      const of = `killed at ${killedAt}`;
      const { status, body } = await admin(deployment, 'DELETE', 'boards/level:1');
      assert.deepEqual([status, body.state], [202, 'going'], of);
      assert.deepEqual(await count(deployment, finish('cyd', 'level:1')), ['0 unknown-board'], of);
      await pass(deployment, 4);
      await assertDeleted(deployment, of);
      assert.deepEqual(shown(await deployment.freshTop('level:2/all')), [`ann ${killedAt}`], of);
    },
  });
  assert.ok(steps > 2, `${steps} steps`);
});

test('a run that deletes the keys of a board is killed at each step', async (t) => {
  const deployment = await start(t, { relayed: true });
  await admin(deployment, 'PUT', 'boards/level:2');
  const steps = await killAtEachStep(deployment.link, {
    async before() {
      await fill(deployment);
      assert.equal((await admin(deployment, 'DELETE', 'boards/level:1')).status, 202);
      later(deployment, 3);
    },
    run: () => deployment.worker.scheduled(),
    async after(killedAt) {
      const of = `killed at ${killedAt}`;
      // Either it is still there and going, or all of it is gone.
      const { status } = await deployment.freshTop('level:1/all');
      const remaining = await keysOf(deployment, 'level:1');
      assert.ok(status === 410 || (status === 404 && remaining.length === 0), `${of}: ${status} with ${remaining.length} keys`);
      assert.deepEqual(await count(deployment, finish('cyd', 'level:1')), ['0 unknown-board'], of);
      await pass(deployment, 4);
      await assertDeleted(deployment, of);
      assert.deepEqual(shown(await deployment.freshTop('level:2/all')), [`ann ${killedAt}`], of);
    },
  });
  assert.ok(steps > 6, `${steps} steps`);
});

test('an event that makes its board is killed at each step, and counts once', async (t) => {
  const boards = { ...SITE.boards, made: { ...SITE.boards.made, max_boards: 100 } };
  const deployment = await start(t, { relayed: true, site: { boards } });
  let sent = 0;
  const send = () => deployment.events({ id: `b${sent}`, events: [{ action: 'view', item: '/a', boards: [`made:${sent}`] }] });
  const steps = await killAtEachStep(deployment.link, {
    async before(killedAt) {
      sent = killedAt;
      later(deployment);
    },
    run: send,
    async after(killedAt) {
      const of = `killed at ${killedAt}`;
      const { status, text } = await send();
      assert.equal(status, 200, `${of}: ${text}`);
      assert.deepEqual(shown(await deployment.freshTop(`made:${killedAt}/all`)), ['/a 1'], of);
      assert.deepEqual(shown(await deployment.freshTop('articles/all')), [`/a ${killedAt}`], of);
      assert.equal((await admin(deployment, 'GET', 'templates/made')).body.total, killedAt, of);
    },
  });
  assert.ok(steps > 3, `${steps} steps`);
});

test('a request that makes a board is killed at each step', async (t) => {
  const level = { ...SITE.boards.level, max_boards: 100 };
  const deployment = await start(t, { relayed: true, site: { boards: { ...SITE.boards, level } } });
  let board = '';
  const make = () => admin(deployment, 'PUT', board, { title: 'The mill', ends_at: '2030-01-01T00:00:00Z' });
  const steps = await killAtEachStep(deployment.link, {
    async before(killedAt) {
      board = `boards/level:${killedAt}`;
    },
    run: make,
    async after(killedAt) {
      const { status, body } = await make();
      assert.ok([200, 201].includes(status), `killed at ${killedAt}: ${status}`);
      assert.deepEqual([body.state, body.title, body.ends_at], ['open', 'The mill', '2030-01-01T00:00:00.000Z']);
      assert.equal((await admin(deployment, 'GET', 'templates/level')).body.total, killedAt);
    },
  });
  assert.ok(steps > 2, `${steps} steps`);
});
