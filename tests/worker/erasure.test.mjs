/**
 * An actor that is erased is gone from everything that Redis holds, and everything else is as if it had never been: compared
 * with a second deployment that only got the events of others, now and over the midnights that follow.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { contentsOf, keysForEver, keysThatHold } from '../support/contents.mjs';
import { CALENDAR, entriesOf, startDeployment, RESP, WRITE_TOKEN } from '../support/deployment.mjs';
import { createRandom, DAY_MS, HOUR_MS, readComplete } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../support/deployment.mjs').Answer} Answer */
/** @typedef {{ action: string, item: string, actor: string, at?: number | string, undo?: true }} Event */

const ADMIN_TOKEN = 'a-token-for-admins';
const bearer = { authorization: `Bearer ${WRITE_TOKEN}` };
const DECAYING = [
  { name: 'hot', kind: 'half-life', half_life: '30h' },
  { name: 'fading', kind: 'step', every: 'day', factor: 0.8 },
  { name: 'smooth', kind: 'linear', resets: 'week', at: '02:01:00', beta: 1.5 },
];
const SITE = {
  timezone: 'Europe/London',
  day_starts_at: '04:00',
  actions: { view: { public: true }, like: { reversible: true }, down: {}, save: { reversible: true }, wink: {} },
  boards: {
    people: {
      members: 'actors',
      weights: { view: 1, like: 2, down: -1 },
      windows: [...CALENDAR, 'last-2-hours', 'last-7-days', 'last-3-weeks', 'last-2-months'],
      ties: 'first',
      ranking: 'dense',
      breakdown: true,
      once: { like: 'ever', down: 'day' },
      limit: 1000,
    },
    latest: { members: 'actors', weights: { view: 1, down: -2 }, windows: ['day', 'last-3-days'], ties: 'last', ranking: 'competition' },
    plain: { members: 'actors', weights: { view: 1, like: 0.3, down: -0.1 }, windows: ['hour', 'day', 'last-2-days', 'last-366-days'] },
    fading: { members: 'actors', weights: { view: 1, like: 2.5 }, windows: [...DECAYING, 'day'], breakdown: true },
    articles: {
      weights: { view: 1, like: 2 },
      windows: ['day', 'all', 'last-7-days'],
      once: { view: 'day', like: 'ever' },
      ties: 'first',
      breakdown: true,
    },
    glowing: { weights: { view: 1 }, windows: DECAYING },
  },
};
/** Whose days are erased in five chunks. */
const LONE = {
  ...SITE,
  activity: false,
  boards: { plain: { members: 'actors', weights: { view: 1, down: -0.1 }, windows: ['last-2-days', 'last-366-days'] } },
};
/** @type {[board: string, window: string][]} */
const RANKINGS = Object.entries(SITE.boards).flatMap(([board, { windows }]) =>
  windows.map((window) => /** @type {[string, string]} */ ([board, typeof window === 'string' ? window : window.name])),
);
const PEOPLE = RANKINGS.filter(([board]) => !['articles', 'glowing'].includes(board));
const fades = (/** @type {string} */ window) => DECAYING.some(({ name }) => name === window);

/** Looks like a pattern and like the parts of keys and arguments. */
const VICTIM = 'u-{demo:people}:actor:* ?[a-z]\\ %20é"\'';
/** Whose ids are chunks of it, and others. */
const OTHERS = ['u-{demo:people}:actor:', 'u-', 'actor', '*', ...Array.from({ length: 12 }, (_, i) => `u${i}`)];

/** A day of London's winter, which began at 04:00Z. */
const NOW = '2026-11-20T12:00:00Z';
const MIDNIGHT = Date.parse('2026-11-21T04:00:00Z');

const erase = (/** @type {Deployment} */ from, actor = VICTIM, site = 'demo') =>
  from.fetch(`/v1/${site}/actors/${encodeURIComponent(actor)}`, { method: 'DELETE', headers: bearer });
