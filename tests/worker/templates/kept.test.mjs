/**
 * Rolling and decaying windows of boards of templates: upkeep prepares them while somebody counts there, and leaves idle boards alone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, admin, count, keysOf, MINUTE_MS, NOW, pass, SITE, shown, start } from './site.mjs';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SITE_KEPT = {
  ...SITE,
  boards: {
    articles: SITE.boards.articles,
    level: {
      template: true,
      on_event: true,
      members: 'actors',
      weights: { finish: 1 },
      windows: ['day', 'last-7-days'],
      ranking: 'dense',
      max_boards: 10_000,
      fresh: '1s',
    },
    trend: {
      template: true,
      on_event: true,
      members: 'actors',
      weights: { finish: 1 },
      windows: [{ name: 'hot', kind: 'half-life', half_life: '1h' }],
    },
  },
};
const DUE = 'eb:{demo}:boards:due';

const finish = (/** @type {string} */ actor, /** @type {string[]} */ ...boards) => ({ action: 'finish', actor, boards });

/** @param {import('node:test').TestContext} t */
const startKept = (t) => start(t, { site: SITE_KEPT });

/** @typedef {import('./site.mjs').Deployment} Deployment */

/** Moves both clocks to an instant, and lets the scheduled run of it do its part. @param {Deployment} deployment @param {number} at */
async function passTo(deployment, at) {
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at);
  await deployment.worker.scheduled();
}

/** Lets a day pass from noon to noon, by an hour each time: a day is prepared in its last two. @param {Deployment} deployment @param {number} noon */
async function passDay(deployment, noon) {
  for (let at = noon + HOUR_MS; at <= noon + DAY_MS; at += HOUR_MS) await passTo(deployment, at);
}

/** The boards that upkeep is to look at. @param {Deployment} deployment @returns {Promise<string[]>} */
const dueBoards = async ({ redis }) => (await redis.command('ZRANGE', DUE, 0, -1)).filter((/** @type {string} */ name) => name !== '');

test('a rolling window is complete at each boundary, and nothing is left of what it is over', async (t) => {
  const deployment = await startKept(t);
  const { fetch } = deployment;
  /** What each counts on each day, by whoever does. @type {Record<string, number[]>} */
  const days = { ann: [3, 0, 2, 0, 0, 0, 0, 0, 0, 0], bob: [1, 1, 1, 1, 0, 0, 0, 0, 0, 0] };
  for (let day = 0; day < 10; day += 1) {
    for (const [actor, counts] of Object.entries(days)) {
      for (let i = 0; i < counts[day]; i += 1) assert.deepEqual(await count(deployment, finish(actor, 'level:1')), []);
    }
    await passDay(deployment, NOW + day * DAY_MS);
    // The day that begins is the first of the seven.
    const sums = Object.entries(days).map(([actor, counts]) => [
      actor,
      counts.slice(Math.max(0, day - 5), day + 1).reduce((a, b) => a + b),
    ]);
    const expected = sums.filter(([, sum]) => Number(sum) > 0).sort(([a, x], [b, y]) => Number(y) - Number(x) || (a < b ? 1 : -1));
    // The first that reads the day: nobody's reading completed it.
    const read = await fetch('/v1/demo/boards/level:1/last-7-days');
    assert.equal(read.body.complete, true, `${day}: ${read.text}`);
    assert.deepEqual(
      shown(read),
      expected.map((entry) => entry.join(' ')),
      `${day}`,
    );
  }
});

test('upkeep is counted by template', async (t) => {
  const deployment = await startKept(t);
  await count(deployment, finish('ann', 'level:1'));
  await pass(deployment, 1);
  const { text } = await admin(deployment, 'GET', 'metrics');
  assert.match(text, /job="upkeep level\/last-7-days"/);
  assert.doesNotMatch(text, /level:1/);
});

test('a board is looked at while it has something in a window that is kept, and costs nothing then', async (t) => {
  const deployment = await startKept(t);
  await count(deployment, finish('ann', 'level:1', 'level:2'));
  await passTo(deployment, NOW + MINUTE_MS);
  assert.deepEqual((await dueBoards(deployment)).sort(), ['level:1', 'level:2']);
  // After twelve days on which nobody came.
  for (let day = 0; day < 12; day += 1) await passDay(deployment, NOW + day * DAY_MS);
  assert.deepEqual(await dueBoards(deployment), []);
  const noon = NOW + 12 * DAY_MS;
  const idle = await deployment.commandsDuring(async () => {
    for (let minute = 1; minute <= 60; minute += 1) await passTo(deployment, noon + minute * MINUTE_MS);
  });
  // A look may fall into either hour. Twelve times it is the turn of both to show whether their entry was lost.
  const without = await lookedAt(t);
  assert.ok(idle.hmget <= without + 2 + 12 * 3, `${idle.hmget} instead of ${without}`);
  // A board that comes back is counted as before.
  await count(deployment, finish('bob', 'level:1'));
  await passTo(deployment, noon + 70 * MINUTE_MS);
  assert.deepEqual(await dueBoards(deployment), ['level:1']);
  const read = await deployment.fetch('/v1/demo/boards/level:1/last-7-days');
  assert.deepEqual([read.body.complete, shown(read)], [true, ['bob 1']], read.text);
});

