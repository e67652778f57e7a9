/**
 * Among ties, who reached the score first (or last) stands first, by the order in which events arrived at Redis. This holds
 * in every window, whatever was undone, came late or rolled out of the window meanwhile.
 *
 * # Out of scope
 *
 * Random histories and the limits of exactness: tests/lua/ties.rs.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment, RESP } from '../support/deployment.mjs';
import { IS_QUICK_RUN, longTest } from '../support/part.mjs';
import { DAY_MS, HOUR_MS, readComplete } from '../support/windows.mjs';
import { startWorker } from '../support/worker.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

const WINDOWS = ['day', 'month', 'all', 'last-3-days'];
const BOARD = { weights: { view: 1, like: 1, save: 2, down: -1, dislike: -1 }, windows: WINDOWS };
const SITE = {
  origins: ['*'],
  actor_history: '2d',
  actions: { view: { public: true }, like: { reversible: true }, save: { reversible: true }, down: {}, dislike: { reversible: true } },
  boards: { 'by-id': BOARD, first: { ...BOARD, ties: 'first' }, last: { ...BOARD, ties: 'last' } },
};
const SITES = { demo: SITE };
const NOON = Date.parse('2026-11-20T12:00:00Z');

/**
 * @typedef {string | object[]} Batch members, each of which gets a view; or events
 * @typedef {Record<string, string>} Orders by window, and `every` for those not named: the order on the board `first`, groups of
 *   equals after their score, `3 a b, 2 c`; on the board `last` each group is turned round
 * @typedef {{ later?: number, send?: Batch[], shows?: Orders }} Step `later`: milliseconds that go by before
 */

/** @param {string} item @param {object} [more] */
const view = (item, more) => ({ action: 'view', item, ...more });
/** @param {string} action @param {string} item @param {string} actor @param {object} [more] */
const act = (action, item, actor, more) => ({ action, item, actor, ...more });
/** @param {string} action @param {string} item @param {string} actor */
const undo = (action, item, actor) => act(action, item, actor, { undo: true });
const DAY_AGO = { ago: DAY_MS };
const TWO_DAYS_AGO = { ago: 2 * DAY_MS };
const every = (/** @type {string} */ order) => ({ every: order });

