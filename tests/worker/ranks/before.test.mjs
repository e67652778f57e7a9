/**
 * Where members stood in the period before, and the minimum score that is shown.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { entriesOf, RESP } from '../../support/deployment.mjs';
import { DAY_MS, HOUR_MS, readComplete } from '../../support/windows.mjs';
import { BOARDS, NOW, SCORES, serve } from './site.mjs';

/** @typedef {import('./site.mjs').Ranks} Ranks */

/** Who stood where before is asked about, and who came since; the ranks that each board gives them. */
const BEFORE = { a: 3, b: 2, c: 2, d: 1 };
/** @type {Record<string, Ranks>} */
const BEFORE_RANKS = {
  ordinal: { a: 1, c: 2, b: 3, d: 4, e: null },
  competition: { a: 1, c: 2, b: 2, d: 4, e: null },
  dense: { a: 1, c: 2, b: 2, d: 3, e: null },
};

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { give, member, ranks, assertProblem } = on;

    describe('the rank in the period before', () => {
      /**
       * Each board's window shows these ranks of before, whole and one by one; `undefined` where there are none to show.
       *
       * @param {string} window
       * @param {Record<string, Ranks> | undefined} expected by board
       * @param {string} [query]
       */
      async function assertBefore(window, expected, query = '?') {
        for (const board of BOARDS) {
          const { answer } = await readComplete(on.deployment, `${board}/${window}`, `${query}&limit=100`.replace('?&', '?'));
          const { entries } = answer.body;
          const shown = Object.fromEntries(entries.map((/** @type {any} */ entry) => [entry.id, entry.previous_rank]));
          const ids = Object.keys(shown);
          assert.ok(ids.length > 0);
          const wanted = Object.fromEntries(ids.map((id) => [id, expected?.[board][id]]));
          assert.deepEqual(shown, wanted, `${board}/${window}${query}`);
          for (const [offset, entry] of entries.entries()) {
            assert.equal('previous_rank' in entry, expected !== undefined);
            const { body } = await on.deployment.freshTop(`${board}/${window}`, `${query}&limit=1&offset=${offset}`.replace('?&', '?'));
            assert.deepEqual(body.entries, [entry], `${board}/${window}${query} from ${offset}`);
          }
        }
      }
      const nobody = Object.fromEntries(BOARDS.map((board) => [board, Object.fromEntries(Object.keys(SCORES).map((id) => [id, null]))]));

      for (const [window, at, period] of /** @type {[string, number, string][]} */ ([
        ['hour', NOW - HOUR_MS, '2026-11-20T11Z'],
        ['day', NOW - DAY_MS, '2026-11-19'],
        ['month', NOW - 30 * DAY_MS, '2026-10'],
      ])) {
        test(`of ${window}`, async () => {
          await give(BEFORE, { at });
          await give({ d: 3, c: 2, b: 2, e: 1, a: 1 });
          await assertBefore(window, BEFORE_RANKS);
          await assertBefore(window, nobody, `?period=${period}`);
          // What comes late changes them.
          await give({ d: 1, e: 4 }, { at });
          await assertBefore(window, {
            ordinal: { e: 1, a: 2, d: 3, c: 4, b: 5 },
            competition: { e: 1, a: 2, d: 3, c: 3, b: 3 },
            dense: { e: 1, a: 2, d: 3, c: 3, b: 3 },
          });
        });
      }

      for (const upkeep of [true, false]) {
        test(`of last-7-days is that of the window a day earlier, ${upkeep ? 'with' : 'without'} upkeep`, async () => {
          await give({ expired: 9 }, { at: NOW - 6 * DAY_MS });
          await give({ a: 2, d: 1 }, { at: NOW - 3 * DAY_MS });
          await give({ a: 1, b: 2, c: 2 });
          for (const board of BOARDS) await readComplete(on.deployment, `${board}/last-7-days`);
          if (upkeep) await on.deployment.worker.scheduled();
          on.deployment.clock.advance(DAY_MS);
          await give({ d: 3, c: 2, b: 2, e: 1, a: 1 });
          // `expired` was first.
          const later = (/** @type {Ranks} */ ranks) =>
            Object.fromEntries(Object.entries(ranks).map(([id, rank]) => [id, rank && rank + 1]));
          const expected = Object.fromEntries(BOARDS.map((board) => [board, later(BEFORE_RANKS[board])]));
          await assertBefore('last-7-days', expected);
          // It was as it was, whatever comes late.
          await give({ d: 9 }, { at: NOW });
          await assertBefore('last-7-days', expected);
          on.deployment.clock.advance(DAY_MS);
          await assertBefore('last-7-days', {
            ordinal: { d: 1, c: 2, b: 3, a: 4, e: 5 },
            competition: { d: 1, c: 2, b: 2, a: 2, e: 5 },
            dense: { d: 1, c: 2, b: 2, a: 2, e: 3 },
          });
        });
      }

      test('of last-7-days is never a wrong one, also when nobody looked for days', async () => {
        await give({ a: 3, b: 2, c: 1 });
        for (const item of ['x', 'y']) {
          on.deployment.clock.advance(DAY_MS);
          await give({ [item]: 1 });
        }
        on.deployment.clock.advance(DAY_MS);
        await give({ b: 2 });
        for (const [board, ranks] of Object.entries({
          ordinal: { a: 1, b: 2, y: 3, x: 4, c: 5 },
          competition: { a: 1, b: 2, y: 3, x: 3, c: 3 },
          dense: { a: 1, b: 2, y: 3, x: 3, c: 3 },
        })) {
          const { entries } = (await readComplete(on.deployment, `${board}/last-7-days`)).answer.body;
          const shown = Object.fromEntries(entries.map((/** @type {any} */ entry) => [entry.id, entry.previous_rank]));
          const unknown = Object.fromEntries(Object.keys(ranks).map((id) => [id, undefined]));
          assert.deepEqual(shown, shown.a === undefined ? unknown : ranks, `${board}: known and right, or left out`);
        }
      });

      test('of the oldest day that is kept is never a wrong one', async () => {
        const [oldest, expired] = [NOW - 60 * DAY_MS, NOW - 61 * DAY_MS];
        on.deployment.clock.set(NOW - DAY_MS);
        await give({ a: 1, b: 2 }, { at: expired });
        await give({ a: 2, b: 1 }, { at: oldest });
        const shown = async () =>
          (await on.deployment.freshTop('ordinal/day', '?period=2026-09-21')).body.entries.map((/** @type {any} */ entry) => [
            entry.id,
            entry.previous_rank,
          ]);
        assert.deepEqual(await shown(), [
          ['a', 2],
          ['b', 1],
        ]);
        on.deployment.clock.set(NOW);
        assert.deepEqual(
          await shown(),
          [
            ['a', undefined],
            ['b', undefined],
          ],
          'left out, since nobody knows any more',
        );
      });

      test('is nobody’s where the period before was empty', async () => {
        await give({ a: 2, b: 1 });
        for (const window of ['hour', 'day', 'month']) await assertBefore(window, nobody);
      });

      test('is left out where there is no period before: all time, decaying windows, the first day of a rolling one, and past ones', async () => {
        await give(BEFORE, { at: NOW - DAY_MS });
        await give({ a: 1, b: 2 });
        await assertBefore('all', undefined);
        await assertBefore('last-7-days', undefined);
        await assertBefore('last-7-days', undefined, '?period=2026-11-19');
        for (const window of ['hot', 'fading', 'smooth']) {
          const { entries } = (await on.deployment.freshTop(`decaying/${window}`)).body;
          assert.ok(entries.length > 0);
          for (const entry of entries) assert.deepEqual(Object.keys(entry), ['rank', 'id', 'score']);
        }
      });

      test('of those whom the board served then; null of the others, as in charts', async () => {
        await give({ a: 4, b: 3, c: 2, d: 1 }, { at: NOW - DAY_MS });
        await give({ c: 3, b: 2, a: 1 });
        const shown = async (/** @type {string} */ query) =>
          (await on.deployment.freshTop('short/day', query)).body.entries.map((/** @type {any} */ entry) => [
            entry.id,
            entry.previous_rank,
          ]);
        // The board serves two.
        assert.deepEqual(await shown('?limit=2'), [
          ['c', null],
          ['b', 2],
        ]);
        assert.deepEqual(await shown('?limit=1&offset=1'), [['b', 2]]);
      });

      test('is left out where the board says so', async () => {
        await give(BEFORE, { at: NOW - DAY_MS });
        await give({ a: 1 });
        for (const window of ['hour', 'day', 'month', 'all']) {
          const { entries } = (await on.deployment.freshTop(`still/${window}`)).body;
          assert.ok(entries.length > 0);
          for (const entry of entries) assert.deepEqual(Object.keys(entry), ['rank', 'id', 'score'], window);
        }
      });

      test('of who stood far away, deep below the page', async () => {
        const names = Array.from({ length: 60 }, (_, i) => `m${10 + i}`);
        await give(Object.fromEntries(names.map((id) => [id, 1])), { at: NOW - DAY_MS });
        await give({ m10: 2, m69: 1, m40: 1, new: 1 });
        const shown = async (/** @type {string} */ board) =>
          (await on.deployment.freshTop(`${board}/day`, '?limit=3')).body.entries.map((/** @type {any} */ entry) => [
            entry.id,
            entry.previous_rank,
          ]);
        assert.deepEqual(await shown('ordinal'), [
          ['m10', 60],
          ['new', null],
          ['m69', 1],
        ]);
        assert.deepEqual(await shown('competition'), [
          ['m10', 1],
          ['new', null],
          ['m69', 1],
        ]);
      });
    });

    describe('min_score', () => {
      /** The board shows these and nobody else, in every way of asking. @param {string} ranking @param {[string, number][]} expected @param {string[]} others */
      async function check(ranking, expected, others) {
        const { answer } = await readComplete(on.deployment, ranking);
        assert.deepEqual(entriesOf(answer), expected, ranking);
        assert.equal(answer.body.total, expected.length, ranking);
        const { body } = await ranks(ranking, { ids: [...expected.map(([id]) => id), ...others] });
        assert.equal(body.total, expected.length);
        assert.deepEqual(
          body.ranks.map((/** @type {any} */ { id, score }) => [id, score]),
          [...expected, ...others.map((id) => [id, null])],
        );
        for (const [at, [id]] of expected.entries()) {
          const { body: alone } = await member(ranking, id, '?around=50');
          assert.deepEqual([alone.rank, alone.total, alone.around.length], [at + 1, expected.length, expected.length]);
        }
        for (const id of others) assertProblem(await member(ranking, id), 404, 'not-on-board');
      }

      test('is the least that is shown; who has less is counted on', async () => {
        await give({ a: 5, b: 4, c: 7, d: 1 });
        for (const window of ['day', 'last-7-days'])
          await check(
            `least/${window}`,
            [
              ['c', 7],
              ['a', 5],
            ],
            ['b', 'd', 'e'],
          );
        assert.deepEqual((await member('least/day', 'a')).body.percentile, 50);
        await give({ b: 1, a: -1 });
        for (const window of ['day', 'last-7-days'])
          await check(
            `least/${window}`,
            [
              ['c', 7],
              ['b', 5],
            ],
            ['a', 'd', 'e'],
          );
      });

      test('of the period before, too', async () => {
        await give({ a: 5, b: 4, c: 7 }, { at: NOW - DAY_MS });
        await give({ a: 7, b: 6, c: 5 });
        const { body } = await on.deployment.freshTop('least/day');
        assert.deepEqual(
          body.entries.map((/** @type {any} */ { id, previous_rank: previous }) => [id, previous]),
          [
            ['a', 2],
            ['b', null],
            ['c', 1],
          ],
        );
      });

      test('of a decaying window is that of now', async () => {
        await give({ a: 11, b: 8 });
        const shown = async () => entriesOf(await on.deployment.freshTop('least/hot')).map(([id]) => id);
        assert.deepEqual(await shown(), ['a', 'b']);
        on.deployment.clock.advance(5 * HOUR_MS);
        assert.deepEqual(await shown(), ['a']);
        assertProblem(await member('least/hot', 'b'), 404, 'not-on-board');
        on.deployment.clock.advance(5 * HOUR_MS);
        assert.deepEqual(await shown(), []);
        await give({ b: 3 });
        assert.deepEqual(await shown(), ['b']);
      });

      test('with fractions', async () => {
        const events = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'd', 'd', 'd', 'd'].map((item) => ({ action: 'quarter', item }));
        await on.deployment.events({ events });
        const { body } = await on.deployment.freshTop('quarters/day');
        assert.deepEqual(
          body.entries.map((/** @type {any} */ { rank, id, score }) => [rank, id, score]),
          [
            [1, 'd', 1],
            [2, 'b', 0.75],
            [2, 'a', 0.75],
          ],
        );
      });
    });
  });
}
