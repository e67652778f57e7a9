/**
 * The lists of hidden and pinned members: who may change them, how long they may be, and readers meanwhile.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { entriesOf, RESP, WRITE_TOKEN } from '../../support/deployment.mjs';
import { put } from '../../support/windows.mjs';
import { startWorker } from '../../support/worker.mjs';
import { ADMIN_TOKEN, moved, ORDERS, percentileOf, plain, serve, shown, SITE } from './site.mjs';

/** @typedef {import('./site.mjs').Entry} Entry */

const MAX_HIDDEN = 1_000;
const MAX_PINNED = 100;

const TODAY = 20_777;

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { send, curate, change, make, listed, member } = on;

    describe('lists', () => {
      test('are reported: the pinned in their order', async () => {
        assert.deepEqual([await listed('ordinal', 'hidden'), await listed('ordinal', 'pinned')], [[], []]);
        await make('ordinal', { hidden: ['c', 'a', 'b'], pinned: ['z', 'a', 'm'] });
        assert.deepEqual(
          [await listed('ordinal', 'hidden'), await listed('ordinal', 'pinned')],
          [
            ['a', 'b', 'c'],
            ['z', 'a', 'm'],
          ],
        );
        assert.deepEqual([await listed('dense', 'hidden'), await listed('dense', 'pinned')], [[], []]);
      });

      test('are the same when it is done again, and when what was never done is taken back', async () => {
        await make('ordinal', { hidden: ['a', 'a'], pinned: ['b', 'c', 'b'] });
        for (const list of /** @type {const} */ (['hidden', 'pinned'])) await change('DELETE', 'ordinal', list, 'never');
        assert.deepEqual([await listed('ordinal', 'hidden'), await listed('ordinal', 'pinned')], [['a'], ['b', 'c']]);
        for (let i = 0; i < 2; i += 1) await change('DELETE', 'ordinal', 'hidden', 'a');
        assert.deepEqual(await listed('ordinal', 'hidden'), []);
      });

      test('whoever is pinned again stands behind the others', async () => {
        await make('ordinal', { pinned: ['a', 'b', 'c'] });
        await change('DELETE', 'ordinal', 'pinned', 'a');
        await change('PUT', 'ordinal', 'pinned', 'a');
        assert.deepEqual(await listed('ordinal', 'pinned'), ['b', 'c', 'a']);
        for (const id of ['b', 'c', 'a']) await change('DELETE', 'ordinal', 'pinned', id);
        await make('ordinal', { pinned: ['y', 'x'] });
        assert.deepEqual(await listed('ordinal', 'pinned'), ['y', 'x']);
      });

      test('a member is hidden on every board at once', async () => {
        await make('ordinal', { hidden: ['a'] });
        /** @param {string} method */
        const everywhere = (method) => curate(method, '../hidden/b');
        for (let i = 0; i < 2; i += 1) assert.equal((await everywhere('PUT')).status, 204);
        const boards = Object.keys(SITE.boards).filter((board) => board !== 'ordinal');
        assert.deepEqual(await listed('ordinal', 'hidden'), ['a', 'b']);
        for (const board of boards) assert.deepEqual(await listed(board, 'hidden'), ['b'], board);
        assert.equal((await everywhere('DELETE')).status, 204);
        assert.deepEqual(await listed('ordinal', 'hidden'), ['a']);
        for (const board of boards) assert.deepEqual(await listed(board, 'hidden'), [], board);
      });

      test('hold ids that are nothing but ids', async () => {
        const ids = ['/posts/1', '100%', 'a%2Fb', '?x=1#y', 'hidden', '日本語', '😀', ' ', 'ü'.repeat(128)];
        await make('ordinal', { hidden: ids, pinned: ids });
        assert.deepEqual(await listed('ordinal', 'pinned'), ids);
        assert.deepEqual((await listed('ordinal', 'hidden')).toSorted(), ids.toSorted());
        for (const id of ids) await change('DELETE', 'ordinal', 'hidden', id);
        assert.deepEqual(
          entriesOf(await on.deployment.freshTop('ordinal/day')),
          ids.map((id) => [id, 0]),
        );
      });

      for (const [list, most] of /** @type {['hidden' | 'pinned', number][]} */ ([
        ['hidden', MAX_HIDDEN],
        ['pinned', MAX_PINNED],
      ])) {
        test(`are full with ${most} ${list}`, async () => {
          // The first one begins the state, and so the set of both lists.
          await change('PUT', 'ordinal', list, 'last');
          const ids = Array.from({ length: most - 1 }, (_, i) => `m${i}`);
          await put(
            on.deployment.redis,
            'eb:{demo:ordinal}:curated',
            ids.map((id, i) => [id, list === 'hidden' ? -1 : i + 2]),
          );
          const full = await curate('PUT', `ordinal/${list}/more`);
          assert.deepEqual(
            [full.status, full.body],
            [
              409,
              {
                title: 'Conflict',
                status: 409,
                code: 'list-full',
                detail: `the board ordinal has ${most} ${list} members, which is all it may have`,
              },
            ],
          );
          await change('PUT', 'ordinal', list, 'm7');
          assert.equal((await listed('ordinal', list)).length, most);
          await change('PUT', 'dense', list, 'more');
          await change('DELETE', 'ordinal', list, 'm7');
          await change('PUT', 'ordinal', list, 'more');
          assert.deepEqual(
            (await listed('ordinal', list)).filter((/** @type {string} */ id) => id === 'm7' || id === 'more'),
            ['more'],
          );
        });
      }

      test('that are full of members near and far leave no hole on any page', async () => {
        const names = Array.from({ length: 2_200 }, (_, i) => `m${10_000 + i}`);
        await put(
          on.deployment.redis,
          `eb:{demo:competition}:day:${TODAY}`,
          names.map((id, i) => [id, 1 + Math.floor(i / 2)]),
        );
        const hidden = names.filter((_, i) => i % 11 < 5).slice(0, MAX_HIDDEN);
        const pinned = names.filter((_, i) => i % 22 === 10).slice(0, MAX_PINNED);
        assert.deepEqual([hidden.length, pinned.length], [MAX_HIDDEN, MAX_PINNED]);
        await change('PUT', 'competition', 'hidden', hidden[0]);
        await put(on.deployment.redis, 'eb:{demo:competition}:curated', [
          ...hidden.map((id) => /** @type {[string, number]} */ ([id, -1])),
          ...pinned.map((id, i) => /** @type {[string, number]} */ ([id, i + 1])),
        ]);
        const members = names.map((id, i) => ({ id, score: 1 + Math.floor(i / 2), sequence: i }));
        const entries = moved(shown(ORDERS.competition, members, { hidden, pinned }), shown(ORDERS.competition, [], { hidden, pinned }));
        for (const [limit, offset] of [
          [1000, 0],
          [7, 95],
          [100, 99],
          [1, 100],
          [500, 500],
          [1, 999],
        ]) {
          const { body } = await on.deployment.freshTop('competition/day', `?limit=${limit}&offset=${offset}`);
          assert.equal(body.total, 1_200);
          assert.deepEqual(body.entries, entries.slice(offset, offset + limit), `${limit} from ${offset}`);
        }
        const last = entries[1_199];
        const { body } = await member('competition/day', last.id, '?around=50');
        assert.deepEqual([body.rank, body.percentile], [last.rank, percentileOf(entries, 1_199)]);
        assert.deepEqual(body.around, entries.slice(-51).map(plain));
      });
    });

    describe('is refused', () => {
      for (const list of ['hidden', 'pinned']) {
        for (const [method, path, token, status, code] of /** @type {[string, string, string, number, string][]} */ ([
          ['PUT', `ordinal/${list}/a`, '', 401, 'unauthorized'],
          ['PUT', `ordinal/${list}/a`, 'wrong', 401, 'unauthorized'],
          ['PUT', `ordinal/${list}/a`, WRITE_TOKEN, 401, 'unauthorized'],
          ['DELETE', `ordinal/${list}/a`, WRITE_TOKEN, 401, 'unauthorized'],
          ['GET', `ordinal/${list}`, WRITE_TOKEN, 401, 'unauthorized'],
          ['PUT', `nothing/${list}/a`, 'wrong', 401, 'unauthorized'],
          ['PUT', `nothing/${list}/a`, ADMIN_TOKEN, 404, 'unknown-board'],
          ['DELETE', `nothing/${list}/a`, ADMIN_TOKEN, 404, 'unknown-board'],
          ['GET', `nothing/${list}`, ADMIN_TOKEN, 404, 'unknown-board'],
          ['PUT', `ordinal/${list}s/a`, ADMIN_TOKEN, 404, 'not-found'],
          ['PUT', `ordinal/${list}/a/b`, ADMIN_TOKEN, 404, 'not-found'],
          ['PUT', `ordinal/${list}`, ADMIN_TOKEN, 405, 'method-not-allowed'],
          ['POST', `ordinal/${list}/a`, ADMIN_TOKEN, 405, 'method-not-allowed'],
          ['GET', `ordinal/${list}/a`, ADMIN_TOKEN, 405, 'method-not-allowed'],
          ['PUT', `ordinal/${list}/`, ADMIN_TOKEN, 400, 'invalid-id'],
          ['PUT', `ordinal/${list}/a%00`, ADMIN_TOKEN, 400, 'invalid-id'],
          ['DELETE', `ordinal/${list}/${'a'.repeat(257)}`, ADMIN_TOKEN, 400, 'invalid-id'],
          ['PUT', `ordinal/${list}/a%FF`, ADMIN_TOKEN, 400, 'invalid-encoding'],
          ['PUT', `ordinal/${list}/a?for=ever`, ADMIN_TOKEN, 400, 'unknown-parameter'],
          ['GET', `ordinal/${list}?limit=1`, ADMIN_TOKEN, 400, 'unknown-parameter'],
        ])) {
          test(`${method} ${path.slice(0, 30)} with ${token || 'no token'} → ${status} ${code}`, async () => {
            const answer = await curate(method, path, token);
            assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
            assert.equal(answer.headers.get('content-type'), 'application/problem+json');
            assert.equal(answer.headers.get('cache-control'), 'no-store');
            assert.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
            assert.equal(await on.deployment.redis.command('DBSIZE'), 0, 'nothing is written');
          });
        }
      }
    });

    test('readers beside curators never see a hole or anyone twice', async () => {
      const names = Array.from({ length: 30 }, (_, i) => `m${10 + i}`);
      await send(names.join(' '));
      await send(names.slice(0, 12).join(' '));
      const [hiding, pinning] = [
        ['m12', 'm25', 'm38'],
        ['m20', 'm39', 'nobody'],
      ];
      const steady = names.filter((id) => !hiding.includes(id));
      const seen = new Set();
      let ended = false;
      async function readers() {
        while (!ended) {
          const [{ body }, { body: alone }] = await Promise.all([
            on.deployment.freshTop('ordinal/day', '?limit=100'),
            member('ordinal/day', 'm30', '?around=50'),
          ]);
          const ids = body.entries.map((/** @type {Entry} */ { id }) => id);
          assert.deepEqual(
            body.entries.map((/** @type {Entry} */ { rank }) => rank),
            ids.map((/** @type {string} */ _, /** @type {number} */ i) => i + 1),
          );
          assert.equal(new Set(ids).size, ids.length, 'nobody twice');
          assert.equal(body.total, ids.length, 'the total');
          assert.deepEqual(
            steady.filter((id) => !ids.includes(id)),
            [],
            'all the others',
          );
          const rest = body.entries.filter((/** @type {Entry} */ { pinned }) => !pinned);
          assert.ok(
            rest.every((/** @type {Entry} */ { score }, /** @type {number} */ i) => i === 0 || score <= rest[i - 1].score),
            'in order',
          );
          assert.deepEqual(
            alone.around.map((/** @type {Entry} */ { rank }) => rank),
            Array.from({ length: alone.total }, (_, i) => i + 1),
          );
          assert.equal(alone.around[alone.rank - 1].id, 'm30');
          seen.add(`${hiding.filter((id) => ids.includes(id))} ${ids.slice(0, 3)}`);
        }
      }
      async function curators() {
        for (let round = 0; round < 8; round += 1) {
          const method = round % 2 === 0 ? 'PUT' : 'DELETE';
          await Promise.all(hiding.map((id) => change(method, 'ordinal', 'hidden', id)));
          await Promise.all(pinning.map((id) => change(method, 'ordinal', 'pinned', id)));
        }
      }
      const reading = [readers(), readers()];
      await curators().finally(() => (ended = true));
      await Promise.all(reading);
      assert.ok(seen.size > 1, 'it was seen to change');
      assert.deepEqual(
        [(await on.deployment.freshTop('ordinal/day')).body.total, await listed('ordinal', 'hidden'), await listed('ordinal', 'pinned')],
        [30, [], []],
      );
    });
  });
}

test('nobody curates a deployment without an ADMIN_TOKEN', async (t) => {
  const worker = await startWorker({ vars: { REDIS_URL: 'redis://127.0.0.1:1', WRITE_TOKEN, SITES: { demo: SITE } } });
  t.after(worker.stop);
  for (const authorization of ['Bearer ', 'Bearer undefined', `Bearer ${WRITE_TOKEN}`]) {
    for (const [method, path] of [
      ['PUT', 'hidden/a'],
      ['DELETE', 'pinned/a'],
      ['GET', 'hidden'],
    ]) {
      const answer = await worker.fetch(`/v1/demo/admin/boards/ordinal/${path}`, { method, headers: { authorization } });
      assert.equal(answer.status, 401, `${method} ${path}`);
    }
  }
});
