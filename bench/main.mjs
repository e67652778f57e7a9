/**
 * The benchmarks in one process, on what scripts/bench.mjs installed and built.
 */
import { mkdirSync, writeFileSync } from 'node:fs';

import { command } from '../packages/edgeboard/command.mjs';
import { Problem, say } from '../packages/edgeboard/report.mjs';
import { inProject } from '../scripts/project.mjs';
import { writeCosts, writeFigures } from './document.mjs';
import { machine } from './machine.mjs';
import { readOptions, USAGE } from './options.mjs';
import { describe, isMet, render, requirements } from './report.mjs';
import { benchAttacks } from './script/attacks.mjs';
import { benchCosts } from './script/costs.mjs';
import { benchDoor } from './script/door.mjs';
import { benchInstructions } from './script/instructions.mjs';
import { benchLocks } from './script/locks.mjs';
import { benchMemo } from './script/memo.mjs';
import { benchMemory } from './script/memory.mjs';
import { benchMidnight } from './script/midnight.mjs';
import { benchPauses } from './script/pauses.mjs';
import { benchRanks } from './script/ranks.mjs';
import { benchRepair } from './script/repair.mjs';
import { benchNodes } from './script/nodes.mjs';
import { benchSlots } from './script/slots.mjs';
import { benchUpkeep } from './script/upkeep.mjs';
import { benchWindows } from './script/windows.mjs';
import { builtSizes } from './sizes.mjs';
import { benchDetails } from './worker/details.mjs';
import { benchIngest } from './worker/ingest.mjs';
import { benchLive } from './worker/live.mjs';
import { benchPodium } from './worker/podium.mjs';
import { benchReaders } from './worker/readers.mjs';
import { benchReads } from './worker/reads.mjs';
import { benchStart } from './worker/start.mjs';
import { benchWrites } from './worker/writes.mjs';

const RESULTS = inProject('bench/results');

const PARTS = {
  start: { what: 'cold starts', bench: benchStart },
  reads: { what: 'top-N reads', bench: benchReads },
  readers: { what: 'two hundred readers beside fifty clicks a second', bench: benchReaders },
  live: { what: 'a thousand viewers of a live ranking', bench: benchLive },
  writes: { what: 'beacons', bench: benchWrites },
  ingest: { what: 'grouped ingest', bench: benchIngest },
  costs: { what: 'what requests cost Redis', bench: benchCosts },
  instructions: { what: 'the instructions that requests cost Redis', bench: benchInstructions },
  attacks: { what: 'the most expensive requests of anyone', bench: benchAttacks },
  pauses: { what: 'the longest transactions', bench: benchPauses },
  door: { what: 'the dearest hour of one client', bench: benchDoor },
  windows: { what: "Redis's CPU per event of rolling windows", bench: benchWindows },
  upkeep: { what: 'upkeep', bench: benchUpkeep },
  repair: { what: 'the longest windows, built anew', bench: benchRepair },
  midnight: { what: 'a midnight that nobody prepared', bench: benchMidnight },
  slots: { what: 'a slot that moves', bench: benchSlots },
  nodes: { what: 'clicks on one, two and four masters', bench: benchNodes },
  locks: { what: 'declared keys', bench: benchLocks },
  podium: { what: 'what Podium documents', bench: benchPodium },
  memo: { what: 'what functions keep between calls', bench: benchMemo },
  memory: { what: 'what is remembered', bench: benchMemory },
  ranks: { what: 'where members stand', bench: benchRanks },
  details: { what: 'rankings with details', bench: benchDetails },
};

/** @param {string[]} args */
async function main(args) {
  const { parts, effort, isSmoke, document } = readOptions(args);
  /** @type {import('./report.mjs').Results} */
  const results = { machine: machine(), sizes: builtSizes() };
  for (const part of parts) {
    const { what, bench } = PARTS[part];
    say(`measuring ${what}`);
    Object.assign(results, { [part]: await bench(effort) });
  }
  const text = render(results);
  if (isSmoke) return say('everything ran; a smoke run judges no figure');
  if (document) writeFigures(results);
  if (document && results.costs) writeCosts(results.costs, results.machine);
  const judged = requirements(results);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}/latest.json`, `${JSON.stringify({ ...results, requirements: judged }, null, 2)}\n`);

  console.log(`\n${text}\n`);
  for (const requirement of judged) console.log(`${isMet(requirement) ? 'met   ' : 'MISSED'}  ${describe(requirement)}`);
  const missed = judged.filter((requirement) => !isMet(requirement)).map(describe);
  if (missed.length > 0) throw new Problem(`missed: ${missed.join('; ')}`);
}

command(import.meta, { usage: USAGE, main });
