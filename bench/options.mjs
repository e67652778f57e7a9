/**
 * The arguments of `npm run bench`.
 */
import { parseArgs } from 'node:util';

import { Problem } from '../packages/edgeboard/report.mjs';

export const USAGE = `
Usage: npm run bench [-- --quick | --smoke] [-- --only PART]

Measures edgeboard beside its baselines, in one run and in turn, and exits 1 when a ratio it must keep is missed.
The figures are also written to bench/results/latest.json.

Options:
  --quick          fewer and shorter rounds
  --smoke          everything once, at its smallest: shows that it runs. No figure is judged or kept
  --only PART      one part only:
                     start   a cold start beside a hello-world's
                     reads   top-N reads per second against other workers
                     readers what two hundred readers beside fifty clicks a second cost Redis, and how old what they see is
                     live    what a thousand viewers of a live ranking cost, and how long a click takes to them
                     writes  beacons per second against a worker over @upstash/redis
                     ingest  beacons of many senders in groups, against each by itself
                     costs   requests' commands, and Redis's CPU time beside plain ZINCRBY
                     instructions  the same in instructions of redis-server, which other load does not change
                     attacks   the most expensive requests of anyone, and how long they keep Redis busy
                     pauses  how long a batch of 100 events on 20 boards, and a group of ten such, keep Redis from others at a time
                     door    the dearest hour of one client within the default limits, in commands and dollars
                     windows Redis's CPU time of rolling windows, against their length and against other designs
                     upkeep  a million members: how long it takes and what others notice
                     repair    the longest rolling windows, built anew
                     midnight  a boundary that nobody prepared, under load
                     slots   how long a slot that moves to another node stops its board, and others: at once where REDIS_SERVER
                             is Valkey 9, else by SETSLOT
                     nodes   Redis's CPU time of a click on clusters of one, two and four masters
                     locks   what declared keys cost (REDIS_LOCKS = "keys"): Redis's CPU time, and trips
                     podium  the operations whose cost Podium documents, in commands and Redis's CPU time
                     memo    how often a board's plan is known from the call before, of one board, 256 and a thousand; and what a click costs
                             where nothing is known
                     memory  what ids, tracked actions and indexes take of Redis's memory
                     ranks   where a member stands, beside ZREVRANK; and the distribution of the scores
                     details the top 100 with details, of many items, beside the same without
  --document       also write the figures to the documentation, of the part \`costs\` its tables to docs/operations/costs.md
  --help

Environment:
  REDIS_SERVER     the redis-server to measure
`;

export const PARTS = /** @type {const} */ ([
  'start',
  'reads',
  'readers',
  'live',
  'writes',
  'ingest',
  'costs',
  'instructions',
  'attacks',
  'pauses',
  'door',
  'windows',
  'upkeep',
  'repair',
  'midnight',
  'slots',
  'nodes',
  'locks',
  'podium',
  'memo',
  'memory',
  'ranks',
  'details',
]);

const QUICK = {
  rounds: 3,
  seconds: 1,
  readSeconds: 5,
  costedEvents: 200,
  costedRequests: 5,
  upkeepMembers: 100_000,
  repairs: 1,
  repairedMembers: 2_000,
  midnightMembers: 10_000,
  movedMembers: 1_000_000,
  remembered: 10_000,
  rankedMembers: 100_000,
  askedRanks: 3_200,
  describedItems: 10_000,
};
/** Each part runs once, and nothing that it measures is reported. */
const SMOKE = {
  rounds: 1,
  seconds: 1,
  readSeconds: 1,
  costedEvents: 20,
  costedRequests: 1,
  upkeepMembers: 2_000,
  repairs: 1,
  repairedMembers: 100,
  midnightMembers: 1_000,
  movedMembers: 1_000,
  remembered: 1_000,
  rankedMembers: 1_000,
  askedRanks: 1_600,
  describedItems: 1_000,
};
const FULL = {
  rounds: 7,
  seconds: 3,
  readSeconds: 30,
  costedEvents: 400,
  costedRequests: 20,
  upkeepMembers: 1_000_000,
  repairs: 7,
  repairedMembers: 10_000,
  midnightMembers: 100_000,
  movedMembers: 8_000_000,
  remembered: 20_000,
  rankedMembers: 1_000_000,
  askedRanks: 4_800,
  describedItems: 100_000,
};

const OPTIONS = /** @type {const} */ ({
  quick: { type: 'boolean' },
  smoke: { type: 'boolean' },
  only: { type: 'string' },
  document: { type: 'boolean' },
});

/**
 * @typedef {typeof PARTS[number]} Part
 * @typedef {object} Effort
 * @property {number} rounds an odd number, so that a median is a round's
 * @property {number} seconds of load, per worker and round
 * @property {number} readSeconds for which two hundred readers read, and a thousand viewers watch
 * @property {number} costedEvents that are counted at least, per kind of request and round
 * @property {number} costedRequests that are sent at least, per kind of request and round
 * @property {number} midnightMembers of the board that crosses midnight unprepared
 * @property {number} movedMembers of the board whose slot moves
 * @property {number} upkeepMembers of the board that upkeep is measured on
 * @property {number} remembered ids, marks or tracked actions at least, where what they take of memory is measured
 * @property {number} repairs of a window: in most of them something interrupts Redis
 * @property {number} repairedMembers of the longest windows
 * @property {number} rankedMembers of the board on which it is asked where members stand
 * @property {number} askedRanks that are asked for, per variant and round
 * @property {number} describedItems on the board whose rankings show details
 *
 * @param {string[]} args
 * @returns {{ parts: Part[], effort: Effort, isSmoke: boolean, document: boolean }}
 */
export function readOptions(args) {
  const { quick, smoke = false, only, document = false } = parse(args);
  if (smoke && (quick || document)) throw new Problem('--smoke shows no figures: it goes with --only alone');
  if (only !== undefined && !isPart(only)) {
    throw new Problem(`--only is ${JSON.stringify(only)}; allowed: ${PARTS.join(', ')}`);
  }
  const parts = only === undefined ? [...PARTS] : [only];
  return { parts, effort: smoke ? SMOKE : quick ? QUICK : FULL, isSmoke: smoke, document };
}

/** @param {string} name @returns {name is Part} */
function isPart(name) {
  return /** @type {readonly string[]} */ (PARTS).includes(name);
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new Problem(`${error.message}\n${USAGE.trimEnd()}`);
  }
}
