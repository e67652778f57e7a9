/**
 * Between which ranks many members stand, by the distribution that the caches have.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RESP } from '../../support/deployment.mjs';
import { DAY_MS, readComplete } from '../../support/windows.mjs';
import { lasting, NOW, ORDER, SCORES, serve } from './site.mjs';

/** Where each of them may stand, with ranks that are places and with shared ones. @type {Record<string, [number, number][]>} */
const RANGES = {
  // a d c b f e g
  ordinal: [
    [1, 1],
    [2, 4],
    [2, 4],
    [2, 4],
    [5, 6],
    [5, 6],
    [7, 7],
  ],
  competition: [
    [1, 1],
    [2, 2],
    [2, 2],
    [2, 2],
    [5, 5],
    [5, 5],
    [7, 7],
  ],
};
const TOP = { ordinal: [14.29, 57.15, 57.15, 57.15, 85.72, 85.72, 100], competition: [14.29, 28.58, 28.58, 28.58, 71.43, 71.43, 100] };

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { give, ranks, assertProblem } = on;

    /** @param {string} ranking @param {string[]} ids @param {string} [query] */
    const ranges = (ranking, ids, query) => ranks(ranking, { ids, exact: false }, query);

    test('in the order in which they are asked for', async () => {
      await give(SCORES);
      const ids = ['g', 'nobody', 'a', 'below', 'c', 'b', 'g'];
      for (const board of /** @type {const} */ (['ordinal', 'competition'])) {
        for (const window of ['hour', 'day', 'last-7-days', 'all']) {
          await readComplete(on.deployment, `${board}/${window}`);
          const answer = await ranges(`${board}/${window}`, ids);
          assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.headers.get('cache-control'), 'no-store');
          const { period, as_of, ...body } = lasting(answer.body);
          assert.ok(period.id && as_of <= answer.body.generated_at, as_of);
          const expected = ids.map((id) => {
            const at = ORDER.indexOf(id);
            if (at < 0) return { id, rank_low: null, rank_high: null, score: null, top_percent: null };
            const [low, high] = RANGES[board][at];
            return { id, rank_low: low, rank_high: high, score: SCORES[/** @type {'a'} */ (id)], top_percent: TOP[board][at] };
          });
          assert.deepEqual(body, { site: 'demo', board, window, complete: true, total: 7, ranks: expected });
        }
      }
    });

    test('a thousand of them cost one command besides those of each read', async () => {
      await give(SCORES);
      const ids = ['a', ...Array.from({ length: 999 }, (_, i) => `m${i}`)];
      await ranges('ordinal/day', ids);
      const { calls, time, hmget, zrange, zmscore, ...others } = await on.deployment.commandsDuring(() => ranges('ordinal/day', ids));
      assert.deepEqual([calls, time, hmget, zrange, zmscore, others], [1, 1, 1, 1, 1, {}]);
    });

    test('by the scores of now, among those of the distribution', async () => {
      await give(SCORES);
      const first = await ranges('competition/day', ['e']);
      assert.deepEqual([first.body.ranks[0].rank_low, first.body.ranks[0].score], [5, 2]);
      await give({ e: 4, h: 9 });
      const second = await ranges('competition/day', ['e', 'h', 'a']);
      const found = second.body.ranks.map((/** @type {any} */ { rank_low, rank_high, score }) => [rank_low, rank_high, score]);
      assert.deepEqual(found, [
        [1, 1, 6],
        [1, 1, 9],
        [1, 1, 5],
      ]);
      assert.deepEqual([second.body.total, second.body.as_of], [7, first.body.as_of], 'they stand among those of then');
      on.deployment.edgeClock.advance(60_000);
      const third = await ranges('competition/day', ['e', 'h', 'a']);
      assert.deepEqual(
        third.body.ranks.map((/** @type {any} */ { rank_low }) => rank_low),
        [2, 1, 3],
      );
      assert.ok(third.body.as_of > first.body.as_of);
    });

    test('of windows whose scores fade, as of the distribution', async () => {
      await give(SCORES);
      for (const window of ['hot', 'fading', 'smooth']) {
        on.deployment.clock.set(NOW);
        const first = await ranges(`decaying/${window}`, ORDER);
        const found = (/** @type {any} */ { body }) =>
          body.ranks.map((/** @type {any} */ { rank_low, rank_high, score }) => [rank_low, rank_high, score]);
        assert.deepEqual(
          found(first).map((/** @type {number[]} */ range) => range.slice(0, 2)),
          RANGES.competition,
          window,
        );
        // By Redis's clock; the caches' stands still.
        on.deployment.clock.advance(2 * 3_600_000);
        const second = await ranges(`decaying/${window}`, ORDER);
        assert.equal(second.body.as_of, first.body.as_of);
        assert.deepEqual(found(second), found(first), window);
      }
    });

    test('of a past period, and of one that ends meanwhile', async () => {
      await give(SCORES, { at: NOW - DAY_MS });
      const past = await ranges('competition/day', ORDER, '?period=2026-11-19');
      assert.deepEqual([past.body.period.id, past.body.total, past.body.ranks[6].rank_high], ['2026-11-19', 7, 7]);
      await give({ a: 1 });
      assert.equal((await ranges('competition/day', ['a'])).body.ranks[0].rank_low, 1);
      // Redis is a day ahead of what the caches have.
      on.deployment.clock.advance(DAY_MS);
      const { status, body } = await ranges('competition/day', ['a']);
      assert.deepEqual([status, body.period.id, body.total, body.ranks[0].rank_low], [200, '2026-11-21', 0, null]);
    });

    for (const [ranking, body, query, status, code] of /** @type {[string, unknown, string, number, string][]} */ ([
      ['dense/day', { ids: ['a'] }, '', 400, 'invalid-ids'],
      ['ordinal/day', { ids: ['a'], among: true }, '', 400, 'invalid-ids'],
      ['ordinal/day', { ids: Array(1001).fill('a') }, '', 400, 'invalid-ids'],
      ['ordinal/day', { ids: ['a'], exact: 'no' }, '', 400, 'invalid-ids'],
      ['ordinal/week', { ids: ['a'] }, '', 404, 'unknown-window'],
      ['ordinal/day', { ids: ['a'] }, '?period=2026-11-21', 404, 'unknown-period'],
    ])) {
      test(`${ranking}${query} ${JSON.stringify(body).slice(0, 40)} → ${code}`, async () =>
        assertProblem(await ranks(ranking, { exact: false, .../** @type {object} */ (body) }, query), status, code, /^no-store$/));
    }
  });
}
