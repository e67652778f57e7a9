/**
 * What a score is made of: by base period and action, adding up to the score in every kind of window.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { keysForEver } from '../support/contents.mjs';
import { CALENDAR, startDeployment, RESP, WRITE_TOKEN } from '../support/deployment.mjs';
import { createRandom, DAY_MS, HOUR_MS } from '../support/windows.mjs';
import { startWorker } from '../support/worker.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../support/deployment.mjs').Answer} Answer */
/** @typedef {Record<string, [count: number, score: number]>} Shares by action */

const ROLLING = ['last-2-hours', 'last-7-days', 'last-3-weeks', 'last-2-months'];
const DECAYING = [
  { name: 'hot', kind: 'half-life', half_life: '6h' },
  { name: 'fading', kind: 'step', every: 'day', factor: 0.5 },
  { name: 'smooth', kind: 'linear', resets: 'day', at: '02:01:00', beta: 1.1 },
];
const WEIGHTS = { view: 1, like: 2.5, down: -0.75 };
const SITE = {
  timezone: 'Europe/London',
  day_starts_at: '04:00',
  actions: { view: { public: true }, like: { reversible: true }, down: {} },
  boards: {
    articles: { weights: WEIGHTS, windows: [...CALENDAR, ...ROLLING, ...DECAYING], breakdown: true },
    people: { members: 'actors', weights: { view: 0.1, like: 1 / 8 }, windows: ['day', 'last-7-days'], breakdown: true, ranking: 'dense' },
    votes: { weights: { view: 1, like: 3 }, windows: ['day', 'last-7-days'], breakdown: true, ties: 'first' },
    small: { weights: { view: 1 }, windows: ['day'], breakdown: true, max_members: 1 },
    plain: { weights: WEIGHTS, windows: ['hour', 'day', 'all', 'last-7-days', ...DECAYING] },
  },
};
/** The same, with counts by action on the board that has none. */
const EXPLAINED_LATER = { ...SITE, boards: { ...SITE.boards, plain: { ...SITE.boards.plain, breakdown: true } } };

/** Half an hour into an hour of a summer's day of London, which began at 03:00Z. */
const NOW = '2026-07-15T12:30:00Z';

const FORMULAS = {
  calendar: "the sum of the weights of the period's events",
  rolling: 'the sum of the weights of the events of the current period and the length - 1 before it',
  'half-life': 'the sum over the events of weight * 2^(-age / half_life)',
  step: 'the sum over the events of weight * factor^(boundaries since the event)',
  linear: 'the sum over the events since the last reset of weight * beta * seconds from the reset to the event',
};

/**
 * @typedef {{ action: string, count: number, score: number }} Share
 * @typedef {{ id: string, starts_at: string, score: number, actions: Share[] }} Period
 */

