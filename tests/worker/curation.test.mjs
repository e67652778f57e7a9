/**
 * Hidden members are not there, and leave no hole; pinned ones stand first. Nothing else changes, and counting goes on.
 *
 * The model orders a list of members by hand; every board, window, page, neighbourhood and rank must say the same.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment, RESP, WRITE_TOKEN } from '../support/deployment.mjs';
import { DAY_MS, HOUR_MS, put, readComplete } from '../support/windows.mjs';
import { startWorker } from '../support/worker.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../support/deployment.mjs').Answer} Answer */
/** @typedef {{ id: string, score: number, sequence: number }} Member */
/** @typedef {{ hidden?: string[], pinned?: string[] }} Lists in the order of their making */
/** @typedef {{ ranking?: 'competition' | 'dense', ties?: 'first' | 'last', min_score?: number }} Order */
/** @typedef {{ rank: number, id: string, score: number, previous_rank?: number | null, pinned?: true }} Entry */

const ADMIN_TOKEN = 'a-token-for-curation';
const MAX_HIDDEN = 1_000;
const MAX_PINNED = 100;

/** @type {Record<string, Order>} */
const ORDERS = {
  ordinal: {},
  competition: { ranking: 'competition' },
  dense: { ranking: 'dense' },
  first: { ranking: 'dense', ties: 'first' },
  last: { ranking: 'competition', ties: 'last' },
  least: { ranking: 'competition', ties: 'first', min_score: 3 },
};
const DECAYING = [
  { name: 'hot', kind: 'half-life', half_life: '6h' },
  { name: 'fading', kind: 'step', every: 'hour', factor: 0.5 },
  { name: 'smooth', kind: 'linear', resets: 'day' },
];
const BOARD = { weights: { view: 1, down: -1 }, windows: ['day', 'last-2-days', 'all'], limit: 1000 };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, down: {} },
  boards: {
    ...Object.fromEntries(Object.entries(ORDERS).map(([name, order]) => [name, { ...BOARD, ...order }])),
    decaying: { ...BOARD, windows: DECAYING, ranking: 'competition' },
  },
};
const NOW = Date.parse('2026-11-20T12:00:00Z');
const TODAY = 20_777;

/** Who got a view, in this order; `-x` lost one. Then a day goes by. */
const YESTERDAY = 'a a a b b c d d e g g';
const TODAYS = 'f b a c c c d e f f g g h h i b d d -j';
/** On any board, and on none. */
const EVERYONE = [...'abcdefghij', 'nobody'];

/** What curators do. @type {[name: string, lists: Lists][]} */
const CASES = [
  ['nothing', {}],
  ['the first one is hidden', { hidden: ['a'] }],
  ['one of ties', { hidden: ['d'] }],
  ['all of ties', { hidden: ['g', 'h', 'b'] }],
  ['the last one', { hidden: ['i'] }],
  ['some here and there', { hidden: ['h', 'f', 'a'] }],
  ['who is not there, and who is below zero', { hidden: ['nobody', 'j', 'e'] }],
  ['everyone', { hidden: EVERYONE }],
  ['the first one is pinned', { pinned: ['d'] }],
  ['the last one is pinned', { pinned: ['i'] }],
  ['against their scores', { pinned: ['e', 'h', 'f'] }],
  ['all of ties, the other way round', { pinned: ['g', 'b', 'h', 'a'] }],
  ['who has no points, and who has less than none', { pinned: ['nobody', 'c', 'j'] }],
  ['everyone is pinned', { pinned: EVERYONE }],
  ['one is hidden and others pinned', { hidden: ['c'], pinned: ['h', 'a'] }],
  ['some ties are hidden and others pinned', { hidden: ['f', 'b'], pinned: ['c', 'h'] }],
  ['hidden wins over pinned', { hidden: ['d', 'e'], pinned: ['e', 'g', 'd'] }],
  ['everyone is both', { hidden: EVERYONE, pinned: EVERYONE }],
];

