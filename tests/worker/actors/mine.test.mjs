/**
 * What an actor did: which items it likes, and one by one. Asked by servers, and by pages with the actor's token.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RESP, WRITE_TOKEN } from '../../support/deployment.mjs';
import { NOW, ORIGIN, serve, tokenOf } from './site.mjs';

const BEGIN_MS = Date.parse(NOW);
const token = tokenOf('u7');

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const mine = (/** @type {unknown} */ body, /** @type {Record<string, string>} */ headers = { origin: ORIGIN }, site = 'demo') =>
      on.deployment.fetch(`/v1/${site}/mine`, { method: 'POST', headers, body: JSON.stringify(body) });
    const liked = async (/** @type {string[]} */ items, as = token) => (await mine({ token: as, action: 'like', items })).body.done;
    const details = (query = '') =>
      on.deployment.fetch(`/v1/demo/actors/u7/activity?details=1${query}`, { headers: { authorization: `Bearer ${WRITE_TOKEN}` } });
    /** @param {object[]} events */
    async function send(...events) {
      const answer = await on.deployment.events({ events: events.map((event) => ({ action: 'like', actor: 'u7', ...event })) });
      assert.deepEqual(answer.body.rejected, []);
    }

    test('an actor’s likes are those that stand', async () => {
      await send({ item: 'a' }, { item: 'b' }, { item: 'c', actor: 'u8' });
      await on.deployment.beacon({ token, events: [{ action: 'like', item: 'd' }] }, { headers: { origin: ORIGIN } });
      assert.deepEqual(await liked(['a', 'b', 'c', 'd', 'e']), ['a', 'b', 'd']);
      assert.deepEqual(await liked(['a', 'c'], tokenOf('u8')), ['c']);
      await on.deployment.beacon({ token, action: 'like', item: 'a', undo: true }, { headers: { origin: ORIGIN } });
      assert.deepEqual(await liked(['a', 'b']), ['b']);
      await send({ item: 'a' });
      assert.deepEqual(await liked(['a', 'b']), ['a', 'b']);
      assert.deepEqual(await mine({ token, action: 'save', items: ['a'] }).then(({ body }) => body.done), [], 'another action');
      on.deployment.clock.advance(32 * 86_400_000);
      assert.deepEqual(await liked(['a', 'b']), [], 'older than actor_history');
    });

    test('a hundred items in one round trip, and no more', async () => {
      const items = Array.from({ length: 100 }, (_, i) => `item-${i}`);
      await send(...items.filter((_, i) => i % 3 === 0).map((item) => ({ item })));
      assert.deepEqual(
        await liked(items),
        items.filter((_, i) => i % 3 === 0),
      );
      const { body } = await mine({ token, action: 'like', items: [...items, 'x'] });
      assert.equal(body.code, 'invalid-ids');
    });

    test('details: the latest first, with what each counts on each board, and what was undone', async () => {
      const at = (/** @type {number} */ minutes) => new Date(BEGIN_MS - minutes * 60_000).toISOString();
      await send({ item: 'old', at: at(90) }, { item: 'a, "b"', at: at(30) }, { action: 'save', item: 'new', at: at(1) });
      await send({ item: 'old', undo: true }, { action: 'comment', item: 'x' }, { item: 'other', actor: 'u8' });
      const entry = (
        /** @type {string} */ action,
        /** @type {string} */ item,
        /** @type {number} */ minutes,
        /** @type {number} */ points,
      ) => ({
        at: at(minutes),
        action,
        item,
        points: points ? { articles: points, people: points } : {},
        undone: points === 0,
      });
      const entries = [entry('save', 'new', 1, 5), entry('like', 'a, "b"', 30, 2), entry('like', 'old', 90, 0)];
      const answer = await details();
      assert.deepEqual(answer.body, { site: 'demo', actor: 'u7', entries, next: null });
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.deepEqual((await mine({ token, details: true })).body, answer.body);
      // Done again, it stands again, at its new instant.
      await send({ item: 'old', at: at(2) });
      assert.deepEqual((await details()).body.entries, [entries[0], entry('like', 'old', 2, 2), entries[1]]);
    });

    test('details come in pages, each entry once, also where instants are the same', async () => {
      const at = new Date(BEGIN_MS - 60_000).toISOString();
      const items = Array.from({ length: 25 }, (_, i) => `item-${i}`);
      await send(...items.map((item) => ({ item, at })));
      /** @type {string[]} */
      const found = [];
      /** @type {string | null} */
      let next = '';
      while (next !== null) {
        const { body } = /** @type {any} */ (await details(`&limit=7${next && `&after=${next}`}`));
        assert.ok(body.entries.length <= 7);
        found.push(...body.entries.map((/** @type {{ item: string }} */ { item }) => item));
        next = body.next;
      }
      assert.deepEqual(found.sort(), items.sort());
      const { body } = await mine({ token, details: true, limit: 20 });
      assert.equal((await mine({ token, details: true, limit: 20, after: body.next })).body.entries.length, 5);
    });

    describe('a site with activity_entries', () => {
      const entriesOf = async (query = '') => {
        const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
        return (await on.deployment.fetch(`/v1/brief/actors/u7/activity?details=1${query}`, { headers })).body;
      };
      const tell = async (/** @type {object[]} */ events, id = '') => {
        const answer = await on.deployment.events(
          { ...(id && { id }), events: events.map((event) => ({ actor: 'u7', ...event })) },
          { site: 'brief' },
        );
        assert.deepEqual(answer.body.rejected, []);
      };
      const at = (/** @type {number} */ minutes) => new Date(BEGIN_MS - minutes * 60_000).toISOString();

      test('tells what cannot be undone as well, each event once', async () => {
        await tell([{ action: 'view', item: 'a:b', at: at(10) }], 'one');
        await tell([{ action: 'view', item: 'a:b', at: at(10) }], 'one');
        await tell([
          { action: 'like', item: 'b', at: at(5) },
          { action: 'view', item: 'c', at: at(7) },
          { action: 'view', item: 'd', actor: undefined },
        ]);
        await tell([
          { action: 'comment', item: 'e', at: at(1), count: 3 },
          { action: 'comment', item: 'f', at: at(2) },
        ]);
        const points = (/** @type {number} */ score) => ({ articles: score, people: score });
        const entries = [
          { at: at(1), action: 'comment', item: 'e', count: 3, points: points(9), undone: false },
          { at: at(2), action: 'comment', item: 'f', points: points(3), undone: false },
          { at: at(5), action: 'like', item: 'b', points: points(2), undone: false },
          { at: at(7), action: 'view', item: 'c', points: points(1), undone: false },
          { at: at(10), action: 'view', item: 'a:b', points: points(1), undone: false },
        ];
        assert.deepEqual(await entriesOf(), { site: 'brief', actor: 'u7', entries, next: null });
        assert.deepEqual(
          (await mine({ token: tokenOf('u7', { site: 'brief' }), details: true }, undefined, 'brief')).body.entries,
          entries,
        );
        await tell([{ action: 'like', item: 'b', undo: true }]);
        assert.deepEqual((await entriesOf()).entries[2], { ...entries[2], points: {}, undone: true });
        assert.equal((await details()).body.entries.length, 0, 'of one site');
      });

      test('keeps the last ones, for as long as actor_history, until they are erased', async () => {
        const { clock, fetch, redis } = on.deployment;
        const views = Array.from({ length: 12 }, (_, i) => ({ action: 'view', item: `v${i}`, at: at(20 - i) }));
        await tell([{ action: 'like', item: 'b', at: at(30) }, ...views.slice(0, 6)]);
        for (const view of views.slice(6)) await tell([view]);
        const items = async (query = '') => (await entriesOf(query)).entries.map((/** @type {{ item: string }} */ { item }) => item);
        assert.deepEqual(await items(), ['v11', 'v10', 'v9', 'v8', 'v7', 'b']);
        const { next } = await entriesOf('&limit=4');
        assert.deepEqual(await items(`&limit=4&after=${next}`), ['v7', 'b']);
        const [key, ...others] = await redis.command('KEYS', '*:entries:*');
        assert.deepEqual([key, others, await redis.command('TTL', key)], ['eb:{brief}:entries:u7', [], 31 * 86_400]);
        const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
        clock.advance(31 * 86_400_000 - 13 * 60_000);
        assert.deepEqual(await items(), ['v11', 'v10', 'v9', 'v8', 'b']);
        assert.equal((await fetch('/v1/brief/actors/u7', { method: 'DELETE', headers })).status, 204);
        assert.deepEqual([await items(), await redis.command('KEYS', '*:entries:*')], [[], []]);
      });

      test('a foreign value where entries belong is left alone', async () => {
        await on.deployment.redis.command('SET', 'eb:{brief}:entries:u7', 'foreign');
        await tell([{ action: 'view', item: 'a' }]);
        assert.equal(await on.deployment.redis.command('GET', 'eb:{brief}:entries:u7'), 'foreign');
      });

      test('a view by an actor then costs eight commands more at most', async () => {
        const cost = async (/** @type {string} */ site) => {
          const view = () => on.deployment.events({ action: 'view', item: 'a', actor: 'u7' }, { site });
          for (let warm = 0; warm < 3; warm += 1) await view();
          const counts = await on.deployment.commandsDuring(view);
          return { all: Object.values(counts).reduce((sum, calls) => sum + calls, 0), counts };
        };
        const [brief, others] = [await cost('brief'), await cost('demo')];
        assert.equal(brief.counts.zremrangebyrank, 1);
        assert.ok(brief.all <= others.all + 8, JSON.stringify([brief, others]));
      });
    });

    test('an actor’s days', async () => {
      await send({ item: 'a' }, { action: 'comment', item: 'a' });
      const { body } = await mine({ token });
      assert.deepEqual(body, { site: 'demo', actor: 'u7', days: [{ day: '2026-11-20', actions: { comment: 1, like: 1 } }] });
    });

    test('erasing an actor leaves nothing of it', async () => {
      await send({ item: 'a' });
      const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
      assert.equal((await on.deployment.fetch('/v1/demo/actors/u7', { method: 'DELETE', headers })).status, 204);
      assert.deepEqual([await liked(['a']), (await details()).body.entries], [[], []]);
    });

    test('who may not ask is told why', async () => {
      const expired = tokenOf('u7', { expiry: Math.floor(on.deployment.edgeClock.now() / 1000) - 62 });
      const like = { token, action: 'like', items: ['a'] };
      for (const [body, status, code] of /** @type {[unknown, number, string][]} */ ([
        [{ ...like, token: expired }, 401, 'invalid-token'],
        [{ ...like, token: tokenOf('u7', { site: 'other' }) }, 401, 'invalid-token'],
        [{ ...like, token: undefined }, 401, 'invalid-token'],
        [{ ...like, token: 7 }, 401, 'invalid-token'],
        [{ ...like, action: 'view' }, 400, 'invalid-action'],
        [{ ...like, action: undefined }, 400, 'invalid-action'],
        [{ ...like, items: [] }, 400, 'invalid-ids'],
        [{ ...like, items: 'a' }, 400, 'invalid-ids'],
        [{ ...like, items: ['a', ''] }, 400, 'invalid-id'],
        [{ ...like, actor: 'u8' }, 400, 'unknown-field'],
        [{ token, days: 0 }, 400, 'invalid-parameter'],
        [{ token, details: 1 }, 400, 'invalid-parameter'],
        [{ token, details: true, limit: 101 }, 400, 'invalid-parameter'],
        [{ token, details: true, after: 'x' }, 400, 'invalid-parameter'],
        [[like], 400, 'invalid-json'],
      ])) {
        const answer = await mine(body);
        assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(body));
        assert.equal(answer.headers.get('cache-control'), 'no-store');
      }
      assert.equal((await mine(like, { origin: 'https://elsewhere.example' })).body.code, 'origin-not-allowed');
      const listed = await mine(like);
      assert.deepEqual([listed.status, listed.headers.get('access-control-allow-origin')], [200, ORIGIN]);
    });
  });
}
