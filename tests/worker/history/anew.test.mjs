/**
 * A frozen period is made anew by hand: of what Redis has of it, or else the archive.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { INGESTS } from '../../support/ingests.mjs';
import { killAtEachStep } from '../../support/killed.mjs';
import { startWebhook } from '../../support/webhook.mjs';
import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { ADMIN_TOKEN, MINUTE_MS, NOW, on, shown } from './site.mjs';

const MIDNIGHT = NOW + 30 * MINUTE_MS;
const OVER = MIDNIGHT + 6 * MINUTE_MS;
const WINDOWS = ['hour', 'day', 'last-7-days', 'all', { name: 'hot', kind: 'half-life', half_life: '6h' }];
const BOARD = { weights: { view: 1 }, windows: WINDOWS, limit: 10, history: 3 };
const FORWARD_SECRET = 'sixteen-letters-and-more';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

/**
 * @param {import('node:test').TestContext} t
 * @param {object} [board]
 * @param {{ ingest?: string }} [site]
 */
async function start(t, board = {}, { ingest = 'direct' } = {}) {
  const webhook = await startWebhook();
  const site = {
    origins: ['*'],
    ingest,
    actions: { view: { public: true } },
    forward: { webhook: webhook.url, actions: [], periods: true },
    boards: { articles: { ...BOARD, ...board }, forgetful: { weights: { view: 1 }, windows: ['day'] } },
  };
  const deployment = await startDeployment({
    transport: 'redis://',
    relayed: true,
    sites: { demo: site },
    hasDatabase: true,
    hasBucket: true,
    hasQueue: ingest === 'queue',
    vars: { ADMIN_TOKEN, FORWARD_SECRET },
  });
  t.after(async () => {
    await deployment.stop();
    webhook.stop();
  });
  const to = on(deployment, ingest);
  to.setClocks(NOW);
  const run = async () => {
    const { status, body, text } = await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
    assert.equal(status, 200, text);
    await deployment.worker.scheduled();
    return body;
  };
  /** @param {string} query @param {string} [board] */
  const anew = (query, board = 'articles') =>
    deployment.fetch(`/v1/demo/admin/boards/${board}/freeze?${query}`, { method: 'POST', headers });
  /** Freezes a day anew: what became of it. @param {string} id */
  const day = async (id) => {
    const { status, body, text } = await anew(`window=day&period=${id}&by=ann`);
    assert.equal(status, 200, text);
    assert.deepEqual([body.site, body.board, body.window, body.done], ['demo', 'articles', 'day', true]);
    return { changed: body.changed, source: body.source, ...body.period };
  };
  /** @param {string} window */
  const listed = async (window) =>
    (await to.periods(`articles/${window}`)).body.periods.map((/** @type {any} */ { id, revision, total, winner }) => [
      id,
      revision,
      total,
      winner?.id ?? null,
    ]);
  const audit = async () =>
    (await deployment.fetch('/v1/demo/admin/audit?limit=100', { headers })).body.entries
      .filter((/** @type {any} */ { did }) => did === 'freeze')
      .map((/** @type {any} */ { by, board: of, window, period, revision }) => [by, of, window, period, revision]);
  /** What the receiver of periods got since so many messages. @param {number} since */
  const periodsSince = (since) =>
    webhook.heard
      .slice(since)
      .map(({ message }) => message.period)
      .map(({ window, id, revision, entries }) => [window, id, revision, entries.map((/** @type {any} */ { id: of }) => of)]);
  const hide = async (/** @type {string} */ id) =>
    assert.equal((await deployment.fetch(`/v1/demo/admin/boards/articles/hidden/${id}`, { method: 'PUT', headers })).status, 204);
  return { deployment, webhook, run, anew, day, listed, audit, periodsSince, hide, ...to };
}

