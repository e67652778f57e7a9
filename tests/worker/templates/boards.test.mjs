/**
 * Boards that are made of templates while the site runs: made, counted on, read, ended, deleted, and made again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { untilReceived, viewers } from '../../support/viewers.mjs';
import { admin, count, keysOf, MINUTE_MS, NOW, pass, shown, start } from './site.mjs';

const finish = (/** @type {string} */ actor, /** @type {string[]} */ ...boards) => ({ action: 'finish', actor, boards });

test('an event counts on the boards that it names, and on those that weigh its action anyway', async (t) => {
  const deployment = await start(t);
  for (const board of ['level:1', 'level:2']) {
    const made = await admin(deployment, 'PUT', `boards/${board}`, { title: `Level ${board}` });
    assert.equal(made.status, 201, made.text);
    assert.equal((await admin(deployment, 'PUT', `boards/${board}`, {})).status, 200, 'it is there');
  }
  assert.deepEqual(
    await count(
      deployment,
      finish('ann', 'level:1'),
      finish('bob', 'level:1', 'level:2'),
      { action: 'like', actor: 'cyd', item: '/a', boards: ['level:2'] },
      { action: 'like', actor: 'dee', item: '/a' },
      finish('eve', 'level:3'),
      { action: 'view', item: '/a', boards: ['level:1'] },
    ),
    ['4 unknown-board', '5 invalid-boards'],
  );
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), ['bob 1', 'ann 1']);
  assert.deepEqual(shown(await deployment.freshTop('level:2/day')), ['cyd 5', 'bob 1']);
  assert.deepEqual(shown(await deployment.freshTop('articles/all')), ['/a 4']);
  assert.deepEqual(await keysOf(deployment, 'level:3'), [], 'nobody made it');
  assert.deepEqual(await keysOf(deployment, 'level'), [], 'the template counts nothing');

  const undo = { action: 'like', actor: 'cyd', item: '/a', undo: true, boards: ['level:2'] };
  assert.deepEqual(await count(deployment, undo), []);
  assert.deepEqual(shown(await deployment.freshTop('level:2/day')), ['bob 1']);
});

test('every route of boards has them, and lists of boards do not', async (t) => {
  const deployment = await start(t);
  await admin(deployment, 'PUT', 'boards/level:1');
  await count(deployment, finish('ann', 'level:1'), finish('ann', 'level:1'), finish('bob', 'level:1'));
  const { fetch } = deployment;
  const all = '/v1/demo/boards/level:1/all';
  for (const path of [
    all,
    all.replace(':', '%3A'),
    `${all}.csv`,
    `${all}.html`,
    `${all}/members/ann`,
    `${all}/rank?score=1`,
    `${all}/distribution`,
  ]) {
    const { status, text } = await fetch(path);
    assert.equal(status, 200, `${path}: ${text}`);
  }
  const ranks = await fetch(`${all}/ranks`, { method: 'POST', body: JSON.stringify({ ids: ['bob'] }) });
  assert.equal(ranks.body.ranks[0].rank, 2, ranks.text);
  const several = await fetch('/v1/demo/top?boards=articles/day,level:1/all');
  assert.equal(several.status, 200, several.text);
  const exported = await admin(deployment, 'GET', 'boards/level:1/export/all.csv');
  assert.equal(exported.text.trim().split('\r\n').length, 3, exported.text);
  assert.equal((await admin(deployment, 'PUT', 'boards/level:1/hidden/ann')).status, 204);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), ['bob 1']);
  const { body } = await fetch('/v1/demo/boards');
  assert.deepEqual(
    body.boards.map((/** @type {{ board: string }} */ { board }) => board),
    ['articles'],
  );
  for (const board of ['level:2', 'level', 'levels:1']) assert.equal((await fetch(`/v1/demo/boards/${board}/all`)).status, 404, board);
  const unconfigured = await admin(deployment, 'GET', 'unconfigured');
  assert.deepEqual(unconfigured.body.unconfigured, []);
});

test('who watches a board live is told of what counts on it', async (t) => {
  const deployment = await start(t);
  await admin(deployment, 'PUT', 'boards/level:1');
  const viewing = viewers(() => deployment.worker);
  t.after(viewing.leave);
  const received = await viewing.watch('/v1/demo/boards/level:1/all/live');
  await count(deployment, finish('ann', 'level:1'));
  await untilReceived(received, 'ann 1');
});

