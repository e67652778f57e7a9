/**
 * Whether periods were frozen as the models had them when they were.
 */

/** The windows that are looked at: of hours and days, and a rolling one. */
const WINDOWS = ['hour', 'day', 'last-3-days'];

/**
 * @param {object} options
 * @param {import('./world.mjs').World} options.world
 * @param {import('./model.mjs').Model} options.model of the board that freezes periods
 * @param {import('./model.mjs').Board} options.board
 * @param {import('./calendar.mjs').Calendar} options.calendar
 * @param {() => import('./curation.mjs').Lists} options.lists
 * @param {string[]} options.differences
 */
export function createFrozen({ world, model, board, calendar, lists, differences }) {
  /** @type {Set<string>} */
  const known = new Set();

  /** @param {string} window @param {any} frozen */
  function compare(window, { id, frozen_at, total, winner }) {
    const of = board.windows[window];
    if (!('unit' in of)) return;
    const at = Date.parse(frozen_at);
    // The periods of a rolling window are named by the last one that it is made of.
    let period = calendar.periodOf(of.unit, at);
    while (calendar.idOf(of.unit, period) !== id && calendar.periodOf(of.unit, at) - period < 100) period -= 1;
    const shown = model.shown(window, at, period);
    const { hidden, pinned } = lists();
    for (const member of hidden) shown.delete(member);
    for (const member of pinned) if (!hidden.has(member)) shown.set(member, shown.get(member) ?? 0);
    const tell = (/** @type {string} */ what) => differences.push(`${frozen_at} articles/${window} ${id} is frozen: ${what}`);
    if (total !== shown.size) tell(`total ${total}, not ${shown.size}`);
    const first = [...pinned].find((member) => !hidden.has(member));
    const most = first === undefined ? Math.max(...shown.values()) : shown.get(first);
    if (shown.size > 0 && winner?.score !== most) tell(`the winner has ${winner?.score}, not ${most}`);
  }

  return {
    get count() {
      return known.size;
    },
    /** Looks at what was frozen since, before anything else happens. */
    async look() {
      for (const window of WINDOWS) {
        const { body } = await world.deployment.fetch(`/v1/demo/boards/articles/${window}/periods?limit=100`);
        for (const frozen of body.periods) {
          if (known.has(`${window} ${frozen.id}`)) continue;
          known.add(`${window} ${frozen.id}`);
          compare(window, frozen);
        }
      }
    },
  };
}
