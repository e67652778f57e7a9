/**
 * Sending again is safe: every id counts once. Many senders send at once, each batch up to five times and in any order. The
 * way to Redis loses one reply in five.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { CALENDAR, startDeployment } from '../support/deployment.mjs';
import { longTest } from '../support/part.mjs';
import { TRANSPORTS } from '../support/transports.mjs';
import { assertShows, boundsOf, createRandom, DAY_MS, HOUR_MS, scoresOf, readComplete, sumsBetween } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../support/windows.mjs').Change} Change */
/**
 * @typedef {{ action: string, item: string, actor?: string, ago?: number, id?: string }} Event
 * @typedef {{ id?: string, events: Event[] }} Batch
 * @typedef {{ route: 'beacon' | 'events', batch: Batch }} Send
 */

const SEED = 20261120;
const SENDERS = 64;
const BATCHES = 5;
const MAX_SENDS = 5;
const LOST = 1 / 5;
/** Without ids the worker does not try again by itself, so that one request in five fails. */
const MAX_TRIES = 30;

const ROLLING = ['last-2-hours', 'last-7-days'];
const HALF_LIFE_MS = 366 * DAY_MS;
const SLOW = { name: 'slow', kind: 'half-life', half_life: '366d' };
/** Sums of these weights have no rounding errors. */
const BOARDS = {
  articles: { members: 'items', weights: { view: 1, like: 2.5, share: 0.25 }, windows: [...CALENDAR, ...ROLLING, SLOW], limit: 1000 },
  people: { members: 'actors', weights: { view: 0.5, comment: 3 }, windows: [...CALENDAR, ...ROLLING, SLOW], limit: 1000 },
  votes: { members: 'items', weights: { like: 1, dislike: -1 }, windows: [...CALENDAR, ...ROLLING], limit: 1000 },
};
const ACTIONS = ['view', 'like', 'share', 'comment', 'dislike'];
const SITES = {
  // The boards of people count what browsers say of who acts.
  demo: { origins: ['*'], actors: 'any', actions: Object.fromEntries(ACTIONS.map((action) => [action, { public: true }])), boards: BOARDS },
};
const BOARD_NAMES = /** @type {(keyof typeof BOARDS)[]} */ (Object.keys(BOARDS));
/** Those on which no event lowers a score. */
const GROWING = BOARD_NAMES.filter((board) => Object.values(BOARDS[board].weights).every((weight) => weight > 0));

/** The hour that holds it ends long after the test. */
const NOW = Date.parse('2026-11-20T12:05:00Z');
/** 2026-11-20 */
const TODAY = 20_777;
/** 2026-11-20T12Z */
const THIS_HOUR = TODAY * 24 + 12;
/** Events happened up to so long ago. */
const HOURS = 24;

/**
 * Every exact sorted set of a board: what asks for it, its key, and its bounds.
 *
 * @type {{ window: string, query?: string, key: string, bounds: [from: number, before: number] }[]}
 */
const PERIODS = [
  ...Array.from({ length: HOURS }, (_, ago) => THIS_HOUR - ago).map((hour) => ({
    window: 'hour',
    query: `&period=${new Date(hour * HOUR_MS).toISOString().slice(0, 13)}Z`,
    key: `hour:${hour}`,
    bounds: /** @type {[number, number]} */ ([hour * HOUR_MS, (hour + 1) * HOUR_MS]),
  })),
  { window: 'day', key: `day:${TODAY}`, bounds: [TODAY * DAY_MS, (TODAY + 1) * DAY_MS] },
  { window: 'day', query: '&period=2026-11-19', key: `day:${TODAY - 1}`, bounds: [(TODAY - 1) * DAY_MS, TODAY * DAY_MS] },
  { window: 'week', key: 'week:2968', bounds: [Date.UTC(2026, 10, 16), Date.UTC(2026, 10, 23)] },
  { window: 'month', key: 'month:24322', bounds: [Date.UTC(2026, 10), Date.UTC(2026, 11)] },
  { window: 'year', key: 'year:2026', bounds: [Date.UTC(2026), Date.UTC(2027)] },
  { window: 'all', key: 'all:0', bounds: [0, Infinity] },
  { window: 'last-2-hours', key: `window:last-2-hours:${THIS_HOUR}`, bounds: boundsOf('last-2-hours', NOW) },
  { window: 'last-7-days', key: `window:last-7-days:${TODAY}`, bounds: boundsOf('last-7-days', NOW) },
];

