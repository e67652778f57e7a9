/**
 * redis-benchmark's own figure for ZINCRBY, for orientation.
 */
import { findProgram, start } from '../../scripts/processes.mjs';

const REQUESTS = 200_000;

/**
 * @param {{ port: number }} redis
 * @param {{ members: number, depth: number }} options
 * @returns {Promise<number | undefined>} commands per second; undefined where redis-benchmark is not installed
 */
export async function benchmarkZincrby({ port }, { members, depth }) {
  const program = findProgram('redis-benchmark', 'valkey-benchmark');
  if (!program) return undefined;
  const options = { p: port, n: REQUESTS, r: members, P: depth };
  const args = Object.entries(options).flatMap(([name, value]) => [`-${name}`, String(value)]);
  let printed = '';
  const command = ['ZINCRBY', 'orientation', '1', '/posts/__rand_int__'];
  await start(program, ['--csv', ...args, ...command], { log: (text) => (printed += text) }).ended;
  const row = printed.split('\n').find((line) => line.startsWith('"ZINCRBY')); // "name","requests per second",…
  return row === undefined ? undefined : Number(row.split('","')[1]);
}
