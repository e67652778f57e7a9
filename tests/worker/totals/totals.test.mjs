/**
 * Totals are handed on as they change: to the database, and to a webhook.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { DAY_MS, FORWARD_SECRET, MINUTE_MS, NOW, start } from './site.mjs';
import { killAtEachStep } from '../../support/killed.mjs';
import { longTest } from '../../support/part.mjs';
import { assertSigned, startWebhook } from '../../support/webhook.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Started */

const views = (/** @type {string} */ item, times = 1, more = {}) =>
  Array.from({ length: times }, () => ({ action: 'view', item, ...more }));

describe('to the database', () => {
  /** @type {Started} */
  let to;
  beforeEach(async () => {
    to = await start();
    to.setClocks(NOW);
  });
  afterEach(() => to.deployment.stop());

  test('what changed, with its counts by action, and nothing else', async () => {
    await to.send([...views('a', 3), ...views('b'), { action: 'like', item: 'a', actor: 'ann' }]);
    // a and b of all time and of the day, ann of the day.
    assert.equal(await to.handOn(), 5);
    assert.deepEqual(await to.rows(), [
      { member: 'a', period: 'all', score: 5, actions: '{"like":1,"view":3}' },
      { member: 'b', period: 'all', score: 1, actions: '{"view":1}' },
    ]);
    assert.deepEqual(
      (await to.rows('articles/day')).map(({ member, period, score }) => [member, period, score]),
      [
        ['a', '2026-11-20', 5],
        ['b', '2026-11-20', 1],
      ],
    );
    assert.equal(await to.handOn(), 0, 'nothing changed');
    await to.send([{ action: 'view', item: 'b' }]);
    assert.equal(await to.handOn(), 2, 'b, of all time and of the day');
    assert.deepEqual(await to.scores(), { a: 5, b: 2 });
  });

  test('late events and undos, in the period in which they count', async () => {
    await to.send([{ action: 'like', item: 'a', actor: 'ann' }, ...views('b')]);
    await to.handOn();
    to.setClocks(NOW + DAY_MS);
    await to.send([{ action: 'like', item: 'a', actor: 'ann', undo: true }, ...views('b', 2, { at: NOW }), ...views('c')]);
    await to.handOn();
    assert.deepEqual(
      (await to.rows('articles/day')).map(({ member, period, score }) => [member, period, score]),
      [
        ['b', '2026-11-20', 3],
        ['c', '2026-11-21', 1],
      ],
      'who is not on a board has no row',
    );
    assert.deepEqual(await to.scores(), { b: 3, c: 1 });
    // The day is not kept any more: its rows stay as they were.
    to.setClocks(NOW + 61 * DAY_MS + 30 * MINUTE_MS);
    await to.handOn();
    assert.equal((await to.rows('articles/day')).length, 2);
  });

  test('what was removed, revoked or erased goes', async () => {
    await to.send([...views('a', 2), ...views('b', 2), ...views('spam/1'), ...views('spam/2'), ...views('c', 1, { actor: 'ann' })]);
    await to.send(views('b', 5, { actor: 'bot' }));
    await to.handOn();
    assert.deepEqual(await to.scores('people/day'), { ann: 1, bot: 5 });
    assert.equal((await to.remove('/a')).status, 200);
    assert.equal((await to.remove('?prefix=spam/')).status, 200);
    const revoked = await to.revoke({ actor: 'bot', from: '2026-11-20T00:00:00Z', until: '2026-11-21T00:00:00Z' });
    assert.equal(revoked.status, 200, revoked.text);
    await to.handOn();
    assert.deepEqual(await to.scores(), { b: 2, c: 1 });
    assert.deepEqual(await to.scores('people/day'), { ann: 1 });

    to.setClocks(NOW + 70 * DAY_MS);
    assert.equal((await to.erase('ann')).status, 204);
    assert.deepEqual(await to.scores('people/day'), {}, 'also of periods that Redis has forgotten');
  });

  test('the scheduled run comes as often as it is told, and the metrics tell of it', async () => {
    await to.send(views('a'));
    await to.deployment.worker.scheduled();
    assert.deepEqual(await to.scores(), { a: 1 });
    const { runs, members, busy, failed } = await to.counted('totals articles/all');
    assert.deepEqual({ runs, members, busy, failed }, { runs: 1, members: 1, busy: 0, failed: 0 });
    await to.send(views('a'));
    to.setClocks(NOW + MINUTE_MS);
    await to.deployment.worker.scheduled();
    assert.deepEqual([await to.scores(), await to.scores('articles/day')], [{ a: 1 }, { a: 2 }]);
    to.setClocks(NOW + 5 * MINUTE_MS);
    await to.deployment.worker.scheduled();
    assert.deepEqual(await to.scores(), { a: 2 });
  });

  test('a run that is late writes nothing over what a later one wrote', async () => {
    await to.send(views('a', 7));
    await to.handOn();
    const database = await to.deployment.worker.miniflare.getD1Database('DB');
    await database.exec('UPDATE totals_runs SET seq = seq + 3600000');
    await to.send(views('a'));
    assert.equal(await to.handOn(), 2, 'it is taken again, with a number above');
    assert.deepEqual(await to.scores(), { a: 8 });
  });
});