for (const ingest of INGESTS)
  test(`${ingest}: what came late is in the next revision, which is handed on and noted`, async (t) => {
    const to = await start(t, {}, { ingest });
    await to.view({ a: 4, b: 3 });
    to.setClocks(OVER);
    await to.run();
    assert.deepEqual(await to.listed('day'), [['2026-11-20', 1, 2, 'a']]);
    await to.view({ c: 9 }, { at: NOW });
    const [heard, frozen] = [to.webhook.heard.length, await to.listed('hour')];
    const made = await to.day('2026-11-20');
    assert.deepEqual(
      [made.changed, made.source, made.revision, made.total, made.winner],
      [true, 'redis', 2, 3, { rank: 1, id: 'c', score: 9 }],
    );
    assert.ok(Math.abs(Date.parse(made.frozen_at) - OVER) < MINUTE_MS, made.frozen_at);
    assert.deepEqual(await to.listed('day'), [['2026-11-20', 2, 3, 'c']]);
    assert.deepEqual(await to.listed('hour'), frozen, 'of that window alone');
    assert.deepEqual(to.periodsSince(heard), [['day', '2026-11-20', 2, ['c', 'a', 'b']]]);
    assert.deepEqual(await to.audit(), [['ann', 'articles', 'day', '2026-11-20', 2]]);

    // The same again, as after a lost answer.
    const again = await to.day('2026-11-20');
    assert.deepEqual(again, { ...made, changed: false });
    assert.deepEqual([to.webhook.heard.length, await to.audit()], [heard + 1, [['ann', 'articles', 'day', '2026-11-20', 2]]]);

    // Of the hour, of a rolling window, and of what was hidden.
    const hour = await to.anew('window=hour&period=2026-11-20T23Z');
    assert.deepEqual([hour.body.changed, hour.body.period?.revision, hour.body.period?.winner?.id], [true, 2, 'c'], hour.text);
    const rolling = await to.anew('window=last-7-days&period=2026-11-20');
    assert.deepEqual([rolling.body.changed, rolling.body.period?.revision, rolling.body.period?.winner?.id], [true, 2, 'c'], rolling.text);
    await to.hide('c');
    assert.deepEqual([(await to.day('2026-11-20')).revision, await to.listed('day')], [3, [['2026-11-20', 3, 2, 'a']]]);

    // When Redis has forgotten it, that is what is shown.
    to.setClocks(NOW + 70 * DAY_MS);
    for (const _ of [1, 2, 3]) await to.run();
    assert.deepEqual(shown((await to.deployment.freshTop('articles/day', '?period=2026-11-20')).body), [
      [1, 'a', 4],
      [2, 'b', 3],
    ]);
  });

test('a period that was never frozen is frozen by the same, and none before it is left out', async (t) => {
  const to = await start(t);
  await to.view({ a: 1 });
  to.setClocks(NOW + DAY_MS);
  await to.view({ b: 2 });
  to.setClocks(OVER + DAY_MS);
  const made = await to.day('2026-11-21');
  assert.deepEqual([made.changed, made.source, made.revision, made.winner.id], [true, 'redis', 1, 'b']);
  assert.deepEqual(await to.listed('day'), [
    ['2026-11-21', 1, 1, 'b'],
    ['2026-11-20', 1, 1, 'a'],
  ]);

  // One of before the first that was frozen: an import.
  await to.view({ z: 5 }, { at: NOW - 3 * DAY_MS });
  const imported = await to.day('2026-11-17');
  assert.deepEqual([imported.changed, imported.revision, imported.winner.id], [true, 1, 'z']);
  await to.run();
  assert.deepEqual(
    (await to.listed('day')).map((/** @type {any[]} */ [id]) => id),
    ['2026-11-21', '2026-11-20', '2026-11-17'],
  );
});

