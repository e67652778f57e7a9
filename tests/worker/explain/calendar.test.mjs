/**
 * Explanations of calendar and rolling windows, and of past periods: each number is what the definition of the score says.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RESP } from '../../support/deployment.mjs';
import { FORMULAS, periodsIn, serve, sharesIn, WEIGHTS } from './site.mjs';

/** @typedef {import('./site.mjs').Shares} Shares */

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { send, ask, explain, view, EVENTS } = on;

    describe('calendar windows', () => {
      for (const [
        window,
        id,
        starts_at,
        ends_at,
        score,
        actions,
      ] of /** @type {[string, string, string | null, string | null, number, Shares][]} */ ([
        [
          'hour',
          '2026-07-15T12Z',
          '2026-07-15T12:00:00Z',
          '2026-07-15T13:00:00Z',
          3.75,
          { view: [2, 2], like: [1, 2.5], down: [1, -0.75] },
        ],
        ['day', '2026-07-15', '2026-07-15T03:00:00Z', '2026-07-16T03:00:00Z', 4.75, { view: [3, 3], like: [1, 2.5], down: [1, -0.75] }],
        ['week', '2026-W29', '2026-07-13T03:00:00Z', '2026-07-20T03:00:00Z', 5.75, { view: [4, 4], like: [1, 2.5], down: [1, -0.75] }],
        ['month', '2026-07', '2026-07-01T03:00:00Z', '2026-08-01T03:00:00Z', 6.75, { view: [5, 5], like: [1, 2.5], down: [1, -0.75] }],
        ['year', '2026', '2026-01-01T04:00:00Z', '2027-01-01T04:00:00Z', 9.25, { view: [5, 5], like: [2, 5], down: [1, -0.75] }],
        ['all', 'all', null, null, 10.25, { view: [6, 6], like: [2, 5], down: [1, -0.75] }],
      ])) {
        test(window, async () => {
          await send(EVENTS);
          const body = await explain(`articles/${window}`);
          assert.deepEqual(body.period, { id, starts_at, ends_at });
          assert.deepEqual(body.formula, { kind: 'calendar', unit: window, weights: WEIGHTS, text: FORMULAS.calendar });
          assert.deepEqual([body.score, sharesIn(body.actions), body.unexplained], [score, actions, 0]);
          assert.deepEqual(periodsIn(body), [{ id, starts_at, score, actions }]);
          const [top] = (await on.deployment.freshTop(`articles/${window}`)).body.entries;
          assert.deepEqual([top.id, top.score], ['x', score]);
          assert.deepEqual(sharesIn((await explain(`articles/${window}`, 'y')).actions), { like: [1, 2.5] });
        });
      }
    });

    describe('rolling windows: one entry per base period that holds the member, oldest first', () => {
      const today = /** @type {Shares} */ ({ view: [3, 3], like: [1, 2.5], down: [1, -0.75] });
      /** @type {[string, number, number, string, string, Shares, [id: string, starts_at: string, score: number, actions: Shares][]][]} */
      const rows = [
        [
          'last-2-hours',
          2,
          4.75,
          '2026-07-15T11:00:00Z',
          '2026-07-15T13:00:00Z',
          today,
          [
            ['2026-07-15T11Z', '2026-07-15T11:00:00Z', 1, { view: [1, 1] }],
            ['2026-07-15T12Z', '2026-07-15T12:00:00Z', 3.75, { view: [2, 2], like: [1, 2.5], down: [1, -0.75] }],
          ],
        ],
        [
          'last-7-days',
          7,
          6.75,
          '2026-07-09T03:00:00Z',
          '2026-07-16T03:00:00Z',
          { ...today, view: [5, 5] },
          [
            ['2026-07-12', '2026-07-12T03:00:00Z', 1, { view: [1, 1] }],
            ['2026-07-14', '2026-07-14T03:00:00Z', 1, { view: [1, 1] }],
            ['2026-07-15', '2026-07-15T03:00:00Z', 4.75, today],
          ],
        ],
        [
          'last-3-weeks',
          3,
          9.25,
          '2026-06-29T03:00:00Z',
          '2026-07-20T03:00:00Z',
          { ...today, view: [5, 5], like: [2, 5] },
          [
            ['2026-W27', '2026-06-29T03:00:00Z', 2.5, { like: [1, 2.5] }],
            ['2026-W28', '2026-07-06T03:00:00Z', 1, { view: [1, 1] }],
            ['2026-W29', '2026-07-13T03:00:00Z', 5.75, { ...today, view: [4, 4] }],
          ],
        ],
        [
          'last-2-months',
          2,
          9.25,
          '2026-06-01T03:00:00Z',
          '2026-08-01T03:00:00Z',
          { ...today, view: [5, 5], like: [2, 5] },
          [
            ['2026-06', '2026-06-01T03:00:00Z', 2.5, { like: [1, 2.5] }],
            ['2026-07', '2026-07-01T03:00:00Z', 6.75, { ...today, view: [5, 5] }],
          ],
        ],
      ];
      for (const [window, length, score, starts_at, ends_at, actions, periods] of rows) {
        test(window, async () => {
          await send(EVENTS);
          const body = await explain(`articles/${window}`);
          assert.deepEqual(body.period, { id: periods.at(-1)?.[0], starts_at, ends_at });
          const unit = window.split('-')[2].slice(0, -1);
          assert.deepEqual(body.formula, { kind: 'rolling', unit, length, weights: WEIGHTS, text: FORMULAS.rolling });
          assert.deepEqual([body.score, sharesIn(body.actions), body.unexplained], [score, actions, 0]);
          assert.deepEqual(
            periodsIn(body),
            periods.map(([id, starts, sum, shares]) => ({ id, starts_at: starts, score: sum, actions: shares })),
          );
        });
      }

      test('over a boundary, prepared or not, what leaves is explained no more', async () => {
        await send(EVENTS);
        for (const [now, score, ids] of /** @type {[string, number, string[]][]} */ ([
          ['2026-07-16T03:00:00Z', 6.75, ['2026-07-12', '2026-07-14', '2026-07-15']],
          ['2026-07-19T02:59:50Z', 6.75, ['2026-07-12', '2026-07-14', '2026-07-15']],
          ['2026-07-19T03:00:00Z', 5.75, ['2026-07-14', '2026-07-15']],
          ['2026-07-21T03:00:00Z', 4.75, ['2026-07-15']],
        ])) {
          if (score < 6) await on.deployment.worker.scheduled();
          on.deployment.clock.set(now);
          const body = await explain('articles/last-7-days');
          assert.deepEqual([body.score, periodsIn(body).map(({ id }) => id), body.unexplained], [score, ids, 0], now);
        }
        await send([view]);
        const body = await explain('articles/last-7-days');
        assert.deepEqual([body.score, periodsIn(body).map(({ id }) => id)], [5.75, ['2026-07-15', '2026-07-21']]);
        on.deployment.clock.set('2026-07-28T03:00:00Z');
        assert.equal((await ask('articles/last-7-days')).body.code, 'not-on-board');
        assert.equal((await explain('articles/month')).score, 7.75);
      });
    });

    describe('past periods', () => {
      for (const [window, period, score, ids] of /** @type {[string, string, number, string[]][]} */ ([
        ['hour', '2026-07-15T11Z', 1, ['2026-07-15T11Z']],
        ['day', '2026-07-14', 1, ['2026-07-14']],
        ['week', '2026-W27', 2.5, ['2026-W27']],
        ['month', '2026-06', 2.5, ['2026-06']],
        ['year', '2025', 1, ['2025']],
        ['last-2-hours', '2026-07-15T11Z', 1, ['2026-07-15T11Z']],
        ['last-7-days', '2026-07-14', 2, ['2026-07-12', '2026-07-14']],
        ['last-7-days', '2026-07-13', 1, ['2026-07-12']],
        ['last-3-weeks', '2026-W28', 3.5, ['2026-W27', '2026-W28']],
        ['last-2-months', '2026-06', 2.5, ['2026-06']],
      ])) {
        test(`${window} ${period}`, async () => {
          await send(EVENTS);
          const body = await explain(`articles/${window}`, 'x', `?period=${period}`);
          assert.deepEqual([body.period.id, body.score, periodsIn(body).map(({ id }) => id), body.unexplained], [period, score, ids, 0]);
          // A late event shows at once.
          const at = Date.parse(body.period.ends_at) - 1;
          await send([{ ...view, at }]);
          const later = await explain(`articles/${window}`, 'x', `?period=${period}`);
          assert.deepEqual([later.score, later.periods.at(-1).id], [score + 1, period]);
        });
      }
      for (const [window, period, status, code] of /** @type {const} */ ([
        ['day', '2026-07-13', 404, 'not-on-board'],
        ['last-7-days', '2026-07-11', 404, 'not-on-board'],
        ['day', '2026-07-16', 404, 'unknown-period'],
        ['day', '2026-05-01', 404, 'unknown-period'],
        ['day', '2026-07', 400, 'invalid-period'],
        ['hot', '2026-07-15', 400, 'invalid-period'],
      ])) {
        test(`${window} ${period} → ${status} ${code}`, async () => {
          await send(EVENTS);
          const { body, headers, ...answer } = await ask(`articles/${window}`, 'x', `?period=${period}`);
          assert.deepEqual([answer.status, body.code], [status, code]);
          assert.match(headers.get('cache-control') ?? '', status === 404 ? /^public, max-age=[12]$/ : /^no-store$/);
        });
      }
    });
  });
}
