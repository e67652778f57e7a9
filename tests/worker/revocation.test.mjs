/**
 * What an actor, a visitor or an item did is taken back from the journal: everything is as if it had never been.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { contentsOf, keysThatHold } from '../support/contents.mjs';
import { CALENDAR, entriesOf, RESP, startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { sampled } from '../support/part.mjs';
import { createRandom, DAY_MS, HOUR_MS, readComplete } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {Record<string, any>} Event */

const ADMIN_TOKEN = 'a-token-for-revoking';
const BOARDS = {
  articles: {
    weights: { view: 1, like: 2 },
    windows: [...CALENDAR, 'last-7-days', 'last-2-hours'],
    breakdown: true,
    once: { view: 'day' },
  },
  ordered: { weights: { view: 1, like: 2 }, windows: ['day', 'last-2-days'], ties: 'last', ranking: 'dense' },
  people: { members: 'actors', weights: { view: 1, like: 2 }, windows: ['day', 'all'] },
};
const SITE = {
  origins: ['*'],
  journal: '8d',
  actors: 'any',
  actions: { view: { public: true }, like: { reversible: true } },
  boards: BOARDS,
};
const GAME = {
  journal: '8d',
  actions: { finish: {} },
  boards: {
    best: { members: 'actors', score: 'max', actions: ['finish'], windows: ['day'] },
    races: { members: 'actors', weights: { finish: 1 }, windows: ['day'] },
  },
};
const NOW = Date.parse('2026-11-20T12:00:00Z');
const BOT = { address: '192.0.2.66', agent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/144.0' };
const idOf = (/** @type {{ id: string }} */ { id }) => id;

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    /** One that never sees what is taken back. @type {Deployment} */
    let clean;
    before(async () => {
      const { journal, ...silent } = SITE;
      const sites = { demo: SITE, silent, game: GAME };
      assert.equal(journal, '8d');
      deployment = await startDeployment({ transport, relayed: true, sites, vars: { ADMIN_TOKEN } });
      clean = await startDeployment({ transport: 'redis://', sites, vars: { ADMIN_TOKEN } });
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

    const ask = (/** @type {object} */ body, query = '', site = 'demo') =>
      deployment.fetch(`/v1/${site}/admin/revoke${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
        body: JSON.stringify(body),
      });

    /** Counts events on both; those that a culprit did on one alone. @param {Event[]} events @param {(event: Event) => boolean} did */
    async function count(events, did) {
      for (let i = 0; i < events.length; i += 100) {
        const some = events.slice(i, i + 100);
        assert.equal((await deployment.events({ events: some })).status, 200);
        const others = some.filter((event) => !did(event));
        if (others.length > 0) assert.equal((await clean.events({ events: others })).status, 200);
      }
    }

    /** Every window is the same on both. @param {string} when */
    async function assertSame(when) {
      for (const [board, { windows }] of Object.entries(BOARDS)) {
        for (const window of windows) {
          const [a, b] = await Promise.all(
            [deployment, clean].map(async (of) => (await readComplete(of, `${board}/${window}`, '?limit=100')).answer),
          );
          assert.deepEqual(entriesOf(a), entriesOf(b), `${board}/${window} ${when}`);
        }
      }
    }

    /** Three days of views and likes, some of them undone. @param {number} seed @param {number} number */
    function makeEvents(seed, number) {
      const random = createRandom(seed);
      const pick = (/** @type {number} */ below) => Math.floor(random() * below);
      /** @type {Event[]} */
      const made = [];
      for (let i = 0; i < number; i += 1) {
        const item = `/posts/${pick(12)}`;
        const ago = pick(2) * pick(3 * DAY_MS);
        const kind = pick(4);
        if (kind === 0) made.push({ action: 'view', item, visitor: pick(3) === 0 ? BOT : { address: `192.0.2.${pick(9)}`, agent: 'x' } });
        else made.push({ action: kind === 1 ? 'view' : 'like', item, actor: `u${pick(5)}`, ago, ...(kind === 3 && { undo: true }) });
      }
      return made;
    }

    for (const [what, culprit, did] of sampled(
      /** @type {[string, object, (event: Event) => boolean][]} */ ([
        ['an actor', { actor: 'u1' }, ({ actor }) => actor === 'u1'],
        ['a visitor', { visitor: BOT }, ({ visitor }) => visitor === BOT],
        ['an item', { item: '/posts/3' }, ({ item }) => item === '/posts/3'],
      ]),
    )) {
      test('boards that rank values are named, and keep what they have', async () => {
        const finish = { action: 'finish', actor: 'ann', value: 3 };
        const sent = await deployment.fetch('/v1/game/events', {
          method: 'POST',
          headers: { authorization: `Bearer ${WRITE_TOKEN}` },
          body: JSON.stringify(finish),
        });
        assert.equal(sent.body.accepted, 1, sent.text);
        const { status, body, text } = await ask({ actor: 'ann' }, '', 'game');
        assert.deepEqual([status, body.done, body.left_out], [200, true, ['best']], text);
        const entries = async (/** @type {string} */ board) =>
          (await deployment.fetch(`/v1/game/boards/${board}/day`)).body.entries.map(idOf);
        assert.deepEqual([await entries('best'), await entries('races')], [['ann'], []]);
      });

      test(`${what}: everything is as if it had never been, also after more`, async () => {
        const events = makeEvents(7, 400);
        await count(events, did);
        const contents = await contentsOf(deployment.redis);
        const dry = await ask({ ...culprit, dry_run: true });
        assert.deepEqual([dry.status, dry.body.dry_run, dry.body.done], [200, true, true], dry.text);
        assert.ok(dry.body.events > 20, dry.text);
        assert.deepEqual(await contentsOf(deployment.redis), contents, 'nothing was written');
        const { status, body } = await ask(culprit, '?by=ann');
        assert.deepEqual([status, body.done, body.events], [200, true, dry.body.events]);
        assert.ok(Math.abs(Date.parse(body.journal_since) - NOW) < 60_000, body.journal_since);
        await assertSame('at once');
        assert.equal((await ask(culprit)).body.events, 0);
        for (const of of [deployment, clean]) of.clock.set(NOW + 3 * HOUR_MS);
        await count(makeEvents(8, 200), () => false);
        await assertSame('after more');
        for (const of of [deployment, clean]) of.clock.set(NOW + DAY_MS);
        await assertSame('on the next day');
      });
    }

    test('only what happened in the span is taken back', async () => {
      const view = (/** @type {string} */ at) => ({ action: 'view', item: `/at/${at}`, actor: 'u1', at: `2026-11-20T${at}:00Z` });
      await deployment.events({ events: ['09:59', '10:00', '10:59', '11:00'].map(view) });
      const { body } = await ask({ actor: 'u1', from: '2026-11-20T10:00:00Z', until: '2026-11-20T11:00:00Z' });
      // On two boards of items, one of actors, and in the activity log.
      assert.deepEqual([body.events, body.members.toSorted()], [8, ['/at/10:00', '/at/10:59', 'u1']]);
      assert.deepEqual((await deployment.freshTop('articles/day')).body.entries.map(idOf).toSorted(), ['/at/09:59', '/at/11:00']);
      const activity = await deployment.fetch('/v1/demo/actors/u1/activity', { headers: { authorization: `Bearer ${WRITE_TOKEN}` } });
      assert.deepEqual(activity.body.days, [{ day: '2026-11-20', actions: { view: 2 } }]);
    });

    test('beacons are noted with their visitor, whose address and agent are nowhere', async () => {
      const headers = { 'cf-connecting-ip': BOT.address, 'user-agent': BOT.agent };
      for (const item of ['/a', '/b']) {
        const body = JSON.stringify({ action: 'view', item });
        assert.equal((await deployment.fetch('/v1/demo/beacon', { method: 'POST', headers, body })).status, 204);
      }
      assert.equal((await ask({ visitor: BOT, dry_run: true })).body.events, 4);
      assert.deepEqual(keysThatHold(await contentsOf(deployment.redis), BOT.address), []);
      await ask({ visitor: BOT });
      assert.deepEqual((await deployment.freshTop('articles/day')).body.entries, []);
      assert.deepEqual(keysThatHold(await contentsOf(deployment.redis), BOT.address), [], 'nor in the audit log');
    });

    test('an erased actor is in the journal no more, and others are', async () => {
      const like = (/** @type {string} */ actor) => ({ action: 'like', item: '/a', actor });
      await deployment.events({ events: [like('ann'), like('bob')] });
      await deployment.events({
        events: [
          { ...like('ann'), undo: true },
          { ...like('ann'), item: '/b' },
        ],
      });
      const erased = await deployment.fetch('/v1/demo/actors/ann', {
        method: 'DELETE',
        headers: { authorization: `Bearer ${WRITE_TOKEN}` },
      });
      assert.equal(erased.status, 204);
      assert.deepEqual(keysThatHold(await contentsOf(deployment.redis), 'ann'), []);
      assert.equal((await ask({ actor: 'ann' })).body.events, 0);
      assert.equal((await ask({ actor: 'bob' })).body.events, 4);
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/day')), [['/b', 2]], 'what she counted on items stays');
      await ask({ item: '/b' });
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/day')), []);
    });

    test('what was removed before is not taken back once more', async () => {
      await deployment.events({ events: [{ action: 'like', item: '/a', actor: 'ann' }] });
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      for (const board of ['articles', 'ordered']) {
        await deployment.fetch(`/v1/demo/admin/boards/${board}/members/%2Fa?keep_off=0`, { method: 'DELETE', headers });
      }
      await deployment.events({ events: [{ action: 'view', item: '/a' }] });
      await ask({ actor: 'ann' });
      for (const ranking of ['articles/day', 'ordered/day']) assert.deepEqual(entriesOf(await deployment.freshTop(ranking)), [['/a', 1]]);
    });

    test('a site without a journal says so, and pays nothing', async () => {
      await deployment.events({ action: 'view', item: '/a' }, { site: 'silent' });
      assert.equal((await ask({ actor: 'ann' }, '', 'silent')).body.code, 'no-journal');
      assert.deepEqual((await deployment.redis.command('KEYS', '*silent*journal*')) ?? [], []);
    });

    for (const [body, code] of /** @type {[any, string][]} */ ([
      [{}, 'invalid-revocation'],
      [[], 'invalid-json'],
      [{ actor: 'a', item: 'b' }, 'invalid-revocation'],
      [{ actor: '' }, 'invalid-revocation'],
      [{ visitor: { agent: 'x' } }, 'invalid-revocation'],
      [{ visitor: { address: '192.0.2.1', ip: 1 } }, 'invalid-revocation'],
      [{ actor: 'a', from: 'today' }, 'invalid-revocation'],
      [{ actor: 'a', from: '2026-11-20T12:00:00Z', until: '2026-11-20T12:00:00Z' }, 'invalid-revocation'],
      [{ actor: 'a', dry_run: 1 }, 'invalid-revocation'],
      [{ actor: 'a', since: '2026-11-20T12:00:00Z' }, 'invalid-revocation'],
    ])) {
      test(`${JSON.stringify(body)} → ${code}`, async () => {
        const answer = await ask(body);
        assert.deepEqual([answer.status, answer.body.code], [400, code], answer.text);
      });
    }
  });
}
