/**
 * Boards of templates that are kept in the archive alone: archived when all of it is there, read from there, corrected, opened again, and deleted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { killAtEachStep } from '../../support/killed.mjs';
import { ADMIN_TOKEN, admin, count, keysOf, MINUTE_MS, NOW, pass, SITE, shown, start } from './site.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const HOUR_MS = 60 * MINUTE_MS;
/** What a run that is killed leaves is looked at again after ten minutes. */
const AGAIN_MS = 11 * MINUTE_MS;
const LEVEL = {
  template: true,
  members: 'actors',
  weights: { finish: 1 },
  windows: ['day', 'all'],
  archive: true,
  breakdown: true,
  fresh: '1s',
};
const OPTIONS = {
  site: { ...SITE, journal: '8d', boards: { articles: SITE.boards.articles, level: LEVEL, plain: { ...LEVEL, archive: false } } },
  hasBucket: true,
};
const ENDS = { title: 'The mill', ends_at: new Date(NOW + HOUR_MS).toISOString() };
const KEPT = ['eb:{demo:level:1}:curated', 'eb:{demo:level:1}:moved'];

const finish = (/** @type {string} */ actor, /** @type {string[]} */ ...boards) => ({ action: 'finish', actor, boards });

/** @param {Deployment} deployment @param {number} at */
async function runAt(deployment, at) {
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at);
  await deployment.worker.scheduled();
}

/** @param {Deployment} deployment */
const stateOf = async (deployment, board = 'level:1') => (await admin(deployment, 'GET', `boards/${board}`)).body.state;

/** A board that has ended. @param {Deployment} deployment */
async function ended(deployment) {
  assert.equal((await admin(deployment, 'PUT', 'boards/level:1', ENDS)).status, 201);
  const events = ['ann', 'ann', 'bob', 'cas', 'cas', 'cas'].map((actor) => finish(actor, 'level:1'));
  assert.deepEqual(await count(deployment, ...events), []);
  assert.equal((await admin(deployment, 'PUT', 'boards/level:1/hidden/cas')).status, 204);
  await runAt(deployment, NOW + 2 * HOUR_MS);
}

/** Lets it be archived, which is wanted, from two hours behind its beginning on. @param {Deployment} deployment */
async function passArchiving(deployment) {
  await pass(deployment, 3);
  assert.equal(await stateOf(deployment), 'archiving', 'its day is not over');
  // Upkeep looks once a day.
  await runAt(deployment, NOW + 28 * HOUR_MS);
  assert.equal(await stateOf(deployment), 'copying');
  await pass(deployment, 8);
}

/** What readers get. @param {Deployment} deployment @param {string} of what happened */
async function isShown(deployment, of, board = 'level:1') {
  assert.deepEqual(shown(await deployment.freshTop(`${board}/all`)), ['ann 2', 'bob 1'], of);
  assert.deepEqual(shown(await deployment.freshTop(`${board}/day`, '?period=2026-11-20')), ['ann 2', 'bob 1'], of);
}

