/**
 * Programs of the system: the one that a variable names, the one that is found, or that of the system's package manager.
 */
import { isExecutable } from '../processes.mjs';
import { Problem } from '../report.mjs';
import { installFromSystem } from './system-packages.mjs';

/**
 * @typedef {object} SystemProgram
 * @property {string} name in words
 * @property {string} [variable] of the environment, which names another one
 * @property {Record<string, string[]>} packages that have it, for each package manager
 * @property {() => string | undefined} find its path
 * @property {string} missing what to do when it is not there
 */

/**
 * Where a program is, as its variable says or as it is found.
 *
 * @param {Pick<SystemProgram, 'variable' | 'find'>} program
 */
export function locate({ variable, find }) {
  const named = variable && process.env[variable];
  if (!named) return find();
  if (isExecutable(named)) return named;
  throw new Problem(`${variable} is ${named}, which is not a program`);
}

/** @param {SystemProgram} program @returns {Promise<string>} its path */
export async function ensureProgram(program) {
  await installMissing([program]);
  const found = locate(program);
  if (found) return found;
  throw new Problem(program.missing);
}

/**
 * Installs those that are not there, all of them with one question.
 *
 * @param {SystemProgram[]} programs
 */
export async function installMissing(programs) {
  const missing = programs.filter((program) => !locate(program));
  if (missing.length === 0) return;
  await installFromSystem(missing.map(({ name }) => name).join(', '), together(missing.map(({ packages }) => packages)));
}

/**
 * The packages of all, for each manager that has all of them.
 *
 * @param {Record<string, string[]>[]} packages
 */
function together([first, ...others]) {
  const managers = Object.keys(first).filter((manager) => others.every((packages) => packages[manager]));
  return Object.fromEntries(managers.map((manager) => [manager, [first, ...others].flatMap((packages) => packages[manager])]));
}
