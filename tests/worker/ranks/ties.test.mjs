/**
 * The ranks of ties: the same on every page, alone and among neighbours.
 *
 * # Out of scope
 *
 * The order of ties (../ties.test.mjs), hidden and pinned members (../curation).
 */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { entriesOf, RESP } from '../../support/deployment.mjs';
import { sampled } from '../../support/part.mjs';
import { until } from '../../support/until.mjs';
import { DAY_MS, readComplete } from '../../support/windows.mjs';
import { BOARDS, ORDER, RANKS, SCORES, serve, WINDOWS } from './site.mjs';

/** Ids that are nothing but ids. */
const ODD = [
  '/posts/1',
  '/posts/1/',
  'a/b%2Fc',
  'a%2Fb%252Fc',
  '100%',
  '%',
  '%zz',
  '?around=1&period=x#y',
  'a b+c',
  ' ',
  '../../healthz',
  'explain',
  '日本語',
  'é',
  'e\u0301',
  '😀',
  '\u200b',
  '<script>"\'`',
  '{demo:ordinal}',
  'a,b;c|d\\e',
  'null',
  '0',
  'ü'.repeat(128),
];

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { give, member, ranks, assertProblem } = on;

    describe('ties', () => {
      for (const window of sampled(WINDOWS)) {
        test(`have the same ranks on every page of ${window}`, async () => {
          await give(SCORES);
          for (const board of BOARDS) {
            const expected = ORDER.map((id, i) => ({ rank: RANKS[board][i], id, score: SCORES[/** @type {'a'} */ (id)] }));
            for (const limit of [1, 2, 3, 100]) {
              for (let offset = 0; offset <= Math.min(8, 100 - limit); offset += 1) {
                const { answer } = await readComplete(on.deployment, `${board}/${window}`, `?limit=${limit}&offset=${offset}`);
                const shown = answer.body.entries.map((/** @type {any} */ { rank, id, score }) => ({ rank, id, score }));
                assert.deepEqual(shown, expected.slice(offset, offset + limit), `${board}: ${limit} from ${offset}`);
                assert.equal(answer.body.total, 7);
              }
            }
          }
        });
      }

      test('keep none of it when they part again', async () => {
        await give({ a: 3, b: 3, c: 2 });
        await give({ b: 1, c: -1 });
        for (const [board, expected] of Object.entries({ ordinal: [1, 2, 3], competition: [1, 2, 3], dense: [1, 2, 3] })) {
          for (const window of WINDOWS) {
            const { answer } = await readComplete(on.deployment, `${board}/${window}`);
            assert.deepEqual(
              answer.body.entries.map((/** @type {any} */ { rank }) => rank),
              expected,
              `${board}/${window}`,
            );
            assert.deepEqual(entriesOf(answer), [
              ['b', 4],
              ['a', 3],
              ['c', 1],
            ]);
          }
        }
      });
    });

    describe('ids that are nothing but ids', () => {
      for (const id of sampled(ODD)) {
        test(JSON.stringify(id.slice(0, 20)), async () => {
          await give({ [id]: 2, other: 1, more: 3 });
          assert.deepEqual(entriesOf(await on.deployment.freshTop('ordinal/day')), [
            ['more', 3],
            [id, 2],
            ['other', 1],
          ]);
          const { body } = await ranks('ordinal/day', { ids: [id, 'other'] });
          assert.deepEqual(body.ranks, [
            { id, rank: 2, score: 2, percentile: 66.67 },
            { id: 'other', rank: 3, score: 1, percentile: 33.33 },
          ]);
          for (const query of ['', '?around=1']) {
            const answer = await member('ordinal/day', id, query);
            assert.equal(answer.status, 200, answer.text);
            assert.deepEqual([answer.body.id, answer.body.rank, answer.body.score], [id, 2, 2]);
          }
        });
      }

      test('are not mistaken for each other by the caches', async () => {
        for (const id of ODD) await give({ [id]: 1 });
        const path = (/** @type {string} */ id) => `/v1/demo/boards/ordinal/day/members/${encodeURIComponent(id)}`;
        for (let again = 0; again < 2; again += 1) {
          for (const id of ODD) assert.equal((await on.deployment.fetch(path(id))).body.id, id);
        }
      });
    });

    describe('on a rolling board that nobody looked at for days', () => {
      beforeEach(async () => {
        await give(SCORES);
        on.deployment.clock.advance(3 * DAY_MS);
        // The first reader of the board has it repaired, and of a past one built.
        for (const query of ['', '?period=2026-11-21']) {
          for (const board of ['dense', 'ordinal']) await readComplete(on.deployment, `${board}/last-7-days`, query);
        }
        on.deployment.edgeClock.advance(60_000);
      });

      for (const query of ['?around=1', '?around=1&period=2026-11-21']) {
        test(`a member is found, ${query}`, async () => {
          const answer = await member('dense/last-7-days', 'd', query);
          assert.equal(answer.status, 200, answer.text);
          const { complete, rank, total, percentile, around } = answer.body;
          assert.deepEqual([complete, rank, total, percentile], [true, 2, 7, 85.71]);
          assert.deepEqual(
            around.map((/** @type {any} */ { rank: place, id }) => [place, id]),
            [
              [1, 'a'],
              [2, 'd'],
              [2, 'c'],
            ],
          );
          assertProblem(await member('dense/last-7-days', 'nobody', query), 404, 'not-on-board');
        });
      }

      for (const query of ['', '?period=2026-11-21']) {
        test(`so are many at once, ${query || 'now'}`, async () => {
          const body = await until(
            'it is complete',
            async () => {
              const answer = await ranks('dense/last-7-days', { ids: ['g', 'a'] }, query);
              assert.equal(answer.status, 200, answer.text);
              return answer.body.complete && answer.body;
            },
            { timeoutMs: 3_000 },
          );
          assert.deepEqual([body.total, body.ranks.map((/** @type {any} */ { rank }) => rank)], [7, [4, 1]]);
        });
      }

      test('so are several rankings at once', async () => {
        on.deployment.edgeClock.advance(60_000);
        const { body } = await on.deployment.fetch('/v1/demo/top?boards=dense/last-7-days,ordinal/last-7-days&limit=1');
        assert.deepEqual(
          body.boards.map((/** @type {any} */ { complete, total }) => [complete, total]),
          [
            [true, 7],
            [true, 7],
          ],
        );
      });
    });
  });
}
