/**
 * Events as the proofs draw and send them, and as the models count them.
 */

/** @typedef {import('./model.mjs').Event} Event `at` is NaN where the sender names no instant */

/**
 * @param {object} of
 * @param {() => number} of.random
 * @param {Record<string, number>} of.actions how often each comes, adding up to 1
 * @param {() => string} of.item
 * @param {() => string} of.actor
 * @param {() => number} of.at NaN: now
 * @param {(event: Event) => number} of.nobody how often nobody did it
 * @returns {Event}
 */
export function drawEvent({ random, actions, item, actor, at, nobody }) {
  let share = random();
  const action = Object.keys(actions).find((name) => (share -= actions[name]) < 0) ?? 'view';
  /** @type {Event} */
  const event = { action, item: item(), at: at() };
  if (random() >= nobody(event)) event.actor = actor();
  if (action === 'like' && random() < 0.4) [event.undo, event.at] = [true, NaN];
  return event;
}

/** What a sender sends. @param {Event[]} events */
export function bodyOf(events) {
  return events.map(({ at, ...event }) => (Number.isNaN(at) ? event : { ...event, at }));
}

/** What is to be counted of events that came now. @param {Event[]} events @param {number} now @param {(item: string) => string} resolve */
export function comeAt(events, now, resolve) {
  return events.map((event) => ({ ...event, item: resolve(event.item), at: Number.isNaN(event.at) ? now : event.at, comesAt: now }));
}

/** What items became. */
export function createAliases() {
  /** @type {Map<string, string>} */
  const became = new Map();
  return {
    /** @param {string} old @param {string} to */
    add: (old, to) => void became.set(old, to),
    /** @param {string} item */
    resolve(item) {
      let name = item;
      for (let to = became.get(name); to !== undefined; to = became.get(name)) name = to;
      return name;
    },
  };
}