/** @type {[name: string, steps: Step[]][]} */
const HISTORIES = [
  ['one event after the other', [{ send: ['a', 'c', 'b'], shows: every('1 a c b') }]],
  ['each in its turn, again and again', [{ send: ['a', 'b', 'c', 'b', 'c', 'a'], shows: every('2 b c a') }]],
  ['all in one batch', [{ send: ['b a c a b c'], shows: every('2 a b c') }]],
  ['who reached a score first, and not who began', [{ send: ['a', 'a', 'b', 'c b', 'a', 'c c b'], shows: every('3 a c b') }]],
  [
    'who comes down to nothing, and is put back, stands where it stood',
    [
      { send: ['a', 'b', 'c', [act('dislike', 'b', 'u')]], shows: every('1 a c') },
      { send: [[undo('dislike', 'b', 'u')]], shows: every('1 a b c') },
    ],
  ],
  ['who comes down to a score reaches it then', [{ send: ['a a a', 'b b', [act('down', 'a', 'u')]], shows: every('2 b a') }]],
  ['who passes one score reaches the next', [{ send: ['a', 'b', 'c', 'a', 'c'], shows: every('2 a c, 1 b') }]],
  ['by when it came, and not by when it happened', [{ send: [[view('b')], [view('a', { ago: HOUR_MS })]], shows: every('1 b a') }]],
  [
    'an event of yesterday arrives today',
    [
      {
        send: ['a', [view('b', DAY_AGO)], 'c', [view('c', DAY_AGO)], [view('a', DAY_AGO)]],
        shows: { day: '1 a c', every: '2 c a, 1 b' },
      },
    ],
  ],
  [
    'a batch over two hours, each event where it stands in the batch',
    [{ send: [[view('a'), view('a', { ago: 2 * HOUR_MS }), view('b'), view('b'), view('b'), view('a')]], shows: every('3 b a') }],
  ],
  [
    'a batch over three days, each event where it stands in the batch',
    [
      {
        send: [[view('a'), view('b', DAY_AGO), view('a', TWO_DAYS_AGO), view('b'), view('b', TWO_DAYS_AGO), view('a')]],
        shows: { day: '2 a, 1 b', every: '3 b a' },
      },
    ],
  ],
  [
    'what counts nothing moves nobody',
    [{ send: ['a', 'b', [view('c', { id: 'x' })], [view('c', { id: 'x' })], 'b a c'], shows: every('2 b a c') }],
  ],
  [
    'a tracked action and its undo leave the order as it was',
    [
      { send: ['a b', [act('like', 'a', 'u')]], shows: every('2 a, 1 b') },
      { send: [[undo('like', 'a', 'u')]], shows: every('1 a b') },
    ],
  ],
  [
    'in one batch too, among others',
    [{ send: ['a b c', [act('save', 'b', 'u'), view('c'), undo('save', 'b', 'u'), view('b'), view('a')]], shows: every('2 c b a') }],
  ],
  [
    'an undo of what is not the last leaves the order',
    [{ send: ['a b', [act('like', 'a', 'u')], 'c c', 'a b', [undo('like', 'a', 'u')]], shows: every('2 c a b') }],
  ],
  [
    'two tracked actions undone, the first one first',
    [
      { send: ['a b', [act('like', 'a', 'u')], [act('save', 'a', 'u')], [undo('like', 'a', 'u')]], shows: every('3 a, 1 b') },
      { send: [[undo('save', 'a', 'u')]], shows: every('1 a b') },
    ],
  ],
  [
    'two tracked actions undone, the last one first',
    [
      { send: ['a b', [act('like', 'a', 'u')], [act('save', 'a', 'u')], 'c c', [undo('save', 'a', 'u')]], shows: every('2 a c, 1 b') },
      { send: [[undo('like', 'a', 'u')]], shows: every('2 c, 1 a b') },
    ],
  ],
  [
    'three tracked actions undone, the middle one, the first one, the last one',
    [
      { send: ['a b', [act('like', 'a', 'u')], [act('like', 'a', 'v')], [act('like', 'a', 'w')]], shows: every('4 a, 1 b') },
      { send: [[undo('like', 'a', 'v')], 'c c c'], shows: every('3 a c, 1 b') },
      { send: [[undo('like', 'a', 'u')], 'd d'], shows: every('3 c, 2 a d, 1 b') },
      { send: [[undo('like', 'a', 'w')]], shows: every('3 c, 2 d, 1 a b') },
    ],
  ],
  [
    'done, undone and done again arrives when it is done again',
    [{ send: ['a b', [act('like', 'a', 'u')], [undo('like', 'a', 'u')], 'b', [act('like', 'a', 'u')]], shows: every('2 b a') }],
  ],
  [
    'what took points away is undone',
    [
      { send: ['a a', 'b', [act('dislike', 'a', 'u')]], shows: every('1 b a') },
      { send: ['b', [undo('dislike', 'a', 'u')]], shows: every('2 a b') },
    ],
  ],
  [
    'a tracked action of yesterday that is undone today',
    [
      { send: ['b', [act('like', 'a', 'u')], 'c'], shows: every('1 b a c') },
      { later: DAY_MS, send: ['c', 'a', 'b'], shows: { day: '1 c a b', every: '2 c a b' } },
      { send: [[act('like', 'c', 'u', DAY_AGO)]], shows: { day: '1 c a b', every: '3 c, 2 a b' } },
      { send: [[undo('like', 'c', 'u')]], shows: { day: '1 c a b', every: '2 c a b' } },
      { send: [[undo('like', 'a', 'u')], 'a'], shows: { day: '2 a, 1 c b', every: '2 c b a' } },
    ],
  ],
  [
    'who fell to nothing begins anew',
    [{ send: ['a a', 'b', [act('down', 'a', 'u'), act('down', 'a', 'u')], 'c', 'a'], shows: every('1 b c a') }],
  ],
  [
    'who is below zero is not shown, and stands behind when it is again',
    [
      { send: [[act('down', 'a', 'u')], 'b', 'c', 'a'], shows: every('1 b c') },
      { send: ['a'], shows: every('1 b c a') },
    ],
  ],
  [
    'over midnight, a day leaves the window',
    [
      { send: [[view('a', TWO_DAYS_AGO)], [view('b', DAY_AGO)], 'b', 'a'], shows: { day: '1 b a', every: '2 b a' } },
      { later: DAY_MS, shows: { day: '', month: '2 b a', all: '2 b a', every: '2 b, 1 a' } },
      { later: DAY_MS, shows: { day: '', month: '2 b a', all: '2 b a', every: '1 b a' } },
      { later: DAY_MS, shows: { day: '', month: '2 b a', all: '2 b a', every: '' } },
    ],
  ],
  [
    'over midnight, those whose latest sequence number leaves go back to the one before it',
    [
      { send: ['a', 'b', 'c', [view('b', TWO_DAYS_AGO)], [view('a', TWO_DAYS_AGO)]], shows: { day: '1 a b c', every: '2 b a, 1 c' } },
      { later: DAY_MS, shows: { day: '', month: '2 b a, 1 c', all: '2 b a, 1 c', every: '1 a b c' } },
      { send: ['b'], shows: { day: '1 b', month: '3 b, 2 a, 1 c', all: '3 b, 2 a, 1 c', every: '2 b, 1 a c' } },
    ],
  ],
  [
    'over midnight, whoever had taken away what leaves stands where it was in the rest',
    [
      {
        send: ['a', 'b', [act('down', 'a', 'u', TWO_DAYS_AGO)], 'c', [act('down', 'b', 'u', TWO_DAYS_AGO)]],
        shows: { day: '1 a b c', every: '1 c' },
      },
      { later: DAY_MS, shows: { day: '', month: '1 c', all: '1 c', every: '1 a b c' } },
    ],
  ],
  [
    'days later, from what is left',
    [
      { send: ['a', 'b', 'c'], shows: every('1 a b c') },
      { later: DAY_MS, send: ['c', 'b'], shows: { day: '1 c b', every: '2 c b, 1 a' } },
      { later: DAY_MS, send: ['d d'], shows: { day: '2 d', every: '2 c b d, 1 a' } },
      { later: DAY_MS, shows: { day: '', month: '2 c b d, 1 a', all: '2 c b d, 1 a', every: '2 d, 1 c b' } },
      { later: DAY_MS, shows: { day: '', month: '2 c b d, 1 a', all: '2 c b d, 1 a', every: '2 d' } },
    ],
  ],
];

