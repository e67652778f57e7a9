/**
 * Which part of the tests a run has. `npm test` sets EDGEBOARD_TESTS to `quick`, what shows everything once; to `engines`, what that
 * leaves out; or to `all`. A file that is run by itself runs in full.
 */
import { test } from 'node:test';

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

/** Of a table of like cases one of so many runs first. It is no divisor of how many tokens, methods or windows there are. */
const SAMPLED = 5;

/**
 * Every fifth of many cases alike, and the others in `--engines`, in their order: one may change what a later one is answered.
 *
 * @template T
 * @param {readonly T[]} cases
 */
export function sampled(cases) {
  return cases.filter((_, i) => (i % SAMPLED === 0 ? IS_QUICK_RUN : IS_LONG_RUN));
}

/** How many of so many sampled cases there are at least in this run. @param {number} cases */
export function shareOf(cases) {
  return Math.floor(cases * ((IS_QUICK_RUN ? 1 / SAMPLED : 0) + (IS_LONG_RUN ? 1 - 1 / SAMPLED : 0)));
}

/**
 * A test that takes long, such as of a random history or of a job that is killed at each of its steps: of `--engines`.
 *
 * @param {string} name
 * @param {import('node:test').TestFn} run
 */
export function longTest(name, run) {
  if (IS_LONG_RUN) test(name, run);
}