/** A run that ends after any of its round trips loses nothing, whether the last one was applied or not. */
longTest('a run that is killed at each step', async (t) => {
  const to = await start();
  t.after(() => to.deployment.stop());
  /** @type {Record<string, number>} */
  const model = {};
  const count = async (/** @type {number} */ members, /** @type {number} */ salt) => {
    const events = [];
    for (let i = 0; i < members; i += 1) {
      const item = `m${(i * 7) % 1300}`;
      const actor = `a${salt}-${i}`;
      events.push(i % 3 === 0 ? { action: 'like', item, actor } : { action: 'view', item });
      model[item] = (model[item] ?? 0) + (i % 3 === 0 ? 2 : 1);
    }
    await to.send(events);
  };
  const state = async () => {
    const keys = (await to.deployment.redis.command('KEYS', 'eb:{demo:articles}:*')).filter((/** @type {string} */ key) =>
      /:changed:|:totals$/.test(key),
    );
    const dump = async (/** @type {string} */ key) => [key, await to.deployment.redis.commandBuffers('DUMP', key)];
    return Promise.all(keys.map(dump));
  };
  let at = NOW;
  /** @type {Awaited<ReturnType<typeof state>>} */
  let held = [];
  const steps = await killAtEachStep(to.deployment.link, {
    async before(killedAt) {
      at += 2 * MINUTE_MS;
      to.setClocks(at);
      await count(1250, killedAt);
      held = await state();
    },
    run: () => to.deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers: { authorization: 'Bearer a-token-for-owners' } }),
    async after(killedAt) {
      // Every other time, what Redis did is lost as well, but not what the database did.
      if (killedAt % 2 === 0) {
        for (const [key] of await state()) await to.deployment.redis.command('UNLINK', key);
        for (const [key, value] of held) await to.deployment.redis.command('RESTORE', key, '0', value);
      }
      await count(40, 1000 + killedAt);
      to.setClocks(at + MINUTE_MS);
      // The run that was killed is ended first, then comes what changed meanwhile.
      await to.handOn();
      await to.handOn();
      assert.deepEqual(await to.scores(), model, `killed at ${killedAt}`);
      assert.equal(await to.handOn(), 0);
    },
  });
  assert.ok(steps > 8, `${steps} steps`);
});

