/**
 * The sites of the tests of erasure, and what Redis holds of people.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';

import { contentsOf, keysForEver, keysThatHold } from '../../support/contents.mjs';
import { CALENDAR, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { createRandom, DAY_MS, HOUR_MS, readComplete } from '../../support/windows.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../../support/deployment.mjs').Answer} Answer */
/** @typedef {{ action: string, item: string, actor: string, at?: number | string, undo?: true }} Event */

export const ADMIN_TOKEN = 'a-token-for-admins';
export const bearer = { authorization: `Bearer ${WRITE_TOKEN}` };
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
export const RANKINGS = Object.entries(SITE.boards).flatMap(([board, { windows }]) =>
  windows.map((window) => /** @type {[string, string]} */ ([board, typeof window === 'string' ? window : window.name])),
);
export const PEOPLE = RANKINGS.filter(([board]) => !['articles', 'glowing'].includes(board));
const fades = (/** @type {string} */ window) => DECAYING.some(({ name }) => name === window);

/** Looks like a pattern and like the parts of keys and arguments. */
export const VICTIM = 'u-{demo:people}:actor:* ?[a-z]\\ %20é"\'';
/** Whose ids are chunks of it, and others. */
const OTHERS = ['u-{demo:people}:actor:', 'u-', 'actor', '*', ...Array.from({ length: 12 }, (_, i) => `u${i}`)];

/** A day of London's winter, which began at 04:00Z. */
export const NOW = '2026-11-20T12:00:00Z';
export const MIDNIGHT = Date.parse('2026-11-21T04:00:00Z');

export const erase = (/** @type {Deployment} */ from, actor = VICTIM, site = 'demo') =>
  from.fetch(`/v1/${site}/actors/${encodeURIComponent(actor)}`, { method: 'DELETE', headers: bearer });
/** Upkeep of every site, however far the boundaries are. @param {Deployment} of */
export async function prepare(of) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  for (const site of ['demo', 'lone']) {
    const { status, text } = await of.fetch(`/v1/${site}/admin/upkeep`, { method: 'POST', headers });
    assert.equal(status, 200, text);
  }
}

/** @param {Deployment} to @param {Event[]} events */
export async function send(to, events) {
  for (let i = 0; i < events.length; i += 100) {
    const { status, text } = await to.events({ events: events.slice(i, i + 100) });
    assert.equal(status, 200, text);
  }
}

/** Nothing in Redis tells of the actor. @param {Deployment} deployment */
export async function assertErased(deployment, actor = VICTIM) {
  const contents = await contentsOf(deployment.redis);
  assert.deepEqual(keysThatHold(contents, actor), []);
  await assertExpiring(deployment, contents.keys());
}

/** Nothing stays that should not. @param {Deployment} deployment @param {Iterable<string>} keys */
export async function assertExpiring(deployment, keys) {
  const forever = await keysForEver(deployment.redis, keys);
  assert.deepEqual(
    forever.filter((key) => !/:(state|sequence|year:\d+.*|all:0.*|once:ever:0)$/.test(key)),
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
  const ignored = /^eb:\{demo:(articles|glowing)\}|:window:last-|:(state|indexes:scan|wanted.*|ids:\w+:\d+|undone:\d+)$/;
  // A board whose last member went keeps its key.
  const kept = [...(await contentsOf(deployment.redis))].filter(([key, value]) => !ignored.test(key) && value.length > 0);
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
export async function assertSame(one, other, when) {
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
  assert.ok(a.size > 0, 'Redis holds somebody');
  assert.deepEqual([...a.keys()], [...b.keys()], when);
  for (const [key, value] of a) assert.deepEqual(value, b.get(key), `${key} ${when}`);
}
const idOf = (/** @type {{ id: string }} */ { id }) => id;
export const seen = (/** @type {Answer} */ { body: { entries, total, complete, period } }) => ({ entries, total, complete, period });

/** @param {Deployment} deployment @param {string} ranking @param {string} [query] */
export async function read(deployment, ranking, query) {
  const [board] = ranking.split('/');
  const most = board === 'people' ? 1000 : 100;
  return (await readComplete(deployment, ranking, `?limit=${most}${query ?? ''}`)).answer;
}

/** 2026-11-20 */
export const TODAY = 20_777;
/** `[board with its site, window, unit, length, current period]` @typedef {[string, string, string, number, number]} Rolling */
/** @param {number} day @returns {Rolling[]} */
export const rollingOf = (day) => [
  ['demo:people', 'last-7-days', 'day', 7, day],
  ['demo:latest', 'last-3-days', 'day', 3, day],
  ['demo:plain', 'last-2-days', 'day', 2, day],
  ['demo:plain', 'last-366-days', 'day', 366, day],
];
/**
 * Every member of every rolling board has the sum of its base boards, now and, where upkeep has prepared them, for the next
 * period.
 *
 * @param {Deployment} deployment
 * @param {Rolling[]} windows
 * @param {{ prepared: boolean }} state
 */
export async function assertRollingRight(deployment, windows, { prepared }) {
  const contents = await contentsOf(deployment.redis);
  const scores = (/** @type {string} */ key) => {
    const flat = contents.get(key) ?? [];
    const all = flat.flatMap((member, i) => (i % 2 === 0 ? [/** @type {[string, number]} */ ([member, Number(flat[i + 1])])] : []));
    return all.filter(([member]) => !member.startsWith('\0'));
  };
  let held = 0;
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
      held += stored.length;
    }
  }
  assert.ok(held > 0, 'some board holds somebody');
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
export function makeEvents(seed, count, now, days) {
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
export const ofOthers = (/** @type {Event[]} */ events) => events.filter(({ actor }) => actor !== VICTIM);

/**
 * Starts the deployment of a suite, and gives what its tests ask it.
 *
 * @param {import('../../support/deployment.mjs').Transport} transport
 */
export function serve(transport) {
  /** @type {Deployment} */
  let deployment;
  /** One that never hears of the victim. @type {Deployment} */
  let without;
  const SITES = { demo: SITE, lone: LONE, quiet: { ...SITE, activity: false }, short: { ...SITE, actor_history: '3d' } };
  before(async () => {
    deployment = await startDeployment({ transport, relayed: true, sites: SITES, vars: { ADMIN_TOKEN } });
    without = await startDeployment({ transport: 'redis://', sites: SITES, vars: { ADMIN_TOKEN } });
    // In the first hour of a day upkeep notes which libraries are used, which is of no site.
    for (const of of [deployment, without]) of.edgeClock.set(NOW);
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

  return {
    get deployment() {
      return deployment;
    },
    get without() {
      return without;
    },
  };
}
