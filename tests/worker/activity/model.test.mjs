/**
 * Weeks of a community: what its rankings and its actors' activity show equals an independent count of what stands. It does for
 * every day, month and week. It also does after actions of other days were undone, repeated, undone again and undone too late.
 *
 * The model knows the list of events and nothing else: it keeps what was done, crosses out what was undone, and adds up.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { inPart } from '../../support/part.mjs';
import { assertShows, boundsOf, createRandom, DAY_MS, readComplete, scoresOf } from '../../support/windows.mjs';
import { ACTORS, generateSends, HISTORY_MS, LATEST_DAYS, PLAIN, REVERSIBLE, START } from './community.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('./community.mjs').Event} Event */
/** @typedef {import('./community.mjs').Batch} Batch */
/** @typedef {import('./community.mjs').Send} Send */
/** @typedef {import('./community.mjs').Done} Done */

/** An id may be sent again with the next batch, a day or so later. */
const COMMON = { windows: ['day', 'month', 'all', 'last-7-days'], limit: 1000, replay_window: '2d' };
/** @type {Record<string, typeof COMMON & { members: 'items' | 'actors', weights: Record<string, number> }>} */
const BOARDS = {
  people: {
    ...COMMON,
    members: 'actors',
    weights: { view: 1, like: 2, collect: 2, comment: 3, publish: 10, follow: 2 },
  },
  articles: {
    ...COMMON,
    members: 'items',
    weights: { view: 1, like: 2, collect: 2, comment: 3, publish: 10, share: 0.1, dislike: -1.5 },
  },
};
const SITES = {
  demo: {
    actions: Object.fromEntries([...PLAIN, ...REVERSIBLE].map((action) => [action, { reversible: REVERSIBLE.includes(action) }])),
    boards: BOARDS,
  },
};
const CHECKS = 5;
/** Rolling windows that ended so many days ago are looked at too. */
const PAST_WEEKS = [1, 5, 12];

/** How often each must become of an event, so that the test tests it: of 4,000. */
const MIN = {
  accepted: 2_000,
  undone: 200,
  duplicate: 40,
  'already-done': 40,
  'not-done': 40,
  'already-undone': 40,
  'undo-too-late': 20,
  'undo-not-possible': 5,
  'invalid-actor': 5,
  'unknown-action': 5,
  'at-in-future': 5,
};

/** @type {[transport: import('../../support/deployment.mjs').Transport, events: number, seed: number][]} */
const FEW = [['redis://', 4_000, 2]];
/** @type {typeof FEW} */
const MANY = [
  ['redis://', 20_000, 1],
  ['http://', 4_000, 2],
];

for (const [transport, count, seed] of inPart(FEW, MANY)) {
  describe(`over ${transport}`, () => {
    test(`${count} events: every board, and what every actor did, is what the events that stand add up to`, async (t) => {
      const deployment = await startDeployment({ transport, sites: SITES });
      t.after(() => deployment.stop());
      await check(t, deployment, generateSends(seed, count), seed);
    });
  });
}

/**
 * Sends everything in its order, the clocks moving along. Each answer is the model's, and so is now and then, and at the end,
 * whatever can be read.
 *
 * @param {import('node:test').TestContext} t
 * @param {Deployment} deployment
 * @param {Send[]} sends
 * @param {number} seed
 */
async function check(t, deployment, sends, seed) {
  const model = createModel();
  const random = createRandom(seed);
  /** @type {Record<string, number>} */
  const became = {};
  let sent = 0;
  for (const [i, { at, batch }] of sends.entries()) {
    setClocks(deployment, at);
    // On some days nobody prepares the next.
    if (random() < 0.3) await deployment.worker.scheduled();
    const outcomes = model.apply(batch, at);
    const { status, body, text } = await deployment.events(batch);
    assert.equal(status, 200, text);
    const rejected = body.rejected.map((/** @type {any} */ { index, code }) => ({ index, code }));
    assert.deepEqual({ ...body, rejected }, answerOf(outcomes), `batch ${i} at ${new Date(at).toISOString()}`);
    for (const [e, outcome] of outcomes.entries()) {
      const name = outcome === 'accepted' && batch.events[e].undo ? 'undone' : outcome;
      became[name] = (became[name] ?? 0) + 1;
    }
    sent += outcomes.length;
    if (Math.floor(((i + 1) * CHECKS) / sends.length) > Math.floor((i * CHECKS) / sends.length)) {
      await checkEverything(deployment, model.done, at);
    }
  }
  t.diagnostic(JSON.stringify(became));
  for (const [outcome, least] of Object.entries(MIN)) {
    assert.ok(became[outcome] >= (least * sent) / 4_000, `${outcome}: ${became[outcome]} of ${sent} events`);
  }
}