/** What an answer lists, as a table. @param {Share[]} actions @returns {Shares} */
const sharesIn = (actions) => {
  assert.equal(new Set(actions.map(({ action }) => action)).size, actions.length, 'each action once');
  for (const { action, count, score, ...more } of actions) assert.deepEqual(more, {}, action);
  return Object.fromEntries(actions.map(({ action, count, score }) => [action, [count, score]]));
};
/** @param {{ periods: Period[] }} body */
const periodsIn = ({ periods }) => periods.map(({ actions, ...period }) => ({ ...period, actions: sharesIn(actions) }));
const near = (/** @type {number} */ actual, /** @type {number} */ expected, /** @type {string} */ what) =>
  assert.ok(Math.abs(actual - expected) <= Math.max(1e-9 * Math.abs(expected), 1e-12), `${what}: ${actual}, not ${expected}`);

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: { demo: SITE } })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** @param {object[]} events */
    async function send(events) {
      for (let i = 0; i < events.length; i += 100) {
        const some = events.slice(i, i + 100);
        const { status, body } = await deployment.events({ events: some });
        assert.deepEqual([status, body], [200, { accepted: some.length, duplicate: 0, rejected: [] }]);
      }
    }
    /** @param {string} ranking @param {string} [id] @param {string} [query] */
    function ask(ranking, id = 'x', query = '') {
      deployment.edgeClock.advance(60_000); // no cache may answer
      const [board, window] = ranking.split('/');
      return deployment.fetch(`/v1/demo/boards/${board}/${window}/members/${encodeURIComponent(id)}/explain${query}`);
    }
    /** Asks, and checks what holds for every explanation. @param {string} ranking @param {string} [id] @param {string} [query] */
    async function explain(ranking, id, query) {
      const { status, body, text } = await ask(ranking, id, query);
      assert.equal(status, 200, text);
      const fields = [
        'site',
        'board',
        'window',
        'period',
        'complete',
        'generated_at',
        'id',
        'score',
        'formula',
        'actions',
        'periods',
        'unexplained',
      ];
      assert.deepEqual(Object.keys(body), fields);
      assert.deepEqual([body.site, `${body.board}/${body.window}`, body.id, body.complete], ['demo', ranking, id ?? 'x', true]);
      const sum = (/** @type {{ score: number }[]} */ list) => list.reduce((total, { score }) => total + score, 0);
      near(sum(body.actions) + body.unexplained, body.score, 'actions and what is unexplained');
      near(sum(body.periods), body.score, 'periods');
      for (const { actions, score, id: period } of body.periods)
        if (body.unexplained === 0) near(sum(actions), score, `actions of ${period}`);
      return body;
    }
    const view = { action: 'view', item: 'x' };
    const like = { action: 'like', item: 'x', actor: 'u1' };
    const down = { action: 'down', item: 'x' };
    /** What the tables below are about. */
    const EVENTS = [
      view,
      view,
      like,
      down,
      { ...view, at: '2026-07-15T11:59:59Z' },
      { ...view, at: '2026-07-15T02:59:59Z' }, // of the day before
      { ...view, at: '2026-07-13T02:59:59.999Z' }, // of Sunday
      { ...like, actor: 'u2', at: '2026-06-30T12:00:00Z' },
      { ...view, at: '2025-12-31T12:00:00Z' },
      { action: 'like', item: 'y', actor: 'u1' },
    ];

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
          const [top] = (await deployment.freshTop(`articles/${window}`)).body.entries;
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
          if (score < 6) await deployment.worker.scheduled();
          deployment.clock.set(now);
          const body = await explain('articles/last-7-days');
          assert.deepEqual([body.score, periodsIn(body).map(({ id }) => id), body.unexplained], [score, ids, 0], now);
        }
        await send([view]);
        const body = await explain('articles/last-7-days');
        assert.deepEqual([body.score, periodsIn(body).map(({ id }) => id)], [5.75, ['2026-07-15', '2026-07-21']]);
        deployment.clock.set('2026-07-28T03:00:00Z');
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
          assert.deepEqual([answer.status, body.code, headers.get('cache-control')], [status, code, 'no-store']);
        });
      }
    });

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
            deployment.clock.set(at(NOW) + later);
            const body = await explain(`articles/${window}`);
            const now = Date.parse(body.generated_at);
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
            const [top] = (await deployment.freshTop(`articles/${window}`)).body.entries;
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
        deployment.clock.set('2026-07-16T01:01:00Z');
        assert.equal((await ask('articles/smooth')).body.code, 'not-on-board');
        assert.ok((await explain('articles/hot')).score > 0);
      });

      test('past a landmark, with the last events before it and the first after it', async () => {
        // Landmarks of a half-life of six hours lie 512 × 6 hours = 128 days apart.
        const landmark = Math.ceil(at(NOW) / (128 * DAY_MS)) * 128 * DAY_MS;
        for (const hours of [-30, -1, 0, 2]) {
          deployment.clock.set(landmark + hours * HOUR_MS);
          await send([
            { ...view, at: landmark + hours * HOUR_MS },
            { ...like, actor: `u${hours}`, at: landmark + hours * HOUR_MS },
          ]);
          const body = await explain('articles/hot');
          const now = Date.parse(body.generated_at);
          const worth = [-30, -1, 0, 2]
            .filter((then) => then <= hours)
            .reduce((sum, then) => sum + WORTH.hot(landmark + then * HOUR_MS, now), 0);
          near(sharesIn(body.actions).view[1], worth, 'views');
          near(sharesIn(body.actions).like[1], 2.5 * worth, 'likes');
          assert.equal(sharesIn(body.actions).view[0], [-30, -1, 0, 2].indexOf(hours) + 1);
        }
      });
    });

    test('fractions of weights add up exactly', async () => {
      await send(Array.from({ length: 30 }, (_, i) => ({ ...view, actor: 'u1', item: `${i}`, at: Date.parse(NOW) - (i % 3) * DAY_MS })));
      await send([
        { ...like, item: 'a' },
        { ...like, item: 'b' },
        { ...like, item: 'b', undo: true },
      ]);
      const body = await explain('people/last-7-days', 'u1');
      assert.deepEqual([body.score, sharesIn(body.actions), body.unexplained], [3.125, { view: [30, 3], like: [1, 0.125] }, 0]);
      assert.deepEqual(
        periodsIn(body).map(({ score }) => score),
        [1, 1, 1.125],
      );
      assert.deepEqual(sharesIn((await explain('people/day', 'u1')).actions), { view: [10, 1], like: [1, 0.125] });
    });

    test('what was undone is not counted, in the period of the action', async () => {
      const yesterday = { ...like, at: '2026-07-14T12:00:00Z' };
      await send([view, yesterday, { ...like, actor: 'u2' }]);
      assert.deepEqual(sharesIn((await explain('articles/last-7-days')).actions), { view: [1, 1], like: [2, 5] });
      await send([{ ...like, undo: true }]);
      const body = await explain('articles/last-7-days');
      assert.deepEqual(
        [body.score, sharesIn(body.actions), periodsIn(body).map(({ id }) => id)],
        [3.5, { view: [1, 1], like: [1, 2.5] }, ['2026-07-15']],
      );
      assert.equal((await ask('articles/day', 'x', '?period=2026-07-14')).body.code, 'not-on-board');
      await send([{ ...like, actor: 'u2', undo: true }]);
      assert.deepEqual(sharesIn((await explain('articles/last-7-days')).actions), { view: [1, 1] });
      assert.deepEqual(sharesIn((await explain('votes/last-7-days')).actions), { view: [1, 1] });
      await send([like]);
      assert.deepEqual(sharesIn((await explain('votes/day')).actions), { view: [1, 1], like: [1, 3] });
    });

    test('a score of zero, and one below, is explained', async () => {
      await send([...Array(3).fill(view), ...Array(4).fill(down), { ...down, item: 'low' }]);
      for (const window of ['day', 'last-7-days', 'all']) {
        const zero = await explain(`articles/${window}`);
        assert.deepEqual([zero.score, sharesIn(zero.actions), zero.unexplained], [0, { view: [3, 3], down: [4, -3] }, 0], window);
        const low = await explain(`articles/${window}`, 'low');
        assert.deepEqual([low.score, sharesIn(low.actions), low.unexplained], [-0.75, { down: [1, -0.75] }, 0], window);
      }
    });

    test('a hidden member is not, while it is hidden', async () => {
      await send([view]);
      for (const [command, status] of /** @type {const} */ ([
        ['SADD', 404],
        ['SREM', 200],
      ])) {
        await deployment.redis.command(command, 'eb:{demo:articles}:hidden', 'x');
        deployment.edgeClock.advance(60_000);
        const answer = await ask('articles/day');
        assert.deepEqual([answer.status, answer.body.code], [status, status === 404 ? 'not-on-board' : undefined]);
      }
    });

    test('ids that look like something else', async () => {
      for (const id of ['/posts/1?a=b', '{demo:articles}', ':actions', 'é "\\', 'view 1 1', 'x'.repeat(256)]) {
        await send([{ ...view, item: id }]);
        assert.deepEqual(sharesIn((await explain('articles/all', id)).actions), { view: [1, 1] }, id);
      }
    });

    test('months of events, and some undone: every window of every member is what an independent count says', async () => {
      const random = createRandom(5);
      const pick = (/** @type {number} */ below) => Math.floor(random() * below);
      const now = Date.parse(NOW);
      /** @type {{ action: 'view' | 'like' | 'down', item: string, actor: string, at: number }[]} */
      let events = [];
      for (let i = 0; i < 400; i += 1) {
        const action = /** @type {const} */ (['view', 'view', 'like', 'down'])[pick(4)];
        const ago = random() < 0.3 ? pick(3 * HOUR_MS) : random() < 0.5 ? pick(9 * DAY_MS) : pick(50 * DAY_MS);
        events.push({ action, item: `/posts/${pick(6)}`, actor: `u${i}`, at: now - ago });
      }
      await send(events);
      const undone = events.filter(({ action }) => action === 'like' && random() < 0.4);
      await send(undone.map(({ at, ...event }) => ({ ...event, undo: true })));
      events = events.filter((event) => !undone.includes(event));

      // Summer time holds from the first event to the last: days begin at 03:00Z, weeks on Mondays.
      const day = (/** @type {number} */ instant) => Math.floor((instant - 3 * HOUR_MS) / DAY_MS);
      const dateOf = (/** @type {number} */ instant) => new Date(day(instant) * DAY_MS);
      const month = (/** @type {number} */ instant) => dateOf(instant).getUTCFullYear() * 12 + dateOf(instant).getUTCMonth();
      /** @type {Record<string, (instant: number) => number>} */
      const numbers = {
        hour: (at) => Math.floor(at / HOUR_MS),
        day,
        week: (at) => Math.floor((day(at) + 3) / 7),
        month,
        year: () => 0,
        all: () => 0,
      };
      for (const [window, unit, length] of /** @type {[string, string, number][]} */ ([
        ...CALENDAR.map((name) => [name, name, 1]),
        ['last-2-hours', 'hour', 2],
        ['last-7-days', 'day', 7],
        ['last-3-weeks', 'week', 3],
        ['last-2-months', 'month', 2],
      ])) {
        for (const item of Array.from({ length: 6 }, (_, i) => `/posts/${i}`)) {
          const current = numbers[unit](now);
          const of = events.filter((event) => event.item === item && numbers[unit](event.at) > current - length);
          if (of.length === 0) {
            assert.equal((await ask(`articles/${window}`, item)).body.code, 'not-on-board', `${window} ${item}`);
            continue;
          }
          const body = await explain(`articles/${window}`, item);
          const sharesOf = (/** @type {typeof events} */ list) => {
            const counts = Object.keys(WEIGHTS).map(
              (action) => /** @type {const} */ ([action, list.filter((event) => event.action === action).length]),
            );
            return Object.fromEntries(
              counts
                .filter(([, count]) => count > 0)
                .map(([action, count]) => [action, [count, count * WEIGHTS[/** @type {'view'} */ (action)]]]),
            );
          };
          assert.deepEqual(sharesIn(body.actions), sharesOf(of), `${window} ${item}`);
          assert.equal(
            body.score,
            of.reduce((sum, { action }) => sum + WEIGHTS[action], 0),
            `${window} ${item}`,
          );
          const held = [...new Set(of.map(({ at }) => numbers[unit](at)))].sort((a, b) => a - b);
          assert.deepEqual(
            periodsIn(body).map(({ actions }) => actions),
            held.map((number) => sharesOf(of.filter(({ at }) => numbers[unit](at) === number))),
            `${window} ${item}`,
          );
        }
      }
    });

    describe('a board that kept no counts by action before', () => {
      /** @type {import('../support/worker.mjs').Worker} */
      let explaining;
      before(async () => {
        explaining = await startWorker({
          clock: deployment.edgeClock,
          vars: { REDIS_URL: deployment.redis.url, WRITE_TOKEN, SITES: { demo: EXPLAINED_LATER } },
        });
      });
      after(() => explaining?.stop());
      const explainLater = async (/** @type {string} */ window, id = 'x') => {
        deployment.edgeClock.advance(60_000);
        const response = await explaining.fetch(`/v1/demo/boards/plain/${window}/members/${id}/explain`);
        return response.json();
      };
      const sendLater = async (/** @type {object[]} */ events) => {
        const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
        const response = await explaining.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify({ events }) });
        assert.deepEqual([response.status, (await response.json()).accepted], [200, events.length]);
      };

      test('tells what it cannot explain', async () => {
        await send([view, view, view, like, { ...view, at: '2026-07-12T12:00:00Z' }, { ...view, item: 'y' }]);
        await sendLater([view, view, { ...down, at: '2026-07-12T12:00:00Z' }, { ...view, item: 'new' }]);
        for (const [window, score, actions, unexplained] of /** @type {[string, number, Shares, number][]} */ ([
          ['hour', 7.5, { view: [2, 2] }, 5.5],
          ['day', 7.5, { view: [2, 2] }, 5.5],
          ['all', 7.75, { view: [2, 2], down: [1, -0.75] }, 6.5],
          ['last-7-days', 7.75, { view: [2, 2], down: [1, -0.75] }, 6.5],
        ])) {
          const body = await explainLater(window);
          assert.deepEqual([body.score, sharesIn(body.actions), body.unexplained], [score, actions, unexplained], window);
          const old = await explainLater(window, 'y');
          assert.deepEqual([old.score, old.actions, old.unexplained], [1, [], 1], window);
          const fresh = await explainLater(window, 'new');
          assert.deepEqual([fresh.score, sharesIn(fresh.actions), fresh.unexplained], [1, { view: [1, 1] }, 0], window);
        }
        const rolling = await explainLater('last-7-days');
        assert.deepEqual(
          periodsIn(rolling).map(({ id, score, actions }) => [id, score, actions]),
          [
            ['2026-07-12', 0.25, { down: [1, -0.75] }],
            ['2026-07-15', 7.5, { view: [2, 2] }],
          ],
        );
        for (const window of ['hot', 'fading', 'smooth']) {
          const body = await explainLater(window);
          assert.equal(sharesIn(body.actions).view[0], 2, window);
          const explained = body.actions.reduce((/** @type {number} */ sum, /** @type {any} */ { score }) => sum + score, 0);
          assert.ok(body.unexplained > 0 && Math.abs(explained + body.unexplained - body.score) <= 1e-6 * Math.max(1, body.score), window);
          assert.equal((await explainLater(window, 'y')).actions.length, 0, window);
        }
      });

      test('an undo of what it did not count leaves the rest as it was', async () => {
        await send([view, like]);
        await sendLater([view]);
        await sendLater([{ ...like, undo: true }]);
        const body = await explainLater('day');
        assert.deepEqual(
          [body.score, body.unexplained + body.actions.reduce((/** @type {number} */ sum, /** @type {any} */ { score }) => sum + score, 0)],
          [2, 2],
        );
      });

      test('and keeps them no longer than their boards', async () => {
        await send([view]);
        await sendLater([view, { ...view, item: 'y' }]);
        const keys = await deployment.redis.command('KEYS', '*:actions');
        assert.ok(keys.length > 5);
        assert.deepEqual(
          (await keysForEver(deployment.redis, keys)).filter((key) => !key.includes(':all:') && !key.includes(':year:')),
          [],
        );
        for (const key of keys.filter((/** @type {string} */ name) => !name.startsWith('eb:{demo}:'))) {
          const [own, boards] = await Promise.all(
            [key, key.replace(/:actions$/, '')].map((name) => deployment.redis.command('EXPIRETIME', name)),
          );
          // When a window of steps ends is estimated anew each time.
          assert.ok(Math.abs(own - boards) <= DAY_MS / 1000, `${key}: ${own} and ${boards}`);
        }
      });
    });

    for (const [what, ranking, id, query, status, code] of /** @type {const} */ ([
      ['a board that keeps no counts by action', 'plain/day', 'x', '', 404, 'no-breakdown'],
      ['one that does, of nobody', 'articles/day', 'nobody', '', 404, 'not-on-board'],
      ['a member that was refused for want of room', 'small/day', 'late', '', 404, 'not-on-board'],
      ['an actor on a board of items', 'articles/day', 'u1', '', 404, 'not-on-board'],
      ['an unknown board', 'artikel/day', 'x', '', 404, 'unknown-board'],
      ['an unknown window', 'people/month', 'x', '', 404, 'unknown-window'],
      ['a parameter that is none', 'articles/day', 'x', '?around=1', 400, 'unknown-parameter'],
      ['an id that is none', 'articles/day', 'a\nb', '', 400, 'invalid-id'],
    ])) {
      test(`${what} → ${status} ${code}`, async () => {
        await send([
          { ...view, actor: 'u1' },
          { ...view, item: 'late' },
        ]);
        const { body, headers, ...answer } = await ask(ranking, id, query);
        assert.deepEqual([answer.status, body.code, headers.get('cache-control')], [status, code, 'no-store']);
      });
    }
  });
}
