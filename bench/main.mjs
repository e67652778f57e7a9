/**
 * Runs the benchmarks, prints their figures and writes them to bench/results/latest.json; exits 1 when a ratio is missed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { gzipSync } from 'node:zlib';

import { inProject } from '../scripts/project.mjs';
import { readOptions } from './options.mjs';
import { benchScript } from './script/record.mjs';
import { benchWindows } from './script/windows.mjs';
import { benchUpkeep } from './script/upkeep.mjs';
import { benchReads } from './worker/reads.mjs';
import { benchWrites } from './worker/writes.mjs';

/**
 * A ratio that must be kept.
 *
 * @typedef {object} Bound
 * @property {string} what
 * @property {number} value
 * @property {number} [least]
 * @property {number} [most]
 */

const { parts, effort } = readOptions(process.argv.slice(2));
const results = { machine: machine(), sizes: sizes() };
/** @type {Bound[]} */
const bounds = [{ what: 'wasm, gzipped bytes', value: results.sizes.wasmGzipped, most: 250_000 }];

console.log(`${results.machine}\nwasm ${results.sizes.wasm} bytes, ${results.sizes.wasmGzipped} gzipped`);
if (parts.includes('reads')) {
  const reads = await benchReads(effort);
  results.reads = reads;
  table(`top-N reads, ${reads.bytes} bytes`, reads.measured, ['requestsPerS', 'p50Ms', 'p99Ms', 'errors']);
  bounds.push({ what: 'reads from memory ÷ constant JavaScript worker', value: reads.ratios.constant, least: 0.8 });
  bounds.push({ what: 'reads from memory ÷ Cache API worker', value: reads.ratios.cacheApi, least: 2 });
  bounds.push({ what: 'reads from memory ÷ @upstash/redis worker', value: reads.ratios.upstash });
}
if (parts.includes('writes')) {
  const writes = await benchWrites(effort);
  results.writes = writes;
  table('beacons: six windows; the tutorial counts one', writes.measured, ['requestsPerS', 'p50Ms', 'p99Ms', 'errors']);
  bounds.push({ what: 'beacons over TCP ÷ @upstash/redis worker', value: writes.ratios.tcp });
  bounds.push({ what: 'beacons over REST ÷ @upstash/redis worker', value: writes.ratios.rest });
}
if (parts.includes('script')) {
  const script = await benchScript(effort);
  results.script = script;
  table("record, six windows: Redis's CPU per event", script.measured, ['cpuUs', 'ratio', 'strictRatio']);
  bounds.push({ what: 'record of one event ÷ six ZINCRBY', value: script.measured.one.ratio, most: 1.6 });
  bounds.push({ what: 'record of one event with an id ÷ six ZINCRBY', value: script.measured.oneWithId.ratio });
  bounds.push({ what: 'record of ten events with an id, each ÷ six ZINCRBY', value: script.measured.batch.ratio, most: 0.9 });
}
if (parts.includes('windows')) {
  const windows = await benchWindows(effort);
  results.windows = windows;
  table("one window each: Redis's CPU per event", windows.measured, ['cpuUs', 'ratio']);
  bounds.push({ what: 'last-366-days ÷ last-2-days, per event', value: windows.ratios.flat, most: 1.1 });
  bounds.push({ what: 'last-7-days ÷ day, per event', value: windows.ratios.rolling, most: 2.5 });
  bounds.push({ what: 'N future boards (N = 30) ÷ last-30-days, per event', value: windows.ratios.futureBoards });
  bounds.push({ what: 'union of 30 boards ÷ last-30-days, per read', value: windows.ratios.union });
}
if (parts.includes('upkeep')) {
  const upkeep = await benchUpkeep(effort);
  results.upkeep = upkeep;
  table(`upkeep of last-7-days at ${upkeep.members} members`, { prepare: upkeep.prepare, idle: upkeep.idle }, [
    'seconds',
    'pieces',
    'longestPieceMs',
    'p999Ms',
    'maxMs',
  ]);
  console.log(`bytes per member: ${JSON.stringify(upkeep.bytesPerMember)}`);
  bounds.push({ what: 'longest piece of upkeep on the server, ms', value: upkeep.prepare.longestPieceMs, most: 5 });
}

const missed = bounds.filter(({ value, least = -Infinity, most = Infinity }) => !(value >= least && value <= most));
console.log('');
for (const bound of bounds) {
  const wanted = bound.least ? `at least ${bound.least}` : bound.most ? `at most ${bound.most}` : '';
  console.log(`${bound.value.toFixed(2).padStart(12)}  ${bound.what}${wanted && ` (${wanted}${missed.includes(bound) ? ', MISSED' : ''})`}`);
}
mkdirSync(inProject('bench/results'), { recursive: true });
writeFileSync(inProject('bench/results/latest.json'), `${JSON.stringify({ ...results, bounds }, null, 2)}\n`);
if (missed.length > 0) {
  console.error(`missed: ${missed.map(({ what }) => what).join('; ')}`);
  process.exitCode = 1;
}

/**
 * @param {string} title
 * @param {Record<string, Record<string, any>>} rows
 * @param {string[]} fields
 */
function table(title, rows, fields) {
  console.log(`\n${title}`);
  console.log(`${''.padEnd(14)}${fields.map((field) => field.padStart(15)).join('')}`);
  for (const [name, row] of Object.entries(rows)) {
    console.log(`${name.padEnd(14)}${fields.map((field) => format(row[field]).padStart(15)).join('')}`);
  }
}

/** @param {number | undefined} number */
function format(number) {
  if (number === undefined) return '';
  return Number.isInteger(number) ? String(number) : number.toFixed(number < 100 ? 2 : 0);
}

function machine() {
  return `${cpus().length} cores, node ${process.version}`;
}

function sizes() {
  const wasm = readFileSync(inProject('build/index_bg.wasm'));
  return { wasm: wasm.length, wasmGzipped: gzipSync(wasm, { level: 9 }).length };
}