test('upkeep comes late: windows are repaired each day, and the board is looked at no more all the same', async (t) => {
  const deployment = await startKept(t);
  await count(deployment, finish('ann', 'level:1'));
  for (let hours = 6; hours <= 12 * 24; hours += 6) await passTo(deployment, NOW + hours * HOUR_MS);
  assert.deepEqual(await dueBoards(deployment), []);
});

test('a board with members in a rolling window costs its preparations, and those only', async (t) => {
  const level = { ...SITE_KEPT.boards.level, windows: ['last-7-days'], ranking: 'ordinal' };
  const costs = [];
  for (const boards of [1, 11]) {
    const deployment = await start(t, { site: { boards: { level } } });
    const names = Array.from({ length: boards }, (_, i) => `level:${i}`);
    for (const name of names) await count(deployment, finish('ann', name));
    await passDay(deployment, NOW);
    const commands = await deployment.commandsDuring(() => passDay(deployment, NOW + DAY_MS));
    costs.push(Object.values(commands).reduce((sum, calls) => sum + calls, 0));
  }
  const [one, eleven] = costs;
  const aBoard = (eleven - one) / 10;
  t.diagnostic(`${aBoard} commands a board and day`);
  // docs/configuration/templates.md has what it is over a week.
  assert.ok(aBoard > 20 && aBoard < 50, `${costs}`);
});

/** The states that an hour without any board of a template reads. @param {import('node:test').TestContext} t */
async function lookedAt(t) {
  const deployment = await startKept(t);
  await passTo(deployment, NOW);
  const idle = await deployment.commandsDuring(() => pass(deployment, 60));
  return idle.hmget;
}

test('what has faded goes, and its board is looked at no more', async (t) => {
  const deployment = await startKept(t);
  await count(deployment, finish('ann', 'trend:1'));
  const members = async () => (await keysOf(deployment, 'trend:1')).filter((key) => /:hot:\d+$/.test(key));
  const [key] = await members();
  assert.notEqual(await deployment.redis.command('ZSCORE', key, 'ann'), null);
  for (let day = 0; day < 2; day += 1) await passDay(deployment, NOW + day * DAY_MS);
  assert.equal(await deployment.redis.command('ZSCORE', key, 'ann'), null, 'after 48 half-lives');
  assert.deepEqual(await dueBoards(deployment), ['trend:1']);
  for (let day = 2; day < 6; day += 1) await passDay(deployment, NOW + day * DAY_MS);
  assert.deepEqual(await dueBoards(deployment), []);
});

test('Redis loses when boards are due: all are looked at, and windows stay complete', async (t) => {
  const deployment = await startKept(t);
  for (const board of ['level:1', 'level:2', 'level:3']) await count(deployment, finish('ann', board));
  await passDay(deployment, NOW - DAY_MS + 10 * HOUR_MS);
  await deployment.redis.command('DEL', DUE);
  await passDay(deployment, NOW + 10 * HOUR_MS);
  for (const board of ['level:1', 'level:2', 'level:3']) {
    const read = await deployment.fetch(`/v1/demo/boards/${board}/last-7-days`);
    assert.deepEqual([read.body.complete, shown(read)], [true, ['ann 1']], `${board}: ${read.text}`);
  }
});

test('upkeep writes nothing of a board that is deleted, and it is looked at no more', async (t) => {
  const deployment = await startKept(t);
  await count(deployment, finish('ann', 'level:1', 'level:2'));
  await pass(deployment, 1);
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:1')).status, 202);
  // As an isolate does that has not heard of it.
  await deployment.redis.command('ZADD', DUE, '-1', 'level:1');
  await pass(deployment, 10);
  assert.deepEqual(await keysOf(deployment, 'level:1'), []);
  assert.deepEqual(await dueBoards(deployment), ['level:2']);
});

test('a reader’s wish and a rebuild are done by upkeep, on a board that is idle too', async (t) => {
  const deployment = await startKept(t);
  const { fetch } = deployment;
  await count(deployment, finish('ann', 'level:1'));
  for (let day = 0; day < 12; day += 1) await passDay(deployment, NOW + day * DAY_MS);
  assert.deepEqual(await dueBoards(deployment), []);
  const past = '/v1/demo/boards/level:1/last-7-days?period=2026-11-22';
  await fetch(past);
  await pass(deployment, 6);
  const built = await deployment.fresh(past);
  assert.deepEqual([built.body.complete, shown(built)], [true, ['ann 1']], built.text);
  const rebuilt = await admin(deployment, 'POST', 'boards/level:1/rebuild');
  assert.equal(rebuilt.status, 200, rebuilt.text);
  assert.equal((await admin(deployment, 'POST', 'boards/level:1/reset')).status, 200);
  await pass(deployment, 1);
  const empty = await fetch('/v1/demo/boards/level:1/last-7-days');
  assert.deepEqual([empty.body.complete, shown(empty)], [true, []], empty.text);
});

