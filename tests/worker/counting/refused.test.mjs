/**
 * What is refused leaves no id: sent again it counts when it may, or when it was mended in its place, and nothing else counts twice. On
 * every way that events take.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { inPart } from '../../support/part.mjs';
import { until } from '../../support/until.mjs';

const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, star: {}, like: { reversible: true }, mark: {} },
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: ['all'] },
    small: { weights: { view: 1, star: 1, like: 2 }, windows: ['day'], max_members: 2, limit: 2 },
    likers: { members: 'actors', weights: { like: 1 }, windows: ['all'] },
    marks: { weights: { mark: 1 }, windows: ['all'] },
  },
};
const ONCE = { ...SITE.boards.articles, windows: ['day'], once: { view: 'day' } };
const NOON = '2026-11-20T12:00:00Z';
const AN_HOUR_LATER = '2026-11-20T13:00:01Z';
const THE_NEXT_DAY = '2026-11-21T00:30:00Z';
const [TODAY, TOMORROW] = ['day:20777', 'day:20778'];
const SOON = { timeoutMs: 20_000 };

const of = (/** @type {string} */ action, /** @type {string} */ item) => ({ action, item });

/** How a site takes events; `tells`: whether it answers what became of each. */
const WAYS = [
  { name: 'direct', ingest: 'direct', tells: true },
  { name: 'grouped', ingest: 'grouped', tells: true },
  { name: 'over two partitions', ingest: 'grouped', ingest_partitions: 2, tells: true },
  { name: 'by a queue', ingest: 'queue', tells: false },
];

