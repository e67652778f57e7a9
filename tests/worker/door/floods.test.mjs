/**
 * A flood of made-up items: it fills a board that nothing bounds, after which real ones are refused. It does not where windows, senders or
 * items are bounded.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { contentsOf, keysThatHold } from '../../support/contents.mjs';
import { entriesOf, RESP, startDeployment } from '../../support/deployment.mjs';
import { readComplete } from '../../support/windows.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const ADMIN_TOKEN = 'a-token-for-floods';
const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
const FLOOD = 10_000;
const WINDOWS = ['day', 'all', 'last-7-days', { name: 'hot', kind: 'half-life', half_life: '6h' }];
const BOARD = { weights: { view: 1 }, windows: WINDOWS, max_members: 500, limit: 1000 };
const SITE = {
  origins: ['*'],
  actors: 'any',
  actions: { view: { public: true }, publish: {}, like: { public: true, reversible: true } },
  boards: { articles: BOARD },
};
const PEOPLE = { members: 'actors', weights: { view: 1 }, windows: ['day'] };
const SITES = {
  open: SITE,
  windows: { ...SITE, boards: { articles: { ...BOARD, max_members: { all: 20_000, day: 500, hot: 500 } } } },
  known: { ...SITE, known_items: true, boards: { articles: { ...BOARD, weights: { view: 1, like: 2 } }, people: PEOPLE } },
  brief: { ...SITE, known_items: true, boards: { articles: { ...BOARD, windows: ['day'] } } },
  newcomers: { ...SITE, new_members: { visitor: 20, address: 100 } },
  // Counted by each of the scripts, and on a board without periods.
  tracked: { ...SITE, new_members: { visitor: 3, address: 4 }, boards: { articles: { ...BOARD, once: { view: 'day' } } } },
  fading: { ...SITE, new_members: { visitor: 3, address: 4 }, boards: { articles: { ...BOARD, windows: [WINDOWS[3]] } } },
  usual: { ...SITE, new_members: {}, boards: { articles: { ...BOARD, windows: ['hour', ...WINDOWS], max_members: 1_000_000 } } },
  grouped: { ...SITE, ingest: 'grouped', known_items: true, new_members: { visitor: 3, address: 4 } },
};
const REAL = Array.from({ length: 20 }, (_, i) => `/posts/${i}`);

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => {
      deployment = await startDeployment({ transport, sites: SITES, vars: { ADMIN_TOKEN } });
    });
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /**
     * Sends views of items, so many in a beacon. Answers what the last one was told.
     *
     * @param {string} site @param {string[]} items @param {{ size?: number, address?: string, agent?: string, actor?: string }} [by]
     */
    async function view(site, items, { size = 20, address = '192.0.2.1', agent = 'Mozilla/5.0 Firefox/140.0', actor } = {}) {
      const headers = { 'cf-connecting-ip': address, 'user-agent': agent };
      let refused;
      for (let i = 0; i < items.length; i += size) {
        const events = items.slice(i, i + size).map((item) => ({ action: 'view', item, actor }));
        const answer = await deployment.beacon(events.length > 1 ? { events } : events[0], { site, headers });
        assert.equal(answer.status, 204, answer.text);
        refused = answer.headers.get('edgeboard-refused');
      }
      return refused;
    }

    /** @param {number} count */
    const junk = (count) => Array.from({ length: count }, (_, i) => `/junk/${i}`);

    /** Who is on a window, by id. @param {string} site @param {string} window @param {string} [board] */
    async function membersOf(site, window, board = 'articles') {
      const { body } = await deployment.freshTop(`${board}/${window}`, '?limit=1000', site);
      return /** @type {{ id: string }[]} */ (body.entries).map(({ id }) => id).sort();
    }

    /** @param {string} site */
    const isReal = async (site, window = 'all') => (await membersOf(site, window)).filter((id) => REAL.includes(id)).length;

    test('fills an open board for ever', async () => {
      await view('open', junk(FLOOD));
      assert.equal(await view('open', REAL), null, 'nobody learns of it');
      assert.deepEqual([(await membersOf('open', 'all')).length, await isReal('open')], [500, 0]);
      deployment.clock.set(NOW + 40 * DAY_MS);
      await view('open', REAL);
      assert.deepEqual([await isReal('open'), await isReal('open', 'day')], [0, 20], 'a month later');
    });

    test('fills the day, and leaves room in all time', async () => {
      const before = deployment.worker.log.length;
      await view('windows', junk(FLOOD));
      await view('windows', REAL);
      for (const [window, total, real] of /** @type {const} */ ([
        ['day', 500, 0],
        ['hot', 500, 0],
      ])) {
        const shown = await membersOf('windows', window);
        assert.deepEqual([shown.length, await isReal('windows', window)], [total, real], window);
      }
      const { body } = await deployment.freshTop('articles/all', '?limit=1', 'windows');
      assert.equal(body.total, FLOOD + REAL.length);
      assert.equal((await deployment.freshTop('articles/day', '?limit=1', 'windows')).body.refused, FLOOD - 500 + REAL.length);
      const full = await deployment.fetch('/v1/windows/admin/boards', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
      assert.deepEqual(full.body.boards, [
        { board: 'articles', window: 'day', members: 500, max_members: 500, share: 1, refused: FLOOD - 500 + REAL.length },
        { board: 'articles', window: 'all', members: FLOOD + REAL.length, max_members: 20_000, share: 0.5, refused: 0 },
        { board: 'articles', window: 'hot', members: 500, max_members: 500, share: 1, refused: 0 },
      ]);
      const warnings = deployment.worker.log.slice(before).filter(({ message }) => message.includes('"board-nearly-full"'));
      const warned = warnings.map(({ message }) => JSON.parse(message).detail).sort();
      const expected = ['day', 'hot'].map((window) => `windows/articles/${window}: 500 of 500 members`);
      assert.deepEqual(warned, expected, 'each once');
      const metrics = await deployment.fetch('/v1/windows/admin/metrics', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
      for (const [window, max] of [
        ['day', 500],
        ['all', 20_000],
        ['last-7-days', 500],
        ['hot', 500],
      ]) {
        assert.ok(metrics.text.includes(`edgeboard_members_max{site="windows",board="articles",window="${window}"} ${max}\n`), `${window}`);
      }
    });

    describe('where only known items count', () => {
      /** @param {string[]} items */
      const publish = (items) => deployment.events({ events: items.map((item) => ({ action: 'publish', item })) }, { site: 'known' });

      test('puts nothing on the board; what the server named counts', async () => {
        assert.equal((await publish(REAL)).status, 200);
        assert.equal(await view('known', junk(FLOOD)), 'unknown-item');
        assert.equal(await view('known', REAL), null);
        for (const size of [1, 20]) assert.equal(await view('known', junk(1), { size }), 'unknown-item');
        assert.equal(await view('known', [REAL[0]], { size: 1 }), null);
        await readComplete(deployment, 'articles/last-7-days', '', 'known');
        for (const window of ['day', 'all', 'last-7-days', 'hot'])
          assert.deepEqual(await membersOf('known', window), [...REAL].sort(), window);
      });

      test('lets boards of actors count on', async () => {
        assert.equal(await view('known', junk(2), { actor: 'ann' }), null, 'it counts there');
        assert.deepEqual(entriesOf(await deployment.freshTop('people/day', '', 'known')), [['ann', 2]]);
        assert.deepEqual(await membersOf('known', 'all'), []);
      });

      test('takes what the server does with an item for an announcement, and an undo for what it is', async () => {
        const like = { action: 'like', item: '/posts/liked', actor: 'ann' };
        assert.equal((await deployment.beacon(like, { site: 'known' })).headers.get('edgeboard-refused'), 'unknown-item');
        assert.deepEqual((await deployment.events(like, { site: 'known' })).body.accepted, 1);
        assert.equal(await view('known', ['/posts/liked']), null);
        assert.deepEqual(entriesOf(await deployment.freshTop('articles/all', '', 'known')), [['/posts/liked', 3]]);
      });

      test('costs one command a batch, and none where every item counts', async () => {
        await publish(REAL);
        const costs = [];
        for (const site of ['open', 'known']) {
          await view(site, REAL);
          for (const items of [REAL, [REAL[0]]]) costs.push(await deployment.commandsDuring(() => view(site, items)));
        }
        const sums = costs.map((counts) => Object.values(counts).reduce((a, b) => a + b, 0));
        assert.deepEqual([sums[2] - sums[0], sums[3] - sums[1]], [1, 1], JSON.stringify(costs));
        assert.deepEqual([costs[2].zmscore - costs[0].zmscore, costs[3].zscore - (costs[1].zscore ?? 0)], [1, 1]);
      });

      test('forgets an item with the longest periods of the board, and not before', async () => {
        for (const site of ['known', 'brief']) await deployment.events({ action: 'publish', item: '/posts/old' }, { site });
        assert.equal(await deployment.redis.command('ZCARD', 'eb:{known:articles}:known'), 1);
        assert.equal(await deployment.redis.command('EXISTS', 'eb:{known:people}:known'), 0);
        for (const [days, expected] of /** @type {[number, string | null][]} */ ([
          [59, null],
          [61, 'unknown-item'],
        ])) {
          deployment.clock.set(NOW + days * DAY_MS);
          assert.equal(await view('brief', ['/posts/old']), expected, `after ${days} days`);
        }
        deployment.clock.set(NOW + 2000 * DAY_MS);
        assert.equal(await view('known', ['/posts/old']), null, 'all time has no end');
      });
    });

    describe('where new members are bounded', () => {
      test('puts so many on the board as one visitor may, and an address', async () => {
        assert.equal(await view('newcomers', junk(FLOOD)), 'too-many-new');
        assert.equal((await membersOf('newcomers', 'all')).length, 20);
        for (let i = 0; i < 10; i += 1) await view('newcomers', junk(FLOOD).slice(50 * i, 50 * i + 50), { agent: `Mozilla/5.0 rv:${i}` });
        assert.equal((await membersOf('newcomers', 'all')).length, 100);
        for (const window of ['day', 'last-7-days', 'hot']) assert.equal((await membersOf('newcomers', window)).length, 100, window);
        // Others are not kept from it, and what is there goes on being counted.
        assert.equal(await view('newcomers', REAL, { address: '198.51.100.1' }), null);
        assert.equal(await view('newcomers', ['/junk/0', REAL[0]]), null);
        assert.equal(await isReal('newcomers'), 20);
        assert.equal(await view('newcomers', ['/junk/9999'], { size: 1 }), 'too-many-new');
      });

      test('begins anew after an hour, with another salt', async () => {
        await view('newcomers', junk(25));
        const names = async () => deployment.redis.command('HKEYS', 'eb:{newcomers:articles}:newcomers');
        const before = await names();
        deployment.clock.set(NOW + 3_599_000);
        assert.equal(await view('newcomers', ['/junk/later'], { size: 1 }), 'too-many-new');
        deployment.clock.set(NOW + 3_601_000);
        assert.equal(await view('newcomers', ['/junk/later'], { size: 1 }), null);
        const now = await names();
        assert.deepEqual(
          now.filter((/** @type {string} */ name) => before.includes(name)),
          [],
        );
        assert.deepEqual([(await membersOf('newcomers', 'all')).length, now.length], [21, 2]);
        assert.deepEqual(keysThatHold(await contentsOf(deployment.redis), '192.0.2.1'), []);
      });

      test('refuses nothing that servers send, nor whom nobody knows', async () => {
        const events = junk(100).map((item) => ({ action: 'view', item }));
        assert.equal((await deployment.events({ events }, { site: 'newcomers' })).body.accepted, 100);
        assert.equal(await deployment.redis.command('EXISTS', 'eb:{newcomers:articles}:newcomers'), 0);
      });

      for (const site of ['tracked', 'fading']) {
        test(`bounds the site ${site} alike`, async () => {
          assert.equal(await view(site, junk(10), { size: 1 }), 'too-many-new');
          assert.deepEqual((await membersOf(site, 'hot')).length, 3);
          assert.equal(await view(site, junk(20).slice(10), { agent: 'Mozilla/5.0 rv:2' }), 'too-many-new');
          assert.deepEqual((await membersOf(site, 'hot')).length, 4);
        });
      }

      test('costs two commands a batch with new members, and none without', async () => {
        /** @type {number[]} */
        const costs = [];
        for (const site of ['open', 'newcomers']) {
          await view(site, ['/warm', '/warmer']);
          for (const items of [['/one'], ['/two', '/three'], ['/one'], ['/two', '/three']]) {
            const counts = await deployment.commandsDuring(() => view(site, items));
            costs.push(Object.values(counts).reduce((a, b) => a + b, 0));
          }
        }
        const more = [0, 1, 2, 3].map((i) => costs[4 + i] - costs[i]);
        assert.deepEqual(more, [2, 2, 0, 0], `${costs}`);
      });

      test('lets readers of an office be, unless they make up items', async () => {
        // Three hundred readers of one address, who open what nobody opened before.
        for (let reader = 0; reader < 300; reader += 1) {
          const items = [0, 1, 2].map((i) => `/archive/${reader * 3 + i}`);
          assert.equal(await view('usual', items, { agent: `Mozilla/5.0 rv:${reader}` }), null);
        }
        const { body } = await deployment.freshTop('articles/all', '?limit=1', 'usual');
        assert.equal(body.total, 900);
      });
    });
  });
}