const activityOf = (/** @type {Deployment} */ of, actor = VICTIM, query = '', site = 'demo') =>
  of.fetch(`/v1/${site}/actors/${encodeURIComponent(actor)}/activity${query}`, { headers: bearer });

/** @param {Deployment} to @param {Event[]} events */
async function send(to, events) {
  for (let i = 0; i < events.length; i += 100) {
    const { status, text } = await to.events({ events: events.slice(i, i + 100) });
    assert.equal(status, 200, text);
  }
}

/** Nothing in Redis tells of the actor. @param {Deployment} deployment */
async function assertGone(deployment, actor = VICTIM) {
  const contents = await contentsOf(deployment.redis);
  assert.deepEqual(keysThatHold(contents, actor), []);
  await assertExpiring(deployment, contents.keys());
}

/** Nothing stays that should not. @param {Deployment} deployment @param {Iterable<string>} keys */
async function assertExpiring(deployment, keys) {
  const forever = await keysForEver(deployment.redis, keys);
  assert.deepEqual(
    forever.filter((key) => !/:(state|sequence|year:\d+.*|all:0.*|once:ever:0:.*)$/.test(key)),
    [],
    'keys that never expire',
  );
}

/**
 * What Redis holds of people, without what counts calls: the order of ties without the places, and no traces of work.
 * Rolling boards are left out: work on the next ones goes on in the background.
 *
 * @param {Deployment} deployment
 * @returns {Promise<Map<string, string[]>>}
 */
async function peopleIn(deployment) {
  const left = /^eb:\{demo:(articles|glowing)\}|:window:last-|:(state|lock|sequence|seen:\d+|undone:\d+)$/;
  const kept = [...(await contentsOf(deployment.redis))].filter(([key]) => !left.test(key));
  return new Map(
    kept.map(([key, value]) => [
      key,
      /:(first|last)$/.test(key) ? value.filter((_, i) => i % 2 === 0) : /:tracked:/.test(key) ? trackedOf(value) : value,
    ]),
  );
}

/** Tracked actions without their sequence numbers and when they were recorded. @param {string[]} hash */
const trackedOf = (hash) => hash.map((text) => text.replace(/^(done|undone),\d+/, '$1').replace(/,\d+,[^,]*$/, ''));

/**
 * Every ranking of boards that rank actors is the same on both, and so is all that they are read from.
 *
 * @param {Deployment} one
 * @param {Deployment} other
 * @param {string} when
 */
async function assertSame(one, other, when) {
  const check = async (/** @type {[string, string]} */ [board, window]) => {
    const [a, b] = await Promise.all([one, other].map((of) => read(of, `${board}/${window}`)));
    if (fades(window)) {
      assert.deepEqual(a.body.entries.map(idOf), b.body.entries.map(idOf), `${board}/${window} ${when}`);
    } else {
      assert.deepEqual(seen(a), seen(b), `${board}/${window} ${when}`);
    }
  };
  await Promise.all(PEOPLE.map(check));
  const [a, b] = await Promise.all([one, other].map(peopleIn));
  assert.deepEqual([...a.keys()], [...b.keys()], when);
  for (const [key, value] of a) assert.deepEqual(value, b.get(key), `${key} ${when}`);
}
const idOf = (/** @type {{ id: string }} */ { id }) => id;
const seen = (/** @type {Answer} */ { body: { entries, total, complete, period } }) => ({ entries, total, complete, period });

/** @param {Deployment} deployment @param {string} ranking @param {string} [query] */
async function read(deployment, ranking, query) {
  const [board] = ranking.split('/');
  const most = board === 'people' ? 1000 : 100;
  return (await readComplete(deployment, ranking, `?limit=${most}${query ?? ''}`)).answer;
}

