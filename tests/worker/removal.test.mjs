/**
 * Junk that filled a board is taken off it by hand, and stays off: everything else is as if it had never come.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { contentsOf, keysThatHold } from '../support/contents.mjs';
import { CALENDAR, entriesOf, RESP, startDeployment } from '../support/deployment.mjs';
import { DAY_MS, readComplete } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

const ADMIN_TOKEN = 'a-token-for-removal';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    articles: {
      weights: { view: 1, like: 2 },
      windows: [...CALENDAR, 'last-7-days', { name: 'hot', kind: 'half-life', half_life: '6h' }],
      max_members: 300,
      breakdown: true,
    },
    ordered: {
      weights: { view: 1, like: 2 },
      windows: ['day', 'last-2-days'],
      max_members: 300,
      ties: 'first',
      ranking: 'dense',
    },
    people: { members: 'actors', weights: { view: 1, like: 2 }, windows: ['day'] },
  },
};
const NOW = Date.parse('2026-11-20T12:00:00Z');
const ITEM_BOARDS = ['articles', 'ordered'];
const idOf = (/** @type {{ id: string }} */ { id }) => id;
const REAL = Array.from({ length: 20 }, (_, i) => `/posts/${i}`);

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    /** One that never gets junk. @type {Deployment} */
    let clean;
    before(async () => {
      const vars = { ADMIN_TOKEN };
      deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE }, vars });
      clean = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars });
    });
    beforeEach(async () => {
      for (const of of [deployment, clean]) {
        await of.reset();
        of.clock.set(NOW);
      }
    });
    after(async () => {
      await deployment?.stop();
      await clean?.stop();
    });

    /** @param {string} method @param {string} path */
    const ask = (method, path) => deployment.fetch(`/v1/demo/admin/${path}`, { method, headers });

    /** @param {string} method @param {string} what */
    async function onItemBoards(method, what) {
      const answers = [];
      for (const board of ITEM_BOARDS) answers.push(await ask(method, `boards/${board}/members${what}`));
      return answers;
    }

    /** As pages do, 20 in a beacon. @param {Deployment} to @param {string[]} items */
    async function click(to, items) {
      for (let i = 0; i < items.length; i += 20) {
        const events = items.slice(i, i + 20).map((item) => ({ action: 'view', item }));
        const { status } = await to.fetch('/v1/demo/beacon', { method: 'POST', body: JSON.stringify({ events }) });
        assert.equal(status, 204);
      }
    }

    /** Every window is the same on both. @param {string} when */
    async function assertSame(when) {
      for (const board of ITEM_BOARDS) {
        for (const window of SITE.boards[/** @type {'articles'} */ (board)].windows) {
          const name = typeof window === 'string' ? window : window.name;
          const [a, b] = await Promise.all(
            [deployment, clean].map(async (of) => (await readComplete(of, `${board}/${name}`, '?limit=100')).answer.body),
          );
          const shown = typeof window === 'string' ? entriesOf : (/** @type {{ body: any }} */ { body }) => body.entries.map(idOf);
          assert.deepEqual(shown({ body: a }), shown({ body: b }), `${board}/${name} ${when}`);
          assert.equal(a.total, b.total, `${board}/${name} ${when}`);
        }
      }
    }

    test('a full board is emptied of junk by its prefix, and takes real items again', async () => {
      await click(deployment, REAL.slice(0, 10));
      await click(clean, REAL.slice(0, 10));
      await click(
        deployment,
        Array.from({ length: 400 }, (_, i) => `/junk*?[a-z]/${i}`),
      );
      await click(deployment, REAL.slice(10));
      assert.equal((await deployment.freshTop('articles/all')).body.total, 300, 'it is full');
      const refused = await deployment.events({ action: 'view', item: '/posts/99' });
      assert.deepEqual([refused.status, refused.body.code], [409, 'board-full']);

      const prefix = `?prefix=${encodeURIComponent('/junk*?[')}`;
      const before = await contentsOf(deployment.redis);
      const [dry] = await onItemBoards('DELETE', `${prefix}&dry_run=1`);
      assert.deepEqual([dry.status, dry.body.dry_run, dry.body.done, dry.body.members.length], [200, true, true, 100]);
      assert.deepEqual(await contentsOf(deployment.redis), before, 'nothing was written');
      const [done] = await onItemBoards('DELETE', `${prefix}&by=ann`);
      assert.deepEqual([done.status, done.body.done, done.body.entries], [200, true, dry.body.entries]);
      // Six periods, the rolling board and its next one, and the half-life.
      assert.equal(done.body.entries, 9 * 290);
      assert.deepEqual(keysThatHold(await contentsOf(deployment.redis), '/junk*?[a-z]'), []);

      for (const of of [deployment, clean]) await click(of, REAL.slice(10));
      await assertSame('at once');
      await click(deployment, ['/junk*?[a-z]/1', '/junk*?[b', '/junk*?[a-z]/1000']);
      await assertSame('after more of it');
      for (const of of [deployment, clean]) of.clock.set(NOW + DAY_MS);
      await assertSame('on the next day');
    });

    test('a removed member is gone, its events and undos are refused, and other boards count them', async () => {
      const like = { action: 'like', item: '/posts/1', actor: 'ann' };
      await deployment.events({ events: [like, { action: 'view', item: '/posts/2' }] });
      await clean.events({ action: 'view', item: '/posts/2' });
      for (const { status, body } of await onItemBoards('DELETE', '/%2Fposts%2F1')) {
        assert.deepEqual([status, body.done, body.members], [200, true, ['/posts/1']]);
      }
      await assertSame('at once');
      const { body } = await deployment.events({
        events: [
          { ...like, actor: 'bob' },
          { action: 'view', item: '/posts/1' },
          { ...like, undo: true },
          { action: 'view', item: '/posts/2' },
        ],
      });
      await clean.events({ action: 'view', item: '/posts/2' });
      assert.deepEqual(
        body.rejected.map((/** @type {any} */ { index, code }) => [index, code]),
        [[1, 'item-gone']],
      );
      assert.deepEqual(entriesOf(await deployment.freshTop('people/day')), [['bob', 2]]);
      await assertSame('after more of it');

      const { body: listed } = await ask('GET', 'boards/articles/removed');
      assert.deepEqual(listed.removed.map(idOf), ['/posts/1']);
      for (const { status, text } of await onItemBoards('PUT', '/%2Fposts%2F1?by=ann')) assert.deepEqual([status, text], [204, '']);
      await deployment.events({
        events: [
          { ...like, undo: true },
          { action: 'view', item: '/posts/1' },
        ],
      });
      await clean.events({ action: 'view', item: '/posts/1' });
      await assertSame('after it was let in again');
      assert.deepEqual((await ask('GET', 'boards/articles/removed')).body.removed, []);
    });

    test('what was done is told, the latest first', async () => {
      await ask('DELETE', 'boards/articles/members/a?by=ann&keep_off=0');
      await ask('DELETE', 'boards/articles/members?prefix=b&dry_run=1');
      await ask('DELETE', 'boards/ordered/members?prefix=b');
      await ask('PUT', 'boards/ordered/members?prefix=b');
      const { status, body } = await ask('GET', 'audit?limit=3');
      assert.equal(status, 200);
      for (const { at } of body.entries) assert.ok(Math.abs(Date.parse(at) - NOW) < 60_000, at);
      assert.deepEqual(
        body.entries.map((/** @type {any} */ { at, address, ...what }) => what),
        [
          { did: 'let-in', board: 'ordered', prefix: 'b' },
          { did: 'remove', board: 'ordered', prefix: 'b', keep_off: true },
          { by: 'ann', did: 'remove', board: 'articles', member: 'a', keep_off: false },
        ],
      );
    });

    for (const [method, path, code] of /** @type {[string, string, string][]} */ ([
      ['DELETE', 'boards/articles/members', 'invalid-parameter'],
      ['DELETE', 'boards/articles/members?prefix=', 'invalid-parameter'],
      ['DELETE', 'boards/articles/members?prefix=a%00', 'invalid-parameter'],
      ['DELETE', 'boards/articles/members/a?prefix=a', 'unknown-parameter'],
      ['DELETE', 'boards/articles/members/a?dry_run=yes', 'invalid-parameter'],
      ['DELETE', 'boards/articles/members/a?keep_off=2', 'invalid-parameter'],
      ['DELETE', 'boards/none/members/a', 'unknown-board'],
      ['PUT', 'boards/articles/members', 'invalid-parameter'],
      ['GET', 'boards/articles/removed?cursor=x', 'invalid-parameter'],
      ['GET', 'audit?limit=1001', 'invalid-parameter'],
    ])) {
      test(`${method} ${path} → ${code}`, async () => {
        const answer = await ask(method, path);
        assert.equal(answer.body.code, code, answer.text);
        assert.deepEqual((await ask('GET', 'audit')).body.entries, [], 'nothing was done');
      });
    }
  });
}
