/**
 * Upkeep of sites that were made at run time: it looks where something changed, for as long as that shows, and nowhere else.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { killAtEachStep } from '../../support/killed.mjs';
import { until } from '../../support/until.mjs';
import { count, later, make, MINUTE_MS, SHOP, sites, start } from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const VIEW = { action: 'view', item: '/a' };
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DUE = 'eb:sites{:}:due';
const CHANGED = 'eb:sites{:}:changed';
/** Nothing of these shows for longer than a day. */
const CALENDAR = { boards: { articles: SHOP.boards.articles } };

/** Scheduled runs, so far apart. @param {Deployment} deployment @param {number} runs @param {number} [apartMs] */
async function pass(deployment, runs, apartMs = MINUTE_MS) {
  for (let i = 0; i < runs; i += 1) {
    later(deployment, apartMs);
    await deployment.worker.scheduled();
  }
}

/** Sites that upkeep looks at some time. @param {Pick<Deployment, 'redis'>} deployment */
const looked = async ({ redis }) => (await redis.command('ZRANGE', DUE, '0', '-1')).filter((/** @type {string} */ name) => name !== '');

/** @param {Deployment} deployment @param {string[]} names */
const entered = (deployment, names) =>
  until('they are entered', async () => (await deployment.redis.command('HKEYS', CHANGED)).sort().join() === [...names].sort().join());

/** Makes sites, counts on each, and lets them be until nothing of them shows. @param {Deployment} deployment @param {number} many */
async function makeIdle(deployment, many) {
  const names = Array.from({ length: many }, (_, i) => `site-${i}`);
  for (const name of names) {
    const { write } = await make(deployment, name, CALENDAR);
    assert.equal((await count(deployment, name, write, VIEW)).status, 200);
  }
  await entered(deployment, names);
  await pass(deployment, 30, HOUR_MS);
  assert.deepEqual(await looked(deployment), []);
  assert.equal(await deployment.redis.command('EXISTS', CHANGED), 0);
}

