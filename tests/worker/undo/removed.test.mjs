/**
 * A like counts once, and can be undone, also where the clock of Redis went back a little since its item was removed and let in again,
 * whichever way events come in.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { INGESTS } from '../../support/ingests.mjs';
import { until } from '../../support/until.mjs';

const ADMIN_TOKEN = 'a-token-for-editors';
const NOW = Date.parse('2026-11-20T12:10:00Z');
const like = { action: 'like', item: '/a', actor: 'ann' };

/** @param {string} ingest */
const siteOf = (ingest) => ({
  demo: {
    ingest,
    actions: { view: {}, like: { reversible: true } },
    boards: { articles: { weights: { view: 1, like: 2 }, windows: ['day', 'all', 'last-7-days'] } },
  },
});

for (const ingest of INGESTS) {
  for (const backMs of [3000, 50_000]) {
    test(`${ingest}: a like after a removal, ${backMs} ms back`, async (t) => {
      const hasQueue = ingest === 'queue';
      const deployment = await startDeployment({ transport: 'redis://', sites: siteOf(ingest), vars: { ADMIN_TOKEN }, hasQueue });
      t.after(deployment.stop);
      deployment.clock.set(NOW);
      deployment.edgeClock.set(NOW);
      let others = 0;
      const score = async (/** @type {string} */ item) =>
        Number((await deployment.redis.command('ZSCORE', 'eb:{demo:articles}:window:last-7-days:20777', item)) ?? 0);
      /** Sends an event, and a like behind it that tells when it was looked at. @param {object} event */
      async function send(event) {
        others += 1;
        const seq = others;
        const other = { action: 'like', item: '/b', actor: `u${others}` };
        await deployment.events({ events: [event, other].map((of) => ({ ...of, seq })) });
        await until('counted', async () => (await score('/b')) === 2 * others, { timeoutMs: 30_000 });
        return score('/a');
      }
      assert.equal(await send(like), 2);
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const remove = () => deployment.fetch('/v1/demo/admin/boards/articles/members/%2Fa?keep_off=0', { method: 'DELETE', headers });
      assert.equal((await remove()).status, 200);
      deployment.clock.advance(-backMs);
      assert.equal(await send({ ...like, undo: true }), 0, 'it went with the removal');
      for (let time = 0; time < 2; time += 1) {
        assert.equal(await send(like), 2);
        assert.equal(await send(like), 2, 'it counts once');
        assert.equal(await send({ ...like, undo: true }), 0);
      }
      assert.equal(await send(like), 2);
      deployment.clock.advance(-5000);
      assert.equal((await remove()).status, 200);
      assert.equal(await send({ ...like, undo: true }), 0, 'it went with the removal');
    });
  }
}
