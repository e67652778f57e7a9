/**
 * Where members stand: the ranks of ties, on pages, alone, among neighbours and many at once; and where they stood in the
 * period before.
 *
 * # Out of scope
 *
 * The order of ties (ties.test.mjs), hidden and pinned members (curation.test.mjs).
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment, RESP } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { DAY_MS, HOUR_MS, readComplete } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../support/deployment.mjs').Answer} Answer */
/** @typedef {Record<string, number>} Scores */
/** @typedef {Record<string, number | null>} Ranks */

const WINDOWS = ['hour', 'day', 'month', 'last-7-days', 'all'];
const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };
const FADING = { name: 'fading', kind: 'step', every: 'hour', factor: 0.5 };
const SMOOTH = { name: 'smooth', kind: 'linear', resets: 'day' };
const BOARD = { weights: { view: 1, down: -1 }, windows: WINDOWS };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, down: {}, quarter: {} },
  boards: {
    ordinal: BOARD,
    competition: { ...BOARD, ranking: 'competition' },
    dense: { ...BOARD, ranking: 'dense' },
    decaying: { ...BOARD, ranking: 'competition', windows: [HOT, FADING, SMOOTH] },
    least: { ...BOARD, windows: ['day', 'last-7-days', HOT], min_score: 5 },
    quarters: { weights: { quarter: 0.25 }, windows: ['day'], ranking: 'dense', min_score: 0.75 },
    short: { ...BOARD, limit: 2 },
  },
};
const NOW = Date.parse('2026-11-20T12:30:00Z');

/** Members with equals, and where each ranking puts them; ties stand by id, the greater ones first. */
const SCORES = { a: 5, b: 4, c: 4, d: 4, e: 2, f: 2, g: 1, below: -1 };
const ORDER = ['a', 'd', 'c', 'b', 'f', 'e', 'g'];
/** @type {Record<string, number[]>} */
const RANKS = { ordinal: [1, 2, 3, 4, 5, 6, 7], competition: [1, 2, 2, 2, 5, 5, 7], dense: [1, 2, 2, 2, 3, 3, 4] };
/** @type {Record<string, number>} */
const PERCENTILES = { a: 100, d: 85.71, c: 85.71, b: 85.71, f: 42.86, e: 42.86, g: 14.29 };
const BOARDS = Object.keys(RANKS);

/** Who stood where before is asked about, and who came since; the ranks that each board gives them. */
const BEFORE = { a: 3, b: 2, c: 2, d: 1 };
/** @type {Record<string, Ranks>} */
const BEFORE_RANKS = {
  ordinal: { a: 1, c: 2, b: 3, d: 4, e: null },
  competition: { a: 1, c: 2, b: 2, d: 4, e: null },
  dense: { a: 1, c: 2, b: 2, d: 3, e: null },
};

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
  '.',
  '..',
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

