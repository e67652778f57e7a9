/**
 * What readers and servers of the site send through either worker: batches with events that come late, counts, values and undos, and the same
 * once more.
 */
import { bodyOf, comeAt, createAliases, drawEvent } from './events.mjs';
import { CATEGORIES } from './site.mjs';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
export const ITEMS = 40;
const ACTORS = 15;
const AUTHORS = 4;
const ACTIONS = { view: 0.5, like: 0.3, comment: 0.1, finish: 0.1 };
/** What counts once is remembered for a day after its period. */
const ONCE_MS = DAY_MS - HOUR_MS;
/** For how long a batch may come again: ids of servers are remembered for a day, those of browsers for an hour. */
const AGAIN_MS = { events: 20 * HOUR_MS, beacon: 45 * MINUTE_MS };
/** The sender of a beacon is known by its address and agent, which are the same for all of them. */
const BROWSER = { address: 'the address of this machine', agent: 'that of the tests' };
const VISITORS = 5;
/** An event that is counted within that time of a minute's end is not: nobody would know of which minute it is. */
const MARGIN_MS = 8_000;

/** @typedef {ReturnType<typeof createLife>} Life */
/** @typedef {import('./model.mjs').Event} Event */
/** @typedef {{ category: string, author: string }} Facts */
/**
 * @typedef {object} Batch
 * @property {'events' | 'beacon'} route
 * @property {string} id
 * @property {(Event | undefined)[]} events those that are missing were refused, and may be mended
 * @property {Set<string>[]} open the boards that may count each event when it comes again
 * @property {number} until when it may come again
 */

/** Sections of a board are one: what one of them counted counts in no other. @param {string} board */
const familyOf = (board) => board.replace(/\..*/, '.');

/**
 * @param {object} options
 * @param {import('./world.mjs').World} options.world
 * @param {Record<string, import('./model.mjs').Model>} options.models
 * @param {import('./site.mjs').Site} options.site
 * @param {string} options.name of the run: a part of the ids
 * @param {() => number} options.random
 */
