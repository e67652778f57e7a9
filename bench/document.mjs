/**
 * What the documentation says of measurements, between comments: the tables of docs/operations/costs.md that tell what requests cost Redis,
 * the sizes of what is sent, and the figures at the head of README.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import { Problem } from '../packages/edgeboard/report.mjs';
import { inProject } from '../scripts/project.mjs';
import { GROUPS } from '../tests/support/costs.mjs';
import { BEGIN, DOCUMENT, END } from '../tests/support/documented-costs.mjs';
import { decimals, kilobytes, whole } from './table.mjs';

/** @typedef {Awaited<ReturnType<typeof import('./script/costs.mjs').benchCosts>>} Costs */

/** Upstash, pay as you go, in November 2026. */
const DOLLARS_PER_COMMAND = 2e-6;
const MILLION = 1e6;
/** One each 2 seconds, which is how long a ranking is fresh. */
const READS_A_MONTH = (30 * 86_400) / 2;
const HEAD = ['request', 'commands per event', "µs of Redis's CPU per event", '÷ plain', '÷ plain, pipelined', '÷ least'];

/** What each figure is written into, and what it says; nothing where it was not measured. @type {Record<string, Figure>} */
const FIGURES = {
  live: {
    file: 'README.md',
    text: ({ live }) =>
      live &&
      `A reader clicks, and another one sees the list move after ${seconds(live.paintOfPage.medianMs)} (median; at worst ${seconds(live.paintOfPage.worstMs)}), ` +
        `without a reload. ${whole(live.viewers)} such viewers cost Redis ${decimals(live.quiet)} commands a second while nothing changes.`,
  },
  readers: {
    file: 'README.md',
    text: ({ readers }) =>
      readers &&
      `Two hundred readers beside fifty clicks a second cost Redis ${decimals(readers.commandsPerS)} commands a second, and none saw a ranking older ` +
        `than ${seconds(readers.longestMs)}.`,
  },
  windows: {
    file: 'README.md',
    text: ({ windows }) =>
      windows &&
      `A click costs Redis ${decimals(windows.ratios.flat)} times the CPU on "last 366 days" that it costs on "last 2 days": windows are free to be long.`,
  },
  details: {
    file: 'docs/http/details.md',
    text: ({ details }) =>
      details &&
      `Of ${whole(details.items)} items, where no cache has the ranking, the top 100 takes ${decimals(details.rows.bare.ms)} ms, and with details ` +
        `${decimals(details.rows.details.ratio)} times as long. The top 10 of a category that one item in a hundred has takes ` +
        `${decimals(details.rows.filtered.ratio)} times as long, and looks at ${whole(details.rows.filtered.searched)} ranks.`,
  },
  slots: {
    file: 'docs/operations/cluster.md',
    text: ({ slots }) =>
      slots?.isAtomic === false
        ? `A slot with a board of ${whole(slots.members)} members, ${decimals(slots.bytes / 2 ** 30)} GB, took ${decimals(slots.movedS)} s to move. Boards on the node that it ` +
          `left stopped for ${decimals(slots.besideS)} s of these, and boards on the node that got it for ${decimals(slots.thereS)} s.`
        : undefined,
  },
  nodes: {
    file: 'docs/operations/scaling.md',
    text: ({ nodes }) => {
      if (!nodes) return undefined;
      const each = nodes.rows.map(
        ({ masters, clickUs }) => `${decimals(clickUs)} µs of ${masters === 1 ? 'a single master' : `each of ${masters}`}`,
      );
      const idle = Math.max(...nodes.rows.map(({ idlePercent }) => idlePercent));
      return `In ${nodes.rounds} rounds of ${whole(nodes.clicks)} clicks on each master, a click takes ${each.slice(0, -1).join(', ')} and ${each.at(-1)}. A node without clicks needs ${decimals(idle)} % of a core.`;
    },
  },
  distribution: {
    file: 'docs/http/distribution.md',
    text: ({ ranks }) =>
      ranks &&
      `Of ${whole(ranks.members)} members it took Redis ${decimals(ranks.distribution.ms)} ms of CPU, in ${whole(ranks.distribution.commands)} commands.`,
  },
  memo: {
    file: 'docs/operations/redis.md',
    text: ({ memo }) =>
      memo &&
      `A click on a board with six windows costs it ${whole(memo.scripts.cpuUs)} µs of CPU instead of ${whole(memo.one.cpuUs)} µs, ` +
        `${decimals(memo.scripts.ratio)} times as much.`,
  },
  locks: {
    file: 'docs/operations/redis.md',
    text: ({ locks }) =>
      locks &&
      `In a plain Redis, 12 declared keys cost ${decimals(locks.us[12])} µs of CPU and 24 cost ${decimals(locks.us[24])} µs. ${whole(locks.clicks)} clicks ` +
        `of one isolate on a board, ten at a time and over the turn of an hour, took ${whole(locks.more)} trips more.`,
  },
  podium: {
    file: 'docs/operations/costs.md',
    text: ({ podium }) =>
      podium &&
      [
        '\n\n| | commands | µs of Redis | commands of Podium | ms that Podium documents |',
        '|---|---|---|---|---|',
        ...podium.rows.map(({ name, commands, us, documented }) =>
          line([name, whole(commands), decimals(us), whole(documented.commands), String(documented.ms)]),
        ),
        '\n',
      ].join('\n'),
  },
  atomic: {
    file: 'docs/operations/cluster.md',
    text: ({ slots }) =>
      slots?.isAtomic
        ? `On ${slots.server} the same slot took ${decimals(slots.tookS)} s. Its boards stopped for ${decimals(slots.movedS)} s of these at most, others on the node ` +
          `that it left for ${decimals(slots.besideS)} s, and those on the node that got it for ${decimals(slots.thereS)} s.`
        : undefined,
  },
  sizes: {
    file: 'docs/operations/memory.md',
    text: ({ sizes }) =>
      `The module has ${kilobytes(sizes.wasm.gzipped)} gzipped (${kilobytes(sizes.wasm.raw)}). Browsers load ${kilobytes(sizes.beacon.gzipped)} to count and ` +
      `${kilobytes(sizes.board.gzipped)} to show.`,
  },
};

/**
 * @typedef {{ file: string, text: (results: import('./report.mjs').Results) => string | undefined }} Figure
 *
 * @param {import('./report.mjs').Results} results
 */
export function writeFigures(results) {
  for (const [name, { file, text }] of Object.entries(FIGURES)) {
    const figure = text(results);
    if (figure) replace(inProject(file), `<!-- bench ${name} -->`, '<!-- /bench -->', figure);
  }
}

/** @param {string} path @param {string} begin @param {string} end @param {string} inside */
function replace(path, begin, end, inside) {
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from);
  if (from < begin.length || to < from) throw new Problem(`${path} has no place for what was measured: ${begin} … ${end}`);
  writeFileSync(path, text.slice(0, from) + inside + text.slice(to));
}

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** @param {Costs} costs @param {ReturnType<typeof import('./machine.mjs').machine>} machine */
export function writeCosts(costs, machine) {
  replace(DOCUMENT, BEGIN, END, `\n\n${tables(costs, machine)}\n\n`);
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
