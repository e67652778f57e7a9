/**
 * The figures as tables, and whether what must hold does.
 */
import { GROUPS } from '../tests/support/costs.mjs';
import { renderIngest, requirementsOfIngest } from './worker/ingest-report.mjs';
import { decimals, kilobytes, table, whole } from './table.mjs';

/**
 * @typedef {object} Results
 * @property {ReturnType<typeof import('./machine.mjs').machine>} machine
 * @property {ReturnType<typeof import('./sizes.mjs').builtSizes>} sizes
 * @property {Awaited<ReturnType<typeof import('./worker/start.mjs').benchStart>>} [start]
 * @property {Awaited<ReturnType<typeof import('./worker/reads.mjs').benchReads>>} [reads]
 * @property {Awaited<ReturnType<typeof import('./worker/readers.mjs').benchReaders>>} [readers]
 * @property {Awaited<ReturnType<typeof import('./worker/live.mjs').benchLive>>} [live]
 * @property {Awaited<ReturnType<typeof import('./worker/writes.mjs').benchWrites>>} [writes]
 * @property {Awaited<ReturnType<typeof import('./worker/ingest.mjs').benchIngest>>} [ingest]
 * @property {Awaited<ReturnType<typeof import('./script/costs.mjs').benchCosts>>} [costs]
 * @property {Awaited<ReturnType<typeof import('./script/instructions.mjs').benchInstructions>>} [instructions]
 * @property {Awaited<ReturnType<typeof import('./script/attacks.mjs').benchAttacks>>} [attacks]
 * @property {Awaited<ReturnType<typeof import('./script/pauses.mjs').benchPauses>>} [pauses]
 * @property {Awaited<ReturnType<typeof import('./script/door.mjs').benchDoor>>} [door]
 * @property {Awaited<ReturnType<typeof import('./script/windows.mjs').benchWindows>>} [windows]
 * @property {Awaited<ReturnType<typeof import('./script/memo.mjs').benchMemo>>} [memo]
 * @property {Awaited<ReturnType<typeof import('./script/upkeep.mjs').benchUpkeep>>} [upkeep]
 * @property {Awaited<ReturnType<typeof import('./script/repair.mjs').benchRepair>>} [repair]
 * @property {Awaited<ReturnType<typeof import('./script/midnight.mjs').benchMidnight>>} [midnight]
 * @property {Awaited<ReturnType<typeof import('./script/slots.mjs').benchSlots>>} [slots]
 * @property {Awaited<ReturnType<typeof import('./script/nodes.mjs').benchNodes>>} [nodes]
 * @property {Awaited<ReturnType<typeof import('./script/locks.mjs').benchLocks>>} [locks]
 * @property {Awaited<ReturnType<typeof import('./worker/podium.mjs').benchPodium>>} [podium]
 * @property {Awaited<ReturnType<typeof import('./script/memory.mjs').benchMemory>>} [memory]
 * @property {Awaited<ReturnType<typeof import('./script/ranks.mjs').benchRanks>>} [ranks]
 * @property {Awaited<ReturnType<typeof import('./worker/details.mjs').benchDetails>>} [details]
 *
 * @typedef {object} Requirement
 * @property {string} what
 * @property {number} value
 * @property {number} [min]
 * @property {number} [max]
 */

/**
 * What counting may cost beside plain counting of the same events in the same windows: about a tenth more than it does on a quiet machine.
 *
 * @type {Record<string, number>}
 */
const RATIOS = {
  one: 1.6,
  ten: 0.75,
  hundred: 0.3,
  oneByActor: 2.6,
  hundredByActors: 0.65,
  again: 1.05,
  newMember: 2.5,
  like: 4.8,
  undo: 5.5,
  once: 2,
  onceVisitor: 2,
};
/** What reading may cost beside the least that does the same, likewise. @type {Record<string, number>} */
const LEAST_RATIOS = { top: 1.3, topHundred: 1.25, topTies: 1.5, member: 1.5, ranks: 1.3 };

/** A request's name, with its board where that is not the shipped one. @param {NonNullable<Results['costs']>} costs @param {string} key */
function nameOf({ rows }, key) {
  const [title] = GROUPS.find(([, costs]) => key in costs) ?? [];
  return title === GROUPS[0][0] ? rows[key].name : `${title}: ${rows[key].name}`;
}

/**
 * @param {Results} results
 * @returns {Requirement[]}
 */
