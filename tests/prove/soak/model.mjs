/**
 * What boards must show after a history of events and rare operations: a list of what counted, and sums over it.
 *
 * # Out of scope
 *
 * Orders of members with the same score: the tests of ties hold those.
 */

/**
 * @typedef {import('./calendar.mjs').Calendar} Calendar
 * @typedef {import('./calendar.mjs').Unit} Unit
 * @typedef {{ unit: Unit, length?: number }} Periods a calendar window, and a rolling one
 * @typedef {{ halfLifeMs: number } | { every: Unit, factor: number } | { resets: string | undefined, beta: number }} Decaying what is worth
 *   less as time passes, at each boundary of a unit, and since a time of the day or the full hour
 * @typedef {Periods | Decaying} Window
 * @typedef {'max' | 'min' | 'last'} Policy which value is ranked instead of a sum
 * @typedef {object} Board
 * @property {'items' | 'actors' | 'authors'} members
 * @property {Record<string, number>} weights by action
 * @property {Record<string, Window>} windows by name
 * @property {Record<string, Unit>} [once] by action
 * @property {Policy} [policy]
 * @property {number} [minScore]
 * @property {string} [section] the category whose items count
 * @typedef {{ address: string, agent: string }} Visitor
 * @typedef {object} Event
 * @property {string} action
 * @property {string} item
 * @property {string} [actor]
 * @property {Visitor} [visitor]
 * @property {number} at
 * @property {number} [comesAt] when it came, if that is later
 * @property {boolean} [undo]
 * @property {number} [value]
 * @property {number} [count]
 * @property {number} [seq]
 * @property {string} [category] of the item, as it is now
 * @property {string} [author] of the item, as it is now
 * @typedef {object} Counted
 * @property {string} member
 * @property {string} item
 * @property {string} [actor]
 * @property {string} [onceBy]
 * @property {string} action
 * @property {number} at
 * @property {number} count
 * @property {number} delta
 * @property {number} number its place in the history
 * @property {Set<string>} windows those that count it
 * @property {Map<string, number>} archived those of which a reset took a period that was over, and when: its archive is what it was then
 * @typedef {ReturnType<typeof createBoardModel>} Model
 */

/** Actions that can be undone. */
const REVERSIBLE = new Set(['like']);

/** Periods of minutes are kept for two more than the longest rolling window of them has, and so much longer. Others are kept for days. */
const MINUTES_KEPT_MS = 10 * 60_000;
/** @type {Partial<Record<Unit, number>>} */
const MINUTES_MS = { minute: 60_000, '5 minutes': 5 * 60_000 };
/** Weights have at most six decimals, so sums of whole millionths are exact. */
const DECIMALS = 1e6;

/** @param {Window} window @returns {window is Decaying} */
export const isDecaying = (window) => !('unit' in window);

/**
 * @param {Board} board @param {Calendar} calendar
 * @param {() => Model[]} [siblings] the boards of other sections: what an actor did there is not done again here
 */
