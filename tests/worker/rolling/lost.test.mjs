/**
 * Redis drops boards of periods to make room: rankings that are made of them, and those of the periods, name what they lost until it is no part of
 * them any more, whichever way events come in.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';
import { INGESTS } from '../../support/ingests.mjs';
import { until } from '../../support/until.mjs';
import { DAY_MS } from '../../support/windows.mjs';

const ADMIN_TOKEN = 'a-token-for-owners';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const NOW = Date.parse('2026-11-20T12:10:00Z');
/** 2026-11-20 */
const TODAY = 20_777;
const WINDOWS = ['day', 'last-3-days', 'last-7-days', 'all'];

/** @param {string} ingest */
const siteOf = (ingest) => ({
  demo: {
    origins: ['*'],
    limits: { beacons: 0, misses: 0 },
    ingest,
    actions: { view: { public: true } },
    boards: { articles: { weights: { view: 1 }, windows: WINDOWS, fresh: '1s', breakdown: true } },
  },
});

/** @param {import('node:test').TestContext} t @param {string} ingest */
async function startSite(t, ingest) {
  const hasQueue = ingest === 'queue';
  const deployment = await startDeployment({ transport: 'redis://', sites: siteOf(ingest), vars: { ADMIN_TOKEN }, hasQueue });
  t.after(deployment.stop);
  let day = TODAY;
  const set = (/** @type {number} */ to) => {
    day = to;
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW + (day - TODAY) * DAY_MS);
  };
  const key = (/** @type {number} */ of) => `eb:{demo:articles}:day:${of}`;
  const all = async () => Number((await deployment.redis.command('ZSCORE', 'eb:{demo:articles}:all:0', '/a')) ?? 0);
  return {
    ...deployment,
    set,
    /** Views of now. @param {number} count */
    async view(count) {
      const before = await all();
      await deployment.beacon({ events: Array.from({ length: count }, () => ({ action: 'view', item: '/a' })) });
      await until('counted', async () => (await all()) === before + count, { timeoutMs: 30_000 });
    },
    /** @param {number[]} days */
    async evict(...days) {
      assert.equal(await deployment.redis.command('UNLINK', ...days.map(key)), days.length);
    },
    /** What a window shows once it is complete. @param {string} window @param {string} [query] */
    async shown(window, query) {
      /** @type {any} */
      let body;
      await until(`${window} is complete`, async () => {
        await deployment.worker.scheduled();
        ({ body } = await deployment.freshTop(`articles/${window}`, query));
        return body.complete;
      });
      return [body.lost, ...entriesOf({ body })];
    },
  };
}

for (const ingest of INGESTS) {
  describe(`ingest = "${ingest}"`, () => {
    test('days that went are named until they leave a window', async (t) => {
      const site = await startSite(t, ingest);
      for (let day = 0; day <= 4; day += 1) {
        site.set(TODAY - 4 + day);
        await site.view(2 ** day);
      }
      assert.deepEqual(await site.shown('last-3-days'), [undefined, ['/a', 28]]);
      await site.evict(TODAY - 2);
      // A reader with an answer keeps it until something is counted: it has all that there was.
      await site.view(3);
      assert.deepEqual(await site.shown('last-3-days'), [['2026-11-18'], ['/a', 27]]);
      // The other window was whole, and lacks the same.
      assert.deepEqual(await site.shown('last-7-days'), [['2026-11-18'], ['/a', 30]]);
      assert.deepEqual(await site.shown('day', '?period=2026-11-18'), [['2026-11-18']]);
      for (const [window, score] of /** @type {const} */ ([
        ['day', 19],
        ['all', 34],
      ])) {
        assert.deepEqual(await site.shown(window), [undefined, ['/a', score]], 'it has all that it had');
      }

      // Today's begins anew with the next event, and is named all the same.
      await site.evict(TODAY);
      assert.deepEqual(await site.shown('day', '?limit=5'), [['2026-11-20']]);
      await site.view(7);
      assert.deepEqual(await site.shown('day'), [['2026-11-20'], ['/a', 7]]);
      assert.deepEqual(await site.shown('last-3-days'), [
        ['2026-11-18', '2026-11-20'],
        ['/a', 15],
      ]);
      for (const path of ['members/%2Fa', 'members/%2Fa/explain', 'rank?score=5']) {
        const { status, body } = await site.fetch(`/v1/demo/boards/articles/last-7-days/${path}`);
        assert.deepEqual([status, body.lost], [200, ['2026-11-18', '2026-11-20']], path);
      }
      const several = await site.fetch('/v1/demo/top?boards=articles/day,articles/last-3-days,articles/all');
      const lost = (several.body.boards ?? []).map((/** @type {any} */ body) => body.lost);
      assert.deepEqual(lost, [undefined, ['2026-11-20'], ['2026-11-18', '2026-11-20']], several.text);

      for (const [days, threeDays, sevenDays] of /** @type {const} */ ([
        [1, ['2026-11-20'], ['2026-11-18', '2026-11-20']],
        [3, undefined, ['2026-11-18', '2026-11-20']],
        [5, undefined, ['2026-11-20']],
        [7, undefined, undefined],
      ])) {
        site.set(TODAY + days);
        await site.view(1);
        assert.deepEqual((await site.shown('last-3-days'))[0], threeDays, `${days} days later`);
        assert.deepEqual((await site.shown('last-7-days'))[0], sevenDays, `${days} days later`);
        assert.deepEqual(await site.shown('day'), [undefined, ['/a', 1]], `${days} days later`);
      }
    });

    test('a reset leaves nothing lost of what it empties', async (t) => {
      const site = await startSite(t, ingest);
      for (const day of [TODAY - 1, TODAY]) {
        site.set(day);
        await site.view(3);
      }
      await site.evict(TODAY - 1, TODAY);
      await site.view(2);
      assert.deepEqual(await site.shown('last-3-days'), [
        ['2026-11-19', '2026-11-20'],
        ['/a', 2],
      ]);
      const reset = await site.fetch('/v1/demo/admin/boards/articles/reset?window=day', { method: 'POST', headers });
      assert.equal(reset.status, 200, reset.text);
      assert.deepEqual(await site.shown('last-3-days'), [['2026-11-19']]);
      assert.deepEqual(await site.shown('day'), [undefined]);
    });
  });
}