export function requirements({
  sizes,
  reads,
  readers,
  live,
  writes,
  ingest,
  costs,
  attacks,
  pauses,
  windows,
  upkeep,
  repair,
  midnight,
  nodes,
  ranks,
  details,
}) {
  /** @type {Requirement[]} */
  const found = [{ what: 'the wasm module, gzipped, in KB', value: sizes.wasm.gzipped / 1000, max: 3000 }];
  if (reads) {
    found.push(
      { what: 'reads from memory ÷ a constant in Rust', value: reads.ratios.rustConstant, min: 0.95 },
      { what: 'reads from memory ÷ the Cache API', value: reads.ratios.cacheApi, min: 2 },
    );
  }
  if (readers) {
    found.push(
      { what: "Redis's commands a second of two hundred readers", value: readers.commandsPerS, max: 6 },
      { what: 'the oldest that they saw, in seconds', value: readers.longestMs / 1000, max: 3 },
      { what: 'scores that went down', value: readers.backwards, max: 0 },
    );
  }
  if (live) {
    found.push(
      { what: "Redis's commands a second of a thousand viewers, while nothing changes", value: live.quiet, max: 3.1 },
      { what: 'the longest from a click to a viewer, in seconds', value: live.toSocket.worstMs / 1000, max: 2 },
    );
  }
  if (writes) {
    found.push(
      { what: 'beacons of one event ÷ @upstash/redis', value: writes.one.ratios.rest, min: 0.9 },
      { what: 'beacons of one event ÷ the least in Rust', value: writes.floorRatio, min: 0.9 },
      { what: 'events in beacons of ten ÷ @upstash/redis, a request per click', value: writes.clicksRatio, min: 4 },
    );
  }
  for (const { masters, ofLinear } of nodes?.rows.slice(1) ?? []) {
    found.push({ what: `clicks that ${masters} masters count ÷ ${masters} times those of one, by Redis's CPU`, value: ofLinear, min: 0.9 });
  }
  if (ingest) found.push(...requirementsOfIngest(ingest));
  if (costs) {
    for (const [key, max] of Object.entries(RATIOS)) {
      found.push({ what: `${nameOf(costs, key)} ÷ plain ZINCRBY, Redis's CPU`, value: costs.rows[key].ratio, max });
    }
    for (const [key, max] of Object.entries(LEAST_RATIOS)) {
      const { leastRatio = Number.POSITIVE_INFINITY } = costs.rows[key];
      found.push({ what: `${nameOf(costs, key)} ÷ the least, Redis's CPU`, value: leastRatio, max });
    }
    found.push({ what: "best values ÷ sums, in batches of 100, Redis's CPU", value: costs.valuesRatio, max: 1.2 });
    found.push({ what: 'commands of an idle month', value: costs.idleMonth, max: 41_970 });
  }
  if (attacks) for (const { name, longestMs } of attacks) found.push({ what: `${name}, in ms`, value: longestMs, max: 5 });
  for (const { name, ms } of pauses ?? []) {
    found.push({ what: `${name}, in ms of Redis's CPU at a time`, value: ms, max: 5 });
  }
  if (windows) {
    found.push(
      { what: 'last-366-days ÷ last-2-days, per event', value: windows.ratios.flat, max: 1.1 },
      { what: 'last-7-days ÷ day, per event', value: windows.ratios.rolling, max: 2.5 },
    );
  }
  if (upkeep) found.push({ what: 'the longest chunk of upkeep, in ms', value: upkeep.prepare.longestChunkMs, max: 5 });
  // Of fewer members a repair takes as many trips as its least pieces need.
  for (const { window, members, redisSeconds, trips, longestMs } of repair ?? []) {
    if (members < 10_000) continue;
    found.push(
      { what: `seconds of Redis to repair ${window}`, value: redisSeconds, max: 5 },
      { what: `trips to repair ${window}`, value: trips, max: 1500 },
      { what: 'the longest piece of that repair, in ms', value: longestMs, max: 5 },
    );
  }
  if (midnight) found.push({ what: 'requests that failed at midnight', value: midnight.failures, max: 0 });
  // Of smaller boards, which fit into the processor's caches, a rank costs so little that ZREVRANK does not compare.
  if (ranks && ranks.members >= 1_000_000) {
    const { members, alone, distribution } = ranks;
    // Calling any script takes Redis longer than ZREVRANK by its own count of commands' time, which leaves out reading and answering.
    const worst = Math.max(...[alone.ordinal, alone.competition, alone.dense].map(({ cpuRatio }) => cpuRatio));
    found.push(
      { what: `a member's rank among ${whole(members)} ÷ ZREVRANK, Redis's CPU`, value: worst, max: 2 },
      { what: 'one of 100 ranks at once ÷ ZREVRANK, server time', value: alone.hundred.ratio, max: 2 },
      { what: `the distribution of ${whole(members)} members, in ms of Redis's CPU`, value: distribution.ms, max: 0.5 },
    );
  }
  if (details) {
    for (const [name, { scripts, statements }] of Object.entries(details.rows)) {
      found.push(
        { what: `scripts of Redis for a page of rankings, ${name}`, value: scripts, max: 1 },
        { what: `statements of the database for it, ${name}`, value: statements, max: name === 'bare' ? 0 : 1 },
      );
    }
    found.push({ what: 'ranks that are looked at for a page of ten of one category', value: details.rows.filtered.searched, max: 1_000 });
  }
  return found;
}