test('a window that a deployment adds is completed by its first reader, and kept from then on', async (t) => {
  const deployment = await startKept(t);
  await count(deployment, finish('ann', 'level:1'), finish('bob', 'level:1'), finish('ann', 'level:1'));
  await passDay(deployment, NOW);
  const level = { ...SITE_KEPT.boards.level, windows: ['day', 'last-3-days'] };
  await deployment.restartWorker({ SITES: { demo: { ...SITE_KEPT, boards: { ...SITE_KEPT.boards, level } }, other: SITE } });
  await deployment.fetch('/v1/demo/boards/level:1/last-3-days');
  const path = 'level:1/last-3-days';
  const read = await deployment.freshTop(path);
  assert.deepEqual([read.body.complete, shown(read)], [true, ['ann 2', 'bob 1']], read.text);
  // One is removed before the next day begins.
  assert.equal((await admin(deployment, 'DELETE', 'boards/level:1/members/ann')).status, 200);
  assert.deepEqual(await count(deployment, finish('ann', 'level:1'), finish('bob', 'level:1')), ['0 item-gone']);
  await passDay(deployment, NOW + DAY_MS);
  const next = await deployment.fetch(`/v1/demo/boards/${path}`);
  assert.deepEqual([next.body.complete, shown(next)], [true, ['bob 2']], next.text);
});

test('an item becomes another one, and Redis is lost and restored: rolling windows have what a model has', async (t) => {
  const shelf = { template: true, on_event: true, weights: { view: 1 }, windows: ['day', 'last-7-days'], fresh: '1s' };
  const articles = { weights: { view: 1 }, windows: ['day', 'last-7-days'], archive: true, fresh: '1s' };
  const deployment = await start(t, { site: { ...SITE, boards: { articles, shelf } }, hasDatabase: true, hasBucket: true });
  /** What each counts on each day. @type {Record<string, number[]>} */
  const days = { '/a': [3, 0, 2, 4, 1, 0, 0, 0, 0, 0], '/b': [1, 2, 0, 0, 5, 1, 0, 2, 0, 4], '/c': [2, 2, 2, 2, 2, 2, 2, 1, 1, 1] };
  const [ALIAS, LOSS] = [3, 6];
  /** From this day on it is counted. */
  let [since, of] = [0, Object.keys(days)];
  /** @param {number} day @param {number} from */
  const expected = (day, from) => {
    const sum = (/** @type {string} */ id) => days[id].slice(Math.max(from, day - 5), day + 1).reduce((a, b) => a + b, 0);
    const sums = of.map((id) => [id, sum(id) + (id === '/b' && day >= ALIAS ? sum('/a') : 0)]);
    return sums.filter(([, points]) => Number(points) > 0).map((entry) => entry.join(' '));
  };
  for (let day = 0; day < 10; day += 1) {
    if (day === ALIAS) {
      const { status, text } = await edit(deployment, 'items/%2Fa/alias', { to: '/b' });
      assert.equal(status, 200, text);
      of = ['/b', '/c'];
    }
    if (day === LOSS) {
      await deployment.redis.command('FLUSHALL');
      await pass(deployment, 1);
      for (let tries = 0, status = 202; status === 202; tries += 1) {
        assert.ok(tries < 10, 'it ends');
        ({ status } = await admin(deployment, 'POST', 'restore'));
      }
      // Boards of templates are in no archive: the next event makes the board anew.
      since = LOSS;
      const read = await deployment.fetch('/v1/demo/boards/shelf:1/last-7-days');
      assert.equal(read.status, 404, read.text);
    }
    for (const [item, counts] of Object.entries(days)) {
      const view = { action: 'view', item, boards: ['shelf:1'] };
      if (counts[day] > 0) assert.deepEqual(await count(deployment, ...Array(counts[day]).fill(view)), []);
    }
    await passDay(deployment, NOW + day * DAY_MS);
    for (const [board, from] of /** @type {const} */ ([
      ['articles', 0],
      ['shelf:1', since],
    ])) {
      const read = await deployment.fetch(`/v1/demo/boards/${board}/last-7-days`);
      assert.equal(read.body.complete, true, `${board} ${day}: ${read.text}`);
      assert.deepEqual(shown(read).sort(), expected(day, from), `${board} ${day}`);
    }
  }
});

/** @param {Deployment} deployment @param {string} path @param {object} body */
function edit({ fetch }, path, body) {
  return fetch(`/v1/demo/${path}`, { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, body: JSON.stringify(body) });
}
