/**
 * The last lines of `npm test`: what took how long, and what was skipped.
 */
import { RINGS } from './rings.mjs';

/**
 * @typedef {{ name: string, why: string }} Skipped a test that skipped itself
 *
 * @param {object} results
 * @param {string[]} results.words
 * @param {import('./options.mjs').Part} results.part
 * @param {boolean} [results.isOverCluster]
 * @param {{ path: string, program: string }[]} results.skippedFiles
 * @param {Skipped[]} results.skippedTests
 */
export function lastLine({ words, part, isOverCluster = false, skippedFiles, skippedTests }) {
  const ran =
    words.length > 0 ? `the tests of ${words.join(' and ')}` : { quick: 'the tests', engines: 'the other engines', all: 'all tests' }[part];
  const passed = `${ran} passed${isOverCluster ? ' over a cluster' : ''}`;
  const programs = [...new Set(skippedFiles.map(({ program }) => program))];
  const skipped = programs.map((program) => {
    const paths = skippedFiles.filter((file) => file.program === program).map(({ path }) => path);
    return `${counted(paths.length, 'file')} without ${program} (${paths.map(shortened).join(', ')})`;
  });
  if (skippedTests.length > 0) {
    skipped.push(`${counted(skippedTests.length, 'test')} (${skippedTests.map(({ name, why }) => `${name}: ${why}`).join('; ')})`);
  }
  return skipped.length > 0 ? `${passed}; skipped ${skipped.join(', ')}` : `${passed}; skipped none`;
}

/** @param {Record<string, number>} seconds of each file @returns {string} of each ring */
export function secondsOfFolders(seconds) {
  const sums = RINGS.map(({ name, folder }) => {
    const own = Object.keys(seconds).filter((path) => folder && path.includes(`/${folder}`));
    return { name, sum: own.reduce((sum, path) => sum + seconds[path], 0) };
  });
  return sums
    .filter(({ sum }) => sum > 0)
    .map(({ name, sum }) => `${name} ${Math.round(sum)}`)
    .join(', ');
}

const shortened = (/** @type {string} */ path) => path.replace(/^tests\/|\.test\.mjs$/g, '');
const counted = (/** @type {number} */ number, /** @type {string} */ what) => `${number} ${what}${number === 1 ? '' : 's'}`;
