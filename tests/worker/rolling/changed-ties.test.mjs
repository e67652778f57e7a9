/**
 * Rare operations right after a change of `ties`, while the boards of now have no order of ties: nobody is missing from a ranking, whichever way
 * events come in.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { entriesOf, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { INGESTS } from '../../support/ingests.mjs';
import { until } from '../../support/until.mjs';
import { startWorker } from '../../support/worker.mjs';

const ADMIN_TOKEN = 'a-token-for-editors';
const WINDOWS = ['day', 'all', 'last-7-days'];
const NOW = Date.parse('2026-11-20T12:10:00Z');
const view = (/** @type {string} */ item) => ({ action: 'view', item });

/** @param {string} ingest @param {object} [board] */
const sites = (ingest, board = {}) => ({
  demo: {
    origins: ['*'],
    limits: { beacons: 0, misses: 0 },
    ingest,
    actions: { view: { public: true } },
    boards: { articles: { weights: { view: 1 }, windows: WINDOWS, fresh: '1s', ...board } },
  },
});

for (const ingest of INGESTS) {
  describe(`ingest = "${ingest}"`, () => {
    test('an alias and a removal after a change of ties leave every member where it was', async (t) => {
      const hasQueue = ingest === 'queue';
      const vars = { ADMIN_TOKEN };
      const deployment = await startDeployment({ transport: 'redis://', sites: sites(ingest), vars, hasDatabase: true, hasQueue });
      t.after(deployment.stop);
      deployment.clock.set(NOW);
      deployment.edgeClock.set(NOW);
      const score = async (/** @type {string} */ item) =>
        Number((await deployment.redis.command('ZSCORE', 'eb:{demo:articles}:all:0', item)) ?? 0);
      await deployment.beacon({ events: ['/a', '/b', '/b', '/b', '/c', '/c', '/d'].map(view) });
      await until('counted', async () => (await score('/d')) === 1, { timeoutMs: 30_000 });

      const changed = await startWorker({
        clock: deployment.edgeClock,
        hasDatabase: true,
        hasQueue,
        vars: { REDIS_URL: deployment.link.url, WRITE_TOKEN, ADMIN_TOKEN, SITES: sites(ingest, { ties: 'first' }) },
      });
      t.after(() => changed.stop());
      /** @param {string} method @param {string} path @param {unknown} [body] */
      const admin = async (method, path, body) => {
        const init = {
          method,
          headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
          body: body === undefined ? undefined : JSON.stringify(body),
        };
        const response = await changed.fetch(`/v1/demo/${path}`, init);
        assert.ok(response.ok, `${path}: ${response.status} ${await response.text()}`);
      };
      /** @param {[string, number][]} expected */
      const assertShown = async (...expected) => {
        for (const window of WINDOWS) {
          deployment.edgeClock.advance(60_000);
          const body = await (await changed.fetch(`/v1/demo/boards/articles/${window}`)).json();
          assert.deepEqual([entriesOf({ body }), body.complete], [expected, true], window);
        }
      };

      await admin('POST', 'items/%2Fa/alias', { to: '/c' });
      // Of equal scores the greater id stands first, since no order of ties is known.
      await assertShown(['/c', 3], ['/b', 3], ['/d', 1]);
      await admin('DELETE', 'admin/boards/articles/members/%2Fb?keep_off=0');
      await assertShown(['/c', 3], ['/d', 1]);
      await changed.fetch('/v1/demo/beacon', { method: 'POST', body: JSON.stringify({ events: ['/b', '/a'].map(view) }) });
      await until('counted', async () => (await score('/b')) === 1 && (await score('/c')) === 4, { timeoutMs: 30_000 });
      await assertShown(['/c', 4], ['/d', 1], ['/b', 1]);
    });
  });
}