test('a database that is out loses nothing', async (t) => {
  const to = await start();
  t.after(() => to.deployment.stop());
  to.setClocks(NOW);
  await to.send(views('a'));
  await to.handOn();
  const database = await to.deployment.worker.miniflare.getD1Database('DB');
  await database.exec('ALTER TABLE totals RENAME COLUMN score TO other');
  await to.send([...views('a'), ...views('b')]);
  assert.equal(await to.handOn(), 0);
  assert.ok(to.deployment.worker.log.some(({ message }) => /demo.articles.all: totals: /.test(message)));
  assert.equal((await to.counted('totals articles/all')).failed, 1);
  await to.send(views('c'));
  await database.exec('ALTER TABLE totals RENAME COLUMN other TO score');
  await to.handOn();
  await to.handOn();
  assert.deepEqual(await to.scores(), { a: 2, b: 1, c: 1 });
});

test('to a webhook: signed, whole, and again until it is received', async (t) => {
  const { heard, answers, url, stop } = await startWebhook();
  t.after(stop);
  const lap = { members: 'actors', score: 'min', order: 'ascending', decimals: 2, actions: ['finish'], windows: ['all'] };
  const boards = {
    articles: { weights: { view: 1, like: 2 }, windows: ['day'], breakdown: true, totals: [{ window: 'day', to: url }] },
    lap: { ...lap, totals: [{ window: 'all', to: url }] },
  };
  const to = await start({ boards, hasDatabase: false });
  t.after(() => to.deployment.stop());
  to.setClocks(NOW);
  await to.send([...views('a', 2), { action: 'like', item: 'b', actor: 'ann' }]);
  answers.status = 410;
  assert.equal(await to.handOn(), 0);
  answers.status = 204;
  await to.send(views('a'));
  assert.equal(await to.handOn(), 2, 'what it did not take');
  assert.equal(await to.handOn(), 1, 'what changed meanwhile');
  const [first, again, last] = heard.map(({ text }) => JSON.parse(text));
  assert.ok(again.totals.seq > first.totals.seq && last.totals.seq > again.totals.seq);
  assert.deepEqual({ ...again.totals, seq: 0, at: '', members: [] }, { board: 'articles', window: 'day', seq: 0, at: '', members: [] });
  assert.match(again.totals.at, /^2026-11-20T23:30:0\d\.\d{3}Z$/);
  const byId = (/** @type {any} */ a, /** @type {any} */ b) => (a.id < b.id ? -1 : 1);
  assert.deepEqual(again.totals.members.sort(byId), [
    { id: 'a', period: '2026-11-20', score: 3, actions: { view: 3 } },
    { id: 'b', period: '2026-11-20', score: 2, actions: { like: 1 } },
  ]);
  assertSigned(heard[1], FORWARD_SECRET);

  await to.send([
    { action: 'like', item: 'b', actor: 'ann', undo: true },
    { action: 'finish', actor: 'ann', value: 61.25 },
  ]);
  assert.equal(await to.handOn(), 2);
  const [undone, best] = heard.slice(3).map(({ text: body }) => JSON.parse(body).totals);
  assert.deepEqual(undone.members, [{ id: 'b', period: '2026-11-20', score: null, actions: {} }]);
  assert.deepEqual([best.board, best.members], ['lap', [{ id: 'ann', period: 'all', score: 61.25 }]]);
});

test('what is not configured costs nothing; what is, a command for each window and batch', async (t) => {
  const plain = { weights: { view: 1 }, windows: ['day', 'all'] };
  const to = await start({ boards: { articles: plain, marked: { ...plain, totals: [{ window: 'all' }] } } });
  t.after(() => to.deployment.stop());
  to.setClocks(NOW);
  const batch = [...views('a'), ...views('b')];
  await to.send(batch);
  const commands = await to.deployment.commandsDuring(() => to.send(batch));
  // A batch has no other sets than those of ids, which it has none of.
  assert.equal(commands.sadd, 1);
  assert.deepEqual(await to.deployment.redis.command('KEYS', '*:changed:*'), ['eb:{demo:marked}:changed:all']);
});