/**
 * Every board of every day and month, of all time and of the last days, every member of it; and the activity of every actor.
 *
 * @param {Deployment} deployment
 * @param {Done[]} done
 * @param {number} now
 */
async function checkEverything(deployment, done, now) {
  const today = Math.floor(now / DAY_MS);
  const first = Math.floor(START / DAY_MS) - LATEST_DAYS;
  const days = Array.from({ length: today - first + 1 }, (_, i) => first + i);
  const months = [...new Set(days.map((day) => dateOf(day).slice(0, 7)))];
  /** @type {{ window: string, period?: string, key: string, bounds: [from: number, before: number] }[]} */
  const rankings = [
    ...days.map((day) => ({ window: 'day', period: dateOf(day), key: `day:${day}`, bounds: boundsOfDay(day) })),
    { window: 'day', key: `day:${today}`, bounds: boundsOfDay(today) },
    ...months.map((month) => ({ window: 'month', period: month, ...keyAndBoundsOfMonth(month) })),
    { window: 'month', ...keyAndBoundsOfMonth(dateOf(today).slice(0, 7)) },
    { window: 'all', key: 'all:0', bounds: [0, Infinity] },
    { window: 'last-7-days', key: `window:last-7-days:${today}`, bounds: boundsOf('last-7-days', now) },
    ...PAST_WEEKS.map((ago) => ({
      window: 'last-7-days',
      period: dateOf(today - ago),
      key: `window:last-7-days:past:${today - ago}`,
      bounds: boundsOf('last-7-days', now - ago * DAY_MS),
    })),
  ];
  const standing = done.filter(({ stands }) => stands);
  for (const board of Object.keys(BOARDS)) {
    for (const { window, period, key, bounds } of rankings) {
      const what = `${board}/${window} ${period ?? ''} at ${new Date(now).toISOString()}`;
      const sums = sumsOf(board, standing, bounds);
      const { answer } = await readComplete(deployment, `${board}/${window}`, `?limit=1000${period ? `&period=${period}` : ''}`);
      assertShows(answer, sums, what);
      assert.equal(answer.body.entries.length, answer.body.total, `${what}: all are shown`);
      // A member at or below zero is not shown, and one at zero is not kept.
      assert.deepEqual(await scoresOf(deployment.redis, `eb:{demo:${board}}:${key}`), sums, what);
    }
  }
  const shownDays = days.filter((day) => day > today - HISTORY_MS / DAY_MS).reverse();
  for (const actor of ACTORS) {
    const { status, body, text } = await deployment.fetch(`/v1/demo/actors/${encodeURIComponent(actor)}/activity?days=31`, {
      headers: { authorization: `Bearer ${WRITE_TOKEN}` },
    });
    assert.equal(status, 200, text);
    assert.deepEqual(body, { site: 'demo', actor, days: activityOf(actor, standing, shownDays) }, `at ${new Date(now).toISOString()}`);
  }
}

/**
 * What became of each event that was ever sent, and what was done.
 */
