/**
 * Which part of the tests a run has. `npm test` sets EDGEBOARD_TESTS to `quick`, what shows everything once; to `engines`, what that
 * leaves out; or to `all`. A file that is run by itself runs in full.
 */
const PART = process.env.EDGEBOARD_TESTS || 'all';

/** Whether this run shows everything once. */
export const IS_QUICK_RUN = PART !== 'engines';
/** Whether this run has the other engines, and what takes long. */
export const IS_LONG_RUN = PART !== 'quick';

/**
 * The variants of a test in this run.
 *
 * @template T
 * @param {readonly T[]} first what `npm test` runs
 * @param {readonly NoInfer<T>[]} others what is left to `npm test -- --engines`
 * @returns {T[]}
 */
export function inPart(first, others) {
  return [...(IS_QUICK_RUN ? first : []), ...(IS_LONG_RUN ? others : [])];
}
