/**
 * The tables of docs/operations.md that tell what requests cost Redis, between two comments.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import { Problem } from '../scripts/report.mjs';
import { GROUPS } from '../tests/support/costs.mjs';
import { BEGIN, DOCUMENT, END } from '../tests/support/documented-costs.mjs';
import { decimals, whole } from './table.mjs';

/** @typedef {Awaited<ReturnType<typeof import('./script/costs.mjs').benchCosts>>} Costs */

/** Upstash, pay as you go, in November 2026. */
const DOLLARS_PER_COMMAND = 2e-6;
const MILLION = 1e6;
/** One each 2 seconds, which is how long a ranking is fresh. */
const READS_A_MONTH = (30 * 86_400) / 2;
const HEAD = ['request', 'commands per event', "µs of Redis's CPU per event", '÷ plain', '÷ plain, pipelined', '÷ least'];

/** @param {Costs} costs @param {ReturnType<typeof import('./machine.mjs').machine>} machine */
export function writeCosts(costs, machine) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Problem(`docs/operations.md has no place for the costs: ${BEGIN} … ${END}`);
  writeFileSync(DOCUMENT, `${text.slice(0, from)}${BEGIN}\n\n${tables(costs, machine)}\n\n${text.slice(to)}`);
}

/** @param {Costs} costs @param {ReturnType<typeof import('./machine.mjs').machine>} machine */
function tables({ rows, idleMonth }, { cpu, redis }) {
  const parts = GROUPS.map(([title, costs]) => {
    const lines = Object.keys(costs).map((key) => {
      const { name, commands, cpuUs, ratio, pipelinedRatio, leastRatio } = rows[key];
      return line([name, String(commands), ...[cpuUs, ratio, pipelinedRatio].map(decimals), leastRatio ? decimals(leastRatio) : '']);
    });
    return [`**${title}**`, '', line(HEAD), rule(HEAD), ...lines].join('\n');
  });
  const measured = `An idle month: ${whole(idleMonth)} commands. CPU times are of ${cpu}, Redis ${redis}.`;
  return [...parts, months(rows, idleMonth), measured].join('\n\n');
}

/** @param {Costs['rows']} rows @param {number} idleMonth */
function months(rows, idleMonth) {
  /** @type {[what: string, commands: number][]} */
  const costs = [
    ['a million views, one a beacon', rows.one.commands * MILLION],
    ['the same by actors', rows.oneByActor.commands * MILLION],
    ['the same by actors, in batches of 100', rows.hundredByActors.commands * MILLION],
    ['the same on a board with one window, one a beacon', rows.dayOne.commands * MILLION],
    ['upkeep of the shipped configuration, each minute', idleMonth],
    ['one ranking that is read all day in one data center, every 2 seconds', rows.topHundred.commands * READS_A_MONTH],
  ];
  const lines = costs.map(([what, commands]) => line([what, whole(commands), `$${decimals(commands * DOLLARS_PER_COMMAND)}`]));
  const head = ['a month of', 'commands', 'Upstash, pay as you go'];
  return ['**Dollars**', '', line(head), rule(head), ...lines].join('\n');
}

/** @param {string[]} cells */
const line = (cells) => `| ${cells.join(' | ')} |`;

/** @param {string[]} head */
const rule = (head) => `|${'---|'.repeat(head.length)}`;
