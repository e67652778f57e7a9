/**
 * Decaying windows: scores are what the events are worth at the instant of reading, in the right order at any time, without
 * anything ever being recomputed.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { contentsOf, countedKeys } from '../../support/contents.mjs';
import { entriesOf, startDeployment, RESP } from '../../support/deployment.mjs';
import { createRandom, DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { FADING, HOT, SMOOTH } from './site.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../../support/deployment.mjs').Answer} Answer */

const ADMIN_TOKEN = 'a-token-for-upkeep';
const WINDOWS = ['hot', 'fading', 'smooth'];
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: {}, down: {}, hot: {}, fading: {}, smooth: {} },
  boards: {
    articles: { weights: { view: 1, like: 5, down: -1 }, windows: [HOT, FADING, SMOOTH, 'all'] },
    hot: { weights: { hot: 1 }, windows: [HOT] },
    fading: { weights: { fading: 1 }, windows: [FADING] },
    smooth: { weights: { smooth: 1 }, windows: [SMOOTH] },
    slow: {
      weights: { view: 2 },
      windows: [
        { name: 'by-day', kind: 'step', every: 'day', factor: 0.5 },
        { name: 'of-week', kind: 'linear', resets: 'week', at: '04:00' },
        { name: 'of-hour', kind: 'linear', resets: 'hour' },
      ],
    },
  },
};
const SITES = {
  demo: SITE,
  berlin: { ...SITE, timezone: 'Europe/Berlin' },
  'new-york': { ...SITE, timezone: 'America/New_York', week_starts_on: 'sunday' },
};
const NOW = Date.parse('2026-11-20T12:34:56Z');

/** What an event of the site demo is worth at an instant, per unit of weight. @type {Record<string, (at: number, now: number) => number>} */
const WORTH = {
  hot: (at, now) => 2 ** (-(now - at) / (6 * HOUR_MS)),
  fading: (at, now) => 0.9 ** (Math.floor(now / HOUR_MS) - Math.floor(at / HOUR_MS)),
  smooth: (at, now) => {
    const reset = Math.floor((now - 121 * 60_000) / DAY_MS) * DAY_MS + 121 * 60_000;
    return at < reset ? 0 : 1.1 * Math.floor((at - reset) / 1000);
  },
};

/** @param {number} actual @param {number} expected @param {string} what */
function assertClose(actual, expected, what) {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.abs(expected), `${what}: ${actual} instead of ${expected}`);
}

/**
 * A ranking shows the items that are worth something at the instant that it was made at, the best first.
 *
 * @param {Answer} answer
 * @param {string} window
 * @param {{ at: number, item: string, weight: number }[]} events
 */