test('a board begins and ends by what was said of it, by the clock of Redis', async (t) => {
  const deployment = await start(t);
  const at = (/** @type {number} */ minutes) => new Date(NOW + minutes * MINUTE_MS).toISOString();
  await admin(deployment, 'PUT', 'boards/level:1', { starts_at: at(10), ends_at: at(20) });
  const one = finish('ann', 'level:1');
  const move = (/** @type {number} */ minutes) => {
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW + minutes * MINUTE_MS);
  };
  const state = async () => (await admin(deployment, 'GET', 'boards/level:1')).body.state;
  assert.deepEqual([await state(), await count(deployment, one)], ['waiting', ['0 board-closed']]);
  move(10);
  assert.deepEqual([await state(), await count(deployment, one)], ['open', []]);
  // The isolate read it within the minute, and knows when it ends.
  move(19.5);
  assert.deepEqual(await count(deployment, one), []);
  move(20);
  assert.deepEqual([await state(), await count(deployment, one)], ['closed', ['0 board-closed']]);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), ['ann 2'], 'it is read on');
  await admin(deployment, 'PUT', 'boards/level:1', {});
  assert.deepEqual([await state(), await count(deployment, one)], ['open', []], 'it goes on without an end');
});

test('a deleted board is gone after two minutes with all its keys, and its name is free', async (t) => {
  const deployment = await start(t);
  for (const board of ['level:1', 'level:2']) await admin(deployment, 'PUT', `boards/${board}`);
  await count(deployment, finish('ann', 'level:1', 'level:2'), { action: 'like', actor: 'ann', item: '/a', boards: ['level:1'] });
  const kept = await keysOf(deployment, 'level:2');
  const others = await keysOf(deployment, 'articles');
  const ended = await admin(deployment, 'DELETE', 'boards/level:1');
  assert.deepEqual([ended.status, ended.body.state], [202, 'going']);
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:1')).status, 202, 'again');

  const read = await deployment.freshTop('level:1/all');
  assert.deepEqual([read.status, read.body.code], [410, 'board-going']);
  assert.deepEqual(await count(deployment, finish('ann', 'level:1')), ['0 unknown-board']);
  const { status, body: problem } = await deployment.fetch('/v1/demo/boards/level:99/all');
  assert.equal(status, 404);
  assert.equal(problem.detail, 'the site demo has no board "level:99"; it has articles, and boards made of best, level, made');
  const again = await admin(deployment, 'PUT', 'boards/level:1');
  assert.deepEqual([again.status, again.body.code], [410, 'board-going'], 'its name is not free yet');

  await deployment.worker.scheduled();
  assert.notDeepEqual(await keysOf(deployment, 'level:1'), [], 'an isolate may still write');
  await pass(deployment, 4);
  assert.deepEqual(await keysOf(deployment, 'level:1'), []);
  assert.deepEqual(await keysOf(deployment, 'level:2'), kept);
  assert.deepEqual(await keysOf(deployment, 'articles'), others);
  assert.equal((await admin(deployment, 'GET', 'boards/level:1')).status, 404);
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:1')).status, 404);

  assert.equal((await admin(deployment, 'PUT', 'boards/level:1')).status, 201, 'its name is free');
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), [], 'nothing comes back');
  assert.deepEqual(await count(deployment, finish('bob', 'level:1')), []);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), ['bob 1']);
});

test('a scan that was killed goes on where it was', async (t) => {
  const deployment = await start(t);
  await admin(deployment, 'PUT', 'boards/level:1');
  await count(deployment, finish('ann', 'level:1'));
  await admin(deployment, 'DELETE', 'boards/level:1');
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(3 * MINUTE_MS);
  const began = String(NOW + 3 * MINUTE_MS);
  await deployment.redis.command('HSET', 'eb:{demo}:boards:scan', 'owner', 'killed', 'until', String(NOW + 4 * MINUTE_MS), 'began', began);
  await deployment.redis.command('HSET', 'eb:{demo}:boards:scan', 'cursor', '7', 'run', 'of-another-server');
  await deployment.worker.scheduled();
  assert.notDeepEqual(await keysOf(deployment, 'level:1'), [], 'its lease lasts');
  await pass(deployment, 7);
  assert.deepEqual(await keysOf(deployment, 'level:1'), []);
  assert.equal((await admin(deployment, 'GET', 'boards/level:1')).status, 404);
  assert.deepEqual(await deployment.redis.command('KEYS', 'eb:{demo}:boards*'), []);
});

