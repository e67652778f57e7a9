/**
 * Where many members stand, and several rankings, in one request.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RESP } from '../../support/deployment.mjs';
import { DAY_MS, readComplete } from '../../support/windows.mjs';
import { BOARDS, lasting, NOW, ORDER, PERCENTILES, RANKS, SCORES, serve, WINDOWS } from './site.mjs';

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { give, ranks, assertProblem } = on;

    describe('many at once', () => {
      test('in the order in which they are asked for', async () => {
        await give(SCORES);
        const ids = ['g', 'nobody', 'a', 'below', 'c', 'b', 'g'];
        for (const window of WINDOWS) {
          for (const board of BOARDS) {
            await readComplete(on.deployment, `${board}/${window}`);
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
        const trips = on.deployment.link.roundTrips;
        const { body } = await ranks('dense/day', { ids, more: 'means nothing' }, '?period=2026-11-19');
        assert.equal(on.deployment.link.roundTrips - trips, 1);
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
        test(`${what} → ${code}`, async () => assertProblem(await ranks('ordinal/day', body), status, code, /^no-store$/));
      }

      for (const [ranking, query, status, code] of /** @type {[string, string, number, string][]} */ ([
        ['nothing/day', '', 404, 'unknown-board'],
        ['ordinal/week', '', 404, 'unknown-window'],
        ['ordinal/day', '?period=2026-11-21', 404, 'unknown-period'],
        ['ordinal/day', '?period=x', 400, 'invalid-period'],
        ['ordinal/day', '?around=1', 400, 'unknown-parameter'],
      ])) {
        test(`${ranking}${query} → ${code}`, async () =>
          assertProblem(await ranks(ranking, { ids: ['a'] }, query), status, code, /^no-store$/));
      }

      test('by POST only', async () =>
        assertProblem(await on.deployment.fetch('/v1/demo/boards/ordinal/day/ranks'), 405, 'method-not-allowed'));
    });

    describe('several rankings at once', () => {
      const tops = (/** @type {string} */ query) => {
        on.deployment.edgeClock.advance(60_000);
        return on.deployment.fetch(`/v1/demo/top${query}`);
      };
      const some = ['dense/day', 'ordinal/all', 'short/month', 'decaying/hot', 'competition/last-7-days'];

      test('are what each is by itself, in the order of their names, in one round trip', async () => {
        await give(SCORES, { at: NOW - DAY_MS });
        await give(SCORES);
        await readComplete(on.deployment, 'competition/last-7-days');
        for (const names of [some, some.toReversed(), ['dense/day']]) {
          const trips = on.deployment.link.roundTrips;
          const answer = await tops(`?boards=${names.join(',')}&limit=3`);
          assert.equal(on.deployment.link.roundTrips - trips, 1, 'round trips');
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
          for (const name of names.toSorted())
            alone.push((await on.deployment.freshTop(name, `?limit=${name.startsWith('short/') ? 2 : 3}&details=0`)).body);
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
        const second = await on.deployment.fetch('/v1/demo/top?boards=ordinal/day,dense/day');
        assert.match(second.headers.get('cache-status') ?? '', /hit/);
        const turned = await on.deployment.fetch('/v1/demo/top?boards=dense/day,ordinal/day');
        assert.match(turned.headers.get('cache-status') ?? '', /hit/, 'every order is one answer');
        assert.equal(turned.text, second.text);
        const tag = first.headers.get('etag') ?? '';
        const ask = () => {
          on.deployment.edgeClock.advance(60_000);
          return on.deployment.fetch('/v1/demo/top?boards=ordinal/day,dense/day', { headers: { 'if-none-match': tag } });
        };
        assert.equal((await ask()).status, 304);
        await give({ g: 1 });
        assert.equal((await ask()).status, 200);
      });

      const all = [...BOARDS, 'hundred'].flatMap((board) => WINDOWS.map((window) => `${board}/${window}`)).concat('least/day', 'short/day');
      const many = (/** @type {number} */ n) => all.slice(0, n).join(',');
      for (const [query, status, code] of /** @type {[string, number, string?][]} */ ([
        [`?boards=${many(20)}`, 200],
        [`?boards=${many(21)}`, 400, 'invalid-parameter'],
        ['?boards=ordinal/day,dense/day,ordinal/day', 400, 'invalid-parameter'],
        // 1,000 entries in all.
        [`?boards=${many(10)}&limit=100`, 200],
        [`?boards=${many(11)}&limit=100`, 400, 'invalid-parameter'],
        [`?boards=${many(10)},short/day&limit=99`, 200],
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
        assertProblem(await on.deployment.fetch('/v1/nothing/top?boards=ordinal/day'), 404, 'unknown-site');
      });
    });
  });
}
