/**
 * Explanations of decaying windows: each number is what the definition of the score says.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RESP } from '../../support/deployment.mjs';
import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { FORMULAS, near, NOW, periodsIn, serve, sharesIn, WEIGHTS } from './site.mjs';

/** @typedef {import('./site.mjs').Shares} Shares */

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { send, ask, explain, view, like, down } = on;

    describe('decaying windows', () => {
      const at = (/** @type {string} */ instant) => Date.parse(instant);
      const TRACKED = [
        { ...view, at: at('2026-07-15T12:00:00Z') },
        { ...view, at: at('2026-07-15T06:00:00Z') },
        { ...like, at: at('2026-07-14T20:00:00Z') },
        { ...down, at: at('2026-07-15T01:00:59Z') },
        { ...down, at: at('2026-07-15T01:01:30Z') },
        { ...like, actor: 'u2', at: at('2026-07-15T12:00:00Z') },
      ];
      /** What an event is worth at an instant, by hand. @type {Record<string, (at: number, now: number) => number>} */
      const WORTH = {
        hot: (then, now) => 2 ** ((then - now) / (6 * HOUR_MS)),
        // Days begin at 03:00Z.
        fading: (then, now) => 0.5 ** (Math.floor((now - 3 * HOUR_MS) / DAY_MS) - Math.floor((then - 3 * HOUR_MS) / DAY_MS)),
        // Resets at 01:01Z.
        smooth(then, now) {
          const reset = Math.floor((now - 3_660_000) / DAY_MS) * DAY_MS + 3_660_000;
          return then < reset ? 0 : (1.1 * (Math.floor(then / 1000) * 1000 - reset)) / 1000;
        },
      };
      const FORMULA = {
        hot: { kind: 'half-life', half_life_s: 21_600 },
        fading: { kind: 'step', every: 'day', factor: 0.5 },
        smooth: { kind: 'linear', resets: 'day', beta: 1.1 },
      };
      for (const window of /** @type {const} */ (['hot', 'fading', 'smooth'])) {
        test(`${window}: what each action’s events are worth now`, async () => {
          await send(TRACKED);
          for (const later of [0, 1_234_567, 5 * HOUR_MS, 12 * HOUR_MS - 30 * 60_000]) {
            on.deployment.clock.set(at(NOW) + later);
            const body = await explain(`articles/${window}`);
            const now = Date.parse(body.scored_at ?? body.generated_at);
            const expected = /** @type {Shares} */ ({});
            for (const event of TRACKED) {
              const worth = WEIGHTS[/** @type {'view'} */ (event.action)] * WORTH[window](event.at, now);
              // What was before a reset is not counted, and what is lost otherwise is.
              if (worth === 0) continue;
              const [count, sum] = expected[event.action] ?? [0, 0];
              expected[event.action] = [count + 1, sum + worth];
            }
            const shares = sharesIn(body.actions);
            assert.deepEqual(Object.keys(shares).sort(), Object.keys(expected).sort());
            for (const [action, [count, score]] of Object.entries(expected)) {
              assert.equal(shares[action][0], count, `${action} at ${body.generated_at}`);
              near(shares[action][1], score, `${action} at ${body.generated_at}`);
            }
            near(
              body.score,
              Object.values(expected).reduce((sum, [, score]) => sum + score, 0),
              'score',
            );
            assert.ok(Math.abs(body.unexplained) <= 1e-6, String(body.unexplained));
            const { text, weights, ...formula } = body.formula;
            assert.deepEqual(
              [formula, weights, text],
              [FORMULA[window], WEIGHTS, FORMULAS[/** @type {keyof typeof FORMULAS} */ (FORMULA[window].kind)]],
            );
            assert.equal(body.periods.length, 1);
            const [period] = periodsIn(body);
            assert.deepEqual(
              [period.id, period.starts_at, period.actions],
              [null, window === 'smooth' ? '2026-07-15T01:01:00Z' : null, shares],
            );
            const [top] = (await on.deployment.freshTop(`articles/${window}`)).body.entries;
            assert.ok(Math.abs(top.score - body.score) <= 1e-3 * body.score, `${top.score} and ${body.score}`);
          }
        });

        test(`${window}: an undone event is worth nothing`, async () => {
          await send(TRACKED);
          await send([{ ...like, actor: 'u2', undo: true }]);
          const shares = sharesIn((await explain(`articles/${window}`)).actions);
          if (window === 'smooth') assert.equal(shares.like, undefined, 'the other like was before the reset');
          else assert.equal(shares.like[0], 1);
          await send([
            { ...view, item: 'z' },
            { ...like, item: 'z' },
            { ...like, item: 'z', undo: true },
          ]);
          assert.deepEqual(
            Object.entries(sharesIn((await explain(`articles/${window}`, 'z')).actions)).map(([action, [count]]) => [action, count]),
            [['view', 1]],
          );
        });
      }

      test('after the reset nothing is known of who was there before', async () => {
        await send(TRACKED);
        on.deployment.clock.set('2026-07-16T01:01:00Z');
        assert.equal((await ask('articles/smooth')).body.code, 'not-on-board');
        assert.ok((await explain('articles/hot')).score > 0);
      });

      test('past a landmark, with the last events before it and the first after it', async () => {
        // Landmarks of a half-life of six hours lie 512 × 6 hours = 128 days apart.
        const landmark = Math.ceil(at(NOW) / (128 * DAY_MS)) * 128 * DAY_MS;
        for (const hours of [-30, -1, 0, 2]) {
          on.deployment.clock.set(landmark + hours * HOUR_MS);
          await send([
            { ...view, at: landmark + hours * HOUR_MS },
            { ...like, actor: `u${hours}`, at: landmark + hours * HOUR_MS },
          ]);
          const body = await explain('articles/hot');
          const now = Date.parse(body.scored_at ?? body.generated_at);
          const worth = [-30, -1, 0, 2]
            .filter((then) => then <= hours)
            .reduce((sum, then) => sum + WORTH.hot(landmark + then * HOUR_MS, now), 0);
          near(sharesIn(body.actions).view[1], worth, 'views');
          near(sharesIn(body.actions).like[1], 2.5 * worth, 'likes');
          assert.equal(sharesIn(body.actions).view[0], [-30, -1, 0, 2].indexOf(hours) + 1);
        }
      });
    });
  });
}
