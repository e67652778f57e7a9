/**
 * The arguments of `npm run bench`.
 */
import { parseArgs } from 'node:util';

import { Problem } from '../scripts/report.mjs';

export const USAGE = `
Usage: npm run bench [-- --quick] [-- --only PART]

Measures edgeboard beside its baselines, in one run and in turn, and exits 1 when a ratio it must keep is missed.
The figures are also written to bench/results/latest.json.

Options:
  --quick          fewer and shorter rounds
  --only PART      one part only:
                     start   a cold start beside a hello-world's
                     reads   top-N reads per second against other workers
                     writes  beacons per second against a worker over @upstash/redis
                     script  Redis's CPU time per event against plain ZINCRBY
                     windows the same of rolling windows, against their length and against other designs
                     upkeep  a million members: how long it takes and what others notice
                     midnight  a boundary that nobody prepared, under load
                     counting  ids, tracked actions, once, ties, ranks: Redis's CPU time and memory beside plain counting
  --help

Environment:
  REDIS_SERVER     the redis-server to measure
`;

const PARTS = /** @type {const} */ (['start', 'reads', 'writes', 'script', 'windows', 'upkeep', 'midnight', 'counting']);

const QUICK = {
  rounds: 3,
  seconds: 1,
  commands: 8_000,
  upkeepMembers: 100_000,
  midnightMembers: 10_000,
  countedEvents: 600,
  remembered: 10_000,
  rankedMembers: 100_000,
  askedRanks: 3_200,
};
const FULL = {
  rounds: 7,
  seconds: 3,
  commands: 32_000,
  upkeepMembers: 1_000_000,
  midnightMembers: 100_000,
  countedEvents: 1_200,
  remembered: 20_000,
  rankedMembers: 1_000_000,
  askedRanks: 4_800,
};

/**
 * @typedef {typeof PARTS[number]} Part
 * @typedef {object} Effort
 * @property {number} rounds an odd number, so that a median is a round's
 * @property {number} seconds of load, per worker and round
 * @property {number} commands sent to Redis, per variant and round
 * @property {number} midnightMembers of the board that crosses midnight unprepared
 * @property {number} upkeepMembers of the board that upkeep is measured on
 * @property {number} countedEvents sent to Redis, per kind of counting and round, of which there are three times as many
 * @property {number} remembered ids, marks or tracked actions at least, where what they take of memory is measured
 * @property {number} rankedMembers of the board on which it is asked where members stand
 * @property {number} askedRanks that are asked for, per variant and round
 *
 * @param {string[]} args
 * @returns {{ parts: Part[], effort: Effort }}
 */
export function readOptions(args) {
  const { quick, only } = parse(args);
  if (only !== undefined && !isPart(only)) {
    throw new Problem(`--only is ${JSON.stringify(only)}; allowed: ${PARTS.join(', ')}`);
  }
  return {
    parts: only === undefined ? [...PARTS] : [only],
    effort: quick ? QUICK : FULL,
  };
}

/** @param {string} name @returns {name is Part} */
function isPart(name) {
  return /** @type {readonly string[]} */ (PARTS).includes(name);
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({ args, options: { quick: { type: 'boolean' }, only: { type: 'string' } } }).values;
  } catch (error) {
    throw new Problem(`${error.message}\n${USAGE.trimEnd()}`);
  }
}
