/**
 * Upkeep that freezes periods and hands them on is killed at each of its steps, and loses nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { killAtEachStep } from '../../support/killed.mjs';
import { startWebhook } from '../../support/webhook.mjs';
import { DAY_MS } from '../../support/windows.mjs';
import { ADMIN_TOKEN, MINUTE_MS, NOW, on, shown, start } from './site.mjs';

test('a run that is killed at each step', async (t) => {
  const webhook = await startWebhook();
  const forward = { webhook: webhook.url, actions: [], periods: true };
  const deployment = await start({ site: { forward }, vars: { FORWARD_SECRET: 'sixteen-letters-and-more' } });
  t.after(async () => {
    await deployment.stop();
    webhook.stop();
  });
  const to = on(deployment);
  /** The best three of each day, as they are to be frozen. @type {Record<string, [number, string, number][]>} */
  const model = {};
  let at = NOW;

  const steps = await killAtEachStep(deployment.link, {
    async before(killedAt) {
      at += DAY_MS;
      to.setClocks(at);
      const best = `best-${killedAt}`;
      await to.view({ [best]: 4, b: 3, c: 2, d: 1 });
      model[new Date(at).toISOString().slice(0, 10)] = [
        [1, best, 4],
        [2, 'b', 3],
        [3, 'c', 2],
      ];
      to.setClocks(at + 36 * MINUTE_MS);
    },
    run: () => deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }),
    async after(killedAt) {
      to.setClocks(at + 46 * MINUTE_MS);
      while ((await to.freeze()) > 0);
      const days = (await to.periods('articles/day', '?limit=100')).body.periods.filter((/** @type {any} */ { total }) => total > 0);
      const winners = days.map((/** @type {any} */ { id, winner }) => [id, winner.rank, winner.id, winner.score]);
      assert.deepEqual(
        winners.reverse(),
        Object.entries(model).map(([id, [first]]) => [id, ...first]),
        `killed at ${killedAt}`,
      );
      const [last] = (await to.periods('articles/last-7-days')).body.periods;
      const of = Math.min(7, Object.keys(model).length);
      assert.deepEqual(
        last.winner,
        of > 1 ? { rank: 1, id: 'b', score: 3 * of } : { rank: 1, id: 'best-1', score: 4 },
        `killed at ${killedAt}`,
      );
    },
  });
  assert.ok(steps > 8, `${steps} steps`);

  /** @type {Record<string, Set<string>>} */
  const handedOn = {};
  for (const { message } of webhook.heard) {
    const { board, window, id, entries } = message.period;
    if (board === 'articles' && window === 'day' && entries.length > 0)
      (handedOn[id] ??= new Set()).add(JSON.stringify(shown({ entries })));
  }
  const once = Object.entries(model).map(([id, entries]) => [id, [JSON.stringify(entries)]]);
  assert.deepEqual(
    Object.entries(handedOn)
      .map(([id, all]) => [id, [...all]])
      .sort(),
    once,
    'handed on, and never otherwise',
  );

  // When Redis has forgotten the days, the database tells of them.
  to.setClocks(at + 100 * DAY_MS);
  for (const [id, entries] of Object.entries(model)) {
    assert.deepEqual(shown((await deployment.freshTop('articles/day', `?period=${id}`)).body), entries, id);
  }
});
