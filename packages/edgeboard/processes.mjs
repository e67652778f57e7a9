/**
 * Child processes. They are started in a process group of their own, so that Ctrl-C reaches this process alone. It then
 * decides the order in which they end. They are ended by pid, together with whatever they left in their group.
 */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants as modes } from 'node:fs';
import { constants } from 'node:os';
import { basename, delimiter, join } from 'node:path';

import { environment, placeOf } from './place.mjs';
import { Problem } from './report.mjs';

/** How long a process may take to end when asked to, before it is killed. */
const STOP_MS = 10_000;

/** What a shell answers for a program it cannot start. */
const NOT_STARTED = 127;

/**
 * @typedef {object} Running
 * @property {Promise<number>} ended its exit code, or 128 + n after signal n
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} StartOptions
 * @property {Record<string, string | undefined>} [env] added to the environment
 * @property {(text: string) => void} [log] takes what it prints, instead of this process's own output
 * @property {string} [folder] where it runs; that of the command by default
 * @property {string} [input] what it reads
 * @property {boolean} [interactive] it shares the terminal, keyboard and Ctrl-C included
 */

/** @type {Set<Running>} in the order they were started */
const running = new Set();

/**
 * @param {string} program
 * @param {string[]} args
 * @param {StartOptions} [options]
 * @returns {Running}
 */
export function start(program, args, { env, log, input, folder = placeOf().folder, interactive = false } = {}) {
  const output = log ? 'pipe' : 'inherit';
  const child = spawn(program, args, {
    cwd: folder,
    env: environment(env),
    stdio: [interactive ? 'inherit' : input === undefined ? 'ignore' : 'pipe', output, output],
    detached: !interactive,
  });
  if (log) for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', log);
  child.stdin?.end(input);
  child.once('exit', () => killGroup(child));

  /** @type {Promise<number>} */
  const ended = new Promise((resolve) => {
    child.once('error', () => resolve(NOT_STARTED));
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)]));
  });
  const handle = {
    ended,
    async stop() {
      child.kill('SIGTERM');
      const deadline = setTimeout(() => killGroup(child), STOP_MS);
      await ended;
      clearTimeout(deadline);
    },
  };
  running.add(handle);
  ended.then(() => running.delete(handle));
  return handle;
}

/**
 * Run a program to its end.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {StartOptions & { quiet?: boolean }} [options] quiet: what it prints is shown only when it fails
 */
export async function run(program, args, { quiet = false, ...options } = {}) {
  let printed = '';
  if (quiet) options.log = (text) => (printed += text);
  const exitCode = await start(program, args, options).ended;
  if (exitCode === 0) return;
  const reason = exitCode === NOT_STARTED ? 'could not be started' : `failed with exit code ${exitCode}`;
  throw new Problem(`${printed}${[basename(program), ...args.slice(0, 1)].join(' ')} ${reason}`, { exitCode });
}

/**
 * What a program that ends at once prints; undefined when it is missing or fails.
 *
 * @param {string} program
 * @param {string[]} args
 */
export function ask(program, args) {
  const { status, stdout } = spawnSync(program, args, { cwd: placeOf().folder, env: environment(), encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * The first of these programs that PATH leads to.
 *
 * @param {string[]} names
 * @returns {string | undefined} its path
 */
export function findProgram(...names) {
  const folders = environment().PATH.split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** @param {string} path */
export function isExecutable(path) {
  try {
    accessSync(path, modes.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** End everything this process started, the latest first. */
export async function stopAll() {
  for (const handle of [...running].reverse()) await handle.stop();
}

/** @param {import('node:child_process').ChildProcess} child */
function killGroup(child) {
  try {
    process.kill(-Number(child.pid), 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH' && error.code !== 'EPERM') throw error; // none is left, or sudo's are root's to end
  }
}
