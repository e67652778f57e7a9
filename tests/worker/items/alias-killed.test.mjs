/**
 * An item becomes another one in a run that ends after any of its trips to Redis: the next run goes on, and nothing counts twice or is lost.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, edit as editOn } from './site.mjs';
import { startDeployment } from '../../support/deployment.mjs';
import { killAtEachStep } from '../../support/killed.mjs';
import { until } from '../../support/until.mjs';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOW = Date.parse('2026-11-20T00:10:00Z');
/** More than upkeep rests while it has nothing to do. */
const STEP_MS = 6 * MINUTE_MS;
const KEEPS = { windows: ['day', 'all', 'last-7-days'], fresh: '1s', limit: 1000 };
const SITE = {
  origins: ['*'],
  journal: '1d',
  actions: { view: { public: true }, like: { reversible: true }, share: {} },
  boards: {
    articles: {
      ...KEEPS,
      weights: { view: 1, like: 10, share: 100 },
      once: { share: 'day' },
      breakdown: true,
      history: 1000,
      totals: [{ window: 'all', every: '1m' }],
    },
    people: { ...KEEPS, members: 'actors', weights: { like: 10 } },
  },
};

test('an alias that is killed at each step', async (t) => {
  const deployment = await startDeployment({
    transport: 'redis://',
    relayed: true,
    sites: { demo: SITE },
    vars: { ADMIN_TOKEN },
    hasDatabase: true,
  });
  t.after(() => deployment.stop());
  /** @param {string} method @param {string} path @param {unknown} [body] */
  const edit = (method, path, body) => editOn(deployment, method, path, body);
  let at = NOW;
  /** Redis's clock is set, since reading lets the worker's alone go on. @param {number} ms */
  function advance(ms) {
    at += ms;
    deployment.clock.set(at);
    deployment.edgeClock.advance(ms);
  }
  /** Answers the codes of refusals. @param {...object} events */
  async function count(...events) {
    const { status, body, text } = await deployment.events({ events });
    assert.equal(status, 200, text);
    return body.rejected.map((/** @type {{ code: string }} */ { code }) => code);
  }
  /** By id. @param {string} ranking @param {string} [query] @returns {Promise<Record<string, number>>} */
  async function scores(ranking, query = '') {
    const { body, text } = await deployment.freshTop(ranking, `?limit=1000${query}`);
    assert.ok(body?.entries, text);
    return Object.fromEntries(body.entries.map((/** @type {any} */ { id, score }) => [id, score]));
  }
  /** What the database has of all time, and of the actions behind it. */
  async function totals() {
    const database = await deployment.worker.miniflare.getD1Database('DB');
    const { results } = await database.prepare("SELECT member, score, actions FROM totals WHERE board = 'articles'").all();
    return Object.fromEntries(results.map((/** @type {any} */ { member, score, actions }) => [member, [score, JSON.parse(actions)]]));
  }

  /** What is to be on each board. @type {{ all: Record<string, number>, day: Record<string, number>, people: Record<string, number> }} */
  const model = { all: {}, day: {}, people: {} };
  const names = (/** @type {number} */ i) => [`/old-${i}`, `/new-${i}`, `ann-${i}`, `bob-${i}`];
  const alias = (/** @type {number} */ i) => edit('POST', `items/${encodeURIComponent(`/old-${i}`)}/alias`, { to: `/new-${i}` });

  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
  const steps = await killAtEachStep(deployment.link, {
    async before(killedAt) {
      advance(STEP_MS);
      const [old, renamed, ann, bob] = names(killedAt);
      const sent = [
        { action: 'view', item: old, count: 2 },
        { action: 'view', item: old, at: NOW - DAY_MS },
        { action: 'view', item: renamed },
        { action: 'like', item: old, actor: ann },
        { action: 'like', item: renamed, actor: ann },
        { action: 'like', item: old, actor: bob },
        { action: 'share', item: old, actor: ann },
      ];
      assert.deepEqual(await count(...sent), []);
    },
    run: () => alias(1 + Object.keys(model.all).length),
    async after(killedAt) {
      const [old = '', renamed = '', ann = '', bob = ''] = names(killedAt);
      // Its clicks go on.
      assert.deepEqual(await count({ action: 'view', item: old }), []);
      advance(STEP_MS);
      const known = () => edit('GET', `items/${encodeURIComponent(old)}/alias`);
      const isKept = (await known()).status === 200 && killedAt % 2 === 0;
      await until(`what was killed at ${killedAt} is done`, async () => {
        if (!isKept) return (await alias(killedAt)).body.done;
        await deployment.worker.scheduled();
        deployment.edgeClock.advance(STEP_MS);
        return (await known()).body.done;
      });

      // 5 views, one of them of the day before, 2 likes and a share.
      Object.assign(model.all, { [renamed]: 125 });
      Object.assign(model.day, { [renamed]: 124 });
      Object.assign(model.people, { [ann]: 10, [bob]: 10 });
      const agree = async () => {
        assert.deepEqual(await scores('articles/all'), model.all, `killed at ${killedAt}`);
        assert.deepEqual(await scores('articles/last-7-days'), model.all, `killed at ${killedAt}`);
        assert.deepEqual(await scores('articles/day'), model.day, `killed at ${killedAt}`);
        for (const window of KEEPS.windows) assert.deepEqual(await scores(`people/${window}`), model.people, `killed at ${killedAt}`);
      };
      await agree();
      const again = [
        { action: 'like', item: renamed, actor: bob },
        { action: 'share', item: renamed, actor: ann },
        { action: 'like', item: old, actor: ann, undo: true },
        { action: 'like', item: renamed, actor: ann, undo: true },
      ];
      assert.deepEqual(await count(...again), ['already-done', 'already-done', 'already-undone'], `killed at ${killedAt}`);
      Object.assign(model.all, { [renamed]: 115 });
      Object.assign(model.day, { [renamed]: 114 });
      delete model.people[ann];
      await agree();
    },
  });
  assert.ok(steps > 20, `${steps} steps`);

  advance(MINUTE_MS);
  assert.equal((await edit('POST', 'admin/upkeep')).status, 200);
  const counted = Object.entries(model.all).map(([id, score]) => [id, [score, { view: 5, like: 1, share: 1 }]]);
  assert.deepEqual(await totals(), Object.fromEntries(counted));
  advance(NOW + DAY_MS - at);
  assert.equal((await edit('POST', 'admin/upkeep')).status, 200);
  const { body } = await deployment.freshTop('articles/day', '?period=2026-11-20&limit=1000');
  assert.deepEqual(Object.fromEntries(body.entries.map((/** @type {any} */ { id, score }) => [id, score])), model.day);
});
