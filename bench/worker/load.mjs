/**
 * Load from wrk: as many requests as the server answers, over connections that stay open, for a bounded time.
 */
import { randomBytes } from 'node:crypto';

import { start } from '../../packages/edgeboard/processes.mjs';
import { Problem } from '../../packages/edgeboard/report.mjs';
import { inProject } from '../../scripts/project.mjs';

const SCRIPT = inProject('bench/worker/load.lua');
const CONNECTIONS = 32;

/**
 * @typedef {object} Load
 * @property {number} requests answered without an error
 * @property {number} requestsPerS likewise
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} errors connections that failed, timeouts, and statuses of 400 and above
 *
 * @param {object} options
 * @param {string} options.url
 * @param {number} options.seconds
 * @param {string} [options.bodies] a file of bodies for POST, see load.lua
 * @param {number} [options.connections] each of which sends when it has its answer
 * @returns {Promise<Load>}
 */
export async function load({ url, seconds, bodies, connections = CONNECTIONS }) {
  const args = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--script', SCRIPT];
  let printed = '';
  const wrk = start('wrk', [...args, url, ...(bodies ? ['--', randomBytes(3).toString('hex'), bodies] : [])], {
    log: (text) => (printed += text),
  });
  const exitCode = await wrk.ended;
  const report = printed.split('\n').find((line) => line.startsWith('{'));
  if (exitCode !== 0 || !report) throw new Problem(`${printed}wrk failed with exit code ${exitCode}`);
  const { requests, errors, duration_us, p50_us, p99_us } = JSON.parse(report);
  return {
    requests: requests - errors,
    requestsPerS: ((requests - errors) / duration_us) * 1e6,
    p50Ms: p50_us / 1000,
    p99Ms: p99_us / 1000,
    errors,
  };
}
