/**
 * The rank that a score would have, the score of who has a rank, and the ranks of some members among themselves.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RESP } from '../../support/deployment.mjs';
import { readComplete } from '../../support/windows.mjs';
import { lasting, SCORES, serve } from './site.mjs';

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { give, member, ranks, assertProblem } = on;

    /** @param {string} ranking @param {string} query */
    function place(ranking, query) {
      on.deployment.edgeClock.advance(60_000);
      return on.deployment.fetch(`/v1/demo/boards/${ranking}/rank?${query}`);
    }

    test('a score, by each kind of ranks', async () => {
      await give(SCORES);
      for (const window of ['day', 'last-7-days', 'all']) {
        for (const [board, expected] of /** @type {[string, (number | null)[]][]} */ ([
          // Scores 6, 5, 4.5, 4, 1, 0.5, 0.
          ['ordinal', [1, 1, 2, 2, 7, 8, null]],
          ['competition', [1, 1, 2, 2, 7, 8, null]],
          ['dense', [1, 1, 2, 2, 4, 5, null]],
        ])) {
          await readComplete(on.deployment, `${board}/${window}`);
          for (const [at, score] of [6, 5, 4.5, 4, 1, 0.5, 0].entries()) {
            const { status, body, text } = await place(`${board}/${window}`, `score=${score}`);
            assert.equal(status, 200, text);
            const { period: _, ...answer } = lasting(body);
            const wanted = { site: 'demo', board, window, complete: true, rank: expected[at], score, total: 7 };
            assert.deepEqual(answer, wanted);
          }
        }
      }
    });

    test('a rank, by each kind of ranks', async () => {
      await give(SCORES);
      for (const [board, expected] of /** @type {[string, (number | null)[]][]} */ ([
        ['ordinal', [5, 4, 4, 4, 2, 2, 1, null]],
        ['competition', [5, 4, 4, 4, 2, 2, 1, null]],
        ['dense', [5, 4, 2, 1, null, null, null, null]],
      ])) {
        for (const [at, score] of expected.entries()) {
          const { body } = await place(`${board}/day`, `rank=${at + 1}`);
          assert.deepEqual([body.rank, body.score], [at + 1, score], `${board}: ${at + 1}`);
        }
      }
    });

    test('an empty board', async () => {
      assert.equal((await place('ordinal/day', 'score=1')).body.rank, 1);
      assert.equal((await place('ordinal/day', 'rank=1')).body.score, null);
    });

    test('how far it is to the next higher score', async () => {
      await give(SCORES);
      for (const [id, next] of Object.entries({ a: null, c: { score: 5, distance: 1 }, g: { score: 2, distance: 1 } })) {
        assert.deepEqual((await member('ordinal/day', id)).body.next_higher, next, id);
      }
    });

    test('friends among themselves', async () => {
      await give(SCORES);
      const ids = ['g', 'nobody', 'e', 'c', 'b', 'f', 'c'];
      for (const [board, expected] of /** @type {[string, (number | null)[]][]} */ ([
        ['ordinal', [5, null, 4, 1, 2, 3, 1]],
        ['competition', [5, null, 3, 1, 1, 3, 1]],
        ['dense', [3, null, 2, 1, 1, 2, 1]],
      ])) {
        const { body, text } = await ranks(`${board}/day`, { ids, among: true });
        assert.deepEqual(
          body.ranks.map((/** @type {any} */ rank) => rank.rank_among),
          expected,
          text,
        );
      }
      const { body } = await ranks('ordinal/day', { ids });
      assert.ok(!('rank_among' in body.ranks[0]));
    });

    test('what cannot be asked for', async () => {
      for (const query of ['', 'score=1&rank=1', 'score=x', 'score=1e3', 'score=0.1234567', 'rank=0', 'rank=1.5', 'score=']) {
        assertProblem(await place('ordinal/day', query), 400, 'invalid-parameter');
      }
      assertProblem(await ranks('ordinal/day', { ids: ['a'], among: 1 }), 400, 'invalid-ids');
    });
  });
}
