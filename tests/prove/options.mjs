/**
 * The arguments of `npm run prove`.
 */
import { parseArgs } from 'node:util';

import { Problem } from '../../packages/edgeboard/report.mjs';

export const USAGE = `
Usage: npm run prove NAME [-- --quick] [-- --document]

Shows what takes too long for npm test; npm test -- --engines runs a hundredth of each. Only loopback is spoken to, and whatever
is started is ended. Exits 1 when it does not hold.

Names:
  fuzz        a million made-up requests, configurations and replies: nothing panics
  clicks      100,000 numbered clicks while redis-server is killed twenty times and replies are lost: each counts once
  grouped     the same of grouped ingest, while workerd and redis-server are killed ten times each
  faults      what clients see of each fault of Redis and of the way to it, and what is counted
  failover    100,000 numbered clicks on a cluster while ten masters are killed whose replicas are behind: an id and its points are lost
              together, and with acknowledge = "replicated" nothing is
  outbox      beacons while Redis is killed, or hangs, for a minute: with a queue bound each is acknowledged, and counts once
  attack      a week of a site of 20,000 readers with bots, a flood of made-up ids and a forger, whose owner cleans up each evening,
              against a model that never saw them
  days        400 days at a steady rate, by simulated clocks: Redis holds no more after them than after a hundred, but for all time and the
              years, and what is kept is answered as a model has it
  soak        ten days over a change of clocks, six times: every kind of board and window, events by each way to Redis, batches that are
              sent again and every rare operation, through two configurations, one older, while 8 % of Redis's replies are lost.
              Each window, frozen period and export is compared with a model at 80 instants. --quick: two days, once
  copies      sixty times two days of a site whose periods are archived, with corrections of the past and kills; then Redis is emptied, or is an
              older one, and what the archive has is restored. Each window is compared with a model. --quick: three times
  boards      10,000 boards of a template: made, counted on, read, idle, ended, archived and deleted while events come. What each step costs; idle
              boards cost nothing, and nothing comes back
  sites       10,000 sites of run time made, filled, read, idle for a week, suspended, and deleted while events come: what each costs, and nothing
              of one reaches another
  shim        what worker-build, which is compiled for it, makes of the crate: the same module as ours, bound in the same way

Options:
  --quick     a hundredth
  --document  also write what was found to docs/faults/, of days to docs/operations/memory.md; not for fuzz, soak,
              copies, boards, sites and shim
  --help

Environment:
  REDIS_SERVER         the redis-server to use
  EDGEBOARD_FUZZ_SEED  repeats a run of fuzz
`;

export const NAMES = /** @type {const} */ ([
  'fuzz',
  'clicks',
  'grouped',
  'faults',
  'failover',
  'outbox',
  'attack',
  'days',
  'soak',
  'copies',
  'boards',
  'sites',
  'shim',
]);

/** Those that find either nothing or a fault, and what is of one machine. @type {Set<string>} */
const UNDOCUMENTED = new Set(['fuzz', 'soak', 'copies', 'boards', 'sites', 'shim']);

/**
 * @param {string[]} args
 * @returns {{ name: typeof NAMES[number], quick: boolean, document: boolean }}
 */
export function readOptions(args) {
  const { positionals, values } = parse(args);
  const [name, ...more] = positionals;
  const known = NAMES.find((known) => known === name);
  if (!known || more.length > 0) throw new Problem(`NAME is ${JSON.stringify(positionals.join(' '))}; allowed: ${NAMES.join(', ')}`);
  const { quick = false, document = false } = values;
  if (document && UNDOCUMENTED.has(known)) throw new Problem(`--document is for the others; ${known} finds nothing to write`);
  return { name: known, quick, document };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { quick: { type: 'boolean' }, document: { type: 'boolean' } } });
  } catch (error) {
    throw new Problem(`${error.message}\n${USAGE.trimEnd()}`);
  }
}