test('refused: what goes on, is of no period, or of a board without history', async (t) => {
  const to = await start(t);
  await to.view({ a: 4 });
  to.setClocks(OVER);
  await to.run();
  const before = await to.listed('day');
  for (const [query, board, status, code, detail] of /** @type {[string, string, number, string, RegExp][]} */ ([
    ['window=day&period=2026-11-21', 'articles', 409, 'period-not-over', /over for five minutes/],
    ['window=day&period=2026-12-21', 'articles', 409, 'period-not-over', /over for five minutes/],
    ['window=last-7-days&period=2026-11-21', 'articles', 409, 'period-not-over', /over for five minutes/],
    ['window=day', 'articles', 400, 'invalid-parameter', /period is missing; allowed: the id of a period that is over/],
    ['period=2026-11-20', 'articles', 400, 'invalid-parameter', /window is missing; allowed: hour, day, last-7-days/],
    ['window=day&period=2026-W47', 'articles', 400, 'invalid-period', /2026-W47/],
    ['window=all&period=all', 'articles', 404, 'unknown-window', /all cannot .* these that can: hour, day, last-7-days/],
    ['window=hot&period=2026-11-20', 'articles', 404, 'unknown-window', /these that can: hour, day, last-7-days/],
    ['window=week&period=2026-W47', 'articles', 404, 'unknown-window', /no window "week"/],
    ['window=hour&period=2026-11-20T12:30Z', 'articles', 404, 'unknown-period', /no hour/],
    ['window=day&period=2026-11-10', 'articles', 404, 'unknown-period', /neither Redis nor the archive has anybody in it/],
    ['window=day&period=2020-01-01', 'articles', 404, 'unknown-period', /neither Redis nor the archive has anybody in it/],
    ['window=day&period=2026-11-20', 'forgetful', 404, 'no-history', /history = 100/],
    ['window=day&period=2026-11-20', 'nothing', 404, 'unknown-board', /nothing/],
    ['window=day&period=2026-11-20&revision=3', 'articles', 400, 'unknown-parameter', /revision/],
  ])) {
    const answer = await to.anew(query, board);
    assert.deepEqual([answer.status, answer.body.code], [status, code], `${query}: ${answer.text}`);
    assert.match(answer.body.detail, detail);
  }
  const path = '/v1/demo/admin/boards/articles/freeze?window=day&period=2026-11-20';
  assert.equal((await to.deployment.fetch(path, { method: 'POST' })).status, 401);
  assert.equal((await to.deployment.fetch(path, { headers })).status, 405);
  to.setClocks(MIDNIGHT + DAY_MS + 4 * MINUTE_MS);
  assert.equal((await to.anew('window=day&period=2026-11-21')).body.code, 'period-not-over', 'what pages held back may come');
  assert.deepEqual([await to.listed('day'), await to.audit()], [before, []]);
});

test('refused while clocks differ, Redis is out, or has lost something', async (t) => {
  const to = await start(t, { archive: true });
  await to.view({ a: 4 });
  to.setClocks(OVER);
  await to.run();
  await to.view({ c: 9 }, { at: NOW });
  const before = await to.listed('day');
  const refused = async (/** @type {number} */ status, /** @type {string} */ code, /** @type {RegExp} */ detail) => {
    const answer = await to.anew('window=day&period=2026-11-20');
    assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
    assert.match(answer.body.detail, detail);
    assert.deepEqual([await to.listed('day'), to.webhook.heard.length], [before, heard]);
  };
  const heard = to.webhook.heard.length;
  for (const [redis, edge] of [
    [20 * DAY_MS, 0],
    [0, 20 * DAY_MS],
    [-2 * HOUR_MS, 0],
    [-20 * DAY_MS, 0],
    [0, -20 * DAY_MS],
  ]) {
    to.deployment.clock.set(OVER + Number(redis));
    to.deployment.edgeClock.set(OVER + Number(edge));
    const answer = await to.anew('window=day&period=2026-11-20');
    assert.deepEqual([answer.status, answer.body.code], [503, 'clock-differs'], answer.text);
  }
  to.setClocks(OVER + 2 * MINUTE_MS);
  assert.deepEqual(await to.listed('day'), before);
  await to.deployment.redis.command('FLUSHALL');
  await refused(503, 'not-restored', /^redis-lost: .* POST \/v1\/demo\/admin\/restore /);
  await to.deployment.fetch('/v1/demo/admin/restore', { method: 'POST', headers });
  const restored = await to.day('2026-11-20');
  assert.deepEqual([restored.changed, restored.revision], [false, 1], 'the late view was lost before upkeep had archived it');
  await to.deployment.redis.stop();
  const out = await to.anew('window=day&period=2026-11-20');
  assert.deepEqual([out.status, out.body.code], [503, 'redis-unavailable'], out.text);
});

