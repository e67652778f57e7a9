/**
 * Dead letters of several sites: each site's are replayed for it alone, and those of a site that was not known count there once it is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sitesWith } from './site.mjs';
import { startDeployment, unlimited } from '../../support/deployment.mjs';
import { until } from '../../support/until.mjs';

const ADMIN_TOKEN = 'a-token-for-administrators';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const SOON = { timeoutMs: 30_000 };
const { demo } = sitesWith();
/** A site that does not count `later` yet, and one that does. */
const without = demo;
const withLater = {
  ...demo,
  actions: { ...demo.actions, later: {} },
  boards: { articles: { weights: { view: 1, like: 2, later: 1 }, windows: ['all'] } },
};

test('letters are replayed for their own site, and for one that was not known once it is', async (t) => {
  const vars = { ADMIN_TOKEN, ADMIN_TOKEN_DEMO: 'the-token-of-one-site-alone' };
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: without, other: without }, vars, hasQueue: true });
  t.after(deployment.stop);
  const queue = await deployment.worker.miniflare.getQueueProducer('INGEST_QUEUE');
  const message = (/** @type {string} */ site) => ({ site, id: `of-${site}`, action: 'later', item: '/posts/1' });
  await queue.sendBatch(/** @type {any} */ (['demo', 'other', 'third'].map((site) => ({ body: message(site), contentType: 'json' }))));
  const letters = async (/** @type {string} */ site, query = '') =>
    (await deployment.fetch(`/v1/${site}/admin/dead${query}`, { headers })).body.letters.map((/** @type {any} */ { code }) => code);
  const all = async () => [await letters('demo'), await letters('other'), await letters('demo', '?unknown=1')];
  const died = [['unknown-action'], ['unknown-action'], ['unknown-site']];
  await until('each is where its site is', async () => JSON.stringify(await all()) === JSON.stringify(died), SOON);

  await deployment.restartWorker({ SITES: unlimited({ demo: withLater, other: withLater, third: withLater }) });
  const replay = (/** @type {string} */ site, query = '', token = ADMIN_TOKEN) =>
    deployment.fetch(`/v1/${site}/admin/dead/replay${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{"all":true}',
    });
  const scores = () =>
    Promise.all(
      ['demo', 'other', 'third'].map(async (site) =>
        Number(await deployment.redis.command('ZSCORE', `eb:{${site}:articles}:all:0`, '/posts/1')),
      ),
    );

  const own = await replay('demo', '', 'the-token-of-one-site-alone');
  assert.deepEqual([own.status, own.body.counted], [200, 1], own.text);
  assert.equal((await replay('other', '', 'the-token-of-one-site-alone')).status, 401);
  assert.deepEqual(await scores(), [1, 0, 0]);
  assert.deepEqual(await all(), [[], ['unknown-action'], ['unknown-site']]);

  const unknown = await replay('demo', '?unknown=1');
  assert.deepEqual([unknown.status, unknown.body.counted], [200, 1], unknown.text);
  assert.deepEqual(await scores(), [1, 0, 1]);
  assert.equal((await replay('other')).body.counted, 1);
  assert.deepEqual(
    [await scores(), await all()],
    [
      [1, 1, 1],
      [[], [], []],
    ],
  );
});