/** @param {Requirement} requirement */
export function isMet({ value, min = -Infinity, max = Infinity }) {
  return value >= min && value <= max;
}

/** @param {Requirement} requirement */
export function describe({ what, value, min, max }) {
  return `${what}: ${decimals(value)}, ${min === undefined ? `at most ${max}` : `at least ${min}`}`;
}

/**
 * The report of a part of the benchmarks, where it was run.
 *
 * @template {object} T
 * @param {T | undefined} result
 * @param {(result: T) => string | string[]} render
 */
const section = (result, render) => (result ? [render(result)].flat() : []);

/** @param {Results} results */
export function render(results) {
  const { sizes } = results;
  const { system, cores, cpu, load, node, workerd, redis } = results.machine;
  const parts = [
    `${system}, ${cores} cores (${cpu}), load ${decimals(load)} before; node ${node}, workerd ${workerd}, redis ${redis}`,
    ...section(results.start, renderStart),
    ...section(results.reads, renderReads),
    ...section(results.readers, renderReaders),
    ...section(results.live, renderLive),
    ...section(results.writes, renderWrites),
    ...section(results.ingest, renderIngest),
    ...section(results.costs, renderCosts),
    ...section(results.instructions, renderInstructions),
    ...section(results.attacks, renderAttacks),
    ...section(results.pauses, renderPauses),
    ...section(results.door, ({ head, rows }) => table('The dearest hour of one client', head, rows)),
    ...section(results.windows, renderWindows),
    ...section(results.upkeep, renderUpkeep),
    ...section(results.repair, (repairs) => repairs.map(renderRepair)),
    ...section(results.midnight, renderMidnight),
    ...section(results.slots, renderSlots),
    ...section(results.nodes, renderNodes),
    ...section(results.locks, renderLocks),
    ...section(results.podium, renderPodium),
    ...section(results.memo, renderMemo),
    ...section(results.memory, renderMemory),
    ...section(results.ranks, renderRanks),
    ...section(results.details, renderDetails),
  ];
  /** @type {[name: string, size: typeof sizes.wasm][]} */
  const sized = [
    ['wasm', sizes.wasm],
    ['beacon.js', sizes.beacon],
    ['board.js', sizes.board],
  ];
  const rows = sized.map(([name, { raw, gzipped }]) => [name, kilobytes(raw), kilobytes(gzipped)]);
  parts.push(table('Sizes', ['', 'raw', 'gzipped'], rows));
  return parts.join('\n\n');
}

/** @param {NonNullable<Results['start']>} start */
function renderStart({ ms, ratio, differenceMs }) {
  const rows = [
    ['edgeboard', whole(ms.edgeboard), decimals(ratio), whole(differenceMs)],
    ['a hello-world', whole(ms.helloWorld), '', ''],
  ];
  return table('From starting the runtime to the first answer', ['', 'ms', '÷ a hello-world', 'ms more'], rows);
}

const LOAD_HEAD = ['requests/s', 'p50 ms', 'p99 ms', 'errors', 'edgeboard ÷ it'];

/** @param {NonNullable<Results['reads']>} reads */
function renderReads({ answerBytes, measured, ratios }) {
  const rows = [
    loadRow('edgeboard, from memory', measured.edgeboard),
    loadRow('a constant in Rust', measured.rustConstant, ratios.rustConstant),
    loadRow('a constant', measured.constant, ratios.constant),
    loadRow('a constant, content type alone', measured.bareConstant, ratios.bareConstant),
    loadRow('Cache API', measured.cacheApi, ratios.cacheApi),
    loadRow('@upstash/redis ZRANGE', measured.upstash, ratios.upstash),
  ];
  return table(`Top-10 reads (${answerBytes} bytes)`, ['', ...LOAD_HEAD], rows);
}

