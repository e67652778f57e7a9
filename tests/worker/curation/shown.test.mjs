/**
 * What is shown of hidden and pinned members, in every way of asking; nothing of it is lost.
 *
 * The model orders a list of members by hand; every board, window, page, neighbourhood and rank must say the same.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { entriesOf, RESP } from '../../support/deployment.mjs';
import { sampled } from '../../support/part.mjs';
import { DAY_MS, HOUR_MS, readComplete } from '../../support/windows.mjs';
import { DECAYING, EVERYONE, moved, ORDERS, plain, serve, shown } from './site.mjs';

/** @typedef {import('./site.mjs').Member} Member */
/** @typedef {import('./site.mjs').Lists} Lists */
/** @typedef {import('./site.mjs').Entry} Entry */

/** Who got a view, in this order; `-x` lost one. Then a day goes by. */
const YESTERDAY = 'a a a b b c d d e g g';
const TODAYS = 'f b a c c c d e f f g g h h i b d d -j';
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

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { send, change, make, member, check } = on;

    for (const [number, [name, lists]] of sampled([...CASES.entries()])) {
      test(name, async () => {
        await send(YESTERDAY);
        for (const board of Object.keys(ORDERS)) await readComplete(on.deployment, `${board}/last-2-days`);
        on.deployment.clock.advance(DAY_MS);
        await send(TODAYS);
        const [yesterday, today, both] = [YESTERDAY, TODAYS, `${YESTERDAY} ${TODAYS}`].map(membersOf);
        for (const [turn, [board, order]] of Object.entries(ORDERS).entries()) {
          await make(board, lists);
          const earlier = shown(order, yesterday, lists);
          await check(`${board}/day`, moved(shown(order, today, lists), earlier), { closely: (number + turn) % 2 === 0 });
          await check(`${board}/last-2-days`, moved(shown(order, both, lists), earlier));
          await check(`${board}/all`, shown(order, both, lists));
          const nobody = /** @type {Entry[]} */ (shown(order, [], lists));
          // Whether the order of ties was kept is not asked there when curated members were.
          const isUnknown = order.ties && Object.values(lists).length > 0;
          await check(`${board}/day`, isUnknown ? earlier : moved(earlier, nobody), { period: '2026-11-20' });
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
            on.deployment.clock.advance(hours * HOUR_MS);
            const { body } = await on.deployment.freshTop(`decaying/${name}`, '?limit=100');
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
        // The period before is empty, so there are no ranks of before where ties and curation matter.
        await check(`first/${window}`, shown({ ties, ranking }, membersOf('a a b c b b d'), { hidden: ['b'], pinned: ['c'] }));
      }
      await send('c');
      await change('DELETE', 'first', 'hidden', 'b');
      await change('DELETE', 'first', 'pinned', 'c');
      for (const window of ['day', 'last-2-days', 'all']) {
        assert.deepEqual(
          entriesOf((await readComplete(on.deployment, `first/${window}`)).answer),
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
      assert.deepEqual(entriesOf(await on.deployment.freshTop('ordinal/day')), [
        ['c', 0],
        ['b', 1],
      ]);
      assert.deepEqual(entriesOf(await on.deployment.freshTop('competition/day')), [
        ['b', 1],
        ['a', 1],
      ]);
      assert.deepEqual(entriesOf(await on.deployment.freshTop('ordinal/day', '', 'other')), [
        ['b', 1],
        ['a', 1],
      ]);
    });

    test('several rankings at once show it, too', async () => {
      await send('a b c c');
      await make('dense', { hidden: ['c'], pinned: ['a'] });
      const { body } = await on.deployment.fetch('/v1/demo/top?boards=dense/day,ordinal/day');
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
      const version = async () => (await on.deployment.freshTop('ordinal/day')).headers.get('etag');
      const before = await version();
      assert.equal(await version(), before);
      await make('ordinal', { pinned: ['a'] });
      assert.notEqual(await version(), before);
      await change('DELETE', 'ordinal', 'pinned', 'a');
      assert.equal(await version(), before);
    });
  });
}
