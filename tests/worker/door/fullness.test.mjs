/**
 * Upkeep looks at how full boards are, four times a day, and the log warns of those that are nearly full.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { RESP, startDeployment } from '../../support/deployment.mjs';

/** A moment before the cron looks. */
const NOW = Date.parse('2026-11-20T11:59:30Z');
const ADMIN_TOKEN = 'a-token-for-owners';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true } },
    boards: { articles: { weights: { view: 1 }, windows: ['day', 'all', 'last-7-days'], max_members: { day: 10, all: 100 } } },
  },
  calm: { origins: ['*'], actions: { view: { public: true } }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } },
};

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {import('../../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => {
      deployment = await startDeployment({ transport, sites: SITES, vars: { ADMIN_TOKEN } });
      for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** What one run of the cron warns of, and how many boards it counts. @param {number} afterMs */
    async function run(afterMs) {
      for (const clock of new Set([deployment.clock, deployment.edgeClock])) clock.advance(afterMs);
      const { log } = deployment.worker;
      const from = log.length;
      const { zcount = 0 } = await deployment.commandsDuring(async () => {
        assert.equal((await deployment.worker.scheduled()).outcome, 'ok');
      });
      const warnings = log.slice(from).filter(({ message }) => message.includes('"board-nearly-full"'));
      return { counted: zcount, warned: warnings.map(({ message }) => JSON.parse(message).detail) };
    }

    test('once in six hours; what is 80 % full is told, and told again as long as it is', async () => {
      const view = (/** @type {number} */ i) => deployment.beacon({ action: 'view', item: `/posts/${i}` });
      for (let i = 0; i < 7; i += 1) await view(i);
      assert.deepEqual(await run(0), { counted: 0, warned: [] }, 'it is not time yet');
      assert.deepEqual(await run(MINUTE_MS), { counted: 3, warned: [] }, 'one look at each window that has a bound of its own');
      await view(7);
      assert.deepEqual(await run(MINUTE_MS), { counted: 0, warned: [] }, 'it was looked at');
      assert.deepEqual(await run(HOUR_MS), { counted: 0, warned: [] }, 'it is over');
      const nearlyFull = ['demo/articles/day: 8 of 10 members'];
      assert.deepEqual(await run(5 * HOUR_MS), { counted: 3, warned: nearlyFull });
      assert.deepEqual(await run(MINUTE_MS), { counted: 0, warned: [] });
    });

    test('administrators see it beside the boards, and nobody else', async () => {
      const get = (/** @type {Record<string, string>} */ headers) => deployment.fetch('/v1/demo/boards', { headers });
      const bare = await deployment.commandsDuring(async () => assert.equal((await get({})).body.fullness, undefined));
      assert.equal(bare.calls ?? 0, 0);
      const { status, body } = await get({ authorization: `Bearer ${ADMIN_TOKEN}` });
      assert.equal(status, 200);
      assert.deepEqual(body.fullness, [
        { board: 'articles', window: 'day', members: 8, max_members: 10, share: 0.8, refused: 0 },
        { board: 'articles', window: 'all', members: 8, max_members: 100, share: 0.08, refused: 0 },
      ]);
      const wrong = await get({ authorization: 'Bearer wrong' });
      assert.deepEqual([wrong.status, wrong.body.fullness], [200, undefined]);
    });

    test('a look that fails is in the log, and comes again with the next run', async () => {
      const { redis, worker } = deployment;
      const from = worker.log.length;
      await redis.command('SET', 'eb:{calm:articles}:state', 'foreign');
      assert.deepEqual((await run(6 * HOUR_MS)).warned, []);
      assert.match(
        worker.log
          .slice(from)
          .map(({ message }) => message)
          .join('\n'),
        /calm: fullness: script: WRONGTYPE/,
      );
      await redis.command('DEL', 'eb:{calm:articles}:state');
      assert.equal((await run(MINUTE_MS)).counted, 1, 'only of the site that failed');
    });
  });
}
