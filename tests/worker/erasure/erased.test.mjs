/**
 * An erased actor is gone, and everything else is as if it had never been. The deployment is compared with a second one
 * that only got the events of others, now and over the midnights that follow.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { contentsOf, keysThatHold } from '../../support/contents.mjs';
import { CALENDAR, entriesOf, RESP } from '../../support/deployment.mjs';
import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import {
  ADMIN_TOKEN,
  assertErased,
  assertRollingRight,
  assertSame,
  bearer,
  erase,
  makeEvents,
  MIDNIGHT,
  NOW,
  ofOthers,
  PEOPLE,
  prepare,
  RANKINGS,
  read,
  rollingOf,
  seen,
  send,
  serve,
  TODAY,
  VICTIM,
} from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const activityOf = (/** @type {Deployment} */ of, actor = VICTIM, query = '', site = 'demo') =>
  of.fetch(`/v1/${site}/actors/${encodeURIComponent(actor)}/activity${query}`, { headers: bearer });

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);

    test('erased: nothing in Redis tells of it, and everything else is as if it had never been', async () => {
      const events = makeEvents(11, 500, Date.parse(NOW), 60);
      await Promise.all([send(on.deployment, events), send(on.without, ofOthers(events))]);
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      for (const list of ['plain/pinned', 'people/hidden', 'latest/hidden']) {
        const curated = await on.deployment.fetch(`/v1/demo/admin/boards/${list}/${encodeURIComponent(VICTIM)}`, {
          method: 'PUT',
          headers,
        });
        assert.equal(curated.status, 204, curated.text);
      }
      for (const period of ['&period=2026-11-19', '&period=2026-11-12']) {
        for (const of of [on.deployment, on.without]) await read(of, 'people/last-7-days', period);
      }
      await Promise.all([on.deployment, on.without].map((of) => prepare(of)));

      const items = RANKINGS.filter(([board]) => board === 'articles');
      const readItems = async () =>
        Promise.all(items.map(async ([board, window]) => seen(await read(on.deployment, `${board}/${window}`))));
      const itemsBefore = await readItems();
      assert.ok(keysThatHold(await contentsOf(on.deployment.redis), VICTIM).length > 100, 'it is everywhere');
      assert.ok((await activityOf(on.deployment)).body.days.length > 10);

      const { status, text, headers: answered } = await erase(on.deployment);
      assert.deepEqual([status, text, answered.get('cache-control')], [204, '', 'no-store']);
      await assertErased(on.deployment);
      assert.deepEqual(await readItems(), itemsBefore, 'what it counted on items stays');
      assert.deepEqual((await activityOf(on.deployment)).body.days, []);
      for (const [board, window] of PEOPLE) {
        const member = `/v1/demo/boards/${board}/${window}/members/${encodeURIComponent(VICTIM)}`;
        assert.equal((await on.deployment.fetch(member)).body.code, 'not-on-board', `${board}/${window}`);
      }
      await assertSame(on.deployment, on.without, 'at once');
      for (const [window, ...periods] of [
        ['day', '2026-11-19', '2026-10-02'],
        ['week', '2026-W46'],
        ['month', '2026-10'],
        ['last-7-days', '2026-11-19', '2026-11-12', '2026-11-03'],
        ['last-3-weeks', '2026-W46'],
        ['last-2-hours', '2026-11-20T09Z'],
      ]) {
        for (const period of periods) {
          const [a, b] = await Promise.all([on.deployment, on.without].map((of) => read(of, `people/${window}`, `&period=${period}`)));
          assert.deepEqual(seen(a), seen(b), `${window} ${period}`);
        }
      }
      await assertErased(on.deployment);

      for (let day = 0; day < 8; day += 1) {
        for (const of of [on.deployment, on.without]) of.clock.set(MIDNIGHT + day * DAY_MS);
        // On some days nobody prepared the next.
        if (day % 3 === 1) await Promise.all([on.deployment, on.without].map((of) => prepare(of)));
        await assertSame(on.deployment, on.without, `at midnight ${day}`);
        await assertRollingRight(on.deployment, rollingOf(TODAY + 1 + day), { prepared: false });
        for (const of of [on.deployment, on.without]) of.clock.set(MIDNIGHT + day * DAY_MS + 5 * HOUR_MS);
        const more = ofOthers(makeEvents(100 + day, 60, MIDNIGHT + day * DAY_MS + 5 * HOUR_MS, 9));
        await Promise.all([send(on.deployment, more), send(on.without, more)]);
      }
      await assertErased(on.deployment);
    });

    for (const [what, path, init, status, code] of /** @type {[string, string, RequestInit, number, string][]} */ ([
      ['no token', 'u1', {}, 401, 'unauthorized'],
      ['the token of admins', 'u1', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }, 401, 'unauthorized'],
      ['a parameter', 'u1?days=1', { headers: bearer }, 400, 'unknown-parameter'],
      ...['x'.repeat(257), 'a%00b', 'a%0Ab', '%C3%A9'.repeat(129)].map(
        (id) =>
          /** @type {[string, string, RequestInit, number, string]} */ ([
            `the id ${id.slice(0, 20)}`,
            id,
            { headers: bearer },
            400,
            'invalid-id',
          ]),
      ),
      ['POST', 'u1', { method: 'POST', headers: bearer }, 405, 'method-not-allowed'],
    ])) {
      test(`${what} → ${status} ${code}`, async () => {
        const answer = await on.deployment.fetch(`/v1/demo/actors/${path}`, { method: 'DELETE', ...init });
        assert.deepEqual([answer.status, answer.body.code, answer.headers.get('cache-control')], [status, code, 'no-store'], answer.text);
      });
    }

    test('erased twice is erased; so is who never was, and nothing changes by that', async () => {
      const events = makeEvents(12, 200, Date.parse(NOW), 20);
      await send(on.deployment, ofOthers(events));
      const traces = /:(lock|state)$/;
      const dump = async () => [...(await contentsOf(on.deployment.redis))].filter(([key]) => !traces.test(key));
      const before = await dump();
      for (const actor of [VICTIM, 'nobody', '/posts/1', '{', 'x'.repeat(256)])
        assert.equal((await erase(on.deployment, actor)).status, 204);
      assert.deepEqual(await dump(), before);
      await send(
        on.deployment,
        events.filter(({ actor }) => actor === VICTIM),
      );
      assert.equal((await erase(on.deployment)).status, 204);
      const once = await dump();
      assert.equal((await erase(on.deployment)).status, 204);
      assert.deepEqual(await dump(), once);
      await assertErased(on.deployment);
    });

    test('an item that is called the same stays, and so does the actor on another site', async () => {
      const view = { action: 'view', item: VICTIM, actor: VICTIM };
      for (const site of ['demo', 'short']) await on.deployment.events(view, { site });
      assert.equal((await erase(on.deployment)).status, 204);
      assert.deepEqual(entriesOf(await on.deployment.freshTop('articles/all')), [[VICTIM, 1]]);
      assert.deepEqual(entriesOf(await on.deployment.freshTop('people/all')), []);
      assert.deepEqual(entriesOf(await on.deployment.freshTop('people/all', '', 'short')), [[VICTIM, 1]]);
      assert.deepEqual((await activityOf(on.deployment, VICTIM, '', 'short')).body.days, [{ day: '2026-11-20', actions: { view: 1 } }]);
    });

    test('from a site on.without an activity log, also what one held before', async () => {
      await on.deployment.events({ action: 'view', item: 'x', actor: VICTIM }, { site: 'quiet' });
      await on.deployment.redis.command('HSET', 'eb:{quiet}:day:20770:actions', VICTIM, 'view 1 1', 'u1', 'view 1 1');
      await on.deployment.redis.command('EXPIRE', 'eb:{quiet}:day:20770:actions', 1000);
      assert.equal((await erase(on.deployment, VICTIM, 'quiet')).status, 204);
      await assertErased(on.deployment);
      assert.equal(await on.deployment.redis.command('HLEN', 'eb:{quiet}:day:20770:actions'), 1);
    });

    test('what it does afterwards counts anew, and only that', async () => {
      const like = { action: 'like', item: 'x', actor: VICTIM };
      const down = { action: 'down', item: 'x', actor: VICTIM };
      const view = { action: 'view', item: 'x', actor: VICTIM };
      await send(on.deployment, [like, down, view, { ...view, item: 'y', at: '2026-11-15T12:00:00Z' }]);
      assert.deepEqual((await on.deployment.events({ events: [like] })).body.rejected[0].code, 'already-done');
      assert.equal((await erase(on.deployment)).status, 204);
      const { body } = await on.deployment.events({ events: [{ ...like, undo: true }, like, down, view] });
      assert.deepEqual([body.accepted, body.rejected.map((/** @type {any} */ { index, code }) => [index, code])], [3, [[0, 'not-done']]]);
      for (const window of [...CALENDAR, 'last-2-hours', 'last-7-days', 'last-3-weeks', 'last-2-months']) {
        assert.deepEqual(entriesOf(await read(on.deployment, `people/${window}`)), [[VICTIM, 2]], window);
      }
      assert.deepEqual(
        entriesOf(await read(on.deployment, 'articles/all')),
        [
          ['x', 6],
          ['y', 1],
        ],
        'what it counted on items before, and now',
      );
      assert.deepEqual((await activityOf(on.deployment)).body.days, [{ day: '2026-11-20', actions: { like: 1, down: 1, view: 1 } }]);
      on.deployment.clock.set(MIDNIGHT);
      assert.deepEqual(entriesOf(await read(on.deployment, 'people/last-7-days')), [[VICTIM, 2]]);
      assert.deepEqual(entriesOf(await read(on.deployment, 'people/day')), []);
      on.deployment.clock.set(MIDNIGHT + 6 * DAY_MS);
      assert.deepEqual(entriesOf(await read(on.deployment, 'people/last-7-days')), []);
    });
  });
}
