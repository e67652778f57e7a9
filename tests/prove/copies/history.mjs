/**
 * What boards must show after Redis lost something and was restored: the history of what was done, without the steps that the loss took.
 *
 * A step that was before a loss counts in a period when Redis, or the archive, had it: what a backup has, and what the archive has that
 * follows until an instant that the product tells. Every step after the loss counts.
 */
import { createBoardModel } from '../soak/model.mjs';

/**
 * @typedef {import('../soak/calendar.mjs').Calendar} Calendar
 * @typedef {import('../soak/calendar.mjs').Unit} Unit
 * @typedef {import('../soak/model.mjs').Board} Board
 * @typedef {ReturnType<typeof createBoardModel>} Model
 * @typedef {import('../soak/model.mjs').Counted} Entry
 * @typedef {object} Step
 * @property {number} at when it was done, in Unix milliseconds
 * @property {(models: Record<string, Model>) => void} apply
 * @property {'archive' | 'everywhere'} [stays] whether the archive has it at once, or the database has it, which is not lost
 * @typedef {object} Loss
 * @property {number} at
 * @property {number} backup until when what Redis has is right; `-Infinity` where it was emptied
 * @property {(board: string, unit: Unit, period: number) => number | undefined} archived until when the archive of a period follows;
 *   `undefined` where it has none
 * @property {(board: string, unit: Unit, period: number) => [from: number, until: number][] | undefined} filled the spans that a period which
 *   lost its beginning was built from; `undefined` where it was not
 */

/** What a period is built from, the longest first. @type {Unit[]} */
const PIECES = ['month', 'week', 'day', 'hour'];

/** @param {Record<string, Board>} boards @param {Calendar} calendar */
export function createHistory(boards, calendar) {
  /** @type {Step[]} */
  const steps = [];
  /** @type {Loss | undefined} */
  let loss;
  /** @type {Map<string, { models: Record<string, Model>, doneAt: Map<object, number> }>} */
  const made = new Map();

  /** The models after the steps that a period has of before the loss, and all after it. @param {number} until @param {boolean} isArchived */
  function replay(until, isArchived) {
    const key = `${until} ${isArchived} ${steps.length}`;
    const known = made.get(key);
    if (known) return known;
    const models = Object.fromEntries(Object.entries(boards).map(([name, board]) => [name, createBoardModel(board, calendar)]));
    /** When what counted was counted. @type {Map<object, number>} */
    const doneAt = new Map();
    let isLost = false;
    for (const { at, apply, stays } of steps) {
      if (loss && !isLost && at > loss.at) {
        isLost = true;
        if (loss.backup === -Infinity) for (const model of Object.values(models)) model.forgetActors();
      }
      const has = !loss || at <= until || at > loss.at || stays === 'everywhere' || (isArchived && stays === 'archive');
      if (!has) continue;
      apply(models);
      for (const { counted } of Object.values(models)) for (const entry of counted) if (!doneAt.has(entry)) doneAt.set(entry, at);
    }
    made.set(key, { models, doneAt });
    return { models, doneAt };
  }

  /** @param {string} board @param {string} window @param {Unit} unit @param {number} period */
  function ofPeriod(board, window, unit, period) {
    const archivedUntil = loss?.archived(board, unit, period);
    const filled = loss?.filled(board, unit, period);
    if (filled) return ofPieces(board, window, unit, period, filled);
    const until = Math.max(loss?.backup ?? -Infinity, archivedUntil ?? -Infinity);
    const { models } = replay(until, archivedUntil !== undefined);
    return models[board].scores(window, NaN, period);
  }

  /** @param {string} board @param {string} window @param {Unit} unit @param {number} period @param {[number, number][]} spans */
  function ofPieces(board, window, unit, period, spans) {
    const lostAt = loss?.at ?? NaN;
    /** Until when the piece follows that has what was counted: a longer one that was reset is left out. @param {Entry} entry */
    const followed = ({ at, windows, archived }) => {
      if (!spans.some(([from, until]) => at >= from && at < until)) return undefined;
      const shorter = PIECES.slice(unit === 'all' ? 0 : PIECES.indexOf(unit) + 1).filter((of) => windows.has(of) || archived.has(of));
      const untils = shorter.map((of) => archived.get(of) ?? loss?.archived(board, of, calendar.periodOf(of, at)));
      return untils.find((until) => until !== undefined);
    };
    /** @type {Map<string, number>} */
    const sums = new Map();
    const add = (/** @type {string} */ member, /** @type {number} */ delta) => sums.set(member, (sums.get(member) ?? 0) + delta);
    /** @type {Set<number>} */
    const untils = new Set([-Infinity]);
    for (const entry of replay(lostAt, true).models[board].counted) untils.add(followed(entry) ?? -Infinity);
    for (const until of untils) {
      const { models, doneAt } = replay(until, true);
      for (const entry of models[board].counted) {
        if (!entry.windows.has(window) || calendar.periodOf(unit, entry.at) !== period) continue;
        const isSince = (doneAt.get(entry) ?? NaN) > lostAt;
        if (isSince ? until === -Infinity : followed(entry) === until) add(entry.member, entry.delta);
      }
    }
    return sums;
  }

  return {
    steps,
    /** @param {Step} step */
    add: (step) => void steps.push(step),
    /** The models after all steps. */
    whole: () => replay(Infinity, true),
    /** @param {Loss} what */
    lose: (what) => void (loss = what),

    /**
     * What a window holds of each member.
     *
     * @param {string} board @param {string} window @param {number} now @param {number} [period] of a calendar window, else the current one
     */
    expected(board, window, now, period) {
      const of = boards[board].windows[window];
      if (!('unit' in of)) throw new Error(`${window} is made of no periods`);
      const last = period ?? calendar.periodOf(of.unit, now);
      if (of.length === undefined) return ofPeriod(board, window, of.unit, last);
      /** @type {Map<string, number>} */
      const sums = new Map();
      for (let one = last - of.length + 1; one <= last; one += 1)
        for (const [member, score] of ofPeriod(board, of.unit, of.unit, one)) sums.set(member, (sums.get(member) ?? 0) + score);
      return sums;
    },
  };
}
