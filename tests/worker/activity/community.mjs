/**
 * What a community does in some weeks: events as they are sent, some late, repeated, undone or wrong.
 */
import { createRandom, DAY_MS, HOUR_MS } from '../../support/windows.mjs';

/**
 * @typedef {{ action: string, item: string, actor?: string, undo?: true, ago?: number, at?: number, id?: string }} Event
 * @typedef {{ id?: string, events: Event[] }} Batch
 * @typedef {{ at: number, batch: Batch }} Send `at` is when, in Unix milliseconds
 * @typedef {{ at: number, action: string, item: string, actor?: string, stands: boolean }} Done
 */

/** `save` has a weight on no board, so that only the activity log knows of it. */
export const REVERSIBLE = ['like', 'collect', 'follow', 'dislike', 'save'];
export const PLAIN = ['view', 'comment', 'publish', 'share'];
/** The site's `actor_history`, its default. */
export const HISTORY_MS = 31 * DAY_MS;

export const START = Date.parse('2026-12-01T00:00:00Z');
const DAYS = 40;
/** Some events are sent so long after they happened, at most. */
export const LATEST_DAYS = 10;
/** Around these no event happens and no actor history ends, since clocks go on while a batch is sent. */
const MARGIN_MS = 5 * 60_000;
const IN_A_BATCH = 100;

export const ACTORS = Array.from({ length: 60 }, (_, i) => (i === 0 ? 'Zoë / "0" {}' : `u${i}`));
const ITEMS = Array.from({ length: 300 }, (_, i) => `/posts/${i}`);

/**
 * What a community sends, in the order of time. Tracked actions are undone in the same batch, on the same day, or up to 35 days
 * later. Some are undone twice or done again. Some events were never right.
 *
 * @param {number} seed
 * @param {number} count
 * @returns {Send[]}
 */
export function generateSends(seed, count) {
  const random = createRandom(seed);
  const pick = (/** @type {number} */ below) => Math.floor(random() * below);
  /** The first are the most popular. @template T @param {T[]} list */
  const popular = (list) => list[Math.floor(list.length * random() ** 2)];
  /** What follows from what was done before, and when. @type {{ due: number, event: Event }[]} */
  const planned = [];
  /** @type {Event[]} */
  const tracked = [];
  let ids = 0;

  /** @param {number} now @returns {Event} */
  const fresh = (now) => {
    const wrong = random();
    if (wrong < 0.005) return { action: 'veiw', item: popular(ITEMS), actor: popular(ACTORS) };
    if (wrong < 0.01) return { action: 'like', item: popular(ITEMS), actor: popular(ACTORS), at: now + HOUR_MS };
    if (wrong < 0.015) return { action: 'like', item: popular(ITEMS), undo: true };
    if (wrong < 0.02) return { action: PLAIN[pick(PLAIN.length)], item: popular(ITEMS), actor: popular(ACTORS), undo: true };
    if (wrong < 0.05)
      return {
        action: REVERSIBLE[pick(REVERSIBLE.length)],
        item: ITEMS[pick(ITEMS.length)],
        actor: ACTORS[pick(ACTORS.length)],
        undo: true,
      };
    if (wrong < 0.1 && tracked.length > 0) return tracked[pick(tracked.length)];

    const reversible = random() < 0.5;
    /** @type {Event} */
    const event = {
      action: reversible ? REVERSIBLE[pick(REVERSIBLE.length)] : PLAIN[Math.floor(4 * random() ** 3)],
      item: popular(ITEMS),
      actor: popular(ACTORS),
    };
    if (event.action !== 'save' && event.action !== 'follow' && random() < 0.1) delete event.actor;
    if (random() < 0.08) Object.assign(event, late(now));
    if (random() < 0.1) event.id = `event-${(ids += 1)}`;
    if (!reversible || event.actor === undefined) return event;

    const { action, item, actor } = event;
    tracked.push({ action, item, actor });
    const [will, when] = [random(), random()];
    const delay = when < 0.1 ? 0 : when < 0.3 ? random() * 6 * HOUR_MS : when < 0.7 ? random() * 20 * DAY_MS : (28 + random() * 7) * DAY_MS;
    if (will < 0.6)
      planned.push({ due: now + delay, event: { action, item, actor, undo: true, ...(random() < 0.1 && { id: `event-${(ids += 1)}` }) } });
    if (will < 0.1) planned.push({ due: now + delay + random() * 5 * DAY_MS, event: { action, item, actor, undo: true } });
    if (will > 0.05 && will < 0.2) planned.push({ due: now + delay + random() * 5 * DAY_MS, event: { action, item, actor } });
    return event;
  };
  /** That it happened earlier, one way or the other. @param {number} now @returns {Pick<Event, 'ago' | 'at'>} */
  const late = (now) => {
    const then = Math.round(now - random() * LATEST_DAYS * DAY_MS);
    if (then % DAY_MS < MARGIN_MS || then % DAY_MS > DAY_MS - MARGIN_MS) return {};
    return random() < 0.5 ? { at: then } : { ago: now - then };
  };

  /** @type {Send[]} */
  const sends = [];
  for (const now of generateInstants(random, count / IN_A_BATCH)) {
    /** @type {Event[]} */
    const events = [];
    while (events.length < IN_A_BATCH) {
      const next = planned.findIndex(({ due }) => due <= now);
      const last = sends.at(-1)?.batch;
      const known = [...(last?.id === undefined ? (last?.events ?? []) : []), ...events].filter(
        ({ id, at, ago }) => id && at === undefined && ago === undefined,
      );
      if (known.length > 0 && random() < 0.015) {
        events.push(known[pick(known.length)]);
      } else if (next >= 0 && random() < 0.6) {
        events.push(...planned.splice(next, 1).map(({ event }) => event));
      } else {
        events.push(fresh(now));
      }
    }
    const batch = random() < 0.2 ? { id: `batch-${sends.length}`, events } : { events };
    sends.push({ at: now, batch });
    if (batch.id !== undefined && random() < 0.3) sends.push({ at: now + 1_000, batch });
  }
  return sends;
}

/**
 * When batches are sent: not around midnight, and none when the actor history of another one ends.
 *
 * @param {() => number} random
 * @param {number} count
 */
function generateInstants(random, count) {
  const step = (DAYS * DAY_MS) / count;
  /** @type {number[]} */
  const instants = [];
  for (let i = 0; i < count; i += 1) {
    let now = Math.round(START + (i + random() / 4) * step);
    const unclear = () => {
      const ofDay = now % DAY_MS;
      const ends = instants.some((other) => Math.abs(now - other - HISTORY_MS) < MARGIN_MS);
      return ends || ofDay < MARGIN_MS || ofDay > DAY_MS - MARGIN_MS;
    };
    while (unclear()) now += MARGIN_MS;
    instants.push(now);
  }
  return instants;
}
