/**
 * The figures as tables, and whether what must hold does.
 */
import { decimals, kilobytes, table, whole } from './table.mjs';

/**
 * @typedef {object} Results
 * @property {ReturnType<typeof import('./machine.mjs').machine>} machine
 * @property {ReturnType<typeof import('./sizes.mjs').builtSizes>} sizes
 * @property {Awaited<ReturnType<typeof import('./worker/reads.mjs').benchReads>>} [reads]
 * @property {Awaited<ReturnType<typeof import('./worker/writes.mjs').benchWrites>>} [writes]
 * @property {Awaited<ReturnType<typeof import('./script/record.mjs').benchScript>>} [script]
 * @property {Awaited<ReturnType<typeof import('./script/windows.mjs').benchWindows>>} [windows]
 * @property {Awaited<ReturnType<typeof import('./script/upkeep.mjs').benchUpkeep>>} [upkeep]
 * @property {Awaited<ReturnType<typeof import('./script/midnight.mjs').benchMidnight>>} [midnight]
 *
 * @typedef {object} Requirement
 * @property {string} what
 * @property {number} value
 * @property {number} [least]
 * @property {number} [most]
 */

/**
 * @param {Results} results
 * @returns {Requirement[]}
 */
export function requirements({ sizes, reads, script, windows, upkeep, midnight }) {
  const found = [{ what: 'the gzipped wasm, in KB', value: sizes.wasm.gzipped / 1000, most: 250 }];
  if (reads) {
    found.push(
      { what: 'reads from memory ÷ a constant', value: reads.ratios.constant, least: 0.8 },
      { what: 'reads from memory ÷ the Cache API', value: reads.ratios.cacheApi, least: 2 },
    );
  }
  if (script) {
    const { one, oneWithId, batch } = script.measured;
    found.push(
      { what: 'record, one event ÷ six ZINCRBY', value: one.ratio, most: 1.6 },
      { what: 'record, one event with an id ÷ six ZINCRBY', value: oneWithId.ratio, most: 1.6 },
      { what: 'record, in batches of ten ÷ six ZINCRBY', value: batch.ratio, most: 0.9 },
    );
  }
  if (windows) {
    found.push(
      { what: 'last-366-days ÷ last-2-days, per event', value: windows.ratios.flat, most: 1.1 },
      { what: 'last-7-days ÷ day, per event', value: windows.ratios.rolling, most: 2.5 },
    );
  }
  if (upkeep) found.push({ what: 'the longest piece of upkeep, in ms', value: upkeep.prepare.longestPieceMs, most: 5 });
  if (midnight) found.push({ what: 'requests that failed at midnight', value: midnight.failures, most: 0 });
  return found;
}

/** @param {Requirement} requirement */
export function isMet({ value, least = -Infinity, most = Infinity }) {
  return value >= least && value <= most;
}

/** @param {Requirement} requirement */
export function describe({ what, value, least, most }) {
  return `${what}: ${decimals(value)}, ${least === undefined ? `at most ${most}` : `at least ${least}`}`;
}

/** @param {Results} results */
export function render({ machine, sizes, reads, writes, script, windows, upkeep, midnight }) {
  const { system, cores, cpu, load, node, workerd, redis } = machine;
  const parts = [
    `${system}, ${cores} cores (${cpu}), load ${decimals(load)} before; node ${node}, workerd ${workerd}, redis ${redis}`,
  ];
  if (reads) parts.push(renderReads(reads));
  if (writes) parts.push(renderWrites(writes));
  if (script) parts.push(renderScript(script));
  if (windows) parts.push(renderWindows(windows));
  if (upkeep) parts.push(renderUpkeep(upkeep));
  if (midnight) parts.push(renderMidnight(midnight));
  const sized = [
    ['worker (wasm)', sizes.wasm],
    ['beacon.js', sizes.beacon],
    ...(script ? [['record (Lua)', script.size]] : []),
  ];
  const rows = sized.map(([name, { raw, gzipped }]) => [name, kilobytes(raw), kilobytes(gzipped)]);
  parts.push(table('Sizes', ['', 'raw', 'gzipped'], rows));
  return parts.join('\n\n');
}

