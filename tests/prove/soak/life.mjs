/**
 * What readers and servers of the site send: batches with events that come late and undos, through either worker.
 */
import { bodyOf, comeAt, createAliases, drawEvent } from './events.mjs';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ITEMS = 40;
const ACTORS = 15;
const ACTIONS = { view: 0.5, like: 0.3, comment: 0.1, finish: 0.1 };
/** What counts once is remembered for a day after its period. */
const ONCE_MS = DAY_MS - 60 * MINUTE_MS;

/** @typedef {ReturnType<typeof createLife>} Life */

/**
 * @param {object} options
 * @param {import('./world.mjs').World} options.world
 * @param {Record<string, import('./model.mjs').Model>} options.models
 * @param {(board: string, isOlder: boolean) => string[]} options.windowsOf that a worker has of a board
 * @param {string} options.name of the run: a part of the ids
 * @param {() => number} options.random
 */
export function createLife({ world, models, windowsOf, name: run, random }) {
  const { now, note } = world;
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const aliases = createAliases();
  const item = () => `/p/${pick(ITEMS)}`;
  const actor = () => `u${pick(ACTORS)}`;
  let [batches, events] = [0, 0];

  function draw() {
    const event = drawEvent({
      random,
      actions: ACTIONS,
      item,
      actor,
      at: () => (random() < 0.3 ? now() - pick(random() < 0.7 ? 5 * 60 * MINUTE_MS : 3 * DAY_MS) : NaN),
      nobody: ({ action, at }) => (action !== 'view' ? 0 : at < now() - ONCE_MS ? 1 : 0.5),
    });
    if (event.action === 'finish') event.value = 1 + pick(500);
    return event;
  }

  async function sendBatch() {
    const isOlder = random() < 0.4;
    const drawn = Array.from({ length: random() < 0.4 ? 1 : 1 + pick(9) }, draw);
    batches += 1;
    const sent = bodyOf(drawn);
    await world.send({ id: `soak-${run}-${batches}`, events: sent }, isOlder);
    for (const event of sent) note(`${isOlder ? 'older' : 'newer'} ${JSON.stringify(event)} for ${aliases.resolve(event.item)}`);
    for (const event of comeAt(drawn, now(), aliases.resolve))
      for (const [board, model] of Object.entries(models)) model.count(event, windowsOf(board, isOlder));
    events += drawn.length;
  }

  return {
    item,
    actor,
    resolve: aliases.resolve,
    alias: aliases.add,
    /** Items that are kept off the articles. @type {Set<string>} */
    off: new Set(),
    /** @type {Set<string>} */
    hidden: new Set(),
    sendBatch,
    get events() {
      return events;
    },
  };
}
