/**
 * The load generator wrk: on PATH, or from the system's package manager. It is a small C program, so that what is
 * measured is the worker and not the client.
 */
import { findProgram } from '../../packages/edgeboard/processes.mjs';
import { ensureProgram } from '../../packages/edgeboard/setup/programs.mjs';

/** @type {import('../../packages/edgeboard/setup/programs.mjs').SystemProgram} */
export const WRK = {
  name: 'wrk',
  packages: { 'apt-get': ['wrk'], dnf: ['wrk'], apk: ['wrk'], brew: ['wrk'] },
  find: () => findProgram('wrk'),
  missing: 'the benchmarks need wrk: install it (Debian: wrk), or run them with --only costs',
};

export const ensureWrk = () => ensureProgram(WRK);
