/**
 * Where one member stands, with its neighbours.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RESP } from '../../support/deployment.mjs';
import { DAY_MS, readComplete } from '../../support/windows.mjs';
import { BOARDS, lasting, NOW, PERCENTILES, SCORES, serve } from './site.mjs';

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { give, member, assertProblem } = on;

    describe('one member', () => {
      test('has a document of its own', async () => {
        await give(SCORES);
        const answer = await member('competition/day', 'e', '?around=1');
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.headers.get('content-type'), 'application/json');
        assert.equal(answer.headers.get('access-control-allow-origin'), '*');
        assert.match(
          answer.headers.get('cache-control') ?? '',
          /^public, max-age=[12], stale-while-revalidate=[01], stale-if-error=86400$/,
        );
        assert.deepEqual(lasting(answer.body), {
          site: 'demo',
          board: 'competition',
          window: 'day',
          period: { id: '2026-11-20', starts_at: '2026-11-20T00:00:00Z', ends_at: '2026-11-21T00:00:00Z' },
          complete: true,
          id: 'e',
          rank: 5,
          score: 2,
          total: 7,
          percentile: 42.86,
          next_higher: { score: 4, distance: 2 },
          around: [
            { rank: 5, id: 'f', score: 2 },
            { rank: 5, id: 'e', score: 2 },
            { rank: 7, id: 'g', score: 1 },
          ],
        });
      });

      for (const window of ['day', 'last-7-days']) {
        test(`and its neighbours stand where the page of ${window} has them, at the first place and at the last`, async () => {
          await give(SCORES);
          for (const board of BOARDS) {
            const { answer } = await readComplete(on.deployment, `${board}/${window}`);
            const rows = answer.body.entries.map((/** @type {any} */ { rank, id, score }) => ({ rank, id, score }));
            for (const [at, { rank, id, score }] of rows.entries()) {
              for (const around of [0, 1, 2, 50]) {
                const { status, body } = await member(`${board}/${window}`, id, around ? `?around=${around}` : '');
                assert.equal(status, 200);
                assert.deepEqual([body.id, body.rank, body.score, body.total, body.percentile], [id, rank, score, 7, PERCENTILES[id]]);
                const near = around ? rows.slice(Math.max(0, at - around), at + around + 1) : [];
                assert.deepEqual(body.around, near, `${around} around ${id} on ${board}/${window}`);
              }
            }
          }
        });
      }

      test('has neighbours below the depth of the board, as many as are asked for', async () => {
        await give(Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`m${10 + i}`, 1])));
        const { body } = await member('short/day', 'm40', '?around=50');
        assert.deepEqual([body.rank, body.total, body.percentile], [60, 90, 100]);
        assert.deepEqual(
          body.around.map((/** @type {any} */ { rank, id }) => [rank, id]),
          Array.from({ length: 81 }, (_, i) => [i + 10, `m${90 - i}`]),
        );
      });

      test('learns that nothing changed while nothing did', async () => {
        await give(SCORES);
        const path = '/v1/demo/boards/dense/day/members/e?around=1';
        const first = await on.deployment.fetch(path);
        const ask = () => {
          on.deployment.edgeClock.advance(60_000);
          return on.deployment.fetch(path, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
        };
        const second = await ask();
        assert.deepEqual([second.status, second.text], [304, '']);
        await give({ f: 1 });
        assert.equal((await ask()).status, 200);
      });

      test('in a period that is past', async () => {
        await give({ a: 1, b: 2 }, { at: NOW - DAY_MS });
        await give({ a: 3 });
        for (const window of ['day', 'last-7-days']) {
          await readComplete(on.deployment, `dense/${window}`, '?period=2026-11-19');
          const { body } = await member(`dense/${window}`, 'a', '?period=2026-11-19&around=1');
          assert.deepEqual([body.period.id, body.complete, body.rank, body.score, body.percentile], ['2026-11-19', true, 2, 1, 50]);
          assert.deepEqual(body.around, [
            { rank: 1, id: 'b', score: 2 },
            { rank: 2, id: 'a', score: 1 },
          ]);
        }
        assert.equal((await member('dense/day', 'a')).body.rank, 1);
        assertProblem(await member('dense/day', 'b'), 404, 'not-on-board');
      });

      test('of a decaying window', async () => {
        await give({ a: 1, b: 2, c: 2 });
        for (const window of ['hot', 'fading', 'smooth']) {
          const { body } = await member(`decaying/${window}`, 'a', '?around=2');
          assert.deepEqual([body.rank, body.total, body.percentile], [3, 3, 33.33], window);
          assert.deepEqual(
            body.around.map((/** @type {any} */ { rank, id }) => [rank, id]),
            [
              [1, 'c'],
              [1, 'b'],
              [3, 'a'],
            ],
          );
        }
      });

      for (const [ranking, id, query, status, code] of /** @type {[string, string, string, number, string][]} */ ([
        ['ordinal/day', 'nobody', '', 404, 'not-on-board'],
        ['dense/day', 'nobody', '?around=3', 404, 'not-on-board'],
        ['ordinal/last-7-days', 'nobody', '', 404, 'not-on-board'],
        ['ordinal/day', 'below', '', 404, 'not-on-board'],
        ['competition/all', 'below', '?around=1', 404, 'not-on-board'],
        ['ordinal/day', 'a', '?period=2026-11-19', 404, 'not-on-board'],
        ['ordinal/day', 'A', '', 404, 'not-on-board'],
        ['decaying/hot', 'nobody', '', 404, 'not-on-board'],
        ['nothing/day', 'a', '', 404, 'unknown-board'],
        ['ordinal/week', 'a', '', 404, 'unknown-window'],
        ['ordinal/day', 'a', '?period=2026-11-21', 404, 'unknown-period'],
        ['ordinal/day', 'a', '?period=2026-09-20', 404, 'unknown-period'],
        ['ordinal/day', 'a', '?period=yesterday', 400, 'invalid-period'],
        ['decaying/hot', 'a', '?period=2026-11-20', 400, 'invalid-period'],
        ['ordinal/day', 'a', '?around=51', 400, 'invalid-parameter'],
        ['ordinal/day', 'a', '?around=-1', 400, 'invalid-parameter'],
        ['ordinal/day', 'a', '?around=', 400, 'invalid-parameter'],
        ['ordinal/day', 'a', '?around=1&around=1', 400, 'repeated-parameter'],
        ['ordinal/day', 'a', '?limit=1', 400, 'unknown-parameter'],
        ['ordinal/day', 'a\u0000', '', 400, 'invalid-id'],
        ['ordinal/day', 'a\n', '', 400, 'invalid-id'],
        ['ordinal/day', '', '', 400, 'invalid-id'],
        ['ordinal/day', 'a'.repeat(257), '', 400, 'invalid-id'],
      ])) {
        test(`${JSON.stringify(id.slice(0, 10))} of ${ranking}${query} → ${status} ${code}`, async () => {
          await give(SCORES);
          assertProblem(await member(ranking, id, query), status, code);
        });
      }

      test('nothing but GET and HEAD', async () => {
        await give({ a: 1 });
        const path = '/v1/demo/boards/ordinal/day/members/a';
        for (const method of ['POST', 'PUT', 'DELETE'])
          assertProblem(await on.deployment.fetch(path, { method }), 405, 'method-not-allowed');
        const head = await on.deployment.fetch(path, { method: 'HEAD' });
        assert.deepEqual([head.status, head.text], [200, '']);
      });
    });
  });
}