test('an archived board has no key but its lists, is read from the archive, and can be opened again', async (t) => {
  const deployment = await start(t, OPTIONS);
  await admin(deployment, 'PUT', 'boards/level:1');
  const early = await admin(deployment, 'PUT', 'boards/level:1/archive');
  assert.deepEqual(
    [early.status, early.body.code, early.body.detail],
    [409, 'not-archivable', 'the board "level:1" is open; allowed: one that is closed'],
  );
  await admin(deployment, 'PUT', 'boards/plain:1', { ends_at: '2026-01-01T00:00:00Z' });
  const plain = await admin(deployment, 'PUT', 'boards/plain:1/archive');
  assert.deepEqual(
    [plain.status, plain.body.code, plain.body.detail],
    [409, 'not-archivable', 'the board "plain:1" is not archived: the template plain has no archive = true'],
  );
  assert.equal(await stateOf(deployment, 'plain:1'), 'closed');
  await admin(deployment, 'DELETE', 'boards/level:1');
  await pass(deployment, 5);

  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW + 10 * MINUTE_MS);
  await ended(deployment);
  const asked = await admin(deployment, 'PUT', 'boards/level:1/archive');
  assert.deepEqual([asked.status, asked.body.state, asked.body.title], [202, 'archiving', 'The mill'], asked.text);
  assert.equal((await admin(deployment, 'PUT', 'boards/level:1/archive')).status, 202, 'again');
  await passArchiving(deployment);
  assert.equal(await stateOf(deployment), 'archived');
  assert.deepEqual(await keysOf(deployment, 'level:1'), [KEPT[0]]);
  const { body } = await admin(deployment, 'GET', 'templates/level');
  assert.deepEqual([body.total, body.boards[0].state, body.boards[0].title], [1, 'archived', 'The mill']);

  await isShown(deployment, 'archived');
  const all = '/v1/demo/boards/level:1/all';
  const { body: ranking } = await deployment.fetch(all);
  assert.deepEqual(ranking.period, { id: 'all', starts_at: null, ends_at: null });
  const member = await deployment.fetch(`${all}/members/bob`);
  assert.deepEqual([member.body.rank, member.body.score], [2, 1], member.text);
  const explained = await deployment.fetch(`${all}/members/ann/explain`);
  assert.equal(explained.status, 200, explained.text);
  const several = await deployment.fetch('/v1/demo/top?boards=articles/all,level:1/all');
  assert.deepEqual(
    several.body.boards[1].entries.map((/** @type {any} */ { id }) => id),
    ['ann', 'bob'],
    several.text,
  );
  const exported = await admin(deployment, 'GET', 'boards/level:1/export/all.csv');
  assert.equal(exported.text, 'id,score\r\n"cas",3\r\n"ann",2\r\n"bob",1\r\n');
  assert.deepEqual(await count(deployment, finish('ann', 'level:1')), ['0 board-closed']);
  for (const done of ['reset', 'rebuild']) {
    const refused = await admin(deployment, 'POST', `boards/level:1/${done}`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'board-archived'], refused.text);
  }
  // What is said of it may change.
  const renamed = await admin(deployment, 'PUT', 'boards/level:1', { title: 'The old mill' });
  assert.deepEqual([renamed.body.state, renamed.body.title], ['archived', 'The old mill']);
  await pass(deployment, 10);
  assert.deepEqual(await keysOf(deployment, 'level:1'), [KEPT[0]], 'nothing comes back');

  const opened = await admin(deployment, 'DELETE', 'boards/level:1/archive');
  assert.deepEqual([opened.status, opened.body.state], [202, 'opening'], opened.text);
  await isShown(deployment, 'opening');
  await pass(deployment, 4);
  assert.equal(await stateOf(deployment), 'open', 'it has no end any more');
  await isShown(deployment, 'opened');
  await pass(deployment, 1);
  assert.deepEqual(await count(deployment, finish('bob', 'level:1'), finish('bob', 'level:1')), []);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), ['bob 3', 'ann 2']);
});

test('who is erased or removed leaves an archived board, and it is deleted with its archive', async (t) => {
  const deployment = await start(t, OPTIONS);
  await ended(deployment);
  await admin(deployment, 'PUT', 'boards/level:1/archive');
  await passArchiving(deployment);
  assert.equal((await admin(deployment, 'POST', 'revoke', { actor: 'bob' })).status, 200);
  await isShown(deployment, 'what is revoked stays');
  const init = { method: 'DELETE', headers: { authorization: 'Bearer a-token-for-writing' } };
  assert.equal((await deployment.fetch('/v1/demo/actors/ann', init)).status, 204);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), ['bob 1']);
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:1/members/bob')).status, 200);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), []);
  await pass(deployment, 10);
  assert.deepEqual(
    (await keysOf(deployment, 'level:1')).filter((key) => !KEPT.includes(key)),
    [],
    'nothing comes back',
  );
  await admin(deployment, 'DELETE', 'boards/level:1/archive');
  await pass(deployment, 4);
  assert.equal((await admin(deployment, 'GET', 'boards/level:1/export/all.csv')).text, 'id,score\r\n"cas",3\r\n');

  await admin(deployment, 'PUT', 'boards/level:1/archive');
  await pass(deployment, 10);
  assert.equal(await stateOf(deployment), 'archived');
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:1')).status, 202);
  await pass(deployment, 6);
  const bucket = /** @type {any} */ (await deployment.worker.miniflare.getR2Bucket('ARCHIVE'));
  assert.deepEqual((await bucket.list({ prefix: 'eb/demo/level:1/' })).objects, []);
  assert.deepEqual(await keysOf(deployment, 'level:1'), []);
  assert.deepEqual(await deployment.redis.command('KEYS', 'eb:{demo}:boards:going'), []);
  assert.equal((await admin(deployment, 'PUT', 'boards/level:1', {})).status, 201, 'its name is free');
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), []);
});

