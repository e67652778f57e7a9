/**
 * The activity log: what actors did, by day and action, whatever boards make of it.
 *
 * # Out of scope
 *
 * That it equals a model over many events (activity/), and its erasure (erasure/).
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { startDeployment, RESP, WRITE_TOKEN } from '../support/deployment.mjs';
import { DAY_MS } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

const ADMIN_TOKEN = 'a-token-for-admins';
const bearer = { authorization: `Bearer ${WRITE_TOKEN}` };
const SITE = {
  timezone: 'Europe/London',
  day_starts_at: '04:00',
  actions: { view: { public: true }, like: { reversible: true }, down: {}, save: { reversible: true }, wink: {} },
  boards: {
    people: {
      members: 'actors',
      weights: { view: 1, like: 2, down: -1 },
      windows: ['day', 'last-7-days'],
      once: { like: 'ever', down: 'day' },
    },
    articles: { weights: { view: 1, down: -2 }, windows: ['day'] },
  },
};
const SITES = { demo: SITE, quiet: { ...SITE, activity: false }, short: { ...SITE, actor_history: '3d' } };

/** A day of London's winter, which began at 04:00Z. */
const NOW = '2026-11-20T12:00:00Z';
const MIDNIGHT = Date.parse('2026-11-21T04:00:00Z');

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: SITES, vars: { ADMIN_TOKEN } })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** @param {object[]} events */
    async function send(events) {
      const { status, text } = await deployment.events({ events });
      assert.equal(status, 200, text);
    }

    const activityOf = (/** @type {string} */ actor, query = '', site = 'demo') =>
      deployment.fetch(`/v1/${site}/actors/${actor}/activity${query}`, { headers: bearer });

    test('what an actor did per day, the latest first, only days with something', async () => {
      await send([
        { action: 'view', item: 'x', actor: 'u1' },
        { action: 'view', item: 'y', actor: 'u1' },
        { action: 'like', item: 'x', actor: 'u1' },
        { action: 'wink', item: 'x', actor: 'u1', at: '2026-11-20T03:59:59.999Z' }, // worth nothing, and of yesterday
        { action: 'view', item: 'x', actor: 'u1', at: '2026-11-20T04:00:00Z' },
        { action: 'down', item: 'x', actor: 'u1', at: '2026-11-10T12:00:00Z' },
        { action: 'view', item: 'x', actor: 'u2', at: '2026-11-12T12:00:00Z' },
      ]);
      const { status, headers, body } = await activityOf('u1');
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.deepEqual(body, {
        site: 'demo',
        actor: 'u1',
        days: [
          { day: '2026-11-20', actions: { view: 3, like: 1 } },
          { day: '2026-11-19', actions: { wink: 1 } },
          { day: '2026-11-10', actions: { down: 1 } },
        ],
      });
      assert.deepEqual((await activityOf('nobody')).body, { site: 'demo', actor: 'nobody', days: [] });
      assert.deepEqual((await activityOf('u1', '', 'short')).body.days, [], 'of one site');
    });

    test('what was done again, and counts once on boards, was done again', async () => {
      const down = { action: 'down', item: 'x', actor: 'u1' };
      const { body } = await deployment.events({ events: [down, down, { ...down, id: 'one' }, { ...down, id: 'one' }] });
      assert.deepEqual(body, { accepted: 3, duplicate: 1, rejected: [] }, 'on the boards where it counts each time');
      assert.deepEqual((await activityOf('u1')).body.days, [{ day: '2026-11-20', actions: { down: 3 } }]);
    });

    test('what was undone was not done, on the day of the action', async () => {
      const like = { action: 'like', item: 'x', actor: 'u1' };
      const save = { action: 'save', item: 'x', actor: 'u1' };
      await send([
        { ...like, at: '2026-11-18T12:00:00Z' },
        { ...save, at: '2026-11-18T12:00:00Z' },
        { action: 'view', item: 'x', actor: 'u1' },
      ]);
      await send([{ ...like, undo: true }]);
      const view = { day: '2026-11-20', actions: { view: 1 } };
      assert.deepEqual((await activityOf('u1')).body.days, [view, { day: '2026-11-18', actions: { save: 1 } }]);
      await send([{ ...save, undo: true }]);
      assert.deepEqual((await activityOf('u1')).body.days, [view]);
      await send([{ ...like, undo: true }, like]);
      assert.deepEqual((await activityOf('u1')).body.days, [{ day: '2026-11-20', actions: { view: 1, like: 1 } }]);
    });

    test('days: as many as are asked for, as far as the actor history reaches', async () => {
      const days = Array.from({ length: 33 }, (_, ago) => Date.parse(NOW) - ago * DAY_MS);
      const views = days.map((at) => ({ action: 'view', item: 'x', actor: 'u1', at }));
      await send(views);
      await deployment.events({ events: views }, { site: 'short' });
      const names = days.map((at) => new Date(at).toISOString().slice(0, 10));
      for (const [query, number, site] of /** @type {[string, number, string?][]} */ ([
        ['', 31],
        ['?days=31', 31],
        ['?days=30', 30],
        ['?days=2', 2],
        ['?days=1', 1],
        ['', 3, 'short'],
        ['?days=3', 3, 'short'],
      ])) {
        const { status, body } = await activityOf('u1', query, site);
        assert.deepEqual([status, body.days.map((/** @type {any} */ { day }) => day)], [200, names.slice(0, number)], `${query} ${site}`);
      }
      deployment.clock.set(MIDNIGHT);
      assert.deepEqual(
        (await activityOf('u1', '?days=2')).body.days.map((/** @type {any} */ { day }) => day),
        names.slice(0, 1),
      );
    });

    test('a day is forgotten when the actor history ends', async () => {
      await deployment.events(
        {
          events: [
            { action: 'view', item: 'x', actor: 'u1' },
            { action: 'view', item: 'x', actor: 'u1', at: '2026-11-17T12:00:00Z' },
          ],
        },
        { site: 'short' },
      );
      const ends = [MIDNIGHT, MIDNIGHT - 3 * DAY_MS].map((end) => end + 3 * DAY_MS);
      const keys = [20_777, 20_774].map((day) => `eb:{short}:day:${day}:actions`);
      for (const [i, key] of keys.entries()) assert.equal(await deployment.redis.command('PEXPIRETIME', key), ends[i], key);
      // A day that is over for longer is not written any more.
      await deployment.events({ events: [{ action: 'view', item: 'x', actor: 'u1', at: '2026-11-16T12:00:00Z' }] }, { site: 'short' });
      assert.deepEqual((await deployment.redis.command('KEYS', 'eb:{short}:day:*')).sort(), keys.sort());
    });

    for (const [what, path, init, status, code] of /** @type {[string, string, RequestInit, number, string][]} */ ([
      ['no token', 'u1/activity', {}, 401, 'unauthorized'],
      ['another token', 'u1/activity', { headers: { authorization: 'Bearer nonsense' } }, 401, 'unauthorized'],
      ['the token of admins', 'u1/activity', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }, 401, 'unauthorized'],
      ...['0', '32', '-1', '1.5', '', 'x', '1e1', '%2B5', '99999999999'].map(
        (days) =>
          /** @type {[string, string, RequestInit, number, string]} */ ([
            `days=${days}`,
            `u1/activity?days=${days}`,
            { headers: bearer },
            400,
            'invalid-parameter',
          ]),
      ),
      ['days twice', 'u1/activity?days=1&days=2', { headers: bearer }, 400, 'repeated-parameter'],
      ['another parameter', 'u1/activity?around=1', { headers: bearer }, 400, 'unknown-parameter'],
      ...['x'.repeat(257), 'a%00b', 'a%0Ab', '%C3%A9'.repeat(129)].map(
        (id) =>
          /** @type {[string, string, RequestInit, number, string]} */ ([
            `the id ${id.slice(0, 20)}`,
            `${id}/activity`,
            { headers: bearer },
            400,
            'invalid-id',
          ]),
      ),
      ['an id that is not UTF-8', '%FF/activity', { headers: bearer }, 400, 'invalid-encoding'],
      ['POST', 'u1/activity', { method: 'POST', headers: bearer }, 405, 'method-not-allowed'],
      ['an unknown site', '/v1/nobody/actors/u1/activity', { headers: bearer }, 404, 'unknown-site'],
      ['a site without an activity log', '/v1/quiet/actors/u1/activity', { headers: bearer }, 404, 'no-activity'],
    ])) {
      test(`${what} → ${status} ${code}`, async () => {
        const answer = await deployment.fetch(path.startsWith('/') ? path : `/v1/demo/actors/${path}`, init);
        assert.deepEqual([answer.status, answer.body.code, answer.headers.get('cache-control')], [status, code, 'no-store'], answer.text);
      });
    }

    test('a site without an activity log keeps none', async () => {
      const { body } = await deployment.events(
        {
          events: [
            { action: 'wink', item: 'x', actor: 'u1' },
            { action: 'view', item: 'x', actor: 'u1' },
          ],
        },
        { site: 'quiet' },
      );
      assert.equal(body.accepted, 2);
      assert.deepEqual(await deployment.redis.command('KEYS', 'eb:{quiet}*'), []);
    });
  });
}
