/**
 * What boards must show after a history of events and rare operations: a list of what counted, and sums over it.
 *
 * # Out of scope
 *
 * Orders of members with the same score, and how they are numbered: the tests of ties hold those.
 */

/**
 * @typedef {import('./calendar.mjs').Calendar} Calendar
 * @typedef {import('./calendar.mjs').Unit} Unit
 * @typedef {{ unit: Unit } | { unit: Unit, length: number } | { halfLifeMs: number }} Window a calendar one, a rolling one, a fading one
 * @typedef {object} Board
 * @property {'items' | 'actors'} members
 * @property {Record<string, number>} weights by action
 * @property {Record<string, Window>} windows by name
 * @property {Record<string, Unit>} [once] by action
 * @property {boolean} [isBest] the greatest value is ranked instead of a sum
 * @typedef {{ action: string, item: string, actor?: string, at: number, undo?: boolean, value?: number }} Event
 * @typedef {ReturnType<typeof createBoardModel>} Model
 * @typedef {{ member: string, item: string, actor?: string, action: string, at: number, delta: number, number: number, windows: Set<string> }} Counted
 *   `number` is its place in the history, `windows` are those that count it
 */

/** Actions that can be undone. */
const REVERSIBLE = new Set(['like']);

/** @param {Board} board @param {Calendar} calendar */
export function createBoardModel(board, calendar) {
  /** @type {Set<Counted>} */
  const counted = new Set();
  /** What stands, by who did it and what it was. @type {Map<string, Counted>} */
  const standing = new Map();
  /** @type {Set<string>} */
  const once = new Set();
  /** @type {Map<string, boolean>} items by whether the board keeps them off */
  const removed = new Map();
  /** @type {{ names: Set<string>, at: number, holds: (name: string, at: number) => boolean }[]} */
  const resets = [];
  let number = 0;
  const keyOf = (/** @type {Event} */ { actor, action, item }) => JSON.stringify([actor, action, item]);
  const onceKey = (/** @type {Event | Counted} */ { actor, action, item, at }) => {
    const unit = board.once?.[action];
    return unit && actor !== undefined && JSON.stringify([actor, action, item, calendar.periodOf(unit, at)]);
  };

  /** The windows of a configuration that an event counts on now. @param {number} at @param {string[]} configured */
  const openFor = (at, configured) =>
    configured.filter((name) => !resets.some((reset) => at <= reset.at && reset.names.has(name) && reset.holds(name, at)));

  return {
    counted,

    /** @param {Event} event @param {string[]} configured the windows of the worker that counts it */
    count(event, configured) {
      const member = board.members === 'items' ? event.item : event.actor;
      const weight = board.weights[event.action];
      if (member === undefined || weight === undefined || removed.get(member)) return;
      if (event.undo) {
        const done = standing.get(keyOf(event));
        if (!done) return;
        standing.delete(keyOf(event));
        // What a reset took is gone already.
        counted.delete(done);
        return;
      }
      const windows = openFor(event.at, configured);
      if (windows.length === 0) return;
      const mark = onceKey(event);
      if (mark && once.has(mark)) return;
      const isReversible = REVERSIBLE.has(event.action);
      if (isReversible && standing.has(keyOf(event))) return;
      if (mark) once.add(mark);
      const { action, item, actor, at } = event;
      const delta = board.isBest ? (event.value ?? NaN) : weight;
      number += 1;
      const entry = { member, item, actor, action, at, delta, number, windows: new Set(windows) };
      counted.add(entry);
      if (isReversible) standing.set(keyOf(event), entry);
    },

    /** Of all windows, or of one and of those that are made of the same periods. @param {number} at @param {string} [window] */
    reset(at, window) {
      const names = Object.keys(board.windows);
      const spans = spansOfReset(board, calendar, at, window);
      const fading = new Set((window === undefined ? names : [window]).filter((name) => 'halfLifeMs' in board.windows[name]));
      const taken = (/** @type {string} */ name, /** @type {number} */ when) => {
        const of = board.windows[name];
        if ('halfLifeMs' in of) return fading.has(name);
        const [from, to] = spans.get(of.unit) ?? [1, 0];
        const period = calendar.periodOf(of.unit, when);
        return period >= from && period <= to;
      };
      resets.push({ names: new Set(names), at, holds: taken });
      for (const entry of counted) {
        if (entry.at > at) continue;
        for (const name of [...entry.windows]) if (taken(name, entry.at)) entry.windows.delete(name);
      }
      if (window === undefined) {
        for (const mark of [...once]) {
          const [, action, , period] = JSON.parse(mark);
          const unit = board.once?.[action];
          if (unit && period === calendar.periodOf(unit, at)) once.delete(mark);
        }
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
        if (entry.actor === actor) entry.actor = undefined;
      }
      for (const key of [...standing.keys()]) if (JSON.parse(key)[0] === actor) standing.delete(key);
      for (const mark of [...once]) if (JSON.parse(mark)[0] === actor) once.delete(mark);
    },

    /** What an actor did in a span of time. @param {string} actor @param {number} from @param {number} until */
    revoke(actor, from, until) {
      if (board.isBest) return;
      for (const entry of [...counted]) {
        if (entry.actor !== actor || entry.at < from || entry.at >= until) continue;
        counted.delete(entry);
        for (const [key, done] of [...standing]) if (done === entry) standing.delete(key);
        const mark = onceKey(entry);
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
     * What a window holds of each member at an instant.
     *
     * @param {string} name @param {number} now @param {number} [period] of a calendar window, else the current one
     * @returns {Map<string, number>}
     */
    scores(name, now, period) {
      const window = board.windows[name];
      /** @type {Map<string, number>} */
      const sums = new Map();
      const to = 'unit' in window ? (period ?? calendar.periodOf(window.unit, now)) : 0;
      const from = 'length' in window ? to - window.length + 1 : to;
      for (const { member, at, delta, windows } of counted) {
        if (!windows.has(name)) continue;
        if ('halfLifeMs' in window) {
          sums.set(member, (sums.get(member) ?? 0) + delta * 2 ** ((at - now) / window.halfLifeMs));
          continue;
        }
        const of = calendar.periodOf(window.unit, at);
        if (of < from || of > to) continue;
        const before = sums.get(member);
        sums.set(member, before === undefined ? delta : board.isBest ? Math.max(before, delta) : before + delta);
      }
      return sums;
    },
  };
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
    if ('halfLifeMs' in of) continue;
    const to = calendar.periodOf(of.unit, at);
    const from = 'length' in of ? to - of.length + 1 : to;
    spans.set(of.unit, [Math.min(from, spans.get(of.unit)?.[0] ?? from), to]);
  }
  return spans;
}