test('each run that archives a board or opens it is killed at each step, and nothing is lost', async (t) => {
  const deployment = await start(t, { ...OPTIONS, relayed: true });
  await ended(deployment);
  let at = NOW + 30 * HOUR_MS;
  await runAt(deployment, at);
  for (const [method, state] of /** @type {const} */ ([
    ['PUT', 'archived'],
    ['DELETE', 'closed'],
  ])) {
    let steps = 0;
    // One after the other is killed one trip later, until none is.
    for (let runs = 0; (await stateOf(deployment)) !== state || runs < 4; runs += 1) {
      assert.ok(runs < 12, `${state} after ${runs} runs: ${await stateOf(deployment)}`);
      steps += await killAtEachStep(/** @type {any} */ (deployment.link), {
        async before() {
          at += AGAIN_MS;
          for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at);
        },
        run: () => (runs === 0 ? admin(deployment, method, 'boards/level:1/archive') : deployment.worker.scheduled()),
        after: (killedAt) => isShown(deployment, `${state}, run ${runs}, killed at ${killedAt}`),
      });
    }
    assert.ok(steps > 20, `${steps} steps`);
    const remaining = (await keysOf(deployment, 'level:1')).filter((key) => !KEPT.includes(key));
    assert.equal(remaining.length > 0, state === 'closed', `${state}: ${remaining}`);
  }
  const exported = await admin(deployment, 'GET', 'boards/level:1/export/all.csv');
  assert.equal(exported.text, 'id,score\r\n"cas",3\r\n"ann",2\r\n"bob",1\r\n');
});

test('an item that becomes another one does so on an archived board as well, and once it is opened', async (t) => {
  const shelf = { ...LEVEL, members: 'items', weights: { view: 1 } };
  const deployment = await start(t, { site: { boards: { articles: SITE.boards.articles, shelf } }, hasBucket: true, hasDatabase: true });
  assert.equal((await admin(deployment, 'PUT', 'boards/shelf:1', ENDS)).status, 201);
  const views = ['/a', '/a', '/b', '/c', '/c'].map((item) => ({ action: 'view', item, boards: ['shelf:1'] }));
  assert.deepEqual(await count(deployment, ...views), []);
  await runAt(deployment, NOW + 2 * HOUR_MS);
  assert.equal((await admin(deployment, 'PUT', 'boards/shelf:1/archive')).status, 202);
  await runAt(deployment, NOW + 28 * HOUR_MS);
  await pass(deployment, 9);
  assert.equal(await stateOf(deployment, 'shelf:1'), 'archived');
  const init = { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, body: '{"to":"/b"}' };
  const merged = await deployment.fetch('/v1/demo/items/%2Fa/alias', init);
  assert.ok([200, 202].includes(merged.status), merged.text);
  await pass(deployment, 2);
  const check = async (/** @type {string} */ of) => {
    for (const [window, query] of /** @type {const} */ ([
      ['all', ''],
      ['day', '?period=2026-11-20'],
    ])) {
      assert.deepEqual(shown(await deployment.freshTop(`shelf:1/${window}`, query)), ['/b 3', '/c 2'], `${of}: ${window}`);
    }
  };
  await check('archived');
  await pass(deployment, 10);
  assert.deepEqual(
    (await keysOf(deployment, 'shelf:1')).filter((key) => !/:(curated|moved)$/.test(key)),
    [],
    'nothing comes back to Redis',
  );
  assert.equal((await admin(deployment, 'DELETE', 'boards/shelf:1/archive')).status, 202);
  await pass(deployment, 4);
  assert.equal(await stateOf(deployment, 'shelf:1'), 'closed');
  await check('opened');
});
