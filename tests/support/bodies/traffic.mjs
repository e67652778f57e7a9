/**
 * Bodies of the shape that web/beacon.js sends (beacon.json) and that servers send, made anew each time and the same ones for the same
 * seed. Few items get most views: the n-th item has 1/n of the views of the first (Zipf). Or items and actors come in turn.
 *
 * # Out of scope
 *
 * Numbers that nobody can predict: an id here is one of a sequence.
 */

/**
 * @typedef {{ action: string, item: string, actor?: string, undo?: true, ago?: number, value?: number }} Event
 * @typedef {{ id: string, events: Event[] }} Body
 *
 * @typedef {object} Traffic
 * @property {(count: number, options?: { actors?: boolean }) => Body} views of one beacon
 * @property {() => Body} like of a server's, by the next actor
 * @property {(like: Body) => Body} undo
 * @property {() => string} id that no other body has
 */

/** Events wait that long in a page. */
const WAITS_MS = 1000;
/** Ids are numbers of 64 bits, in base 36. */
const FIRST_ID = 0xeb00_0000_0000_0000n;

/**
 * @param {object} [options]
 * @param {number} [options.seed]
 * @param {number} [options.items]
 * @param {number} [options.actors]
 * @param {boolean} [options.inTurn]
 * @returns {Traffic}
 */
export function createTraffic({ seed = 1, items = 1000, actors = 1000, inTurn = false } = {}) {
  const random = randomNumbers(seed);
  const post = inTurn ? turns(items) : zipf(items, random);
  const user = inTurn ? turns(actors) : zipf(actors, random);
  const fan = turns(actors);
  let ids = FIRST_ID + (BigInt(seed) << 40n);
  const id = () => (ids++).toString(36);
  return {
    id,
    views: (count, { actors: byActors = false } = {}) => ({
      id: id(),
      events: Array.from({ length: count }, () => ({
        action: 'view',
        item: item(post()),
        ...(byActors && { actor: actor(user()) }),
        ago: 1 + Math.floor(random() * WAITS_MS),
      })),
    }),
    like: () => ({ id: id(), events: [{ action: 'like', item: item(post()), actor: actor(fan()) }] }),
    undo: ({ events }) => ({ id: id(), events: events.map((event) => ({ ...event, undo: true })) }),
  };
}

/**
 * Bodies that view every item once, and by every actor, so that what is sent later meets members.
 *
 * @param {Traffic} traffic
 * @param {{ items?: number, actors?: number }} [options] as given to the traffic
 * @returns {Body[]}
 */
export function everyMember({ id }, { items = 1000, actors = 1000 } = {}) {
  const size = 100;
  return Array.from({ length: Math.ceil(Math.max(items, actors) / size) }, (_, batch) => ({
    id: id(),
    events: Array.from({ length: size }, (_, i) => batch * size + i).map((i) => ({
      action: 'view',
      item: item(i % items),
      actor: actor(i % actors),
      ago: 1,
    })),
  }));
}

/** @param {number} number */
const item = (number) => `/posts/${number}`;

/** @param {number} number */
const actor = (number) => `u${number}`;

/**
 * Numbers of a linear congruential generator, the constants of Numerical Recipes.
 *
 * @param {number} seed
 * @returns {() => number} of [0, 1)
 */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * @param {number} count
 * @returns {() => number} 0 to count - 1, and again
 */
function turns(count) {
  let next = 0;
  return () => next++ % count;
}

/**
 * @param {number} count
 * @param {() => number} random
 * @returns {() => number} of 0 to count - 1
 */
function zipf(count, random) {
  let sum = 0;
  const sums = Array.from({ length: count }, (_, i) => (sum += 1 / (i + 1)));
  return () => {
    const wanted = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
