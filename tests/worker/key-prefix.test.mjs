/**
 * Deployments with different prefixes share a Redis and see nothing of each other.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startRedis } from '../support/redis.mjs';
import { startWorker } from '../support/worker.mjs';

const BOARD = { weights: { view: 1, like: 1 }, windows: ['day', 'last-7-days'], once: { view: 'day' }, ties: 'first' };
const SITE = {
  origins: ['*'],
  actors: 'any',
  actions: { view: { public: true }, like: { public: true, reversible: true } },
  boards: { articles: BOARD },
};
const SERVER = { authorization: 'Bearer token' };

test('keys begin with the prefix, eb where none is configured', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  const deployments = await Promise.all(
    [{}, { KEY_PREFIX: 'eb-staging' }, { KEY_PREFIX: '0' }].map(async (vars) => {
      const all = { REDIS_URL: redis.url, WRITE_TOKEN: 'token', ADMIN_TOKEN: 'token', SITES: { demo: SITE }, ...vars };
      const worker = await startWorker({ vars: all });
      t.after(worker.stop);
      return worker;
    }),
  );

  /** @param {import('../support/worker.mjs').Worker} worker @param {string} path */
  const get = async (worker, path) => (await worker.fetch(path, { headers: SERVER })).json();
  for (const [i, worker] of deployments.entries()) {
    // The same ids and the same actor everywhere: what one deployment remembers must not keep another from counting.
    const events = [`/${i}`, '/all'].flatMap((item) => ['view', 'like'].map((action) => ({ action, item, actor: 'u1' })));
    const body = JSON.stringify({ id: 'b1', events });
    const response = await worker.fetch('/v1/demo/beacon', { method: 'POST', body });
    assert.equal(response.status, 204, await response.text());
  }
  for (const [i, worker] of deployments.entries()) {
    for (const window of BOARD.windows) {
      const { entries } = await get(worker, `/v1/demo/boards/articles/${window}`);
      assert.deepEqual(
        entries.map((/** @type {any} */ { id, score }) => [id, score]),
        [
          [`/${i}`, 2],
          ['/all', 2],
        ],
      );
    }
    const activity = await get(worker, '/v1/demo/actors/u1/activity');
    assert.ok(JSON.stringify(activity).includes('like'), JSON.stringify(activity));
  }

  const keys = await redis.command('KEYS', '*');
  const prefixes = new Set(keys.map((/** @type {string} */ key) => key.slice(0, key.indexOf(':'))));
  assert.deepEqual([...prefixes].sort(), ['0', 'eb', 'eb-staging']);
  assert.deepEqual(new Set(keys.map((/** @type {string} */ key) => /\{.*?\}/.exec(key)?.[0])), new Set(['{demo:articles}', '{demo}']));

  const [first, staging] = deployments;
  const erased = await staging.fetch('/v1/demo/actors/u1', { method: 'DELETE', headers: SERVER });
  assert.ok(erased.ok, await erased.text());
  assert.ok(JSON.stringify(await get(first, '/v1/demo/actors/u1/activity')).includes('like'));
  const remaining = await get(staging, '/v1/demo/actors/u1/activity');
  assert.ok(!JSON.stringify(remaining).includes('"like"'), JSON.stringify(remaining));
});