/** Sums and sequence numbers of views. @param {string} text @returns {Member[]} */
function membersOf(text) {
  /** @type {Map<string, Member>} */
  const members = new Map();
  for (const [sequence, word] of text.split(' ').entries()) {
    const id = word.replace('-', '');
    const score = (members.get(id)?.score ?? 0) + (word === id ? 1 : -1);
    members.set(id, { id, score, sequence });
  }
  return [...members.values()];
}

/** What a board shows of members. @param {Order} order @param {Member[]} members @param {Lists} lists @returns {Entry[]} */
function shown({ ranking, ties, min_score: least = 0 }, members, { hidden = [], pinned = [] }) {
  const scoreOf = (/** @type {string} */ id) => members.find((member) => member.id === id)?.score ?? 0;
  const first = pinned.filter((id) => !hidden.includes(id));
  const rest = members.filter(({ id, score }) => score > 0 && score >= least && !hidden.includes(id) && !first.includes(id));
  const before = (/** @type {Member} */ a, /** @type {Member} */ b) => {
    if (ties) return ties === 'first' ? a.sequence - b.sequence : b.sequence - a.sequence;
    return a.id < b.id ? 1 : -1;
  };
  rest.sort((a, b) => b.score - a.score || before(a, b));
  const scores = rest.map(({ score }) => score);
  const rankOf = (/** @type {number} */ at) => {
    const better = scores.filter((score) => score > scores[at]);
    if (ranking === 'competition') return better.length + 1;
    return ranking === 'dense' ? new Set(better).size + 1 : at + 1;
  };
  return [
    ...first.map((id, at) => ({ rank: at + 1, id, score: scoreOf(id), pinned: /** @type {const} */ (true) })),
    ...rest.map(({ id, score }, at) => ({ rank: first.length + rankOf(at), id, score })),
  ];
}

/** With where each stood before. @param {Entry[]} entries @param {Entry[]} earlier @returns {Entry[]} */
function moved(entries, earlier) {
  return entries.map((entry) => ({ ...entry, previous_rank: earlier.find(({ id }) => id === entry.id)?.rank ?? null }));
}

/** Who has no more than the entry at a place, in percent. @param {Entry[]} entries @param {number} at */
function percentileOf(entries, at) {
  const higher = entries.slice(0, at).filter(({ score, pinned }) => pinned || score > entries[at].score).length;
  return Math.round(((entries.length - higher) / entries.length) * 10_000) / 100;
}