/** @param {NonNullable<Results['readers']>} readers */
function renderReaders({ seconds, reads, clicks, commandsPerS, longestMs, backwards }) {
  return (
    `${whole(reads)} reads and ${whole(clicks)} clicks in ${seconds} s: reads cost Redis ${decimals(commandsPerS)} commands a second, ` +
    `the oldest answer was ${decimals(longestMs / 1000)} s behind, ${backwards} went back`
  );
}

/** @param {NonNullable<Results['live']>} live */
function renderLive({ viewers, clicks, seconds, quiet, changing, bytesPerViewer, bareBytesPerViewer, toSocket, paint, paintOfPage }) {
  const row = (/** @type {string} */ name, /** @type {typeof toSocket} */ { medianMs, worstMs }) => [name, whole(medianMs), whole(worstMs)];
  const rows = [
    row('to a socket', toSocket),
    row('to the paint of a page', paint),
    row('from a page to the paint of another', paintOfPage),
  ];
  const costs =
    `  (${whole(clicks)} clicks in ${whole(seconds)} s; Redis: ${decimals(quiet)} commands a second while nothing changes, ` +
    `${decimals(changing)} while everything does, besides the clicks; ${whole(bytesPerViewer)} bytes of the runtime's memory a viewer, ` +
    `${whole(bareBytesPerViewer)} of a bare object)`;
  return `${table(`From a click, ${whole(viewers)} viewers`, ['', 'median ms', 'worst ms'], rows)}\n${costs}`;
}

/** @param {NonNullable<Results['writes']>} writes */
function renderWrites({ windows, one, ten }) {
  const head = [...LOAD_HEAD.slice(0, -1), '÷ @upstash/redis'];
  const rows = [
    { events: 'one event', ...one },
    { events: 'ten events', ...ten },
  ].flatMap(({ events, measured, ratios }) => [
    loadRow(`edgeboard over TCP, ${events}`, measured.tcp, ratios.tcp),
    loadRow(`edgeboard over REST, ${events}`, measured.rest, ratios.rest),
    loadRow(`@upstash/redis, ${events}`, measured.upstash),
    ...(measured.floor ? [loadRow(`the least in Rust, over REST, ${events}`, measured.floor)] : []),
  ]);
  return table(`Beacons, ${windows} windows`, ['', ...head], rows);
}

/**
 * @param {string} name
 * @param {import('./worker/contenders.mjs').Figures} figures
 * @param {number} [ratio]
 */
function loadRow(name, { requestsPerS, p50Ms, p99Ms, errors }, ratio) {
  return [name, whole(requestsPerS), decimals(p50Ms), decimals(p99Ms), String(errors), ratio === undefined ? '' : decimals(ratio)];
}

/** @param {NonNullable<Results['costs']>} costs */
function renderCosts({ rows, idleMonth }) {
  const head = ['', 'commands', 'µs', 'plain µs', '÷ plain', 'pipelined, ÷ plain', '÷ least'];
  const tables = GROUPS.map(([title, costs]) =>
    table(
      `What requests cost Redis, per event: ${title.toLowerCase()}`,
      head,
      Object.keys(costs).map((key) => {
        const { name, commands, cpuUs, plainUs, ratio, pipelinedRatio, leastRatio } = rows[key];
        return [name, String(commands), ...[cpuUs, plainUs, ratio, pipelinedRatio].map(decimals), leastRatio ? decimals(leastRatio) : ''];
      }),
    ),
  );
  return [...tables, `An idle month: ${whole(idleMonth)} commands`];
}

/** @param {NonNullable<Results['instructions']>} instructions */
function renderInstructions(instructions) {
  const head = ['', 'thousands', 'their commands alone', '÷ plain', '÷ least', '÷ their commands'];
  return GROUPS.map(([title, costs]) => {
    const rows = Object.entries(costs).map(([key, { name }]) => {
      const { ours, plain, least, commands } = instructions[key];
      const ratios = [plain, least, commands].map((other) => (other ? decimals(ours / other) : ''));
      return [name, decimals(ours / 1000), decimals(commands / 1000), ...ratios];
    });
    return table(`Instructions that requests cost Redis, per event: ${title.toLowerCase()}`, head, rows);
  });
}