const LOAD_HEAD = ['requests/s', 'p50 ms', 'p99 ms', 'errors', 'edgeboard ÷ it'];

/** @param {NonNullable<Results['reads']>} reads */
function renderReads({ answerBytes, measured, ratios }) {
  const rows = [
    loadRow('edgeboard, from memory', measured.edgeboard),
    loadRow('a constant', measured.constant, ratios.constant),
    loadRow('a constant, content type alone', measured.bareConstant, ratios.bareConstant),
    loadRow('Cache API', measured.cacheApi, ratios.cacheApi),
    loadRow('@upstash/redis ZRANGE', measured.upstash, ratios.upstash),
  ];
  return table(`Top-10 reads (${answerBytes} bytes)`, ['', ...LOAD_HEAD], rows);
}

/** @param {NonNullable<Results['writes']>} writes */
function renderWrites({ measured, ratios }) {
  const head = [...LOAD_HEAD.slice(0, -1), '÷ @upstash/redis'];
  const rows = [
    loadRow('edgeboard over TCP, six windows', measured.tcp, ratios.tcp),
    loadRow('edgeboard over REST, six windows', measured.rest, ratios.rest),
    loadRow('@upstash/redis, one ZINCRBY', measured.upstash),
  ];
  return table('Beacons', ['', ...head], rows);
}

/**
 * @param {string} name
 * @param {import('./worker/contenders.mjs').Figures} figures
 * @param {number} [ratio]
 */
function loadRow(name, { requestsPerS, p50Ms, p99Ms, errors }, ratio) {
  return [name, whole(requestsPerS), decimals(p50Ms), decimals(p99Ms), String(errors), ratio === undefined ? '' : decimals(ratio)];
}

/** @param {NonNullable<Results['script']>} script */
function renderScript({ measured, redisBenchmark }) {
  const row = (/** @type {string} */ name, /** @type {import('./script/record.mjs').Figures} */ { cpuUs, ratio, strictRatio }) => [
    name,
    decimals(cpuUs),
    decimals(ratio),
    decimals(strictRatio),
  ];
  const rows = [
    row('six ZINCRBY, 16 commands a pipeline', measured.zincrby),
    row('six ZINCRBY, 96 commands a pipeline', measured.zincrbyDeep),
    row('record, one event', measured.one),
    row('record, one event with an id', measured.oneWithId),
    row('record, ten events with an id', measured.batch),
  ];
  const lines = [table("Redis's CPU per event, six windows of 20,000 members", ['', 'µs', '÷ first', '÷ second'], rows)];
  const { zincrbyPerS } = redisBenchmark;
  if (zincrbyPerS) lines.push(`  (redis-benchmark: ${whole(zincrbyPerS)} ZINCRBY/s, 16 commands a pipeline, 50 connections)`);
  return lines.join('\n');
}

/** @param {NonNullable<Results['windows']>} windows */
function renderWindows({ measured }) {
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
  const pieces = `${prepare.pieces} pieces in ${decimals(prepare.seconds)} s, the longest ${decimals(prepare.longestPieceMs)} ms`;
  return `${table(title, ['', 'p99.9 ms', 'max ms'], rows)}\n  (${pieces}; ${bytesPerMember} bytes a member of a board)`;
}

/** @param {NonNullable<Results['midnight']>} midnight */
function renderMidnight({ members, seconds, reads, writes, failures }) {
  return (
    `A midnight that nobody prepared: last-7-days of ${whole(members)} members complete after ${decimals(seconds)} s; ` +
    `${reads} reads and ${writes} beacons meanwhile, ${failures} failed`
  );
}