const plain = (/** @type {Entry} */ { rank, id, score }) => ({ rank, id, score });

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(
      async () =>
        (deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE, other: SITE }, vars: { ADMIN_TOKEN } })),
    );
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** @param {string} text @param {string} [site] */
    async function send(text, site) {
      const events = text.split(' ').map((word) => ({ action: word.startsWith('-') ? 'down' : 'view', item: word.replace(/^-/, '') }));
      const { body } = await deployment.events({ events }, { site });
      assert.deepEqual(body, { accepted: events.length, duplicate: 0, rejected: [] });
    }

    /** @param {string} method @param {string} path below `/v1/demo/admin/boards/` @param {string} [token] */
    const curate = (method, path, token = ADMIN_TOKEN) =>
      deployment.fetch(`/v1/demo/admin/boards/${path}`, { method, headers: { authorization: `Bearer ${token}` } });

    /** @param {string} method @param {string} board @param {'hidden' | 'pinned'} list @param {string} id */
    async function change(method, board, list, id) {
      const { status, text, headers } = await curate(method, `${board}/${list}/${encodeURIComponent(id)}`);
      assert.deepEqual([status, text, headers.get('cache-control')], [204, '', 'no-store'], `${method} ${board}/${list}/${id}`);
    }

    /** @param {string} board @param {Lists} lists */
    async function make(board, { hidden = [], pinned = [] }) {
      for (const id of hidden) await change('PUT', board, 'hidden', id);
      for (const id of pinned) await change('PUT', board, 'pinned', id);
    }

    /** @param {string} board @param {string} list */
    async function listed(board, list) {
      const { status, body, headers } = await curate('GET', `${board}/${list}`);
      assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store']);
      const { ids, ...rest } = body;
      assert.deepEqual(rest, { site: 'demo', board, list });
      return ids;
    }

    /** @param {string} ranking @param {string[]} ids @param {string} query */
    async function ranksOf(ranking, ids, query) {
      const [board, window] = ranking.split('/');
      const { body } = await deployment.fetch(`/v1/demo/boards/${board}/${window}/ranks${query}`, {
        method: 'POST',
        body: JSON.stringify({ ids }),
      });
      return body;
    }

    /** @param {string} ranking @param {string} id @param {string} query */
    function member(ranking, id, query) {
      deployment.edgeClock.advance(60_000);
      const [board, window] = ranking.split('/');
      return deployment.fetch(`/v1/demo/boards/${board}/${window}/members/${encodeURIComponent(id)}${query}`);
    }

    /**
     * A ranking shows these entries, and whoever is asked about stands where they say.
     *
     * @param {string} ranking
     * @param {Entry[]} entries
     * @param {{ period?: string, closely?: boolean }} [how] `closely`: also in pages, and each member by itself
     */
    async function check(ranking, entries, { period, closely = false } = {}) {
      const where = period ? `period=${period}&` : '';
      const { body } = (await readComplete(deployment, ranking, `?${where}limit=100`)).answer;
      assert.deepEqual(body.entries, entries, `${ranking} ${period ?? ''}`);
      assert.equal(body.total, entries.length, `${ranking}: total`);

      const found = await ranksOf(ranking, EVERYONE, period ? `?period=${period}` : '');
      assert.equal(found.total, entries.length, `${ranking}: total beside ranks`);
      const expected = EVERYONE.map((id) => {
        const at = entries.findIndex((entry) => entry.id === id);
        if (at < 0) return { id, rank: null, score: null, percentile: null };
        return { id, rank: entries[at].rank, score: entries[at].score, percentile: percentileOf(entries, at) };
      });
      assert.deepEqual(found.ranks, expected, `${ranking}: ranks`);
      if (!closely) return;

      for (let offset = 0; offset <= entries.length; offset += 3) {
        const page = await deployment.freshTop(ranking, `?${where}limit=3&offset=${offset}`);
        assert.deepEqual(page.body.entries, entries.slice(offset, offset + 3), `${ranking}: from ${offset}`);
      }
      for (const [at, id] of EVERYONE.map((id) => /** @type {const} */ ([entries.findIndex((entry) => entry.id === id), id]))) {
        const answer = await member(ranking, id, `?${where}around=2`);
        if (at < 0) {
          assert.deepEqual([answer.status, answer.body.code], [404, 'not-on-board'], `${ranking} ${id}`);
          assert.equal((await member(ranking, id, '')).status, 404, `${ranking} ${id} alone`);
          continue;
        }
        const { rank, score, total, around } = answer.body;
        assert.deepEqual([rank, score, total], [entries[at].rank, entries[at].score, entries.length], `${ranking} ${id}`);
        assert.deepEqual(around, entries.slice(Math.max(0, at - 2), at + 3).map(plain), `${ranking} around ${id}`);
        const alone = (await member(ranking, id, where && `?${where.slice(0, -1)}`)).body;
        assert.deepEqual(
          [alone.rank, alone.score, alone.total, alone.percentile, alone.around],
          [rank, score, total, answer.body.percentile, []],
        );
      }
    }

    for (const [number, [name, lists]] of CASES.entries()) {
      test(name, async () => {
        await send(YESTERDAY);
        for (const board of Object.keys(ORDERS)) await readComplete(deployment, `${board}/last-2-days`);
        deployment.clock.advance(DAY_MS);
        await send(TODAYS);
        const [yesterday, today, both] = [YESTERDAY, TODAYS, `${YESTERDAY} ${TODAYS}`].map(membersOf);
        for (const [turn, [board, order]] of Object.entries(ORDERS).entries()) {
          await make(board, lists);
          const earlier = shown(order, yesterday, lists);
          await check(`${board}/day`, moved(shown(order, today, lists), earlier), { closely: (number + turn) % 2 === 0 });
          await check(`${board}/last-2-days`, moved(shown(order, both, lists), earlier));
          await check(`${board}/all`, shown(order, both, lists));
          const nobody = /** @type {Entry[]} */ (shown(order, [], lists));
          await check(`${board}/day`, moved(earlier, nobody), { period: '2026-11-20' });
          await check(`${board}/last-2-days`, earlier, { period: '2026-11-20' });
        }
      });
    }

    for (const { name } of DECAYING) {
      test(`of the decaying window ${name}`, async () => {
        await send(TODAYS.replace('-j', 'j -j'));
        for (const lists of /** @type {Lists[]} */ ([
          {},
          { hidden: ['c'] },
          { hidden: ['f', 'nobody'], pinned: ['h', 'nobody', 'a'] },
          { hidden: ['h'], pinned: ['h', 'e'] },
        ])) {
          await make('decaying', lists);
          const entries = shown({ ranking: 'competition' }, membersOf(TODAYS), lists);
          for (const hours of [0, 2]) {
            deployment.clock.advance(hours * HOUR_MS);
            const { body } = await deployment.freshTop(`decaying/${name}`, '?limit=100');
            const place = (/** @type {Entry} */ { score, ...rest }) => rest;
            assert.deepEqual([body.total, body.entries.map(place)], [entries.length, entries.map(place)]);
            for (const { rank, id } of entries) assert.equal((await member(`decaying/${name}`, id, '?around=1')).body.rank, rank);
            for (const id of lists.hidden ?? []) assert.equal((await member(`decaying/${name}`, id, '')).status, 404);
          }
          for (const id of lists.hidden ?? []) await change('DELETE', 'decaying', 'hidden', id);
          for (const id of lists.pinned ?? []) await change('DELETE', 'decaying', 'pinned', id);
        }
      });
    }

    test('counting goes on, and nothing is lost when it is taken back', async () => {
      await send('a a b c');
      await make('first', { hidden: ['b'], pinned: ['c'] });
      await send('b b d');
      const { ties, ranking } = ORDERS.first;
      for (const window of ['day', 'last-2-days', 'all']) {
        const nobody =
          window === 'day'
            ? (/** @type {Entry[]} */ list) => moved(list, shown({ ties, ranking }, [], { pinned: ['c'] }))
            : (/** @type {Entry[]} */ list) => list;
        await check(`first/${window}`, nobody(shown({ ties, ranking }, membersOf('a a b c b b d'), { hidden: ['b'], pinned: ['c'] })));
      }
      await send('c');
      await change('DELETE', 'first', 'hidden', 'b');
      await change('DELETE', 'first', 'pinned', 'c');
      for (const window of ['day', 'last-2-days', 'all']) {
        assert.deepEqual(
          entriesOf((await readComplete(deployment, `first/${window}`)).answer),
          [
            ['b', 3],
            ['a', 2],
            ['c', 2],
            ['d', 1],
          ],
          window,
        );
      }
    });

    test('of one board and site, and of no other', async () => {
      await send('a b');
      await send('a b', 'other');
      await make('ordinal', { hidden: ['a'], pinned: ['c'] });
      assert.deepEqual(entriesOf(await deployment.freshTop('ordinal/day')), [
        ['c', 0],
        ['b', 1],
      ]);
      assert.deepEqual(entriesOf(await deployment.freshTop('competition/day')), [
        ['b', 1],
        ['a', 1],
      ]);
      assert.deepEqual(entriesOf(await deployment.freshTop('ordinal/day', '', 'other')), [
        ['b', 1],
        ['a', 1],
      ]);
    });

    test('several rankings at once show it, too', async () => {
      await send('a b c c');
      await make('dense', { hidden: ['c'], pinned: ['a'] });
      const { body } = await deployment.fetch('/v1/demo/top?boards=dense/day,ordinal/day');
      const [dense, ordinal] = body.boards;
      assert.deepEqual(
        [dense.total, dense.entries.map(plain)],
        [
          2,
          [
            { rank: 1, id: 'a', score: 1 },
            { rank: 2, id: 'b', score: 1 },
          ],
        ],
      );
      assert.deepEqual(
        dense.entries.map((/** @type {Entry} */ { pinned }) => pinned),
        [true, undefined],
      );
      assert.equal(ordinal.total, 3);
    });

    test('a version changes with a pin that moves nobody', async () => {
      await send('a a b');
      const version = async () => (await deployment.freshTop('ordinal/day')).headers.get('etag');
      const before = await version();
      assert.equal(await version(), before);
      await make('ordinal', { pinned: ['a'] });
      assert.notEqual(await version(), before);
      await change('DELETE', 'ordinal', 'pinned', 'a');
      assert.equal(await version(), before);
    });

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

      test('hold ids that are nothing but ids', async () => {
        const ids = ['/posts/1', '100%', 'a%2Fb', '?x=1#y', 'hidden', '日本語', '😀', ' ', 'ü'.repeat(128)];
        await make('ordinal', { hidden: ids, pinned: ids });
        assert.deepEqual(await listed('ordinal', 'pinned'), ids);
        assert.deepEqual((await listed('ordinal', 'hidden')).toSorted(), ids.toSorted());
        for (const id of ids) await change('DELETE', 'ordinal', 'hidden', id);
        assert.deepEqual(
          entriesOf(await deployment.freshTop('ordinal/day')),
          ids.map((id) => [id, 0]),
        );
      });

      for (const [list, most] of /** @type {['hidden' | 'pinned', number][]} */ ([
        ['hidden', MAX_HIDDEN],
        ['pinned', MAX_PINNED],
      ])) {
        test(`are full with ${most} ${list}`, async () => {
          const key = `eb:{demo:ordinal}:${list}`;
          const ids = Array.from({ length: most - 1 }, (_, i) => `m${i}`);
          if (list === 'hidden') await deployment.redis.command('SADD', key, ...ids);
          else
            await put(
              deployment.redis,
              key,
              ids.map((id, i) => [id, i + 1]),
            );
          await change('PUT', 'ordinal', list, 'last');
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
          deployment.redis,
          `eb:{demo:competition}:day:${TODAY}`,
          names.map((id, i) => [id, 1 + Math.floor(i / 2)]),
        );
        const hidden = names.filter((_, i) => i % 11 < 5).slice(0, MAX_HIDDEN);
        const pinned = names.filter((_, i) => i % 22 === 10).slice(0, MAX_PINNED);
        assert.deepEqual([hidden.length, pinned.length], [MAX_HIDDEN, MAX_PINNED]);
        await deployment.redis.command('SADD', 'eb:{demo:competition}:hidden', ...hidden);
        await put(
          deployment.redis,
          'eb:{demo:competition}:pinned',
          pinned.map((id, i) => [id, i + 1]),
        );
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
          const { body } = await deployment.freshTop('competition/day', `?limit=${limit}&offset=${offset}`);
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
            assert.equal(await deployment.redis.command('DBSIZE'), 0, 'nothing is written');
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
            deployment.freshTop('ordinal/day', '?limit=100'),
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
        [(await deployment.freshTop('ordinal/day')).body.total, await listed('ordinal', 'hidden'), await listed('ordinal', 'pinned')],
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
