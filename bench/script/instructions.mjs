/**
 * What the requests of the benchmark `costs` take of redis-server in instructions, which other load on the machine does not change: Valgrind counts them.
 *
 * Beside the library stand plain counting, the least that a script or function costs which does the same, and the commands that the library ran: a
 * script sends these again, each with its arguments as constants. What the library costs beside them is Lua's.
 *
 * # Out of scope
 *
 * Time: an instruction that waits for memory counts as one.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { Problem } from '../../packages/edgeboard/report.mjs';
import { mapValues } from '../rounds.mjs';
import { replayed } from './costs.mjs';

const run = promisify(execFile);

/** A redis-server whose instructions can be counted. It looks after itself once a second, not ten times. */
const COUNTED = {
  under: ['valgrind', '--tool=callgrind', '--instr-atstart=no', '--callgrind-out-file=/dev/null'],
  args: ['--hz', '1'],
  startMs: 60_000,
};

/**
 * Once each: the same requests take the same instructions, but for what Redis does besides, a percent or two.
 *
 * @param {import('../options.mjs').Effort} effort
 */
export async function benchInstructions({ costedRequests }) {
  const effort = { rounds: 1, costedEvents: 2 * costedRequests, costedRequests };
  const samples = await replayed(effort, instructionsDuring, measure, COUNTED);
  return mapValues(samples, ([sample]) => sample);
}

/** @param {import('./costs.mjs').Turn} turn */
async function measure(turn) {
  return { ours: await turn.ours(1), plain: await turn.plain(1), least: await turn.least(), commands: await turn.commands() };
}

/**
 * Instructions of redis-server while something is done.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {() => Promise<void>} work
 */
async function instructionsDuring({ pid }, work) {
  const control = async (/** @type {string[]} */ ...args) => (await run('callgrind_control', [...args, String(pid)])).stdout;
  await control('--instr=on');
  await control('--zero');
  await work();
  const report = await control('-e');
  await control('--instr=off');
  const counted = /Totals:\s+Ir\s+Th 1\s+([\d ,]+)/.exec(report)?.[1];
  if (!counted) throw new Problem(`callgrind_control reports no instructions: ${report}`);
  return Number(counted.replaceAll(/\D/g, ''));
}