/** What was asked of the database meanwhile, without what asking for that takes. @param {Deployment} deployment */
async function databaseRows(deployment) {
  const { text } = await deployment.fetch('/v1/demo/admin/metrics', { headers: { authorization: 'Bearer a-token-of-all-sites' } });
  return Number(/^edgeboard_isolate_database_total\{site="",what="rows_read"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

test('idle sites cost nothing: an hour with fifty is as one with five', async (t) => {
  const costs = [];
  for (const many of [5, 50]) {
    const deployment = await start(t);
    await makeIdle(deployment, many);
    const before = await databaseRows(deployment);
    const commands = await deployment.commandsDuring(() => pass(deployment, 60));
    const total = Object.values(commands).reduce((sum, of) => sum + of, 0);
    costs.push({ many, total, rows: (await databaseRows(deployment)) - before });
  }
  t.diagnostic(JSON.stringify(costs));
  const [few, more] = costs;
  // A look of each job may fall into either hour.
  assert.ok(Math.abs(more.total - few.total) <= 0.1 * few.total, JSON.stringify(costs));
  assert.ok(Math.abs(more.rows - few.rows) <= 0.1 * few.rows + 10, JSON.stringify(costs));
});

test('an idle site is looked at again once something is counted or changed there', async (t) => {
  const deployment = await start(t);
  const { write, admin } = await make(deployment, 'shop');
  await count(deployment, 'shop', write, VIEW);
  await pass(deployment, 8 * 24, HOUR_MS);
  assert.deepEqual(await looked(deployment), []);
  assert.equal((await count(deployment, 'shop', write, VIEW)).status, 200);
  await entered(deployment, ['shop']);
  await pass(deployment, 2);
  for (let day = 0; day < 3; day += 1) {
    await pass(deployment, 24, HOUR_MS);
    const { body } = await deployment.freshTop('rolled/last-3-days', '', 'shop');
    assert.deepEqual([body.complete, body.entries.length], [true, day < 2 ? 1 : 0], `day ${day}`);
  }
  await pass(deployment, 6 * 24, HOUR_MS);
  assert.deepEqual(await looked(deployment), []);
  const { status } = await deployment.fetch('/v1/shop/admin/hidden/x', { method: 'PUT', headers: { authorization: `Bearer ${admin}` } });
  assert.equal(status, 204);
  await entered(deployment, ['shop']);
  await pass(deployment, 6 * 24, HOUR_MS);
  assert.equal((await sites(deployment, 'PUT', '/shop', SHOP)).status, 200);
  await entered(deployment, ['shop']);
});

test('what changes is looked at each minute, and then less often', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop', CALENDAR);
  await count(deployment, 'shop', write, VIEW);
  await entered(deployment, ['shop']);
  const [changed] = await deployment.redis.command('HVALS', CHANGED);
  const rests = async (/** @type {number} */ seconds, why = '') => {
    const restS = Number(await deployment.redis.command('ZSCORE', DUE, 'shop')) - deployment.clock.now() / 1000;
    assert.ok(restS > seconds - 15 && restS < seconds + 15, `${why}: ${restS} s instead of ${seconds} s`);
  };
  await pass(deployment, 1);
  await rests(55);
  later(deployment, 4 * HOUR_MS);
  await deployment.worker.scheduled();
  await rests(900);
  await pass(deployment, 10);
  await rests(300, 'it was not looked at meanwhile');
  await count(deployment, 'shop', write, VIEW);
  await until('it is entered', async () => (await deployment.redis.command('HVALS', CHANGED))[0] !== changed);
  await pass(deployment, 1);
  await rests(55);
});

test('where Redis lost which sites are due, all are looked at once', async (t) => {
  const deployment = await start(t);
  const names = ['blog', 'cellar', 'shop'];
  /** @type {Record<string, string>} */
  const tokens = {};
  for (const name of names) {
    tokens[name] = (await make(deployment, name)).write;
    await count(deployment, name, tokens[name], VIEW);
  }
  await entered(deployment, names);
  await pass(deployment, 3);
  await deployment.redis.command('DEL', DUE, CHANGED);
  // A day later nothing was prepared.
  later(deployment, DAY_MS);
  await pass(deployment, 6);
  assert.deepEqual(await looked(deployment), names);
  for (const name of names) {
    const { body } = await deployment.freshTop('rolled/last-3-days', '', name);
    assert.deepEqual([body.complete, body.entries.length], [true, 1], name);
  }
  await pass(deployment, 8 * 24, HOUR_MS);
  assert.deepEqual(await looked(deployment), []);
});

test('more sites than a run looks after have their turns, those that wait longest first', async (t) => {
  const deployment = await start(t);
  const names = Array.from({ length: 130 }, (_, i) => `site-${i}`);
  for (const name of names) await make(deployment, name, CALENDAR);
  await entered(deployment, names);
  await pass(deployment, 1);
  const waiting = async () => {
    const now = Math.floor(deployment.clock.now() / 1000);
    return (await deployment.redis.command('ZRANGEBYSCORE', DUE, '0', `${now}`)).length;
  };
  assert.equal(await waiting(), 30);
  await pass(deployment, 1);
  assert.ok((await waiting()) <= 60, `${await waiting()}`);
});

test('a run that is killed at any step looks at its sites again', async (t) => {
  const deployment = await start(t, { relayed: true });
  const { write } = await make(deployment, 'shop');
  await entered(deployment, ['shop']);
  const trips = await killAtEachStep(deployment.link, {
    before: async () => {
      later(deployment);
      assert.equal((await count(deployment, 'shop', write, VIEW)).status, 200);
    },
    run: () => deployment.worker.scheduled(),
    after: async (killedAt) => {
      assert.deepEqual(await looked(deployment), ['shop'], `${killedAt}`);
      const at = Number(await deployment.redis.command('ZSCORE', DUE, 'shop'));
      assert.ok(at <= deployment.clock.now() / 1000 + 61, `${killedAt}: ${at}`);
    },
  });
  assert.ok(trips > 3, `${trips}`);
});