function createModel() {
  /** @type {Done[]} */
  const done = [];
  /** The last tracked action of an actor, an action and an item, and when it was recorded. @type {Map<string, { recorded: number, entry: Done }>} */
  const tracked = new Map();
  const seen = new Set();

  /** @param {Event} event @param {number} now @param {string | undefined} id @returns {string} */
  function become({ action, item, actor, undo, ago = 0, at }, now, id) {
    const instant = at ?? now - ago;
    if (!PLAIN.includes(action) && !REVERSIBLE.includes(action)) return 'unknown-action';
    if (undo && !REVERSIBLE.includes(action)) return 'undo-not-possible';
    if (undo && actor === undefined) return 'invalid-actor';
    if (instant > now) return 'at-in-future';
    if (id !== undefined && seen.has(id)) return 'duplicate';
    if (id !== undefined) seen.add(id);

    const name = JSON.stringify([actor, action, item]);
    const found = tracked.get(name);
    const remembered = found && now - found.recorded <= HISTORY_MS;
    if (undo) {
      if (!found) return 'not-done';
      if (!found.entry.stands) return 'already-undone';
      if (!remembered) return 'undo-too-late';
      found.entry.stands = false;
      return 'accepted';
    }
    const entry = { at: instant, action, item, actor, stands: true };
    if (REVERSIBLE.includes(action) && actor !== undefined) {
      if (remembered && found.entry.stands) return 'already-done';
      tracked.set(name, { recorded: now, entry });
    }
    done.push(entry);
    return 'accepted';
  }

  return {
    done,
    /** @param {Batch} batch @param {number} now */
    apply({ id, events }, now) {
      // An event is known by its own id, or by its batch's and its place.
      return events.map((event, i) => become(event, now, event.id ?? (id && `${id} ${i}`)));
    },
  };
}

/** What the worker answers when this becomes of a batch's events. @param {string[]} outcomes */
function answerOf(outcomes) {
  const count = (/** @type {string} */ which) => outcomes.filter((outcome) => outcome === which).length;
  const rejected = outcomes.flatMap((code, index) => (code === 'accepted' || code === 'duplicate' ? [] : [{ index, code }]));
  return { accepted: count('accepted'), duplicate: count('duplicate'), rejected };
}

/**
 * Each member's sum of what was done from one instant until before another; nobody stands at zero.
 *
 * @param {string} board
 * @param {Done[]} standing
 * @param {[from: number, before: number]} bounds
 */
function sumsOf(board, standing, [from, before]) {
  const { members, weights } = BOARDS[board];
  const ranked = members === 'items' ? 'item' : 'actor';
  /** In millionths, so that there are no rounding errors. @type {Map<string, number>} */
  const millionths = new Map();
  for (const { at, action, [ranked]: member } of standing) {
    if (at < from || at >= before || member === undefined || weights[action] === undefined) continue;
    millionths.set(member, (millionths.get(member) ?? 0) + Math.round(weights[action] * 1e6));
  }
  return new Map([...millionths].filter(([, sum]) => sum !== 0).map(([member, sum]) => [member, sum / 1e6]));
}

/** @param {string} actor @param {Done[]} standing @param {number[]} days the latest first */
function activityOf(actor, standing, days) {
  const own = standing.filter((entry) => entry.actor === actor);
  return days.flatMap((day) => {
    /** @type {Record<string, number>} */
    const actions = {};
    for (const { at, action } of own) {
      if (Math.floor(at / DAY_MS) === day) actions[action] = (actions[action] ?? 0) + 1;
    }
    return Object.keys(actions).length > 0 ? [{ day: dateOf(day), actions }] : [];
  });
}

/** Day numbers count from 1970. @param {number} day */
function dateOf(day) {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** @param {number} day @returns {[from: number, before: number]} */
function boundsOfDay(day) {
  return [day * DAY_MS, (day + 1) * DAY_MS];
}

/** @param {string} month @returns {{ key: string, bounds: [from: number, before: number] }} */
function keyAndBoundsOfMonth(month) {
  const [year, number] = month.split('-').map(Number);
  return { key: `month:${year * 12 + number - 1}`, bounds: [Date.UTC(year, number - 1), Date.UTC(year, number)] };
}

/** The worker's clock goes on when it is read, and never back. @param {Deployment} deployment @param {number} instant */
function setClocks({ clock, edgeClock }, instant) {
  clock.set(instant);
  edgeClock.set(Math.max(instant, edgeClock.now()));
}