/** An answer without what differs from one to the next. @param {any} body */
function lasting({ generated_at: at, ...rest }) {
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return rest;
}

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE } })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** Gives members so many points more. @param {Scores} scores @param {object} [when] */
    async function give(scores, when) {
      const events = Object.entries(scores).flatMap(([item, points]) =>
        Array.from({ length: Math.abs(points) }, () => ({ action: points < 0 ? 'down' : 'view', item, ...when })),
      );
      const { status, body } = await deployment.events({ events });
      assert.deepEqual([status, body], [200, { accepted: events.length, duplicate: 0, rejected: [] }]);
    }

    /** A member, asked of Redis. @param {string} ranking @param {string} id @param {string} [query] */
    function member(ranking, id, query = '') {
      deployment.edgeClock.advance(60_000);
      const [board, window] = ranking.split('/');
      return deployment.fetch(`/v1/demo/boards/${board}/${window}/members/${encodeURIComponent(id)}${query}`);
    }

    /** @param {string} ranking @param {unknown} body @param {string} [query] */
    function ranks(ranking, body, query = '') {
      const [board, window] = ranking.split('/');
      return deployment.fetch(`/v1/demo/boards/${board}/${window}/ranks${query}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    }

    /** @param {Answer} answer @param {number} status @param {string} code */
    function assertProblem(answer, status, code) {
      assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }

    describe('equals', () => {
      for (const window of WINDOWS) {
        test(`have the same ranks on every page of ${window}`, async () => {
          await give(SCORES);
          for (const board of BOARDS) {
            const expected = ORDER.map((id, i) => ({ rank: RANKS[board][i], id, score: SCORES[/** @type {'a'} */ (id)] }));
            for (const limit of [1, 2, 3, 100]) {
              for (let offset = 0; offset <= Math.min(8, 100 - limit); offset += 1) {
                const { answer } = await readComplete(deployment, `${board}/${window}`, `?limit=${limit}&offset=${offset}`);
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
            const { answer } = await readComplete(deployment, `${board}/${window}`);
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

    describe('one member', () => {
      test('has a document of its own', async () => {
        await give(SCORES);
        const answer = await member('competition/day', 'e', '?around=1');
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.headers.get('content-type'), 'application/json');
        assert.equal(answer.headers.get('access-control-allow-origin'), '*');
        assert.match(answer.headers.get('cache-control') ?? '', /^public, max-age=\d$/);
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
            const { answer } = await readComplete(deployment, `${board}/${window}`);
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
        const first = await deployment.fetch(path);
        const ask = () => {
          deployment.edgeClock.advance(60_000);
          return deployment.fetch(path, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
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
          await readComplete(deployment, `dense/${window}`, '?period=2026-11-19');
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
        for (const method of ['POST', 'PUT', 'DELETE']) assertProblem(await deployment.fetch(path, { method }), 405, 'method-not-allowed');
        const head = await deployment.fetch(path, { method: 'HEAD' });
        assert.deepEqual([head.status, head.text], [200, '']);
      });
    });

    describe('on a rolling board that nobody looked at for days', () => {
      beforeEach(async () => {
        await give(SCORES);
        deployment.clock.advance(3 * DAY_MS);
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
        deployment.edgeClock.advance(60_000);
        const { body } = await deployment.fetch('/v1/demo/top?boards=dense/last-7-days,ordinal/last-7-days&limit=1');
        assert.deepEqual(
          body.boards.map((/** @type {any} */ { complete, total }) => [complete, total]),
          [
            [true, 7],
            [true, 7],
          ],
        );
      });
    });

    describe('ids that are nothing but ids', () => {
      for (const id of ODD) {
        test(JSON.stringify(id.slice(0, 20)), async () => {
          await give({ [id]: 2, other: 1, more: 3 });
          assert.deepEqual(entriesOf(await deployment.freshTop('ordinal/day')), [
            ['more', 3],
            [id, 2],
            ['other', 1],
          ]);
          const { body } = await ranks('ordinal/day', { ids: [id, 'other'] });
          assert.deepEqual(body.ranks, [
            { id, rank: 2, score: 2, percentile: 66.67 },
            { id: 'other', rank: 3, score: 1, percentile: 33.33 },
          ]);
          // These are paths of their own, however they are written.
          if (id === '.' || id === '..') return;
          for (const query of ['', '?around=1']) {
            const answer = await member('ordinal/day', id, query);
            assert.equal(answer.status, 200, answer.text);
            assert.deepEqual([answer.body.id, answer.body.rank, answer.body.score], [id, 2, 2]);
          }
        });
      }

      test('are not mistaken for each other by the caches', async () => {
        const ids = ODD.filter((id) => id !== '.' && id !== '..');
        for (const id of ids) await give({ [id]: 1 });
        const path = (/** @type {string} */ id) => `/v1/demo/boards/ordinal/day/members/${encodeURIComponent(id)}`;
        for (let again = 0; again < 2; again += 1) {
          for (const id of ids) assert.equal((await deployment.fetch(path(id))).body.id, id);
        }
      });
    });

    describe('many at once', () => {
      test('in the order in which they are asked for', async () => {
        await give(SCORES);
        const ids = ['g', 'nobody', 'a', 'below', 'c', 'b', 'g'];
        for (const window of WINDOWS) {
          for (const board of BOARDS) {
            await readComplete(deployment, `${board}/${window}`);
            const answer = await ranks(`${board}/${window}`, { ids });
            assert.equal(answer.status, 200, answer.text);
            assert.equal(answer.headers.get('cache-control'), 'no-store');
            assert.equal(answer.headers.get('access-control-allow-origin'), '*');
            const { period, ...body } = lasting(answer.body);
            assert.notEqual(period.id, undefined);
            const expected = ids.map((id) => {
              const at = ORDER.indexOf(id);
              if (at < 0) return { id, rank: null, score: null, percentile: null };
              return { id, rank: RANKS[board][at], score: SCORES[/** @type {'a'} */ (id)], percentile: PERCENTILES[id] };
            });
            assert.deepEqual(body, { site: 'demo', board, window, complete: true, total: 7, ranks: expected });
          }
        }
      });

      test('a hundred of them, in one round trip, of a past period too', async () => {
        const ids = Array.from({ length: 100 }, (_, i) => `m${i}`);
        await give(Object.fromEntries(ids.map((id) => [id, 1])), { at: NOW - DAY_MS });
        const trips = deployment.link.roundTrips;
        const { body } = await ranks('dense/day', { ids, more: 'means nothing' }, '?period=2026-11-19');
        assert.equal(deployment.link.roundTrips - trips, 1);
        assert.deepEqual([body.period.id, body.total], ['2026-11-19', 100]);
        assert.deepEqual(
          body.ranks,
          ids.map((id) => ({ id, rank: 1, score: 1, percentile: 100 })),
        );
      });

      test('of an empty board', async () => {
        for (const window of ['day', 'all', 'last-7-days']) {
          const { status, body } = await ranks(`competition/${window}`, { ids: ['a'] });
          assert.deepEqual([status, body.total, body.ranks], [200, 0, [{ id: 'a', rank: null, score: null, percentile: null }]]);
        }
      });

      for (const [what, body, code, status = 400] of /** @type {[string, unknown, string, number?][]} */ ([
        ['no body', '', 'invalid-json'],
        ['what is not JSON', 'ids=a', 'invalid-json'],
        ['half a body', '{"ids":["a"', 'invalid-json'],
        ['a list', ['a'], 'invalid-ids'],
        ['a string', '"a"', 'invalid-ids'],
        ['null', 'null', 'invalid-ids'],
        ['no ids', {}, 'invalid-ids'],
        ['ids that are a string', { ids: 'a' }, 'invalid-ids'],
        ['an empty list', { ids: [] }, 'invalid-ids'],
        ['101 ids', { ids: Array(101).fill('a') }, 'invalid-ids'],
        ['an id that is a number', { ids: ['a', 5] }, 'invalid-id'],
        ['an empty id', { ids: ['a', ''] }, 'invalid-id'],
        ['null as an id', { ids: [null] }, 'invalid-id'],
        ['an id with a NUL', { ids: ['a\u0000'] }, 'invalid-id'],
        ['an id of 257 bytes', { ids: ['a'.repeat(257)] }, 'invalid-id'],
        ['more than 64 KiB', JSON.stringify({ ids: ['a'] }).padEnd(64 * 1024 + 1), 'body-too-large', 413],
      ])) {
        test(`${what} → ${code}`, async () => assertProblem(await ranks('ordinal/day', body), status, code));
      }

      for (const [ranking, query, status, code] of /** @type {[string, string, number, string][]} */ ([
        ['nothing/day', '', 404, 'unknown-board'],
        ['ordinal/week', '', 404, 'unknown-window'],
        ['ordinal/day', '?period=2026-11-21', 404, 'unknown-period'],
        ['ordinal/day', '?period=x', 400, 'invalid-period'],
        ['ordinal/day', '?around=1', 400, 'unknown-parameter'],
      ])) {
        test(`${ranking}${query} → ${code}`, async () => assertProblem(await ranks(ranking, { ids: ['a'] }, query), status, code));
      }

      test('by POST only', async () =>
        assertProblem(await deployment.fetch('/v1/demo/boards/ordinal/day/ranks'), 405, 'method-not-allowed'));
    });

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
          const { answer } = await readComplete(deployment, `${board}/${window}`, `${query}&limit=100`.replace('?&', '?'));
          const { entries } = answer.body;
          const shown = Object.fromEntries(entries.map((/** @type {any} */ entry) => [entry.id, entry.previous_rank]));
          const ids = Object.keys(shown);
          assert.ok(ids.length > 0);
          const wanted = Object.fromEntries(ids.map((id) => [id, expected?.[board][id]]));
          assert.deepEqual(shown, wanted, `${board}/${window}${query}`);
          for (const [offset, entry] of entries.entries()) {
            assert.equal('previous_rank' in entry, expected !== undefined);
            const { body } = await deployment.freshTop(`${board}/${window}`, `${query}&limit=1&offset=${offset}`.replace('?&', '?'));
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
          await give({ gone: 9 }, { at: NOW - 6 * DAY_MS });
          await give({ a: 2, d: 1 }, { at: NOW - 3 * DAY_MS });
          await give({ a: 1, b: 2, c: 2 });
          for (const board of BOARDS) await readComplete(deployment, `${board}/last-7-days`);
          if (upkeep) await deployment.worker.scheduled();
          deployment.clock.advance(DAY_MS);
          await give({ d: 3, c: 2, b: 2, e: 1, a: 1 });
          // `gone` was first.
          const later = (/** @type {Ranks} */ ranks) =>
            Object.fromEntries(Object.entries(ranks).map(([id, rank]) => [id, rank && rank + 1]));
          const expected = Object.fromEntries(BOARDS.map((board) => [board, later(BEFORE_RANKS[board])]));
          await assertBefore('last-7-days', expected);
          // It was as it was, whatever comes late.
          await give({ d: 9 }, { at: NOW });
          await assertBefore('last-7-days', expected);
          deployment.clock.advance(DAY_MS);
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
          deployment.clock.advance(DAY_MS);
          await give({ [item]: 1 });
        }
        deployment.clock.advance(DAY_MS);
        await give({ b: 2 });
        for (const [board, ranks] of Object.entries({
          ordinal: { a: 1, b: 2, y: 3, x: 4, c: 5 },
          competition: { a: 1, b: 2, y: 3, x: 3, c: 3 },
          dense: { a: 1, b: 2, y: 3, x: 3, c: 3 },
        })) {
          const { entries } = (await readComplete(deployment, `${board}/last-7-days`)).answer.body;
          const shown = Object.fromEntries(entries.map((/** @type {any} */ entry) => [entry.id, entry.previous_rank]));
          const unknown = Object.fromEntries(Object.keys(ranks).map((id) => [id, undefined]));
          assert.deepEqual(shown, shown.a === undefined ? unknown : ranks, `${board}: known and right, or left out`);
        }
      });

      test('of the oldest day that is kept is never a wrong one', async () => {
        const [oldest, gone] = [NOW - 60 * DAY_MS, NOW - 61 * DAY_MS];
        deployment.clock.set(NOW - DAY_MS);
        await give({ a: 1, b: 2 }, { at: gone });
        await give({ a: 2, b: 1 }, { at: oldest });
        const shown = async () =>
          (await deployment.freshTop('ordinal/day', '?period=2026-09-21')).body.entries.map((/** @type {any} */ entry) => [
            entry.id,
            entry.previous_rank,
          ]);
        assert.deepEqual(await shown(), [
          ['a', 2],
          ['b', 1],
        ]);
        deployment.clock.set(NOW);
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
          const { entries } = (await deployment.freshTop(`decaying/${window}`)).body;
          assert.ok(entries.length > 0);
          for (const entry of entries) assert.deepEqual(Object.keys(entry), ['rank', 'id', 'score']);
        }
      });

      test('of who stood far away, deep below the page', async () => {
        const names = Array.from({ length: 60 }, (_, i) => `m${10 + i}`);
        await give(Object.fromEntries(names.map((id) => [id, 1])), { at: NOW - DAY_MS });
        await give({ m10: 2, m69: 1, m40: 1, new: 1 });
        const shown = async (/** @type {string} */ board) =>
          (await deployment.freshTop(`${board}/day`, '?limit=3')).body.entries.map((/** @type {any} */ entry) => [
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
        const { answer } = await readComplete(deployment, ranking);
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
        const { body } = await deployment.freshTop('least/day');
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
        const shown = async () => entriesOf(await deployment.freshTop('least/hot')).map(([id]) => id);
        assert.deepEqual(await shown(), ['a', 'b']);
        deployment.clock.advance(5 * HOUR_MS);
        assert.deepEqual(await shown(), ['a']);
        assertProblem(await member('least/hot', 'b'), 404, 'not-on-board');
        deployment.clock.advance(5 * HOUR_MS);
        assert.deepEqual(await shown(), []);
        await give({ b: 3 });
        assert.deepEqual(await shown(), ['b']);
      });

      test('with fractions', async () => {
        const events = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'd', 'd', 'd', 'd'].map((item) => ({ action: 'quarter', item }));
        await deployment.events({ events });
        const { body } = await deployment.freshTop('quarters/day');
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

    describe('several rankings at once', () => {
      const tops = (/** @type {string} */ query) => {
        deployment.edgeClock.advance(60_000);
        return deployment.fetch(`/v1/demo/top${query}`);
      };
      const some = ['dense/day', 'ordinal/all', 'short/month', 'decaying/hot', 'competition/last-7-days'];

      test('are what each is by itself, in the order in which they are asked for, in one round trip', async () => {
        await give(SCORES, { at: NOW - DAY_MS });
        await give(SCORES);
        await readComplete(deployment, 'competition/last-7-days');
        for (const names of [some, some.toReversed(), ['dense/day']]) {
          const trips = deployment.link.roundTrips;
          const answer = await tops(`?boards=${names.join(',')}&limit=3`);
          assert.equal(deployment.link.roundTrips - trips, 1, 'round trips');
          assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.headers.get('access-control-allow-origin'), '*');
          assert.deepEqual(Object.keys(answer.body), ['site', 'boards']);
          assert.equal(answer.body.site, 'demo');
          const scoreless = (/** @type {any} */ body) => {
            const { version, entries, ...rest } = lasting(body);
            const decays = rest.window === 'hot';
            return {
              ...rest,
              version: decays || version,
              entries: decays ? entries.map((/** @type {any} */ { id, rank }) => [id, rank]) : entries,
            };
          };
          const alone = [];
          for (const name of names) alone.push((await deployment.freshTop(name, name.startsWith('short/') ? '?limit=2' : '?limit=3')).body);
          assert.deepEqual(answer.body.boards.map(scoreless), alone.map(scoreless));
        }
        const { body } = await tops(`?boards=${encodeURIComponent('ordinal/day,dense/day')}`);
        assert.deepEqual(
          body.boards.map((/** @type {any} */ { entries }) => entries.length),
          [7, 7],
          'ten each, unless it is said',
        );
      });

      test('are cached, with a version of their own', async () => {
        await give(SCORES);
        const first = await tops('?boards=ordinal/day,dense/day');
        assert.match(first.headers.get('cache-status') ?? '', /fwd=miss/);
        const second = await deployment.fetch('/v1/demo/top?boards=ordinal/day,dense/day');
        assert.match(second.headers.get('cache-status') ?? '', /hit/);
        const tag = first.headers.get('etag') ?? '';
        const ask = () => {
          deployment.edgeClock.advance(60_000);
          return deployment.fetch('/v1/demo/top?boards=ordinal/day,dense/day', { headers: { 'if-none-match': tag } });
        };
        assert.equal((await ask()).status, 304);
        await give({ g: 1 });
        assert.equal((await ask()).status, 200);
      });

      const many = (/** @type {number} */ n) => Array(n).fill('ordinal/day').join(',');
      for (const [query, status, code] of /** @type {[string, number, string?][]} */ ([
        [`?boards=${many(20)}`, 200],
        [`?boards=${many(21)}`, 400, 'invalid-parameter'],
        ['', 400, 'invalid-parameter'],
        ['?boards=', 400, 'invalid-parameter'],
        ['?boards=ordinal', 400, 'invalid-parameter'],
        ['?boards=ordinal/day,', 400, 'invalid-parameter'],
        ['?boards=nothing/day', 404, 'unknown-board'],
        ['?boards=ordinal/day,ordinal/week', 404, 'unknown-window'],
        ['?boards=ordinal/day/month', 404, 'unknown-window'],
        ['?boards=ordinal/day&limit=100', 200],
        ['?boards=ordinal/day&limit=101', 400, 'invalid-parameter'],
        ['?boards=ordinal/day&limit=0', 400, 'invalid-parameter'],
        ['?boards=ordinal/day&offset=1', 400, 'unknown-parameter'],
      ])) {
        test(`${query.slice(0, 40)} → ${code ?? status}`, async () => {
          const answer = await tops(query);
          if (code) assertProblem(answer, status, code);
          else assert.equal(answer.status, status, answer.text);
        });
      }

      test('of no such site', async () => {
        assertProblem(await deployment.fetch('/v1/nothing/top?boards=ordinal/day'), 404, 'unknown-site');
      });
    });
  });
}