export function createLife({ world, models, site, name: run, random }) {
  const { now, note } = world;
  const { ingest, seq: hasSequences, sections } = site.options;
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const aliases = createAliases();
  /** @type {Map<string, Facts>} */
  const facts = new Map();
  /** @type {Set<string>} */
  const moved = new Set();
  const drawFacts = () => ({ category: CATEGORIES[pick(CATEGORIES.length)], author: `author${pick(AUTHORS)}` });
  /** @type {Batch[]} */
  const recent = [];
  const item = () => `/p/${pick(ITEMS)}`;
  const actor = () => `u${pick(ACTORS)}`;
  let [batches, events, again, sequence] = [0, 0, 0, 0];

  /** What a like or its undo is ordered by: mostly the next number, now and then one that came late. */
  function drawSequence() {
    sequence += 1;
    // Which section a late one is compared with depends on where its item was.
    return !sections && random() < 0.15 ? Math.max(1, sequence - pick(60)) : sequence;
  }

  function draw() {
    const event = drawEvent({
      random,
      actions: ACTIONS,
      item,
      actor,
      at: () => (random() < 0.3 ? now() - pick(random() < 0.7 ? 5 * HOUR_MS : 3 * DAY_MS) : NaN),
      nobody: ({ action, at }) => (action !== 'view' ? 0 : at < now() - ONCE_MS ? 1 : 0.5),
    });
    if (event.action === 'finish') event.value = pick(600) - 100;
    // What an actor did with one address is not known by another one where its item moved since.
    if (event.action === 'like' && moved.has(aliases.resolve(event.item))) event.item = aliases.resolve(event.item);
    if (event.action === 'comment' && random() < 0.3) event.count = 1 + pick(5);
    if (event.action === 'like' && (ingest === 'queue' || (hasSequences && random() < 0.6))) event.seq = drawSequence();
    const isVisitor = event.actor === undefined && Number.isNaN(event.at) && random() < 0.3;
    if (isVisitor) event.visitor = { address: `192.0.2.${pick(VISITORS)}`, agent: 'Mozilla/5.0' };
    return event;
  }

  /** A reader's views, of which browsers say how long ago they were. */
  function drawView() {
    /** @type {Event} */
    const event = { action: 'view', item: item(), at: NaN };
    if (random() < 0.5) event.actor = actor();
    return event;
  }

  /** What counts of an event that came now. @param {Event} event @param {Batch['route']} route @returns {Event} */
  function asCounted(event, route) {
    const [came] = comeAt([event], now(), aliases.resolve);
    const visitor = route === 'beacon' && came.actor === undefined ? BROWSER : came.visitor;
    return { ...came, visitor, ...facts.get(came.item) };
  }

  /** Counts what came of a batch, where it may count. @param {Batch} batch @param {number[]} places @param {boolean} isOlder */
  function count(batch, places, isOlder) {
    for (const place of places) {
      const event = batch.events[place];
      if (!event) continue;
      const open = batch.open[place];
      const came = asCounted(event, batch.route);
      note(`${isOlder ? 'older' : 'newer'} ${batch.id}/${place} ${JSON.stringify(bodyOf([event])[0])} for ${came.item} ${[...open]}`);
      for (const family of [...open]) {
        const boards = Object.keys(models).filter((board) => familyOf(board) === family);
        const isNoted = boards.map((board) => models[board].count(came, site.windowsOf(board, isOlder)));
        if (!isNoted.includes(false)) open.delete(family);
      }
    }
  }

  /** Moves on from the end of a minute. */
  function leaveMinute() {
    const remainingMs = MINUTE_MS - (now() % MINUTE_MS);
    if (remainingMs < MARGIN_MS) world.tick(remainingMs + 1_000);
  }

  const openToAll = () => new Set(Object.keys(models).map(familyOf));
  /** What no board knows, so that it may be mended in its place. */
  const WRONG = { action: 'unheard-of', item: '/p/0' };
  const sentAt = (/** @type {Batch} */ batch, /** @type {number} */ place) => {
    const event = batch.events[place];
    return event ? bodyOf([event])[0] : WRONG;
  };

  /** @param {Batch} batch @param {boolean} isOlder */
  async function sendWhole(batch, isOlder) {
    leaveMinute();
    const places = batch.events.map((_, place) => place);
    const sent = places.map((place) => sentAt(batch, place));
    const asks = batch.route === 'events' && ingest === 'direct' && random() < 0.2;
    const route = asks ? /** @type {const} */ (`events?standing=articles/day`) : batch.route;
    await world.send(route, { id: batch.id, events: sent }, isOlder);
    count(batch, places, isOlder);
  }

  async function sendBatch() {
    const isBeacon = random() < 0.15;
    const drawn = Array.from({ length: random() < 0.4 ? 1 : 1 + pick(9) }, isBeacon ? drawView : draw);
    batches += 1;
    const route = isBeacon ? 'beacon' : 'events';
    const open = drawn.map(openToAll);
    /** @type {Batch} */
    const batch = { route, id: `soak-${run}-${batches}`, events: drawn, open, until: now() + AGAIN_MS[route] };
    if (!isBeacon && drawn.length > 1 && random() < 0.1) batch.events[pick(drawn.length)] = undefined;
    await sendWhole(batch, random() < 0.4);
    events += drawn.length;
    recent.push(batch);
    if (random() < 0.3) await sendAgain();
  }

  /** A batch of before, as a sender does who heard no answer, or who mends it: whole, or an event of it alone. */
  async function sendAgain() {
    for (const batch of recent.splice(0)) if (batch.until > now()) recent.push(batch);
    const batch = recent[random() < 0.3 ? recent.length - 1 : pick(recent.length)];
    if (!batch) return;
    again += 1;
    const isOlder = random() < 0.4;
    const missing = batch.events.indexOf(undefined);
    if (missing >= 0 && random() < 0.7) batch.events[missing] = draw();
    if (random() < 0.6) return sendWhole(batch, isOlder);
    const place = pick(batch.events.length);
    if (!batch.events[place]) return;
    leaveMinute();
    await world.send(batch.route, { events: [{ ...sentAt(batch, place), id: `${batch.id}/${place}` }] }, isOlder);
    count(batch, [place], isOlder);
  }

  /** What is known of an item from now on, when both workers believe it. @param {string} id @param {Facts} of */
  async function describe(id, of) {
    await world.ask(`/v1/demo/items/${encodeURIComponent(id)}`, { method: 'PATCH', body: JSON.stringify(of) });
    facts.set(id, of);
    moved.add(id);
    world.tick(MINUTE_MS + 2_000);
  }

  return {
    item,
    actor,
    resolve: aliases.resolve,
    alias: aliases.add,
    describe,
    /** Whether items are of the same category and author, and were so ever since. @param {string} one @param {string} other */
    areAlike(one, other) {
      const [a, b] = [facts.get(one), facts.get(other)];
      return a?.category === b?.category && a?.author === b?.author && !moved.has(one) && !moved.has(other);
    },
    /** Describes every item, before anything was counted. */
    async describeAll() {
      for (let i = 0; i < ITEMS; i += 1) facts.set(`/p/${i}`, drawFacts());
      await world.ask('/v1/demo/items', { method: 'PUT', body: [...facts].map(([id, of]) => JSON.stringify({ id, ...of })).join('\n') });
    },
    drawFacts,
    /** Numbers that no like has, the first of so many. @param {number} many */
    nextSequences(many) {
      sequence += many;
      return sequence - many + 1;
    },
    /** Counts what came by another way through the newer worker, of an instant. @param {object[]} came @param {number} at */
    countElsewhere(came, at) {
      const of = came.map((event) => /** @type {Event} */ ({ ...event, at }));
      count({ route: 'events', id: 'elsewhere', events: of, open: of.map(openToAll), until: 0 }, [...of.keys()], false);
    },
    sendBatch,
    sendAgain,
    get events() {
      return events;
    },
    get again() {
      return again;
    },
  };
}