test('the list has pages and its end, and a template has as many boards as it may', async (t) => {
  const deployment = await start(t);
  for (const board of ['b', 'a', 'c']) assert.equal((await admin(deployment, 'PUT', `boards/level:${board}`)).status, 201);
  const full = await admin(deployment, 'PUT', 'boards/level:d');
  assert.deepEqual([full.status, full.body.code], [409, 'too-many-boards']);
  assert.equal((await admin(deployment, 'PUT', 'boards/made:d')).status, 201, 'another template has room');
  const first = (await admin(deployment, 'GET', 'templates/level?limit=2')).body;
  const next = (await admin(deployment, 'GET', `templates/level?limit=2&cursor=${first.next}`)).body;
  const names = (/** @type {any} */ { boards }) => boards.map((/** @type {{ board: string }} */ { board }) => board);
  assert.deepEqual([names(first), first.total, first.max_boards], [['level:a', 'level:b'], 3, 3]);
  assert.deepEqual([names(next), next.next], [['level:c'], null]);
  for (const [path, status] of /** @type {const} */ ([
    ['templates/articles', 404],
    ['templates/level?cursor=made:d', 400],
    ['templates/level?limit=0', 400],
  ])) {
    assert.equal((await admin(deployment, 'GET', path)).status, status, path);
  }
  for (const body of [
    { title: '' },
    { ends_at: 5 },
    { starts_at: '2026-11-21T00:00:00Z', ends_at: '2026-11-20T00:00:00Z' },
    { color: 'red' },
  ]) {
    const { status, body: problem } = await admin(deployment, 'PUT', 'boards/level:a', body);
    assert.deepEqual([status, problem.code], [400, 'invalid-board'], JSON.stringify(body));
  }
});

test("a server's event makes the board that it names, where its template says so, and a browser's does not", async (t) => {
  const deployment = await start(t);
  const view = (/** @type {string} */ board) => ({ action: 'view', item: '/a', boards: [board] });
  const beacon = async (/** @type {object} */ event) => {
    const { status, headers, body } = await deployment.beacon(event);
    return [status, headers.get('edgeboard-refused') ?? body?.code];
  };
  assert.deepEqual(await beacon(view('made:1')), [204, 'unknown-board']);
  assert.deepEqual(await count(deployment, view('made:1'), view('made:2'), view('made:3')), ['2 unknown-board'], 'there is room for two');
  assert.deepEqual(await beacon(view('made:1')), [204, undefined]);
  assert.deepEqual(await beacon({ action: 'view', item: '/a', boards: ['best:1'] }), [403, 'board-not-public']);
  assert.deepEqual(shown(await deployment.freshTop('made:1/all')), ['/a 2']);
  assert.deepEqual(shown(await deployment.freshTop('articles/all')), ['/a 3'], 'what is refused counts nowhere');
  assert.deepEqual(await count(deployment, { ...finish('ann', 'best:1'), value: 7 }, { ...finish('ann', 'best:1'), value: 5 }), []);
  assert.deepEqual(await count(deployment, finish('ann', 'best:1')), ['0 invalid-value']);
  assert.deepEqual(shown(await deployment.freshTop('best:1/all')), ['ann 7']);
});

test('what was refused for its board counts when it is sent again, and the rest counts once', async (t) => {
  const deployment = await start(t);
  await admin(deployment, 'PUT', 'boards/level:1');
  const batch = { id: 'b1', events: [finish('ann', 'level:1'), finish('bob', 'level:2')] };
  assert.equal((await deployment.events(batch)).body.rejected[0].code, 'unknown-board');
  await admin(deployment, 'PUT', 'boards/level:2');
  const { body } = await deployment.events(batch);
  assert.deepEqual(body, { accepted: 1, duplicate: 1, rejected: [] });
  assert.deepEqual(shown(await deployment.freshTop('level:2/all')), ['bob 1']);
});

test('an actor is erased from all of them', async (t) => {
  const deployment = await start(t);
  for (const board of ['level:1', 'level:2']) await admin(deployment, 'PUT', `boards/${board}`);
  await count(deployment, finish('ann', 'level:1', 'level:2'), finish('bob', 'level:2'));
  for (let tries = 0, status = 202; status === 202; tries += 1) {
    assert.ok(tries < 10, 'it ends');
    const init = { method: 'DELETE', headers: { authorization: 'Bearer a-token-for-writing' } };
    ({ status } = await deployment.fetch('/v1/demo/actors/ann', init));
  }
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), []);
  assert.deepEqual(shown(await deployment.freshTop('level:2/all')), ['bob 1']);
});

test('no site has the boards of another one', async (t) => {
  const deployment = await start(t);
  await admin(deployment, 'PUT', 'boards/level:1');
  const { body } = await deployment.events({ events: [finish('ann', 'level:1')] }, { site: 'other' });
  assert.equal(body.rejected[0].code, 'unknown-board');
  assert.equal((await deployment.fetch('/v1/other/boards/level:1/all')).status, 404);
  assert.deepEqual(await deployment.redis.command('KEYS', 'eb:{other*'), []);
});
