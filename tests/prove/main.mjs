/**
 * The proofs over HTTP in one process, on what scripts/prove.mjs installed and built.
 */
import { command } from '../../packages/edgeboard/command.mjs';
import { Problem, say } from '../../packages/edgeboard/report.mjs';
import { ALL_TRANSPORTS } from '../support/deployment.mjs';
import { proveAttack, renderAttack, wrongInAttack } from './attack/attack.mjs';
import { proveBoards, renderBoards, wrongInBoards } from './boards.mjs';
import { isExact, proveClicks, renderClicks, unmetIn } from './clicks.mjs';
import { proveCopies, renderCopies, wrongInCopies } from './copies/copies.mjs';
import { drawDays, proveDays, renderDays, wrongInDays } from './days.mjs';
import { writePicture, writeProof } from './document.mjs';
import { proveFailover, renderFailover, wrongInFailover } from './failover.mjs';
import { faultsOf, proveFault, renderFaults, wrongIn } from './faults/faults.mjs';
import { readOptions, USAGE } from './options.mjs';
import { OUTAGES, proveOutbox, renderOutbox, wrongInOutbox } from './outbox.mjs';
import { compareShims } from './shim.mjs';
import { proveSites, renderSites } from './sites.mjs';
import { proveSoak, renderSoak, wrongInSoak } from './soak/soak.mjs';

const CLICKS = 100_000;
const KILLS = 20;
const FAULTS_EFFORT = { waves: 2, width: 24 };
const FAULTS_QUICK = { waves: 1, width: 8 };
const FAULTS_AT_ONCE = 3;
const FAILOVERS = 10;
const OUTAGE_S = 60;
const BEACONS_PER_S = 50;
const READERS = 20_000;
const JUNK = 42_000;
/** That an address may send in a minute: the limit of the binding. A hundredth of the flood comes nowhere near it. */
const BEACONS = 120;
const BEACONS_QUICK = 10;
const DAYS = 400;
const INSTANTS = 20;
const SOAK = { seeds: [1, 2, 3, 4, 5, 6], days: 10, instants: 80 };
const COPIES = Array.from({ length: 60 }, (_, i) => i + 1);
/** The last two have failed. */
const COPIES_QUICK = [1, 20, 51];
const BOARDS = 10_000;
const SITES = 10_000;
const SEEDS_AT_ONCE = 2;
const SOAK_QUICK = { seeds: [1], days: 2, instants: 12 };