/** Entries of a board, from an order of the board `first`. @param {string} order @param {boolean} [turned] @returns {[string, number][]} */
function entriesIn(order, turned = false) {
  const groups = order === '' ? [] : order.split(', ').map((group) => group.split(' '));
  return groups.flatMap(([score, ...members]) =>
    (turned ? members.toReversed() : members).map((member) => /** @type {[string, number]} */ ([member, Number(score)])),
  );
}

/** Entries where ties stand by id, the greater ones first. @param {string} order */
function entriesById(order) {
  return entriesIn(order).sort(([a, first], [b, second]) => second - first || (a < b ? 1 : -1));
}

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: SITES })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOON);
    });
    after(() => deployment?.stop());

    /** @param {Batch} batch */
    async function send(batch) {
      const events = typeof batch === 'string' ? batch.split(' ').map((item) => view(item)) : batch;
      const { status, body } = await deployment.events({ events });
      assert.deepEqual([status, body.accepted + body.duplicate, body.rejected], [200, events.length, []]);
    }

    /**
     * A window of each board shows the order.
     *
     * @param {string} window
     * @param {string} order
     * @param {string} [query]
     */
    async function assertShows(window, order, query = '') {
      const boards = { first: entriesIn(order), last: entriesIn(order, true), 'by-id': entriesById(order) };
      for (const [board, entries] of Object.entries(boards)) {
        const { answer } = await readComplete(deployment, `${board}/${window}`, query);
        assert.deepEqual(entriesOf(answer), entries, `${board}/${window}${query}`);
        assert.equal(answer.body.total, entries.length, `${board}/${window}${query}`);
      }
    }

    /** @param {Step[]} steps @param {boolean} prepared whether upkeep runs before time goes by */
    async function check(steps, prepared) {
      for (const { later = 0, send: batches = [], shows } of steps) {
        if (prepared && later > 0) await deployment.worker.scheduled();
        deployment.clock.advance(later);
        for (const batch of batches) await send(batch);
        for (const window of shows ? WINDOWS : []) await assertShows(window, shows?.[window] ?? shows?.every ?? '');
      }
    }

    for (const [name, steps] of HISTORIES) {
      if (IS_QUICK_RUN) test(name, () => check(steps, false));
      if (!steps.some(({ later }) => later)) continue;
      longTest(`${name}, after upkeep`, () => check(steps, true));
      // Then nothing is repaired before.
      const unread = steps.map(({ shows, ...step }, i) => (i < steps.length - 1 ? step : { ...step, shows }));
      longTest(`${name}, read at the end only`, () => check(unread, false));
    }

    test('what an undo needs is known for as long as it can be undone', async () => {
      // The buckets of the actor history begin at midnight, of the 19th, 21st and 23rd.
      for (const [hours, batch] of /** @type {[number, Batch][]} */ ([
        [8, 'a'],
        [0, 'b'],
        [0, [act('like', 'a', 'u')]],
        [0, [act('like', 'a', 'v')]],
        [2, [undo('like', 'a', 'u')]],
        [43, [act('like', 'a', 'w')]],
        [0, [undo('like', 'a', 'v')]],
        [46, [undo('like', 'a', 'w')]],
      ])) {
        deployment.clock.advance(hours * HOUR_MS);
        await send(batch);
      }
      await assertShows('month', '1 a b');
      await assertShows('all', '1 a b');
    });

    test('pages that cut a group of ties make the whole', async () => {
      const names = Array.from({ length: 20 }, (_, i) => `m${(i * 7) % 20}`);
      await send(names.join(' '));
      await send(names.slice(5, 9).toReversed().join(' '));
      await send('m3');
      for (const board of ['first', 'last', 'by-id']) {
        for (const [window, period] of [
          ['day', ''],
          ['last-3-days', ''],
          ['last-3-days', '&period=2026-11-20'],
        ]) {
          const whole = (await readComplete(deployment, `${board}/${window}`, `?limit=100${period}`)).answer.body.entries;
          assert.equal(whole.length, 20);
          for (const limit of [1, 3, 7]) {
            const pages = [];
            while (pages.length < 20) {
              const { body } = await deployment.freshTop(`${board}/${window}`, `?limit=${limit}&offset=${pages.length}${period}`);
              assert.equal(body.entries.length, Math.min(limit, 20 - pages.length));
              pages.push(...body.entries);
            }
            assert.deepEqual(pages, whole, `${board}/${window}${period} in pages of ${limit}`);
          }
        }
      }
    });

    test('a past period keeps its order, and changes it with what comes late or is undone', async () => {
      await send([view('a', DAY_AGO)]);
      await send([act('like', 'b', 'u', DAY_AGO), view('c', DAY_AGO)]);
      await send('c b a');
      const shows = async (/** @type {string} */ order) => {
        for (const window of ['day', 'last-3-days']) await assertShows(window, order, '?period=2026-11-19');
      };
      await shows('1 a b c');
      await send([view('b', DAY_AGO)]);
      await send([view('a', DAY_AGO)]);
      await shows('2 b a, 1 c');
      await send([undo('like', 'b', 'u')]);
      await shows('2 a, 1 c b');
      deployment.clock.advance(3 * DAY_MS);
      await shows('2 a, 1 c b');
    });
  });
}

describe('an order of ties that could not be exact is refused', () => {
  const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };
  for (const [name, board, problem] of /** @type {[string, object, string][]} */ ([
    ['another word', { ties: 'newest' }, 'ties = "newest" is not allowed; allowed: "first" or "last"'],
    [
      'fractions',
      { ties: 'first', weights: { view: 1, like: 0.5 } },
      'ties = "first" is not allowed; allowed: whole weights only: the sequence number is packed with the score, and like has a fraction',
    ],
    [
      'decaying windows',
      { ties: 'last', windows: ['day', HOT] },
      'ties = "last" is not allowed with the window hot: decaying scores are hardly ever equal; give it a board of its own',
    ],
  ])) {
    test(name, async (t) => {
      const sites = { demo: { ...SITE, boards: { articles: { ...BOARD, ...board } } } };
      const worker = await startWorker({ vars: { REDIS_URL: 'redis://127.0.0.1:1', SITES: sites } });
      t.after(worker.stop);
      const response = await worker.fetch('/healthz');
      const detail = `SITES.demo.boards.articles.${problem}`;
      assert.deepEqual(
        [response.status, await response.json()],
        [500, { title: 'Internal Server Error', status: 500, code: 'configuration-invalid', detail }],
      );
    });
  }
});