for (const transport of TRANSPORTS) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, relayed: true, sites: SITES })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    test(`${SENDERS} senders who send again what they sent, and replies that get lost: every id counts once`, async (t) => {
      const senders = generateSenders(SEED);
      const events = distinctEvents(senders);
      // Prepared rolling boards are added to; others are made of the calendar's, and forgive.
      await deployment.worker.scheduled();
      await sendAll(t, deployment, senders);
      for (const board of BOARD_NAMES) {
        const changes = changesOn(board, events);
        for (const { window, query = '', key, bounds } of PERIODS) {
          const sums = sumsBetween(changes, ...bounds);
          const { answer } = await readComplete(deployment, `${board}/${window}`, `?limit=1000${query}`);
          assertShows(answer, sums, `${board} ${key}`);
          assert.equal(answer.body.entries.length, answer.body.total, 'all are shown');
          // A member below zero is not shown, and one at zero is not kept.
          assert.deepEqual(await scoresOf(deployment.redis, `eb:{demo:${board}}:${key}`), sums, `${board} ${key}`);
        }
      }
      for (const board of GROWING) await assertWorth(deployment, board, changesOn(board, events));
      for (const [board, measured, model] of await totals(t, deployment, events)) assert.equal(measured, model, board);
    });

    longTest('the same without ids counts too much, so it is the ids that do it', async (t) => {
      const senders = generateSenders(SEED);
      const events = distinctEvents(senders);
      await sendAll(
        t,
        deployment,
        senders.map((sends) => sends.map(withoutIds)),
      );
      for (const [board, measured, model] of await totals(t, deployment, events)) assert.ok(measured > model, board);
    });
  });
}

/**
 * What each sender sends, in its order. Half of the batches have an id; in the others each event has one, and some of the
 * events were in an earlier batch of the same sender. Each sender's last batch is sent by its neighbour too. A batch always takes
 * its owner's way: ids of browsers and of servers do not meet.
 *
 * @param {number} seed
 * @returns {Send[][]}
 */
function generateSenders(seed) {
  const random = createRandom(seed);
  const pick = (/** @type {number} */ below) => Math.floor(random() * below);
  const event = () => ({
    action: ACTIONS[pick(ACTIONS.length)],
    item: `/posts/${pick(40)}`,
    actor: random() < 0.7 ? `u${pick(30)}` : undefined,
    ago: random() < 0.6 ? undefined : pick(HOURS) * HOUR_MS,
  });
  const batches = Array.from({ length: SENDERS }, (_, sender) => {
    /** @type {Event[]} */
    const known = [];
    return Array.from({ length: BATCHES }, (_, n) => {
      const size = 1 + pick(7);
      if ((sender + n) % 2 === 0) return { id: `batch-${sender}-${n}`, events: Array.from({ length: size }, event) };
      const events = Array.from({ length: size }, () => {
        if (known.length > 0 && random() < 0.2) return known[pick(known.length)];
        known.push({ id: `event-${sender}-${known.length}`, ...event() });
        return known[known.length - 1];
      });
      return { events };
    });
  });
  return batches.map((own, sender) => {
    const neighbour = (sender + 1) % SENDERS;
    /** @type {(owner: number) => (batch: Batch) => Send} */
    const of = (owner) => (batch) => ({ route: owner % 4 < 2 ? 'beacon' : 'events', batch });
    const each = [...own.map(of(sender)), of(neighbour)(batches[neighbour][BATCHES - 1])];
    const sends = each.flatMap((send) => Array.from({ length: 1 + pick(MAX_SENDS) }, () => send));
    for (let i = sends.length - 1; i > 0; i -= 1) {
      const j = pick(i + 1);
      [sends[i], sends[j]] = [sends[j], sends[i]];
    }
    return sends;
  });
}

/**
 * Sends everything, all senders at once, and ends when every send was acknowledged.
 *
 * @param {import('node:test').TestContext} t
 * @param {Deployment} deployment
 * @param {Send[][]} senders
 */