/** @param {NonNullable<Results['attacks']>} attacks */
function renderAttacks(attacks) {
  const rows = attacks.map(({ name, commands, elements, longestMs }) => [name, whole(commands), whole(elements), decimals(longestMs)]);
  return table("Anyone's most expensive requests, boards of 100,000 members", ['', 'commands', 'elements', 'longest command, ms'], rows);
}

/** @param {NonNullable<Results['pauses']>} pauses */
function renderPauses(pauses) {
  const rows = pauses.map(({ name, pieces, ms }) => [name, whole(pieces), decimals(ms)]);
  return table('Batches that go to Redis in pieces', ['', 'transactions, or calls', "ms of Redis's CPU, each"], rows);
}

/** @param {NonNullable<Results['repair']>[number]} repair */
function renderRepair({ window, members, redisSeconds, trips, longestMs }) {
  return (
    `${window} of ${whole(members)} members on all of them, built anew: ${decimals(redisSeconds)} s of Redis, ` +
    `${whole(trips)} trips, the longest piece ${decimals(longestMs)} ms`
  );
}

/** @param {NonNullable<Results['memo']>} memo */
function renderMemo(memo) {
  const rows = Object.entries(memo).map(([name, { boards, known, cpuUs, ratio }]) => [
    name === 'scripts' ? `${whole(boards)}, by scripts` : whole(boards),
    decimals(known),
    decimals(cpuUs),
    decimals(ratio),
  ]);
  return table('Clicks that come to so many boards in turn', ['boards', 'plans that are known', 'µs', '÷ one board'], rows);
}

/** @param {NonNullable<Results['windows']>} windows */
function renderWindows({ measured }) {
  /** @type {Record<string, string>} */
  const names = {
    day: 'day',
    last2: 'last-2-days',
    last7: 'last-7-days',
    last30: 'last-30-days',
    last366: 'last-366-days',
    futureBoards: '30 future boards, ZINCRBY each',
    readLast30: 'read last-30-days, ZREVRANGE',
    readUnion: 'read a union of 30 boards',
  };
  const rows = Object.entries(names).map(([key, name]) => [name, decimals(measured[key].cpuUs), decimals(measured[key].ratio)]);
  return table("Redis's CPU per event (or read), one window of 20,000 members", ['', 'µs', '÷ day'], rows);
}

/** @param {NonNullable<Results['upkeep']>} upkeep */
function renderUpkeep({ members, bytesPerMember, prepare, idle }) {
  const rows = [
    ['while last-7-days is prepared', decimals(prepare.p999Ms), decimals(prepare.maxMs)],
    ['while nothing is', decimals(idle.p999Ms), decimals(idle.maxMs)],
  ];
  const title = `What a client waits for Redis, ${whole(members)} members`;
  const chunks = `${prepare.chunks} chunks in ${decimals(prepare.seconds)} s, the longest ${decimals(prepare.longestChunkMs)} ms`;
  return `${table(title, ['', 'p99.9 ms', 'max ms'], rows)}\n  (${chunks}; ${bytesPerMember} bytes a member of a board)`;
}

/** @param {NonNullable<Results['midnight']>} midnight */
function renderMidnight({ members, seconds, reads, writes, failures }) {
  return (
    `A midnight that nobody prepared: last-7-days of ${whole(members)} members complete after ${decimals(seconds)} s; ` +
    `${reads} reads and ${writes} beacons meanwhile, ${failures} failed`
  );
}

/** @param {NonNullable<Results['slots']>} slots */
function renderSlots({ server, isAtomic, members, bytes, tookS, movedS, besideS, thereS }) {
  return (
    `A slot with a board of ${whole(members)} members (${decimals(bytes / 2 ** 30)} GB) that moves by ${isAtomic ? 'MIGRATESLOTS' : 'SETSLOT'} within ` +
    `${decimals(tookS)} s on ${server}: its board takes no clicks for ` +
    `${decimals(movedS)} s, others of the node that it leaves for ${decimals(besideS)} s, those of the node that gets it for ${decimals(thereS)} s`
  );
}

/** @param {NonNullable<Results['nodes']>} nodes */
function renderNodes({ clicks, rounds, rows }) {
  return table(
    `Redis's CPU time of ${whole(clicks)} clicks a master on a cluster, in ${rounds} rounds`,
    ['masters', 'µs a click', 'of linear', '% of a core without clicks'],
    rows.map(({ masters, clickUs, ofLinear, idlePercent }) => [String(masters), ...[clickUs, ofLinear, idlePercent].map(decimals)]),
  );
}

