/**
 * The load generator wrk: on PATH, or from the system's package manager. It is a small C program, so that what is
 * measured is the worker and not the client.
 */
import { findProgram } from '../processes.mjs';
import { Problem } from '../report.mjs';
import { installFromSystem } from './system-packages.mjs';

const PACKAGES = { 'apt-get': ['wrk'], dnf: ['wrk'], apk: ['wrk'], brew: ['wrk'] };

/** @returns {Promise<string>} its path */
export async function ensureWrk() {
  const found = findProgram('wrk');
  if (found) return found;
  await installFromSystem('wrk', PACKAGES);
  const installed = findProgram('wrk');
  if (installed) return installed;
  throw new Problem('the benchmarks need wrk: install it (Debian: wrk), or run them with --only costs');
}
