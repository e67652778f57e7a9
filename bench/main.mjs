/**
 * The benchmarks in one process, on what scripts/bench.mjs installed and built.
 */
import { mkdirSync, writeFileSync } from 'node:fs';

import { command } from '../scripts/command.mjs';
import { inProject } from '../scripts/project.mjs';
import { Problem, say } from '../scripts/report.mjs';
import { machine } from './machine.mjs';
import { readOptions, USAGE } from './options.mjs';
import { describe, isMet, render, requirements } from './report.mjs';
import { benchCounting } from './script/counting.mjs';
import { benchScript } from './script/record.mjs';
import { benchMidnight } from './script/midnight.mjs';
import { benchUpkeep } from './script/upkeep.mjs';
import { benchWindows } from './script/windows.mjs';
import { builtSizes } from './sizes.mjs';
import { benchReads } from './worker/reads.mjs';
import { benchStart } from './worker/start.mjs';
import { benchWrites } from './worker/writes.mjs';

const RESULTS = inProject('bench/results');

const PARTS = {
  start: { what: 'cold starts', bench: benchStart },
  reads: { what: 'top-N reads', bench: benchReads },
  writes: { what: 'beacons', bench: benchWrites },
  script: { what: "Redis's CPU per event", bench: benchScript },
  windows: { what: "Redis's CPU per event of rolling windows", bench: benchWindows },
  upkeep: { what: 'upkeep', bench: benchUpkeep },
  midnight: { what: 'a midnight that nobody prepared', bench: benchMidnight },
  counting: { what: 'counting with more than a score', bench: benchCounting },
};

/** @param {string[]} args */
async function main(args) {
  const { parts, effort } = readOptions(args);
  /** @type {import('./report.mjs').Results} */
  const results = { machine: machine(), sizes: builtSizes() };
  for (const part of parts) {
    const { what, bench } = PARTS[part];
    say(`measuring ${what}`);
    Object.assign(results, { [part]: await bench(effort) });
  }
  const judged = requirements(results);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}/latest.json`, `${JSON.stringify({ ...results, requirements: judged }, null, 2)}\n`);

  console.log(`\n${render(results)}\n`);
  for (const requirement of judged) console.log(`${isMet(requirement) ? 'met   ' : 'MISSED'}  ${describe(requirement)}`);
  const missed = judged.filter((requirement) => !isMet(requirement)).map(describe);
  if (missed.length > 0) throw new Problem(`missed: ${missed.join('; ')}`);
}

command(import.meta, { usage: USAGE, main });
