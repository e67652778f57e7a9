/**
 * Valgrind: on PATH, or from the system's package manager. It counts the instructions of redis-server, which other load on the machine does not change.
 */
import { findProgram } from '../../packages/edgeboard/processes.mjs';
import { ensureProgram } from '../../packages/edgeboard/setup/programs.mjs';

/** @type {import('../../packages/edgeboard/setup/programs.mjs').SystemProgram} */
export const VALGRIND = {
  name: 'valgrind',
  packages: { 'apt-get': ['valgrind'], dnf: ['valgrind'], apk: ['valgrind'] },
  find: () => findProgram('valgrind'),
  missing: 'the benchmark `instructions` needs Valgrind: install it (Debian: valgrind), or run another one with --only',
};

export const ensureValgrind = () => ensureProgram(VALGRIND);