for (const ingest of INGESTS)
  test(`${ingest}: what Redis keeps no longer is made of the archive, with what came late for it`, async (t) => {
    const to = await start(t, { archive: true, keep: { day: '8d' } }, { ingest });
    await to.view({ a: 4, b: 3 });
    to.setClocks(OVER);
    for (const _ of [1, 2]) await to.run();
    assert.deepEqual(await to.listed('day'), [['2026-11-20', 1, 2, 'a']]);
    to.setClocks(OVER + 20 * DAY_MS);
    for (const _ of [1, 2, 3]) await to.run();
    assert.equal(await to.deployment.redis.command('EXISTS', 'eb:{demo:articles}:day:20777'), 0, 'Redis has nothing of it');
    const same = await to.day('2026-11-20');
    assert.deepEqual([same.changed, same.source, same.revision], [false, 'archive', 1]);
    await to.view({ c: 9 }, { at: NOW });
    const heard = to.webhook.heard.length;
    const made = await to.day('2026-11-20');
    assert.deepEqual([made.changed, made.source, made.revision, made.total, made.winner.id], [true, 'archive', 2, 3, 'c']);
    assert.ok(Math.abs(Date.parse(made.frozen_at) - OVER - 20 * DAY_MS) < MINUTE_MS, made.frozen_at);
    assert.deepEqual(to.periodsSince(heard), [['day', '2026-11-20', 2, ['c', 'a', 'b']]]);
    assert.deepEqual(await to.audit(), [['ann', 'articles', 'day', '2026-11-20', 2]]);
  });

test('after a reset what was frozen stays, and what was counted since is frozen anew', async (t) => {
  const to = await start(t);
  await to.view({ a: 4, b: 3 });
  to.setClocks(OVER);
  await to.run();
  assert.equal((await to.deployment.fetch('/v1/demo/admin/boards/articles/reset', { method: 'POST', headers })).status, 200);
  const missing = await to.anew('window=day&period=2026-11-20');
  assert.deepEqual([missing.status, missing.body.code], [404, 'unknown-period'], missing.text);
  assert.match(missing.body.detail, /what was frozen of it stays as it is/);
  assert.deepEqual(await to.listed('day'), [['2026-11-20', 1, 2, 'a']]);
  await to.view({ d: 2 });
  to.setClocks(OVER + DAY_MS);
  await to.view({ e: 5 }, { at: OVER + HOUR_MS });
  const made = await to.day('2026-11-21');
  assert.deepEqual([made.changed, made.revision, made.total, made.winner.id], [true, 1, 2, 'e']);
});

test('killed at each step, and asked for again: one revision more, and no other period is touched', async (t) => {
  const to = await start(t, { windows: ['day'], archive: true });
  let at = NOW;
  const steps = await killAtEachStep(to.deployment.link, {
    async before(killedAt) {
      at += DAY_MS;
      to.setClocks(at);
      await to.view({ a: 4, b: 3 });
      to.setClocks(at + 36 * MINUTE_MS);
      await to.run();
      await to.view({ [`late-${killedAt}`]: 9 }, { at });
    },
    run: () => to.anew(`window=day&period=${new Date(at).toISOString().slice(0, 10)}`),
    async after(killedAt) {
      to.setClocks(at + 46 * MINUTE_MS);
      const id = new Date(at).toISOString().slice(0, 10);
      const made = await to.day(id);
      assert.deepEqual([made.total, made.winner.id], [3, `late-${killedAt}`]);
      assert.equal(made.revision, 2, `killed at ${killedAt}`);
      const all = await to.listed('day');
      assert.deepEqual(all[0], [id, 2, 3, `late-${killedAt}`]);
      assert.deepEqual(
        all.map((/** @type {any[]} */ [, revision]) => revision),
        Array.from({ length: killedAt }, () => 2),
      );
    },
  });
  assert.ok(steps > 3, `${steps} steps`);
});

test('waits for a receiver that does not take a period that ended today', async (t) => {
  const to = await start(t, { windows: ['day'] });
  await to.view({ a: 4 });
  to.setClocks(OVER);
  await to.run();
  await to.view({ c: 9 }, { at: NOW });
  to.webhook.answers.status = 410;
  const waits = await to.anew('window=day&period=2026-11-20');
  assert.equal(waits.status, 202, waits.text);
  assert.deepEqual(waits.body, {
    ...{ site: 'demo', board: 'articles', window: 'day' },
    ...{ done: false, changed: false, source: null, period: null },
  });
  assert.deepEqual([await to.listed('day'), await to.audit()], [[['2026-11-20', 1, 1, 'a']], []]);
  to.webhook.answers.status = 204;
  const made = await to.day('2026-11-20');
  assert.deepEqual([made.changed, made.revision, made.winner.id], [true, 2, 'c']);
  // Nobody waits for it for longer than a day.
  to.webhook.answers.status = 410;
  to.setClocks(OVER + 2 * DAY_MS);
  await to.view({ a: 9 }, { at: NOW });
  const late = await to.day('2026-11-20');
  assert.deepEqual([late.changed, late.revision, late.winner.id], [true, 3, 'a']);
});
