/**
 * The packages as tests have them: copies that are filled with the build, and folders that `npm create` wrote.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { writeFolder } from '../../packages/create-edgeboard/write.mjs';
import { isFree } from '../../packages/edgeboard/serve/port.mjs';
import { inProject } from '../../scripts/project.mjs';
import { fillPackage } from '../../scripts/release/fill.mjs';

export const ANSWERS = { name: 'my-list', site: 'blog', origin: 'https://example.com', zone: 'Europe/London', ranked: 'pages' };

/** What ends each process that runs: they write into folders until they have ended. @type {Set<() => void>} */
const running = new Set();

/** @param {import('node:test').TestContext} t */
export function temporary(t) {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-package-'));
  t.after(() => {
    for (const kill of running) kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

/**
 * The package with the last build in it, beside the packages of the repository.
 *
 * @param {string} folder
 * @param {{ version?: string, migrations?: Record<string, string> }} [changed] of another version
 * @returns {string} where it is
 */
export function stagePackage(folder, { version, migrations = {} } = {}) {
  const own = join(folder, 'edgeboard');
  mkdirSync(folder, { recursive: true });
  cpSync(inProject('packages/edgeboard'), own, { recursive: true, filter: (path) => !path.endsWith('packages/edgeboard/worker') });
  fillPackage(join(own, 'worker'));
  const file = join(own, 'package.json');
  if (version) writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version }));
  for (const [name, sql] of Object.entries(migrations)) writeFileSync(join(own, 'worker/migrations', name), sql);
  return own;
}

/** @param {string} folder of a package @param {string} into @returns {string} the path of the tarball */
export function pack(folder, into) {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--json', '--pack-destination', into], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return join(into, JSON.parse(stdout)[0].filename);
}

/**
 * A folder that runs a staged package, without an installation.
 *
 * @param {import('node:test').TestContext} t
 * @param {Partial<typeof ANSWERS>} [answers]
 */
export function startFolder(t, answers) {
  const root = temporary(t);
  symlinkSync(inProject('node_modules'), join(root, 'node_modules'));
  const command = join(stagePackage(root), 'bin/edgeboard.mjs');
  const folder = join(root, 'site');
  writeFolder(folder, { ...ANSWERS, ...answers });
  return { folder, command };
}

/** A port that stays free while others begin and end: none of those that the system hands out. */
export async function portForLong() {
  const FIRST = 20_000;
  const COUNT = 10_000;
  for (;;) {
    const port = FIRST + Math.floor(COUNT * Math.random());
    if (await isFree(port)) return port;
  }
}

/** A PATH that leads to what a user has, and no further. @param {string} root @param {string} [node] which Node that is */
export function bareEnvironment(root, node = process.execPath) {
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const found = (/** @type {string} */ name) =>
    realpathSync(spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim());
  const programs = {
    npm: found('npm'),
    npx: found('npx'),
    sh: found('sh'),
    node,
    'redis-server': process.env.REDIS_SERVER || found('redis-server'),
  };
  for (const [name, path] of Object.entries(programs)) symlinkSync(path, join(bin, name));
  // What npm says of the command that runs the tests is not of the folder.
  const others = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(cache|registry)$)/.test(name));
  return { ...Object.fromEntries(others), PATH: bin };
}

/** @param {number} ms */
export const seconds = (ms) => (ms / 1000).toFixed(1);

/**
 * A process in a folder, and what it prints.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ folder: string, env: NodeJS.ProcessEnv }} where
 */
export function startProcess(program, args, { folder, env }, stdin = /** @type {'ignore' | 'pipe'} */ ('ignore')) {
  const child = spawn(program, args, { cwd: folder, env, stdio: [stdin, 'pipe', 'pipe'], detached: true });
  let printed = '';
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    printed += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => (printed += text));
  const kill = () => {
    endTree(Number(child.pid));
    end(-Number(child.pid)); // its group, where who began it has ended
  };
  running.add(kill);
  child.once('close', () => running.delete(kill));
  return {
    child,
    ended: once(child, 'close').then(([status]) => ({ status, stdout, printed })),
    printed: () => printed,
    /** As Ctrl-C at a terminal does, for all that are there. */
    interrupt: () => process.kill(-Number(child.pid), 'SIGINT'),
    /** Ends it and all that it started, at once. */
    kill,
  };
}

/**
 * The same at a terminal, of which util-linux's `script` makes one: it shows what is typed, unless the program hides it.
 *
 * @param {string[]} words of a command
 * @param {{ folder: string, env: NodeJS.ProcessEnv }} where
 */
export function startAtTerminal(words, where) {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const started = startProcess('script', ['--quiet', '--return', '--echo', 'always', '--command', quoted, '/dev/null'], where, 'pipe');
  return { ...started, type: (/** @type {string} */ text) => started.child.stdin?.write(text) };
}

/** Why no terminal can be made here, if so. */
export const NO_TERMINAL = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')
  ? false
  : "util-linux's script is missing, which makes a terminal";

/** A process and those below it, as Linux lists them. @param {number} pid */
function endTree(pid) {
  const below = childrenOf(pid);
  end(pid);
  for (const child of below) endTree(child);
}

/** @param {number} pid negative: of a group */
function end(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** @param {number} pid */
function childrenOf(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return []; // it has ended
  }
}
