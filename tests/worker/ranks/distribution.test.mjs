/**
 * How many members lie in each interval of the scores.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RESP } from '../../support/deployment.mjs';
import { readComplete } from '../../support/windows.mjs';
import { lasting, SCORES, serve } from './site.mjs';

const INTERVALS = [
  { best: 5, score: 5, rank: 1, members: 1, top_percent: 14.29 },
  { best: 4, score: 4, rank: 2, members: 3, top_percent: 57.15 },
  { best: 2, score: 2, rank: 5, members: 2, top_percent: 85.72 },
  { best: 1, score: 1, rank: 7, members: 1, top_percent: 100 },
];

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { give, assertProblem } = on;

    /** @param {string} ranking @param {string} [query] */
    function distribution(ranking, query = '') {
      on.deployment.edgeClock.advance(60_000);
      return on.deployment.fetch(`/v1/demo/boards/${ranking}/distribution${query}`);
    }

    test('of each window, whatever the ranks are', async () => {
      await give(SCORES);
      for (const board of ['ordinal', 'competition', 'dense']) {
        for (const window of ['day', 'last-7-days', 'all']) {
          await readComplete(on.deployment, `${board}/${window}`);
          const { status, body, text } = await distribution(`${board}/${window}`);
          assert.equal(status, 200, text);
          const { period: _, ...answer } = lasting(body);
          assert.deepEqual(answer, { site: 'demo', board, window, complete: true, total: 7, intervals: INTERVALS });
        }
      }
    });

    test('it follows what is counted, and what is taken back', async () => {
      assert.deepEqual((await distribution('ordinal/day')).body.intervals, []);
      await give(SCORES);
      assert.deepEqual((await distribution('ordinal/day')).body.intervals, INTERVALS);
      await give({ a: -3, g: 3, below: 2 });
      assert.deepEqual((await distribution('ordinal/day')).body.intervals, [
        { best: 4, score: 4, rank: 1, members: 4, top_percent: 50 },
        { best: 2, score: 2, rank: 5, members: 3, top_percent: 87.5 },
        { best: 1, score: 1, rank: 8, members: 1, top_percent: 100 },
      ]);
    });

    test('a member below min_score is not in it', async () => {
      await give({ ...SCORES, high: 9 });
      const { body } = await distribution('least/day');
      assert.deepEqual([body.total, body.intervals.map((/** @type {any} */ interval) => interval.score)], [2, [9, 5]]);
    });

    test('scores that fade', async () => {
      await give(SCORES);
      for (const window of ['hot', 'fading', 'smooth']) {
        const { body } = await distribution(`decaying/${window}`);
        const members = body.intervals.map((/** @type {any} */ interval) => interval.members);
        assert.deepEqual([body.total, members], [7, [1, 3, 2, 1]], window);
      }
    });

    test('it is cached like a ranking, and asks Redis what changed', async () => {
      await give(SCORES);
      const first = await distribution('ordinal/day');
      assert.match(first.headers.get('cache-control') ?? '', /^public, max-age=\d/);
      const etag = first.headers.get('etag') ?? '';
      const { status } = await on.deployment.fetch('/v1/demo/boards/ordinal/day/distribution', { headers: { 'if-none-match': etag } });
      assert.equal(status, 304);
      // The worker asks whether anything changed, which nothing did.
      const again = await on.deployment.commandsDuring(() => distribution('ordinal/day'));
      assert.equal(again.zcount, undefined);
      assert.equal(again.hmget, 1);
    });

    test('what cannot be asked for', async () => {
      assertProblem(await distribution('ordinal/none'), 404, 'unknown-window');
      assertProblem(await distribution('ordinal/day', '?period=2027-01-01'), 404, 'unknown-period');
      assertProblem(await distribution('ordinal/day', '?period=x'), 400, 'invalid-period');
    });
  });
}
