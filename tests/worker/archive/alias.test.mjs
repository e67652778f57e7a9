/**
 * Items that become others where periods are archived: what the archive has of one is added to what it has of the other one.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { KEPT } from './kept.mjs';
import { ADMIN_TOKEN, COPIED, FORGOTTEN, many, MINUTE_MS, NOW, ranked, shown, start } from './site.mjs';
import { killAtEachStep } from '../../support/killed.mjs';
import { longTest } from '../../support/part.mjs';
import { until } from '../../support/until.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Started */
/** @typedef {import('./site.mjs').Scores} Scores */

const BOARD = { members: 'items', breakdown: true, weights: { view: 1, like: 2, down: -1 }, windows: ['day', 'all'] };
const ACTIONS = { view: { public: true }, like: { reversible: true }, down: {} };
const FEW = { a: 4, b: 3, c: 2, d: 1 };

/** @param {Started} to @param {string} old @param {string} becomes */
const ask = (to, old, becomes) =>
  to.deployment.fetch(`/v1/demo/items/${old}/alias`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: JSON.stringify({ to: becomes }),
  });

/** @param {Started} to @param {string} old @param {string} becomes */
async function alias(to, old, becomes) {
  const { status, body, text } = await ask(to, old, becomes);
  assert.deepEqual([status, body.done], [200, true], text);
}

/** What the day shows, and each of some members. @param {Started} to @param {Scores} scores @param {string} [when] */
async function check(to, scores, when) {
  const { body } = await to.day('&limit=1000');
  assert.deepEqual([body.total, shown(body)], [Object.keys(scores).length, ranked(scores).slice(0, 1000)], when);
  for (const id of ['a', 'b', 'm5', 'm10999']) {
    const { status, body: member } = await to.member(id);
    assert.deepEqual([status, member.score], id in scores ? [200, scores[id]] : [404, undefined], `${id} ${when}`);
  }
}

for (const kept of KEPT)
  describe(`items of an archive in a ${kept} that become others`, () => {
    /** @param {string} name @param {(to: Started) => Promise<void>} run @param {typeof longTest} [declare] */
    const testOn = (name, run, declare = test) =>
      declare(name, async () => {
        const to = await start({ kept, board: BOARD, site: { actions: ACTIONS }, hasDatabase: true });
        try {
          to.setClocks(NOW);
          await run(to);
        } finally {
          await to.stop();
        }
      });

    testOn('the archive has the sum of both', async (to) => {
      await to.fill(FEW);
      to.setClocks(FORGOTTEN);
      await to.archive();
      await alias(to, 'a', 'b');
      await check(to, { b: 7, c: 2, d: 1 });
      await alias(to, 'a', 'b');
      await alias(to, 'd', 'never-seen');
      await check(to, { b: 7, c: 2, 'never-seen': 1 });
      for (const name of await to.objects.names()) assert.doesNotMatch(await to.objects.read(name), /"[ad]"/);
      await to.send([{ action: 'view', item: 'a', at: NOW }]);
      await to.archive();
      await check(to, { b: 8, c: 2, 'never-seen': 1 });
    });

    testOn('what Redis still has is archived so as well', async (to) => {
      await to.fill(FEW);
      to.setClocks(COPIED);
      await to.archive();
      await alias(to, 'a', 'b');
      await check(to, { b: 7, c: 2, d: 1 });
      await to.deployment.redis.command('FLUSHALL');
      await check(to, { b: 7, c: 2, d: 1 }, 'where Redis lost it');
      to.setClocks(FORGOTTEN);
      await to.archive();
      await check(to, { b: 7, c: 2, d: 1 });
    });

    testOn('what came late for both is added before', async (to) => {
      await to.fill(FEW);
      to.setClocks(FORGOTTEN);
      await to.archive();
      const late = ['a', 'b', 'e'].map((item) => ({ action: 'view', item, at: NOW }));
      await to.send([...late, { action: 'like', item: 'a', actor: 'ann', at: NOW }]);
      await alias(to, 'a', 'b');
      await to.archive();
      await check(to, { b: 11, c: 2, d: 1, e: 1 });
      await to.send([{ action: 'like', item: 'a', actor: 'ann', undo: true }]);
      await to.archive();
      await check(to, { b: 9, c: 2, d: 1, e: 1 }, 'an undo is of the other one');
    });

    testOn('the old one left the board after it was archived', async (to) => {
      await to.send(['a', 'b', 'b'].map((item) => ({ action: 'view', item })));
      to.setClocks(COPIED);
      await to.archive();
      await to.send([{ action: 'down', item: 'a', at: NOW }]);
      await alias(to, 'a', 'b');
      await check(to, { b: 2 });
      await to.archive();
      await to.deployment.redis.command('FLUSHALL');
      await check(to, { b: 2 }, 'where Redis lost it');
      const { body } = await to.deployment.freshTop('articles/day', '?period=2026-11-20&actions=1');
      assert.deepEqual(body.entries[0].actions, { view: 3, down: 1 }, 'and its counts by action');
    });

    testOn(
      'an alias that is killed at each step',
      async (to) => {
        const expected = many(6_000);
        /** More than there are steps. */
        const MOST = 60;
        let now = 0;
        for (let i = 1; i <= MOST; i += 1) Object.assign(expected, { [`old-${i}`]: 9, [`new-${i}`]: 5 });
        await to.fill(expected);
        to.setClocks(FORGOTTEN);
        await to.archive();
        const steps = await killAtEachStep(to.deployment.link, {
          async before(killedAt) {
            now = killedAt;
            to.deployment.clock.advance(MINUTE_MS);
            Object.assign(expected, { [`new-${killedAt}`]: 14 });
            delete expected[`old-${killedAt}`];
          },
          run: () => ask(to, `old-${now}`, `new-${now}`),
          async after(killedAt) {
            await until(`what was killed at ${killedAt} is done`, async () => {
              // The next run waits until the one that was killed cannot be at it.
              to.deployment.clock.advance(MINUTE_MS);
              return (await ask(to, `old-${killedAt}`, `new-${killedAt}`)).body.done;
            });
            await check(to, expected, `killed at ${killedAt}`);
          },
        });
        assert.ok(steps > 10 && steps < MOST, `${steps} steps`);
      },
      longTest,
    );
  });