/** 2026-11-20 */
const TODAY = 20_777;
/** `[board with its site, window, unit, length, current period]` @typedef {[string, string, string, number, number]} Rolling */
/** @param {number} day @returns {Rolling[]} */
const rollingOf = (day) => [
  ['demo:people', 'last-7-days', 'day', 7, day],
  ['demo:latest', 'last-3-days', 'day', 3, day],
  ['demo:plain', 'last-2-days', 'day', 2, day],
  ['demo:plain', 'last-366-days', 'day', 366, day],
];
/** @param {number} day @returns {Rolling[]} */
const rollingOfLone = (day) => [
  ['lone:plain', 'last-2-days', 'day', 2, day],
  ['lone:plain', 'last-366-days', 'day', 366, day],
];

/**
 * Every member of every rolling board has the sum of its base boards, now and, where upkeep has prepared them, for the next
 * period.
 *
 * @param {Deployment} deployment
 * @param {Rolling[]} windows
 * @param {{ prepared: boolean }} state
 */
async function assertRollingRight(deployment, windows, { prepared }) {
  const contents = await contentsOf(deployment.redis);
  const scores = (/** @type {string} */ key) => {
    const flat = contents.get(key) ?? [];
    return flat.flatMap((member, i) => (i % 2 === 0 ? [/** @type {[string, number]} */ ([member, Number(flat[i + 1])])] : []));
  };
  for (const [board, window, unit, length, current] of windows) {
    for (const last of prepared ? [current, current + 1] : [current]) {
      /** @type {Map<string, number>} */
      const sums = new Map();
      for (let number = last - length + 1; number <= last; number += 1) {
        for (const [member, score] of scores(`eb:{${board}}:${unit}:${number}`)) {
          sums.set(member, Math.round(((sums.get(member) ?? 0) + score) * 1e6) / 1e6);
        }
      }
      const expected = [...sums].filter(([, sum]) => sum !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
      const stored = scores(`eb:{${board}}:window:${window}:${last}`).sort(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual(stored, expected, `${board}/${window} of ${last}`);
    }
  }
}

/**
 * Events of two months, the same for the same seed: most of them of days long past, some of which undo others.
 *
 * @param {number} seed
 * @param {number} count
 * @param {number} now
 * @param {number} days
 * @returns {Event[]} in no order of time
 */
function makeEvents(seed, count, now, days) {
  const random = createRandom(seed);
  const pick = (/** @type {number} */ below) => Math.floor(random() * below);
  /** @type {Event[]} */
  const made = [];
  for (let i = 0; i < count; i += 1) {
    const liked = made.filter(({ action, undo }) => action === 'like' && !undo);
    if (random() < 0.05 && liked.length > 0) {
      const { at, ...like } = liked[pick(liked.length)];
      made.push({ ...like, undo: true });
      continue;
    }
    const action = ['view', 'view', 'view', 'like', 'down', 'save', 'wink'][pick(7)];
    const actor = random() < 0.25 ? VICTIM : OTHERS[pick(OTHERS.length)];
    // Whole minutes, so that steps of time that tests take cannot matter.
    const ago = random() < 0.3 ? pick(HOUR_MS) : pick(days * DAY_MS);
    made.push({ action, actor, item: `/posts/${pick(30)}`, at: Math.floor((now - ago) / 60_000) * 60_000 });
  }
  return made;
}
const ofOthers = (/** @type {Event[]} */ events) => events.filter(({ actor }) => actor !== VICTIM);

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    /** One that never hears of the victim. @type {Deployment} */
    let without;
    const SITES = { demo: SITE, lone: LONE, quiet: { ...SITE, activity: false }, short: { ...SITE, actor_history: '3d' } };
    before(async () => {
      deployment = await startDeployment({ transport, relayed: true, sites: SITES, vars: { ADMIN_TOKEN } });
      without = await startDeployment({ transport: 'redis://', sites: SITES });
    });
    beforeEach(async () => {
      for (const of of [deployment, without]) {
        await of.reset();
        of.clock.set(NOW);
      }
    });
    after(async () => {
      await deployment?.stop();
      await without?.stop();
    });

    test('erased: nothing in Redis tells of it, and everything else is as if it had never been', async () => {
      const events = makeEvents(11, 500, Date.parse(NOW), 60);
      await Promise.all([send(deployment, events), send(without, ofOthers(events))]);
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      for (const list of ['plain/pinned', 'people/hidden', 'latest/hidden']) {
        const curated = await deployment.fetch(`/v1/demo/admin/boards/${list}/${encodeURIComponent(VICTIM)}`, { method: 'PUT', headers });
        assert.equal(curated.status, 204, curated.text);
      }
      for (const period of ['&period=2026-11-19', '&period=2026-11-12']) {
        for (const of of [deployment, without]) await read(of, 'people/last-7-days', period);
      }
      await Promise.all([deployment, without].map((of) => of.worker.scheduled()));

      const items = RANKINGS.filter(([board]) => board === 'articles');
      const readItems = async () => Promise.all(items.map(async ([board, window]) => seen(await read(deployment, `${board}/${window}`))));
      const itemsBefore = await readItems();
      assert.ok(keysThatHold(await contentsOf(deployment.redis), VICTIM).length > 100, 'it is everywhere');
      assert.ok((await activityOf(deployment)).body.days.length > 10);

      const { status, text, headers: answered } = await erase(deployment);
      assert.deepEqual([status, text, answered.get('cache-control')], [204, '', 'no-store']);
      await assertGone(deployment);
      assert.deepEqual(await readItems(), itemsBefore, 'what it counted on items stays');
      assert.deepEqual((await activityOf(deployment)).body.days, []);
      for (const [board, window] of PEOPLE) {
        const member = `/v1/demo/boards/${board}/${window}/members/${encodeURIComponent(VICTIM)}`;
        assert.equal((await deployment.fetch(member)).body.code, 'not-on-board', `${board}/${window}`);
      }
      await assertSame(deployment, without, 'at once');
      for (const [window, ...periods] of [
        ['day', '2026-11-19', '2026-10-02'],
        ['week', '2026-W46'],
        ['month', '2026-10'],
        ['last-7-days', '2026-11-19', '2026-11-12', '2026-11-03'],
        ['last-3-weeks', '2026-W46'],
        ['last-2-hours', '2026-11-20T09Z'],
      ]) {
        for (const period of periods) {
          const [a, b] = await Promise.all([deployment, without].map((of) => read(of, `people/${window}`, `&period=${period}`)));
          assert.deepEqual(seen(a), seen(b), `${window} ${period}`);
        }
      }
      await assertGone(deployment);

      for (let day = 0; day < 8; day += 1) {
        for (const of of [deployment, without]) of.clock.set(MIDNIGHT + day * DAY_MS);
        // On some days nobody prepared the next.
        if (day % 3 === 1) await Promise.all([deployment, without].map((of) => of.worker.scheduled()));
        await assertSame(deployment, without, `at midnight ${day}`);
        await assertRollingRight(deployment, rollingOf(TODAY + 1 + day), { prepared: false });
        for (const of of [deployment, without]) of.clock.set(MIDNIGHT + day * DAY_MS + 5 * HOUR_MS);
        const more = ofOthers(makeEvents(100 + day, 60, MIDNIGHT + day * DAY_MS + 5 * HOUR_MS, 9));
        await Promise.all([send(deployment, more), send(without, more)]);
      }
      await assertGone(deployment);
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
      ['GET', 'u1', { method: 'GET', headers: bearer }, 405, 'method-not-allowed'],
    ])) {
      test(`${what} → ${status} ${code}`, async () => {
        const answer = await deployment.fetch(`/v1/demo/actors/${path}`, { method: 'DELETE', ...init });
        assert.deepEqual([answer.status, answer.body.code, answer.headers.get('cache-control')], [status, code, 'no-store'], answer.text);
      });
    }

    test('erased twice is erased; so is who never was, and nothing changes by that', async () => {
      const events = makeEvents(12, 200, Date.parse(NOW), 20);
      await send(deployment, ofOthers(events));
      const traces = /:(lock|state)$/;
      const dump = async () => [...(await contentsOf(deployment.redis))].filter(([key]) => !traces.test(key));
      const before = await dump();
      for (const actor of [VICTIM, 'nobody', '/posts/1', '{', 'x'.repeat(256)]) assert.equal((await erase(deployment, actor)).status, 204);
      assert.deepEqual(await dump(), before);
      await send(
        deployment,
        events.filter(({ actor }) => actor === VICTIM),
      );
      assert.equal((await erase(deployment)).status, 204);
      const once = await dump();
      assert.equal((await erase(deployment)).status, 204);
      assert.deepEqual(await dump(), once);
      await assertGone(deployment);
    });

    test('an item that is called the same stays, and so does the actor on another site', async () => {
      const view = { action: 'view', item: VICTIM, actor: VICTIM };
      for (const site of ['demo', 'short']) await deployment.events(view, { site });
      assert.equal((await erase(deployment)).status, 204);
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/all')), [[VICTIM, 1]]);
      assert.deepEqual(entriesOf(await deployment.freshTop('people/all')), []);
      assert.deepEqual(entriesOf(await deployment.freshTop('people/all', '', 'short')), [[VICTIM, 1]]);
      assert.deepEqual((await activityOf(deployment, VICTIM, '', 'short')).body.days, [{ day: '2026-11-20', actions: { view: 1 } }]);
    });

    test('from a site without an activity log, also what one held before', async () => {
      await deployment.events({ action: 'view', item: 'x', actor: VICTIM }, { site: 'quiet' });
      await deployment.redis.command('HSET', 'eb:{quiet}:day:20770:actions', VICTIM, 'view 1 1', 'u1', 'view 1 1');
      await deployment.redis.command('EXPIRE', 'eb:{quiet}:day:20770:actions', 1000);
      assert.equal((await erase(deployment, VICTIM, 'quiet')).status, 204);
      await assertGone(deployment);
      assert.equal(await deployment.redis.command('HLEN', 'eb:{quiet}:day:20770:actions'), 1);
    });

    test('what it does afterwards counts anew, and only that', async () => {
      const like = { action: 'like', item: 'x', actor: VICTIM };
      const down = { action: 'down', item: 'x', actor: VICTIM };
      const view = { action: 'view', item: 'x', actor: VICTIM };
      await send(deployment, [like, down, view, { ...view, item: 'y', at: '2026-11-15T12:00:00Z' }]);
      assert.deepEqual((await deployment.events({ events: [like] })).body.rejected[0].code, 'already-done');
      assert.equal((await erase(deployment)).status, 204);
      const { body } = await deployment.events({ events: [{ ...like, undo: true }, like, down, view] });
      assert.deepEqual([body.accepted, body.rejected.map((/** @type {any} */ { index, code }) => [index, code])], [3, [[0, 'not-done']]]);
      for (const window of [...CALENDAR, 'last-2-hours', 'last-7-days', 'last-3-weeks', 'last-2-months']) {
        assert.deepEqual(entriesOf(await read(deployment, `people/${window}`)), [[VICTIM, 2]], window);
      }
      assert.deepEqual(
        entriesOf(await read(deployment, 'articles/all')),
        [
          ['x', 6],
          ['y', 1],
        ],
        'what it counted on items before, and now',
      );
      assert.deepEqual((await activityOf(deployment)).body.days, [{ day: '2026-11-20', actions: { like: 1, down: 1, view: 1 } }]);
      deployment.clock.set(MIDNIGHT);
      assert.deepEqual(entriesOf(await read(deployment, 'people/last-7-days')), [[VICTIM, 2]]);
      assert.deepEqual(entriesOf(await read(deployment, 'people/day')), []);
      deployment.clock.set(MIDNIGHT + 6 * DAY_MS);
      assert.deepEqual(entriesOf(await read(deployment, 'people/last-7-days')), []);
    });

    describe('while events come in between', () => {
      /**
       * Erases. `meanwhile` gets the number of each round trip from then on, its own ones included, once it has been
       * applied and before its reply is sent on.
       *
       * @param {string} site
       * @param {(trip: number) => void} meanwhile
       */
      async function eraseWhile(site, meanwhile) {
        let trips = 0;
        deployment.link.loseRepliesWhen(() => {
          meanwhile((trips += 1));
          return false;
        });
        const { status } = await erase(deployment, VICTIM, site);
        deployment.link.loseRepliesWhen(() => false);
        assert.equal(status, 204);
      }
      /** Lets Redis wait until what is sent now has arrived, too. */
      const hold = () => void deployment.redis.command('CLIENT', 'PAUSE', '60');

      test('of others and of itself: rolling windows are the sums of their base boards', async () => {
        const events = makeEvents(13, 500, Date.parse(NOW), 60);
        await Promise.all([send(deployment, events), send(without, ofOthers(events))]);
        /** @type {Event[]} */
        const sent = [];
        /** @type {Promise<unknown>[]} */
        const begun = [];
        await eraseWhile('demo', (trip) => {
          if (trip % 2 !== 1) return;
          const now = Date.parse(NOW);
          const more = /** @type {Event[]} */ ([
            { action: 'view', actor: VICTIM, item: `/m/${trip}`, at: now - (trip % 5) * DAY_MS },
            { action: 'view', actor: 'u1', item: `/m/${trip}`, at: now - (trip % 7) * DAY_MS },
            { action: 'view', actor: 'new', item: `/m/${trip}`, at: now - 60_000 },
          ]);
          sent.push(...more);
          hold();
          begun.push(deployment.events({ events: more }));
        });
        await Promise.all(begun);
        assert.ok(sent.length > 15, `${sent.length} events meanwhile`);
        await deployment.worker.scheduled();
        await assertRollingRight(deployment, rollingOf(TODAY), { prepared: true });
        assert.equal((await erase(deployment)).status, 204, 'what came meanwhile stays, until it is erased, too');
        await assertGone(deployment);
        await send(without, ofOthers(sent));
        for (let day = 0; day < 3; day += 1) {
          await assertRollingRight(deployment, rollingOf(TODAY + day), { prepared: true });
          for (const of of [deployment, without]) of.clock.set(MIDNIGHT + day * DAY_MS);
          for (const [board, window] of [
            ['people', 'last-7-days'],
            ['plain', 'last-366-days'],
            ['plain', 'last-2-days'],
          ]) {
            const [a, b] = await Promise.all([deployment, without].map((of) => read(of, `${board}/${window}`)));
            const scores = (/** @type {Answer} */ answer) => entriesOf(answer).sort();
            assert.deepEqual(scores(a), scores(b), `${board}/${window} ${day}`);
          }
          await deployment.worker.scheduled();
        }
      });

      for (const own of [false, true]) {
        for (const at of [1, 3, 5]) {
          test(`midnight after chunk ${at}${own ? ', and an event of its own just before' : ''}`, async () => {
            deployment.clock.set(MIDNIGHT - 600_000);
            const events = makeEvents(14, 200, MIDNIGHT - 600_000, 300).filter(({ action }) => action === 'view' || action === 'down');
            for (let i = 0; i < events.length; i += 100) await deployment.events({ events: events.slice(i, i + 100) }, { site: 'lone' });
            await deployment.worker.scheduled();
            const trips = deployment.link.roundTrips;
            /** @type {Promise<unknown> | undefined} */
            let event;
            await eraseWhile('lone', (trip) => {
              if (own && trip === at) {
                hold();
                event = deployment.events({ events: [{ action: 'view', actor: VICTIM, item: '/meanwhile' }] }, { site: 'lone' });
              }
              if (trip === at + (own ? 1 : 0)) deployment.clock.set(MIDNIGHT);
            });
            await event;
            assert.ok(deployment.link.roundTrips - trips >= 5, 'several chunks');
            if (!own) await assertGone(deployment);
            for (const ranking of ['plain/last-2-days', 'plain/last-366-days']) await readComplete(deployment, ranking, '', 'lone');
            await deployment.worker.scheduled();
            await assertRollingRight(deployment, rollingOfLone(TODAY + 1), { prepared: true });
            await assertExpiring(deployment, await deployment.redis.command('KEYS', '*'));
            assert.equal((await erase(deployment, VICTIM, 'lone')).status, 204);
            await assertGone(deployment);
            await assertRollingRight(deployment, rollingOfLone(TODAY + 1), { prepared: true });
          });
        }
      }
    });

    test('what takes too long is reported, and done when it is asked for again', async () => {
      const events = makeEvents(15, 100, Date.parse(NOW), 60).map((event) => ({ ...event, actor: VICTIM }));
      await send(deployment, events);
      let trips = 0;
      deployment.link.loseRepliesWhen(() => {
        trips += 1;
        if (trips === 2) deployment.edgeClock.advance(30_000);
        return false;
      });
      const { status, text, headers } = await erase(deployment);
      deployment.link.loseRepliesWhen(() => false);
      assert.deepEqual([status, text, headers.get('cache-control')], [202, '', 'no-store']);
      assert.ok(keysThatHold(await contentsOf(deployment.redis), VICTIM).length > 0, 'not all of it is gone');
      assert.equal((await erase(deployment)).status, 204);
      await assertGone(deployment);
    });

    test('a reply that is lost: nobody knows, and asking again is safe', async () => {
      await send(deployment, [{ action: 'view', item: 'x', actor: VICTIM }]);
      for (const replies of [1, 5]) {
        let chunks = 0;
        deployment.link.loseRepliesWhen(() => (chunks += 1) === replies);
        const { status, body } = await erase(deployment);
        deployment.link.loseRepliesWhen(() => false);
        assert.deepEqual([status, body.code], [504, 'outcome-unknown']);
      }
      assert.equal((await erase(deployment)).status, 204);
      await assertGone(deployment);
    });

    test('an actor of every hour and day of two months, in windows of a year', async (t) => {
      const now = Date.parse(NOW);
      /** @type {Event[]} */
      const events = [];
      for (let hour = 0; hour < 60 * 24; hour += 1) {
        events.push({ action: 'view', item: `/posts/${hour % 10}`, actor: VICTIM, at: now - hour * HOUR_MS });
        if (hour % 6 === 0) events.push({ action: 'like', item: `/posts/${hour}`, actor: VICTIM, at: now - hour * HOUR_MS });
        if (hour % 12 === 0) events.push({ action: 'view', item: '/posts/1', actor: `u${hour % 36}`, at: now - hour * HOUR_MS });
      }
      await Promise.all([send(deployment, events), send(without, ofOthers(events))]);
      await deployment.redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '1000', 'slowlog-max-len', '1000');
      await deployment.redis.command('SLOWLOG', 'RESET');
      const began = performance.now();
      const trips = deployment.link.roundTrips;
      assert.equal((await erase(deployment)).status, 204);
      const took = performance.now() - began;
      const slow = (await deployment.redis.command('SLOWLOG', 'GET', '-1')).filter((/** @type {any} */ [, , , [command]]) =>
        /^eval/i.test(command),
      );
      const slowest = Math.max(0, ...slow.map((/** @type {any} */ [, , micros]) => micros));
      t.diagnostic(
        `erasing took ${took.toFixed(0)} ms in ${deployment.link.roundTrips - trips} round trips; ${slow.length} scripts took 1 ms or more, the slowest ${slowest / 1000} ms`,
      );
      await assertGone(deployment);
      await assertSame(deployment, without, 'at once');
      for (const of of [deployment, without]) of.clock.set(MIDNIGHT);
      await assertSame(deployment, without, 'at midnight');
    });
  });
}