/** @param {NonNullable<Results['locks']>} locks */
function renderLocks({ us, clicks, more }) {
  const each = Object.entries(us)
    .filter(([keys]) => keys !== '0')
    .map(([keys, cpuUs]) => `${keys} cost ${decimals(cpuUs)} µs`);
  return `Declared keys: ${each.join(', ')} of Redis's CPU. ${whole(clicks)} clicks of an isolate on a board, over the turn of an hour, take ${whole(more)} trips more`;
}

/** @param {NonNullable<Results['podium']>} podium */
function renderPodium({ rows }) {
  return table(
    'What Podium documents',
    ['', 'commands', "µs of Redis's commands", 'commands of Podium', 'ms that Podium documents, end to end'],
    rows.map(({ name, commands, us, documented }) => [
      name,
      whole(commands),
      decimals(us),
      whole(documented.commands),
      decimals(documented.ms),
    ]),
  );
}

/** @param {NonNullable<Results['memory']>} memory */
function renderMemory(memory) {
  const names = {
    id: 'an id of 16 characters',
    once: "a mark of what counts once, an actor's only one",
    onceOfMany: "a mark of what counts once, one of an actor's 100",
    visitor: "a mark of what counts once, a visitor's only one",
    tracked: "a tracked action that can be undone, an actor's only one",
    trackedOfMany: "a tracked action that can be undone, one of an actor's 100",
    trackedOnTies: "a tracked action that can be undone, an actor's only one, where ties are kept",
    member: 'a member and its score, per window',
    ties: 'its sort key among ties, per window',
    breakdown: 'its counts of one action, per window',
    dense: 'a distinct score, per window',
  };
  return table(
    "Redis's memory",
    ['', 'bytes'],
    Object.entries(names).map(([key, name]) => [name, whole(memory[/** @type {keyof typeof memory} */ (key)])]),
  );
}

/** @param {NonNullable<Results['ranks']>} ranks */
function renderRanks({ members, alone, pipelined, distribution }) {
  const names = {
    zrevrank: 'ZREVRANK',
    ordinal: 'a rank, ordinal',
    competition: 'a rank, competition',
    dense: 'a rank, dense',
    hundred: '100 ranks at once, each',
  };
  const rows = Object.entries(names).map(([key, name]) => {
    const [one, many] = [alone[key], pipelined[key]];
    return [name, ...[one.us, one.ratio, one.cpuUs, one.cpuRatio, many.us, many.ratio].map(decimals)];
  });
  const head = ['', 'server µs', '÷ ZREVRANK', "Redis's CPU µs", '÷ ZREVRANK', 'pipelined, server µs', '÷ ZREVRANK'];
  const splits = Object.entries(names)
    .slice(1)
    .map(([key, name]) => `  (${name}: ${split(alone[key])})`);
  const spread = `Their distribution: ${decimals(distribution.ms)} ms of Redis's CPU, ${whole(distribution.commands)} commands`;
  return [table(`Where a member stands among ${whole(members)}`, head, rows), ...splits, spread].join('\n');
}

/**
 * How the time of a script splits into the commands it calls and what is its own.
 *
 * @param {{ us: number, inside: Record<string, number> }} figures
 */
function split({ us, inside }) {
  const called = Object.entries(inside)
    .filter(([, spent]) => spent >= 0.005)
    .toSorted(([, a], [, b]) => b - a);
  const own = called.reduce((sum, [, spent]) => sum - spent, us);
  return [`${decimals(own)} µs the script's own`, ...called.map(([name, spent]) => `${decimals(spent)} ${name.toUpperCase()}`)].join(', ');
}

/** @param {NonNullable<Results['details']>} details */
function renderDetails({ items, rows }) {
  const names = { bare: 'the top 100', details: 'with details', filtered: 'the top 10 of a category that one in 100 has' };
  const head = ['', 'ms', '÷ bare', 'scripts', 'statements', 'ranks looked at'];
  const lines = Object.entries(names).map(([key, name]) => {
    const { ms, ratio, scripts, statements, searched } = rows[/** @type {keyof typeof rows} */ (key)];
    return [name, decimals(ms), decimals(ratio), decimals(scripts), decimals(statements), whole(searched)];
  });
  return table(`Rankings of ${whole(items)} items, from the request to the answer, past all caches`, head, lines);
}