for (const { name, tells, ...ingest } of inPart(WAYS.slice(0, 1), WAYS.slice(1))) {
  describe(name, () => {
    /** @type {import('../../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => {
      const site = { ...SITE, ...ingest };
      const sites = {
        demo: site,
        bounded: { ...site, new_members: { visitor: 1, address: 1 } },
        visited: { ...site, visitors_per_address: 1, boards: { articles: ONCE, marks: SITE.boards.marks } },
      };
      deployment = await startDeployment({ transport: 'redis://', sites, hasQueue: true });
    });
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOON);
    });
    after(() => deployment?.stop());

    let last = 0;
    /**
     * Sends a batch as the site's server and waits until it was counted: until a batch after it was.
     *
     * @param {unknown} body
     * @param {[accepted: number, duplicate: number, rejected: [number, string][]]} answer where it is told
     */
    async function send(body, [accepted, duplicate, rejected], site = 'demo') {
      const { status, body: reply, text } = await deployment.events(body, { site });
      if (tells && !('events' in /** @type {object} */ (body)) && rejected.length > 0) {
        assert.deepEqual([status, reply.code], [rejected[0][1] === 'board-full' ? 409 : 429, rejected[0][1]], text);
        return;
      }
      assert.equal(status, tells ? 200 : 202, text);
      if (tells) {
        const codes = reply.rejected.map((/** @type {any} */ { index, code }) => [index, code]);
        assert.deepEqual([reply.accepted, reply.duplicate, codes], [accepted, duplicate, rejected], text);
      }
      await settled(site);
    }

    async function settled(site = 'demo') {
      if (tells) return;
      last += 1;
      await deployment.events({ ...of('mark', `${last}`), id: `mark-${last}` }, { site });
      const isThere = async () => (await deployment.redis.command('ZSCORE', `eb:{${site}:marks}:all:0`, `${last}`)) !== null;
      await until('all delivered', isThere, SOON);
    }

    /** Whom a period of a board has. @returns {Promise<Record<string, number>>} */
    async function on(board = 'articles', period = 'all:0', site = 'demo') {
      const stored = await deployment.redis.command('ZRANGE', `eb:{${site}:${board}}:${period}`, '0', '-1', 'WITHSCORES');
      const pairs = Array.from({ length: stored.length / 2 }, (_, i) => [stored[2 * i], Number(stored[2 * i + 1])]);
      return Object.fromEntries(pairs.filter(([, score]) => Number.isFinite(score)));
    }

    /** Fills the day's board that has room for two. */
    const fill = () => send({ id: 'fill', events: [of('star', 'a'), of('star', 'b')] }, [2, 0, []]);

    test('what a full board refuses counts when there is room, and nothing else again', async () => {
      const batch = { id: 'x', events: [of('star', 'a'), of('star', 'b'), of('star', 'c'), of('star', 'a')] };
      await send(batch, [3, 0, [[2, 'board-full']]]);
      await send(batch, [0, 3, [[2, 'board-full']]]);
      assert.deepEqual(await on('small', TODAY), { a: 2, b: 1 });
      deployment.clock.set(THE_NEXT_DAY);
      await send(batch, [1, 3, []]);
      await send(batch, [0, 4, []]);
      assert.deepEqual([await on('small', TODAY), await on('small', TOMORROW)], [{ a: 2, b: 1 }, { c: 1 }]);
    });

    test('a bare event likewise', async () => {
      await fill();
      const bare = { ...of('star', 'c'), id: 'own' };
      for (let i = 0; i < 2; i += 1) await send(bare, [0, 0, [[0, 'board-full']]]);
      deployment.clock.set(THE_NEXT_DAY);
      await send(bare, [1, 0, []]);
      await send(bare, [0, 1, []]);
      assert.deepEqual(await on('small', TOMORROW), { c: 1 });
    });

    test('an event that one of two boards refuses counts there later, and on the other one once', async () => {
      await fill();
      const batch = { id: 'x', events: [of('view', 'a'), of('view', 'c'), { ...of('like', 'd'), actor: 'u', seq: 1 }] };
      await send(batch, [3, 0, []]);
      assert.deepEqual(
        [await on('small', TODAY), await on()],
        [
          { a: 2, b: 1 },
          { a: 1, c: 1, d: 2 },
        ],
      );
      deployment.clock.set(THE_NEXT_DAY);
      await send(batch, [2, 1, []]);
      await send(batch, [0, 3, []]);
      assert.deepEqual(
        [await on('small', TOMORROW), await on()],
        [
          { c: 1, d: 2 },
          { a: 1, c: 1, d: 2 },
        ],
      );
      assert.deepEqual(await on('likers'), { u: 1 });
    });

    test('an event that was mended in its place alone counts', async () => {
      const batch = (/** @type {object} */ mended) => ({ id: 'x', events: [of('view', 'a'), mended, of('view', 'a'), of('view', 'd')] });
      await send(batch(of('look', 'b')), [3, 0, [[1, 'unknown-action']]]);
      await send(batch({ action: 'view' }), [0, 3, [[1, 'invalid-item']]]);
      assert.deepEqual(await on(), { a: 2, d: 1 });
      await send(batch(of('view', 'b')), [1, 3, []]);
      await send(batch(of('view', 'b')), [0, 4, []]);
      assert.deepEqual(await on(), { a: 2, b: 1, d: 1 });
    });

    test('one that a full board refused may be mended as well', async () => {
      await fill();
      const batch = (/** @type {string} */ item) => ({ id: 'x', events: [of('star', 'a'), of('star', item), of('star', 'b')] });
      await send(batch('c'), [2, 0, [[1, 'board-full']]]);
      await send(batch('a'), [1, 2, []]);
      await send(batch('a'), [0, 3, []]);
      assert.deepEqual(await on('small', TODAY), { a: 3, b: 2 });
    });

    test('what is undone meanwhile stays undone, where it counted', async () => {
      await fill();
      const like = (/** @type {string} */ item, /** @type {number} */ seq) => ({ ...of('like', item), actor: 'u', seq });
      const batch = { id: 'x', events: [like('a', 1), like('c', 1)] };
      await send(batch, [2, 0, []]);
      await send(
        {
          id: 'y',
          events: [
            { ...like('a', 2), undo: true },
            { ...like('c', 2), undo: true },
          ],
        },
        [2, 0, []],
      );
      deployment.clock.set(THE_NEXT_DAY);
      await send(batch, [0, 2, []]);
      assert.deepEqual(
        [await on('small', TODAY), await on('small', TOMORROW), await on(), await on('likers')],
        [{ a: 1, b: 1 }, {}, {}, {}],
      );
    });

    test('a visitor of a crowded address counts on the next day', async () => {
      const visit = (/** @type {string} */ agent) => ({ ...of('view', 'a'), visitor: { address: '192.0.2.1', agent } });
      const batch = { id: 'x', events: [visit('first'), visit('second')] };
      await send(batch, [1, 0, [[1, 'too-many-visitors']]], 'visited');
      await send(batch, [0, 1, [[1, 'too-many-visitors']]], 'visited');
      deployment.clock.set(THE_NEXT_DAY);
      await send(batch, [1, 1, []], 'visited');
      await send(batch, [0, 2, []], 'visited');
      // A third one, by itself: until the site's next day.
      const { status, body, headers } = await deployment.events(visit('third'), { site: 'visited' });
      assert.deepEqual([status, body?.code], tells ? [429, 'too-many-visitors'] : [202, undefined]);
      const waitS = Number(headers.get('retry-after'));
      assert.ok(tells ? waitS >= 1 && waitS <= 86_400 : waitS === 0, 'until the next day, as far as the edge knows');
      await settled('visited');
      assert.deepEqual([await on('articles', TODAY, 'visited'), await on('articles', TOMORROW, 'visited')], [{ a: 1 }, { a: 1 }]);
    });

    test('a browser with too many new members may send them an hour later', async () => {
      const batch = { id: 'x', events: [of('view', 'a'), of('view', 'b')] };
      const beacon = async (/** @type {string | null} */ refused) => {
        const headers = { 'cf-connecting-ip': '192.0.2.9' };
        const answer = await deployment.beacon(batch, { site: 'bounded', headers });
        assert.equal(answer.status, 204);
        if (tells) assert.equal(answer.headers.get('edgeboard-refused'), refused);
        await settled('bounded');
      };
      for (let i = 0; i < 2; i += 1) await beacon('too-many-new');
      assert.deepEqual(await on('articles', 'all:0', 'bounded'), { a: 1 });
      deployment.clock.set(AN_HOUR_LATER);
      for (let i = 0; i < 2; i += 1) await beacon(null);
      assert.deepEqual(await on('articles', 'all:0', 'bounded'), { a: 1, b: 1 });
    });
  });
}