export function createBoardModel(board, calendar, siblings = () => []) {
  /** @type {Set<Counted>} */
  const counted = new Set();
  /** What stands, by who did it and what it was. @type {Map<string, Counted>} */
  const standing = new Map();
  /** The greatest `seq` that was applied, by the same. @type {Map<string, number>} */
  const sequences = new Map();
  /** @type {Set<string>} */
  const once = new Set();
  /** @type {Map<string, boolean>} items by whether the board keeps them off */
  const removed = new Map();
  /** @type {{ names: Set<string>, at: number, holds: (name: string, at: number) => boolean }[]} */
  const resets = [];
  let number = 0;
  const keyOf = (/** @type {{ actor?: string, action: string, item: string }} */ { actor, action, item }) =>
    JSON.stringify([actor, action, item]);
  const onceKey = (
    /** @type {{ action: string, item: string, at: number }} */ { action, item, at },
    /** @type {string | undefined} */ by,
  ) => {
    const unit = board.once?.[action];
    return unit && by !== undefined && JSON.stringify([by, action, item, calendar.periodOf(unit, at)]);
  };

  /** Whether a window takes what was then no more. @param {string} name @param {number} at @param {number} now */
  function isOver(name, at, now) {
    const window = board.windows[name];
    const unitMs = isDecaying(window) ? undefined : MINUTES_MS[window.unit];
    if (isDecaying(window) || unitMs === undefined) return false;
    const longest = Math.max(
      ...Object.values(board.windows).map((of) => (!isDecaying(of) && of.unit === window.unit ? (of.length ?? 1) : 0)),
    );
    return now >= (calendar.periodOf(window.unit, at) + longest + 2) * unitMs + MINUTES_KEPT_MS;
  }

  /** The windows of a configuration that an event counts on. @param {Event} event @param {string[]} configured */
  const openFor = ({ at, comesAt = at }, configured) =>
    configured.filter(
      (name) => !isOver(name, at, comesAt) && !resets.some((reset) => at <= reset.at && reset.names.has(name) && reset.holds(name, at)),
    );

  /** @param {Event} event */
  const memberOf = (event) => (board.members === 'items' ? event.item : board.members === 'actors' ? event.actor : event.author);

  /** Whether a `seq` is newer than what was applied; it is applied then. @param {string} key @param {number | undefined} seq */
  function isNewest(key, seq) {
    if (seq === undefined) return true;
    if (seq <= (sequences.get(key) ?? 0)) return false;
    sequences.set(key, seq);
    return true;
  }

  /** @param {Event} event */
  function undo(event) {
    const key = keyOf(event);
    if (!isNewest(key, event.seq)) return;
    const done = standing.get(key);
    if (!done) return;
    standing.delete(key);
    // What a reset took is gone already.
    counted.delete(done);
  }

  /** @param {Event} event @param {string} member @param {string[]} windows */
  function add(event, member, windows) {
    const { action, item, actor, at, count = 1 } = event;
    const isReversible = REVERSIBLE.has(action) && actor !== undefined;
    const key = keyOf(event);
    if (isReversible && !isNewest(key, event.seq)) return;
    if (isReversible && [standing.has(key), ...siblings().map((one) => one.stands(key))].includes(true)) return;
    const onceBy = actor ?? (event.visitor && JSON.stringify(event.visitor));
    const mark = onceKey(event, onceBy);
    if (mark && once.has(mark)) return;
    if (mark) once.add(mark);
    const delta = board.policy ? (event.value ?? NaN) : board.weights[action] * count;
    number += 1;
    const entry = { member, item, actor, onceBy, action, at, count, delta, number, windows: new Set(windows), archived: new Map() };
    counted.add(entry);
    if (isReversible) standing.set(key, entry);
  }

  /** The windows that a reset takes from, and whether it takes what was then. @param {number} at @param {string} [window] */
  function takenBy(at, window) {
    const spans = spansOfReset(board, calendar, at, window);
    return (/** @type {string} */ name, /** @type {number} */ when) => {
      const of = board.windows[name];
      if (isDecaying(of)) return window === undefined || window === name;
      const [from, to] = spans.get(of.unit) ?? [1, 0];
      const period = calendar.periodOf(of.unit, when);
      return period >= from && period <= to;
    };
  }

  /** What counts in a window that is made of periods. @param {Periods} window @param {string} name @param {number} now @param {number} [period] */
  function* within(window, name, now, period) {
    const to = period ?? calendar.currentOf(window.unit, now);
    const from = to - (window.length ?? 1) + 1;
    for (const entry of counted) {
      if (!entry.windows.has(name)) continue;
      const of = calendar.periodOf(window.unit, entry.at);
      if (of >= from && of <= to) yield entry;
    }
  }

  return {
    counted,
    /** Whether an actor's action on an item stands. @param {string} key */
    stands: (key) => standing.has(key),

    /**
     * @param {Event} event @param {string[]} configured the windows of the worker that counts it
     * @returns {boolean} whether the board has taken note of it: else it may count when it comes again
     */
    count(event, configured) {
      const member = memberOf(event);
      const isElsewhere = board.section !== undefined && board.section !== event.category && !event.undo;
      if (member === undefined || board.weights[event.action] === undefined || isElsewhere) return true;
      if (removed.get(member)) return false;
      if (event.undo) {
        undo(event);
        return true;
      }
      const windows = openFor(event, configured);
      if (windows.length === 0) return false;
      add(event, member, windows);
      return true;
    },

    /** Of all windows, or of one and of those that are made of the same periods. @param {number} at @param {string} [window] */
    reset(at, window) {
      const taken = takenBy(at, window);
      resets.push({ names: new Set(Object.keys(board.windows)), at, holds: taken });
      for (const entry of counted) {
        if (entry.at > at) continue;
        for (const name of [...entry.windows]) {
          if (!taken(name, entry.at)) continue;
          entry.windows.delete(name);
          const of = board.windows[name];
          if (!isDecaying(of) && calendar.periodOf(of.unit, entry.at) < calendar.periodOf(of.unit, at)) entry.archived.set(name, at);
        }
      }
      if (window !== undefined) return;
      for (const mark of [...once]) {
        const [, action, , period] = JSON.parse(mark);
        const unit = board.once?.[action];
        if (unit && period === calendar.periodOf(unit, at)) once.delete(mark);
      }
    },

    /** @param {string} member */
    remove(member) {
      removed.set(member, true);
      for (const entry of [...counted]) if (entry.member === member) counted.delete(entry);
      for (const [key, entry] of [...standing]) if (entry.member === member) standing.delete(key);
    },

    /** @param {string} member */
    letIn: (member) => void removed.set(member, false),

    /** @param {string} actor */
    erase(actor) {
      for (const entry of [...counted]) {
        if (board.members === 'actors' && entry.member === actor) counted.delete(entry);
        // What it counted on items stays, and nobody knows whose it was.
        if (entry.actor === actor) entry.actor = entry.onceBy = undefined;
      }
      for (const keys of [standing, sequences, once])
        for (const key of [...keys.keys()]) if (JSON.parse(key)[0] === actor) keys.delete(key);
    },

    /** What an actor did in a span of time. @param {string} actor @param {number} from @param {number} until */
    revoke(actor, from, until) {
      if (board.policy) return;
      for (const entry of [...counted]) {
        if (entry.actor !== actor || entry.at < from || entry.at >= until) continue;
        counted.delete(entry);
        for (const [key, done] of [...standing]) if (done === entry) standing.delete(key);
        const mark = onceKey(entry, entry.onceBy);
        if (mark) once.delete(mark);
      }
    },

    /** Redis does not know any more what can be undone, nor what counts once. */
    forgetActors() {
      standing.clear();
      once.clear();
    },

    /** Whether an actor did the same to both, so that one of it is taken back when they are made one. @param {string} one @param {string} other */
    isDoneToBoth: (one, other) =>
      [...standing.values()].some((entry) => entry.item === one && standing.has(keyOf({ ...entry, item: other }))),

    /** An item becomes another one. @param {string} old @param {string} to */
    alias(old, to) {
      for (const [key, entry] of [...standing]) {
        if (entry.item !== old) continue;
        standing.delete(key);
        const other = keyOf({ ...entry, item: to });
        const stands = standing.get(other);
        // What an actor did to both is one action: the one that was counted later is taken back.
        const isFirst = !stands || entry.number < stands.number;
        if (stands) counted.delete(isFirst ? stands : entry);
        standing.set(other, isFirst ? entry : stands);
      }
      for (const [key, seq] of [...sequences]) {
        const [actor, action, item] = JSON.parse(key);
        const other = keyOf({ actor, action, item: to });
        if (item === old) sequences.set(other, Math.max(seq, sequences.get(other) ?? 0));
      }
      for (const mark of [...once]) {
        const parts = JSON.parse(mark);
        if (parts[2] === old) once.add(JSON.stringify([parts[0], parts[1], to, parts[3]]));
      }
      for (const entry of counted) {
        if (entry.item !== old) continue;
        entry.item = to;
        if (board.members === 'items') entry.member = to;
      }
    },

    /**
     * What a window holds of each member at an instant, also of those that are not shown.
     *
     * @param {string} name @param {number} now @param {number} [period] of a calendar window, else the current one
     */
    scores(name, now, period) {
      const window = board.windows[name];
      /** @type {Map<string, number>} */
      const sums = new Map();
      const addTo = (/** @type {string} */ member, /** @type {number} */ worth) => sums.set(member, (sums.get(member) ?? 0) + worth);
      if (isDecaying(window)) {
        for (const entry of counted)
          if (entry.windows.has(name)) addTo(entry.member, entry.delta * worthOf(window, calendar, entry.at, now));
      } else if (board.policy) {
        for (const [member, { delta }] of valuesOf(board.policy, within(window, name, now, period))) sums.set(member, delta);
      } else {
        for (const { member, delta } of within(window, name, now, period)) addTo(member, Math.round(delta * DECIMALS));
        for (const [member, sum] of sums) sums.set(member, sum / DECIMALS);
      }
      return sums;
    },

    /** The same of those that are shown. @param {string} name @param {number} now @param {number} [period] */
    shown(name, now, period) {
      const sums = this.scores(name, now, period);
      if (board.policy) return sums;
      return new Map([...sums].filter(([, score]) => score > 0 && score >= (board.minScore ?? 0)));
    },

    /** How often each member got each action, in a calendar window. @param {string} name @param {number} now @param {number} [period] */
    tallies(name, now, period) {
      /** @type {Map<string, Record<string, number>>} */
      const tallies = new Map();
      const window = board.windows[name];
      if (isDecaying(window)) return tallies;
      for (const { member, action, count } of within(window, name, now, period)) {
        const of = tallies.get(member) ?? {};
        of[action] = (of[action] ?? 0) + count;
        tallies.set(member, of);
      }
      return tallies;
    },
  };
}

