/**
 * The system's package manager, when this user may install with it without a password. Nothing is installed unasked.
 */
import { createInterface } from 'node:readline';

import { ask, findProgram, run } from '../processes.mjs';
import { say } from '../report.mjs';
import { nextLine } from '../terminal.mjs';

/** Each with the arguments that come before the packages' names, and those that first bring its lists up to date. */
const MANAGERS = [
  { name: 'apt-get', install: ['install', '-y', '--no-install-recommends'], update: ['update'], asRoot: true },
  { name: 'dnf', install: ['install', '-y'], asRoot: true },
  { name: 'apk', install: ['add'], update: ['update'], asRoot: true },
  { name: 'brew', install: ['install'], asRoot: false },
];

/** What somebody did not want to be installed. Nobody is asked twice. @type {Set<string>} */
const declined = new Set();

/**
 * @param {string} what what is installed, in words
 * @param {Record<string, string[]>} packages its packages, for each manager that has it
 * @returns {Promise<boolean>} whether it is installed now
 */
export async function installFromSystem(what, packages) {
  const manager = MANAGERS.find(({ name }) => findProgram(name) && packages[name]);
  const prefix = manager && privilege(manager);
  if (!prefix) return false;
  const line = [...prefix, manager.name, ...manager.install, ...packages[manager.name]].join(' ');
  if (packages[manager.name].every((name) => declined.has(name))) return false;
  if (!(await mayInstall(process.env, what, line))) {
    for (const name of packages[manager.name]) declined.add(name);
    return false;
  }
  say(`installing ${what} with ${manager.name}`);
  const [program, ...args] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', manager.name];
  try {
    if (manager.update) await run(program, [...args, ...manager.update], { quiet: true });
    await run(program, [...args, ...manager.install, ...packages[manager.name]], { quiet: true });
    return true;
  } catch (error) {
    say(`${manager.name} could not install it:\n${error.message}`);
    return false;
  }
}

/**
 * Whether the system may be changed: in CI and with EDGEBOARD_INSTALL=1; else a person at a terminal is asked.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} what
 * @param {string} line the command
 */
export async function mayInstall(env, what, line) {
  if (mayInstallUnasked(env)) return true;
  if (env.EDGEBOARD_INSTALL !== '0' && process.stdin.isTTY && process.stderr.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    process.stderr.write(`edgeboard: missing: ${what}. Run \`${line}\`? [y/N] `);
    return /^y(es)?$/i.test(await nextLine(terminal));
  }
  say(`missing: ${what}; run \`${line}\`, or let it be done with EDGEBOARD_INSTALL=1`);
  return false;
}

/** Whether nobody needs to be asked. @param {NodeJS.ProcessEnv} env */
export function mayInstallUnasked(env) {
  return env.EDGEBOARD_INSTALL === '1' || Boolean(env.CI && env.CI !== 'false');
}

/**
 * What a manager's command begins with to have the rights it needs; undefined when this user has no way to them.
 *
 * @param {{ asRoot: boolean }} manager
 * @returns {string[] | undefined}
 */
function privilege({ asRoot }) {
  const isRoot = process.getuid?.() === 0;
  if (isRoot === asRoot) return [];
  if (asRoot && ask('sudo', ['-n', 'true']) !== undefined) return ['sudo', '-n'];
  return undefined;
}