/** @type {Record<string, (part: number) => Promise<{ text: string, wrong: string[], picture?: string }>>} */
const PROOFS = {
  /** With ids over each transport, and without. */
  async clicks(part) {
    const [clicks, kills] = [CLICKS * part, Math.max(2, KILLS * part)];
    const overTcp = await proveClicks({ clicks, kills });
    say('over REST');
    const overRest = await proveClicks({ clicks, kills, transport: 'http://' });
    say('without ids');
    const withoutIds = await proveClicks({ clicks, kills, withIds: false });
    const wrong = [];
    if (!isExact(overTcp)) wrong.push(`over TCP: ${JSON.stringify(overTcp.windows)}`);
    if (!isExact(overRest)) wrong.push(`over REST: ${JSON.stringify(overRest.windows)}`);
    if (part === 1) wrong.push(...unmetIn('over TCP', overTcp), ...unmetIn('over REST', overRest));
    if (withoutIds.windows.all.twice === 0) wrong.push('without ids nothing counts twice, so this shows nothing');
    const text = renderClicks([
      ['over TCP', overTcp],
      ['over REST', overRest],
      ['over TCP, without ids', withoutIds],
    ]);
    return { text, wrong };
  },

  /** Of two partitions, with ids. */
  async grouped(part) {
    const kills = Math.max(2, (KILLS * part) / 2);
    const figures = await proveClicks({ clicks: CLICKS * part, kills, runtimeKills: kills, ingest: 'grouped' });
    const wrong = isExact(figures) ? [] : [JSON.stringify(figures.windows)];
    if (part === 1) wrong.push(...unmetIn('grouped', figures));
    return { text: renderClicks([['grouped', figures]]), wrong };
  },

  /** Each fault over each transport, some of them at once: most of the time is waiting. */
  async faults(part) {
    const effort = part === 1 ? FAULTS_EFFORT : FAULTS_QUICK;
    const runs = ALL_TRANSPORTS.flatMap((transport) => faultsOf(transport).map((fault) => ({ fault, transport })));
    const rows = await each(runs, FAULTS_AT_ONCE, ({ fault, transport }) => proveFault(fault, { transport, ...effort }));
    return { text: renderFaults(rows), wrong: rows.flatMap((row, i) => wrongIn(runs[i].fault, row)) };
  },

  /** One way to acknowledge after the other. */
  async failover(part) {
    const runs = [];
    for (const acknowledge of /** @type {const} */ (['written', 'replicated'])) {
      say(`acknowledge = "${acknowledge}"`);
      runs.push(await proveFailover({ acknowledge, kills: Math.max(2, FAILOVERS * part), clicks: CLICKS * part }));
    }
    return { text: renderFailover(runs), wrong: runs.flatMap(wrongInFailover) };
  },

  /** One outage after the other. */
  async outbox(part) {
    const seconds = Math.max(OUTAGE_S * part, 4);
    const runs = [];
    for (const outage of /** @type {(keyof typeof OUTAGES)[]} */ (Object.keys(OUTAGES))) {
      runs.push(await proveOutbox({ outage, seconds, perSecond: BEACONS_PER_S }));
    }
    return { text: renderOutbox(runs), wrong: runs.flatMap(wrongInOutbox) };
  },

  async attack(part) {
    const beacons = part === 1 ? BEACONS : BEACONS_QUICK;
    const result = await proveAttack({ readers: READERS * part, junk: JUNK * part, beacons });
    return { text: renderAttack(result), wrong: wrongInAttack(result) };
  },

  async days(part) {
    const found = await proveDays({ days: DAYS * part, instants: INSTANTS });
    return { text: renderDays(found), wrong: wrongInDays(found), picture: drawDays(found) };
  },

  /** Some seeds at once, since each waits half of its time; a seed draws the site as well. */
  async soak(part) {
    const { seeds, ...effort } = part === 1 ? SOAK : SOAK_QUICK;
    const runs = await each(seeds, SEEDS_AT_ONCE, (seed) => {
      say(`seed ${seed}`);
      return proveSoak({ seed, ...effort });
    });
    return { text: renderSoak(runs), wrong: wrongInSoak(runs) };
  },

  /** Likewise; a seed draws the site, and what is lost. */
  async copies(part) {
    const runs = await each(part === 1 ? COPIES : COPIES_QUICK, SEEDS_AT_ONCE, (seed) => {
      say(`seed ${seed}`);
      return proveCopies({ seed });
    });
    return { text: renderCopies(runs), wrong: wrongInCopies(runs) };
  },

  async boards(part) {
    const found = await proveBoards({ boards: BOARDS * part });
    return { text: renderBoards(found), wrong: wrongInBoards(found) };
  },

  async sites(part) {
    const figures = await proveSites({ sites: SITES * part });
    return { text: renderSites(figures), wrong: figures.wrong };
  },

  async shim() {
    const wrong = await compareShims();
    return { text: wrong.length === 0 ? 'worker-build makes the same module, bound in the same way' : '', wrong };
  },
};

/**
 * Does something with each, so many at once; answers what came of them in their order.
 * @template Item, Result
 * @param {Item[]} items @param {number} atOnce @param {(item: Item) => Promise<Result>} act @returns {Promise<Result[]>}
 */
async function each(items, atOnce, act) {
  /** @type {Result[]} */
  const results = [];
  let next = 0;
  async function work() {
    for (let i = next; i < items.length; i = next) {
      next += 1;
      results[i] = await act(items[i]);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** @param {string[]} args */
async function main(args) {
  const { name, quick, document } = readOptions(args);
  const { text, wrong, picture } = await PROOFS[name](quick ? 1 / 100 : 1);
  console.log(`\n${text}\n`);
  if (wrong.length > 0) throw new Problem(wrong.join('\n'));
  if (document) writeProof(name, text);
  if (document && picture) writePicture(name, picture);
  say(`${name}: proven`);
}

command(import.meta, { usage: USAGE, main });
