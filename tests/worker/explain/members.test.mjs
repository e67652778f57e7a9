/**
 * Explanations of members: of odd ones, of hidden ones, after months of events, and of boards that kept no counts before.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { keysForEver } from '../../support/contents.mjs';
import { CALENDAR, RESP, WRITE_TOKEN } from '../../support/deployment.mjs';
import { longTest } from '../../support/part.mjs';
import { createRandom, DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { startWorker } from '../../support/worker.mjs';
import { NOW, periodsIn, serve, sharesIn, SITE, WEIGHTS } from './site.mjs';

/** @typedef {import('./site.mjs').Shares} Shares */

/** The same, with counts by action on the board that has none. */
const EXPLAINED_LATER = { ...SITE, boards: { ...SITE.boards, plain: { ...SITE.boards.plain, breakdown: true } } };

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { send, ask, explain, view, like, down } = on;

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
      await on.deployment.redis.command('HSET', 'eb:{demo:articles}:state', 'layout', '2');
      for (const [change, status] of /** @type {const} */ ([
        [['ZADD', 'eb:{demo:articles}:curated', -1, 'x'], 404],
        [['ZREM', 'eb:{demo:articles}:curated', 'x'], 200],
      ])) {
        await on.deployment.redis.command(...change);
        on.deployment.edgeClock.advance(60_000);
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

    longTest('months of events, and some undone: every window of every member is what an independent count says', async () => {
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
      /** @type {import('../../support/worker.mjs').Worker} */
      let explaining;
      before(async () => {
        explaining = await startWorker({
          clock: on.deployment.edgeClock,
          vars: { REDIS_URL: on.deployment.redis.url, WRITE_TOKEN, SITES: { demo: EXPLAINED_LATER } },
        });
      });
      after(() => explaining?.stop());
      const explainLater = async (/** @type {string} */ window, id = 'x') => {
        on.deployment.edgeClock.advance(60_000);
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
        const keys = await on.deployment.redis.command('KEYS', '*:actions');
        assert.ok(keys.length > 5);
        assert.deepEqual(
          (await keysForEver(on.deployment.redis, keys)).filter((key) => !key.includes(':all:') && !key.includes(':year:')),
          [],
        );
        const ofBoards = keys.filter((/** @type {string} */ name) => !name.startsWith('eb:{demo}:'));
        assert.ok(ofBoards.length > 0);
        for (const key of ofBoards) {
          const [own, boards] = await Promise.all(
            [key, key.replace(/:actions$/, '')].map((name) => on.deployment.redis.command('EXPIRETIME', name)),
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
        assert.deepEqual([answer.status, body.code], [status, code]);
        assert.match(headers.get('cache-control') ?? '', status === 404 ? /^public, max-age=[12]$/ : /^no-store$/);
      });
    }
  });
}