/** What is ranked of each member. @param {Policy} policy @param {Iterable<Counted>} entries */
function valuesOf(policy, entries) {
  const isBetter = {
    max: (/** @type {Counted} */ one, /** @type {Counted} */ other) => one.delta > other.delta,
    min: (/** @type {Counted} */ one, /** @type {Counted} */ other) => one.delta < other.delta,
    last: (/** @type {Counted} */ one, /** @type {Counted} */ other) =>
      one.at > other.at || (one.at === other.at && one.number > other.number),
  }[policy];
  /** @type {Map<string, Counted>} */
  const best = new Map();
  for (const entry of entries) {
    const known = best.get(entry.member);
    if (!known || isBetter(entry, known)) best.set(entry.member, entry);
  }
  return best;
}

/** What a weight of 1 is worth, for an event of one instant at another one. @param {Decaying} window @param {Calendar} calendar @param {number} at @param {number} now */
function worthOf(window, calendar, at, now) {
  if ('halfLifeMs' in window) return 2 ** ((at - now) / window.halfLifeMs);
  if ('every' in window) return window.factor ** (calendar.periodOf(window.every, now) - calendar.periodOf(window.every, at));
  const since = calendar.lastAt(window.resets, now);
  return at < since ? 0 : window.beta * Math.floor((at - since) / 1000);
}

/**
 * The first and the last period of each unit that a reset takes.
 *
 * @param {Board} board @param {Calendar} calendar @param {number} at @param {string} [window] all of them by default
 * @returns {Map<Unit, [from: number, to: number]>}
 */
export function spansOfReset(board, calendar, at, window) {
  /** @type {Map<Unit, [from: number, to: number]>} */
  const spans = new Map();
  for (const name of window === undefined ? Object.keys(board.windows) : [window]) {
    const of = board.windows[name];
    if (isDecaying(of)) continue;
    const to = calendar.periodOf(of.unit, at);
    const from = to - (of.length ?? 1) + 1;
    spans.set(of.unit, [Math.min(from, spans.get(of.unit)?.[0] ?? from), to]);
  }
  return spans;
}