async function sendAll(t, deployment, senders) {
  /** HTTP requests, those that repeat one answered 503 or 504, and replies of Redis that were lost. */
  const traffic = { requests: 0, repeated: 0, lost: 0 };
  const random = createRandom(SEED + 1);
  deployment.link.loseRepliesWhen(() => {
    const loses = random() < LOST;
    if (loses) traffic.lost += 1;
    return loses;
  });
  /** @param {Send} send */
  const sendUntilAcknowledged = async ({ route, batch }) => {
    for (let tries = 1; ; tries += 1) {
      const { status, body, text } = await deployment[route](batch);
      traffic.requests += 1;
      if (status === 204 || status === 200) {
        assert.equal(status, route === 'beacon' ? 204 : 200);
        if (route === 'events') assert.deepEqual([body.accepted + body.duplicate, body.rejected], [batch.events.length, []]);
        return;
      }
      assert.ok(status === 503 || status === 504, `${status}: ${text}`);
      assert.ok(tries < MAX_TRIES, `not acknowledged in ${tries} tries: ${text}`);
      traffic.repeated += 1;
    }
  };
  try {
    await Promise.all(
      senders.map(async (sends) => {
        for (const send of sends) await sendUntilAcknowledged(send);
      }),
    );
  } finally {
    deployment.link.loseRepliesWhen(() => false);
  }
  const { requests, repeated, lost } = traffic;
  t.diagnostic(`${senders.flat().length} sends, ${requests} requests, ${repeated} of them once more, ${lost} replies lost`);
  assert.ok(lost > requests / 10, 'too few replies were lost');
  assert.ok(repeated > 0, 'no sender had to send again');
}

/** Each id's events, once. @param {Send[][]} senders @returns {Event[]} */
function distinctEvents(senders) {
  /** @type {Map<string | undefined, Event[]>} */
  const byId = new Map();
  for (const { batch } of senders.flat()) {
    if (batch.id) byId.set(batch.id, batch.events);
    else for (const event of batch.events) byId.set(event.id, [event]);
  }
  return [...byId.values()].flat();
}

/** @param {Send} send @returns {Send} */
function withoutIds({ route, batch }) {
  return { route, batch: { events: batch.events.map((event) => ({ ...event, id: undefined })) } };
}

/** @param {keyof typeof BOARDS} board @param {Event[]} events @returns {Change[]} */
function changesOn(board, events) {
  /** @type {{ members: string, weights: Record<string, number | undefined> }} */
  const { members, weights } = BOARDS[board];
  return events.flatMap(({ action, item, actor, ago = 0 }) => {
    const [member, delta] = [members === 'items' ? item : actor, weights[action]];
    return member !== undefined && delta !== undefined ? [{ at: NOW - ago, item: member, delta }] : [];
  });
}

/**
 * The half-life window shows what the changes are worth. When within the test they were counted makes no difference that
 * this could see; one that is counted twice does.
 *
 * @param {Deployment} deployment
 * @param {keyof typeof BOARDS} board
 * @param {Change[]} changes
 */
async function assertWorth(deployment, board, changes) {
  const { answer } = await readComplete(deployment, `${board}/slow`, '?limit=1000');
  const now = Date.parse(answer.body.scored_at);
  const faded = changes.map(({ at, item, delta }) => ({ at, item, delta: delta * 2 ** ((at - now) / HALF_LIFE_MS) }));
  const worth = sumsBetween(faded, 0, Infinity);
  assert.equal(answer.body.total, worth.size, `${board}/slow`);
  assert.equal(answer.body.entries.length, worth.size, `${board}/slow`);
  for (const { id, score } of answer.body.entries) {
    const expected = worth.get(id) ?? 0;
    assert.ok(Math.abs(score - expected) <= expected / 10_000, `${board}/slow ${id}: ${score} of ${expected}`);
  }
}

/**
 * The sum of all scores on each board whose sums can only grow: as shown, and as the events have it.
 *
 * @param {import('node:test').TestContext} t
 * @param {Deployment} deployment
 * @param {Event[]} events
 */
async function totals(t, deployment, events) {
  assert.ok(GROWING.length > 0, 'some board only grows');
  const rows = GROWING.map(async (board) => {
    const { body } = await deployment.freshTop(`${board}/all`, '?limit=1000');
    const measured = body.entries.reduce((/** @type {number} */ sum, /** @type {{ score: number }} */ { score }) => sum + score, 0);
    const model = changesOn(board, events).reduce((sum, { delta }) => sum + delta, 0);
    t.diagnostic(`${board}: ${measured}, each id once: ${model}`);
    return /** @type {const} */ ([board, measured, model]);
  });
  return Promise.all(rows);
}