function assertWorth(answer, window, events) {
  assert.equal(answer.status, 200, answer.text);
  const now = Date.parse(answer.body.scored_at ?? answer.body.generated_at);
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { at, item, weight } of events) sums.set(item, (sums.get(item) ?? 0) + weight * WORTH[window](at, now));
  const floor = window === 'smooth' ? 0 : 2 ** -20;
  const expected = [...sums].filter(([, sum]) => sum > floor).sort(([, a], [, b]) => b - a);
  assert.equal(answer.body.complete, true);
  assert.equal(answer.body.total, expected.length, window);
  const shown = entriesOf(answer);
  assert.equal(shown.length, Math.min(100, expected.length));
  for (const [i, [item, score]] of shown.entries()) {
    assertClose(score, sums.get(item) ?? NaN, `${window} ${item}`);
    assertClose(score, expected[i][1], `${window} at rank ${i + 1}`);
  }
}

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: SITES, vars: { ADMIN_TOKEN } })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** @param {object[]} events @param {string} [site] */
    async function send(events, site) {
      const { status, body } = await deployment.events({ events }, { site });
      assert.deepEqual([status, body], [200, { accepted: events.length, duplicate: 0, rejected: [] }]);
    }
    const upkeep = async () => {
      const { body } = await deployment.fetch('/v1/demo/admin/upkeep', {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      return Object.fromEntries(body.windows.map((/** @type {any} */ { board, window, dropped }) => [`${board}/${window}`, dropped]));
    };

    test('scores are what the events are worth now, and later, with nothing written meanwhile', async () => {
      const events = [
        { at: NOW, item: 'now', weight: 1 },
        { at: NOW - 6 * HOUR_MS, item: 'six hours', weight: 1 },
        { at: NOW - 6 * HOUR_MS, item: 'six hours', weight: 5 },
        { at: NOW - 20 * HOUR_MS, item: 'yesterday', weight: 5 },
        { at: NOW - 3 * HOUR_MS, item: 'less', weight: -1 },
        { at: NOW - HOUR_MS, item: 'less', weight: 5 },
        { at: NOW - HOUR_MS, item: 'below', weight: -1 },
      ];
      const actions = new Map([
        [1, 'view'],
        [5, 'like'],
        [-1, 'down'],
      ]);
      await send(events.map(({ at, item, weight }) => ({ action: actions.get(weight), item, at })));
      for (const later of [0, 25 * 60_000, 60_000, 6 * HOUR_MS, 30 * HOUR_MS]) {
        deployment.clock.set(NOW + later);
        const writes = await deployment.commandsDuring(async () => {
          for (const window of WINDOWS) assertWorth(await deployment.freshTop(`articles/${window}`), window, events);
        });
        assert.deepEqual([writes.calls, writes.zadd, writes.zrem], [3, undefined, undefined]);
      }
    });

    test('the order is that of a recomputation, after hours of events and late ones', async () => {
      const random = createRandom(7);
      const pick = (/** @type {number} */ below) => Math.floor(random() * below);
      /** @type {{ at: number, item: string, weight: number }[]} */
      const events = [];
      let now = NOW;
      for (let step = 0; step < 20; step += 1) {
        deployment.clock.set((now += pick(5 * HOUR_MS)));
        const made = Array.from({ length: 20 }, () => {
          const weight = random() < 0.2 ? -1 : 1;
          return { at: now - (random() < 0.5 ? 0 : pick(15 * HOUR_MS)), item: `/posts/${pick(40)}`, weight };
        });
        await send(made.map(({ at, item, weight }) => ({ action: weight === 1 ? 'view' : 'down', item, at })));
        events.push(...made);
        if (step % 5 === 0) await deployment.worker.scheduled();
        for (const window of WINDOWS) assertWorth(await deployment.freshTop(`articles/${window}`, '?limit=100'), window, events);
      }
    });

    test('beacons count by the time at which they say it happened', async () => {
      assert.equal(
        (
          await deployment.beacon({
            events: [
              { action: 'view', item: 'x', ago: 12 * HOUR_MS },
              { action: 'view', item: 'y' },
            ],
          })
        ).status,
        204,
      );
      const scores = Object.fromEntries(entriesOf(await deployment.freshTop('articles/hot')));
      assert.ok(Math.abs(scores.x / scores.y - 0.25) < 1e-3, JSON.stringify(scores));
    });

    test('the landmark is passed without a trace', async () => {
      // Landmarks of a half-life of six hours lie 512 × 6 hours = 128 days apart.
      const landmark = Math.ceil(NOW / (128 * DAY_MS)) * 128 * DAY_MS;
      const events = [-200, -100, -30, -6, -1].map((hours, i) => ({
        at: landmark + hours * HOUR_MS,
        item: `${hours}`,
        weight: i % 2 === 0 ? 1 : 5,
      }));
      for (const { at, item, weight } of events) {
        deployment.clock.set(at);
        await send([{ action: weight === 1 ? 'view' : 'like', item, at }]);
      }
      for (const [hours, item] of /** @type {[number, string | undefined][]} */ ([
        [-1, undefined],
        [0, 'at'],
        [1, 'after'],
        [20, 'much later'],
      ])) {
        deployment.clock.set(landmark + hours * HOUR_MS);
        if (item) {
          await send([{ action: 'view', item, at: landmark + hours * HOUR_MS }]);
          events.push({ at: landmark + hours * HOUR_MS, item, weight: 1 });
        }
        // An event before the landmark, sent after it.
        if (hours > 0) {
          await send([{ action: 'view', item: '-6', at: landmark - 6 * HOUR_MS }]);
          events.push({ at: landmark - 6 * HOUR_MS, item: '-6', weight: 1 });
        }
        for (const window of ['hot', 'fading']) assertWorth(await deployment.freshTop(`articles/${window}`), window, events);
      }
      deployment.clock.set(landmark + 3 * DAY_MS);
      assert.equal((await deployment.redis.command('KEYS', 'eb:{demo:articles}:window:hot:*')).length, 1, 'the board before is gone');
    });

    test('what is taken back at its own instant leaves nothing, however much later', async () => {
      const at = NOW - 5 * HOUR_MS;
      for (const later of [0, 7 * HOUR_MS]) {
        await send([{ action: 'view', item: 'x', at }]);
        deployment.clock.set(NOW + later);
        await send([{ action: 'down', item: 'x', at }]);
        const boards = [...(await contentsOf(deployment.redis))].filter(([key]) => /^eb:\{demo:articles\}:(all|window):/.test(key));
        assert.deepEqual([boards.length, boards.flatMap(([, held]) => held)], [4, []], `${later}`);
      }
    });

    test('what has faded is not shown, and dropped by upkeep', async () => {
      await send([
        { action: 'view', item: 'x' },
        { action: 'down', item: 'y' },
        { action: 'like', item: 'z' },
      ]);
      const members = () =>
        deployment.redis.command(
          'EVAL',
          'local n = 0; for _, k in ipairs(redis.call("KEYS", "eb:{demo:articles}:window:hot:*")) do n = n + redis.call("ZCOUNT", k, "(-inf", "+inf") end; return n',
          0,
        );
      const ids = async () => entriesOf(await deployment.freshTop('articles/hot')).map(([id]) => id);
      deployment.clock.set(NOW + 119 * HOUR_MS); // nearly twenty half-lives
      assert.deepEqual(await ids(), ['z', 'x']);
      assert.equal((await upkeep())['articles/hot'], 0);
      deployment.clock.set(NOW + 121 * HOUR_MS);
      assert.deepEqual(await ids(), ['z']);
      assert.equal(await members(), 3);
      assert.equal((await upkeep())['articles/hot'], 2, 'negative ones as well');
      deployment.clock.set(NOW + 140 * HOUR_MS);
      assert.deepEqual(await ids(), []);
      assert.equal((await deployment.worker.scheduled()).outcome, 'ok');
      assert.equal(await members(), 0);
      assert.deepEqual(
        entriesOf(await deployment.freshTop('articles/all')),
        [
          ['z', 5],
          ['x', 1],
        ],
        'it is kept elsewhere',
      );
    });

    test('decades without an event', async () => {
      await send([{ action: 'view', item: 'old' }]);
      for (const years of [1, 10, 50]) {
        const now = NOW + years * 365 * DAY_MS;
        deployment.clock.set(now);
        for (const window of WINDOWS)
          assertWorth(await deployment.freshTop(`articles/${window}`), window, [{ at: NOW, item: 'old', weight: 1 }]);
        await send([{ action: 'view', item: 'new', at: now }]);
        for (const window of WINDOWS)
          assertWorth(await deployment.freshTop(`articles/${window}`), window, [{ at: now, item: 'new', weight: 1 }]);
        assert.ok(
          (await deployment.redis.command('KEYS', 'eb:{demo:articles}:window:*')).length <= 5,
          'old boards are gone: at most two each',
        );
      }
    });

    test('steps happen at the boundary, and linear boards begin anew at their reset, in the zone’s time', async () => {
      /** @param {string} site @param {string} window @param {string} at @param {string} read @param {[string, number][]} entries @param {object} [period] */
      const check = async (site, window, at, read, entries, period) => {
        await deployment.reset();
        deployment.clock.set(read);
        await send([{ action: 'view', item: 'x', at }], site);
        const shown = await deployment.freshTop(`slow/${window}`, '', site);
        assert.deepEqual(entriesOf(shown), entries, `${site} ${window} ${at} ${read}`);
        if (period) assert.deepEqual(shown.body.period, period);
      };
      await check('demo', 'by-day', '2026-11-19T23:59:59Z', '2026-11-20T00:00:00Z', [['x', 1]], {
        id: 'all',
        starts_at: null,
        ends_at: null,
      });
      await check('demo', 'by-day', '2026-11-18T00:00:00Z', '2026-11-18T23:59:30Z', [['x', 2]]);
      await check('berlin', 'by-day', '2026-11-18T22:59:59Z', '2026-11-20T22:59:30Z', [['x', 0.5]]);
      await check('berlin', 'by-day', '2026-11-18T22:59:59Z', '2026-11-20T23:00:00Z', [['x', 0.25]]);
      const week = { id: '2026-W47', starts_at: '2026-11-22T09:00:00Z', ends_at: '2026-11-29T09:00:00Z' };
      await check('new-york', 'of-week', '2026-11-22T09:01:40Z', '2026-11-25T00:00:00Z', [['x', 200]], week);
      await check('new-york', 'of-week', '2026-11-22T08:59:59Z', '2026-11-25T00:00:00Z', [], week);
      const hour = { id: '2026-11-20T12Z', starts_at: '2026-11-20T12:00:00Z', ends_at: '2026-11-20T13:00:00Z' };
      await check('demo', 'of-hour', '2026-11-20T12:00:30Z', '2026-11-20T12:34:00Z', [['x', 60]], hour);
    });

    test('a reset at a time that the clock leaves out is at the first instant after it', async () => {
      deployment.clock.set('2026-03-29T12:00:00Z');
      await send(
        [
          { action: 'view', item: 'x', at: '2026-03-29T01:00:10Z' },
          { action: 'view', item: 'y', at: '2026-03-29T00:59:59Z' },
        ],
        'berlin',
      );
      const shown = await deployment.freshTop('articles/smooth', '', 'berlin');
      assert.deepEqual(shown.body.period, { id: '2026-03-29', starts_at: '2026-03-29T01:00:00Z', ends_at: '2026-03-30T00:01:00Z' });
      assert.deepEqual(entriesOf(shown), [['x', 11]]);
    });

    describe('an event that is worth nothing any more on the only window', () => {
      for (const [window, counted, tooOld] of /** @type {[string, number, number][]} */ ([
        ['hot', 60 * 6 * HOUR_MS, 70 * 6 * HOUR_MS],
        ['fading', 400 * HOUR_MS, 500 * HOUR_MS],
        ['smooth', 10 * HOUR_MS, 11 * HOUR_MS],
      ])) {
        test(`${window}: too-old, and nothing is written`, async () => {
          for (const days of [0, 40, 80, 120, 160]) {
            await deployment.reset();
            const now = NOW + days * DAY_MS;
            deployment.clock.set(now);
            const { body } = await deployment.events({ events: [{ action: window, item: 'x', at: now - tooOld }] });
            assert.deepEqual(
              body.rejected.map((/** @type {any} */ { code }) => code),
              ['too-old'],
              `${days} days later`,
            );
            assert.deepEqual(await countedKeys(deployment.redis), []);
            await send([{ action: window, item: 'x', at: now - counted }]);
          }
        });
      }
    });

    test('they have no periods to ask for', async () => {
      for (const window of WINDOWS) {
        const { status, body } = await deployment.top(`articles/${window}`, '?period=2026-11-20');
        assert.deepEqual([status, body.code], [400, 'invalid-period'], window);
      }
    });

    test('they are listed by name', async () => {
      const { body } = await deployment.fetch('/v1/demo/boards');
      assert.deepEqual(body.boards.find((/** @type {any} */ { board }) => board === 'articles').windows, [
        'hot',
        'fading',
        'smooth',
        'all',
      ]);
    });
  });
}
