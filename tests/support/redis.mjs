/**
 * A real redis-server of a test's own: on a free loopback port, in a directory of its own, on a clock of its own if
 * asked. It is killed with the test process and keeps nothing on disk unless `args` says so.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { killWithParent } from './guard.mjs';
import { freePort } from './port.mjs';
import { ReplyError, respConnection, Status } from './resp.mjs';
import { until } from './until.mjs';

const HOST = '127.0.0.1';
const PORT_ATTEMPTS = 5;
/** jemalloc's thread sleeps until an instant of the clock: where that lies behind the true time, it never sleeps, and takes a processor. */
const UNDER_A_CLOCK = ['--jemalloc-bg-thread', 'no'];

/**
 * @typedef {import('./resp.mjs').Argument} Argument
 * @typedef {object} Redis
 * @property {string} url `redis://127.0.0.1:<port>`
 * @property {number} port
 * @property {number} pid of the running server; changes with restart()
 * @property {(...args: Argument[]) => Promise<any>} command send one command: strings, integers, null and arrays
 *   come back; an error reply is thrown as ReplyError, or stands in the array it is part of
 * @property {(...args: Argument[]) => Promise<any>} commandBuffers the same with Buffers instead of strings
 * @property {() => Promise<void>} kill end the server with SIGKILL, as a crash would; restart() brings it back
 * @property {() => Promise<void>} restart end it if it runs, and start it again on the same port; empty, unless
 *   `args` turned persistence on
 * @property {() => Promise<void>} stop end it for good and remove its directory, unless that was given
 */

/**
 * @typedef {object} Options
 * @property {Pick<import('./clock.mjs').Clock, 'env'>} [clock] the clock to run on
 * @property {number} [port] a fixed port instead of a free one
 * @property {string} [dir] an existing working directory, kept afterwards
 * @property {string[]} [args] more redis-server arguments; they win over the defaults
 * @property {string[]} [under] a program that runs redis-server as itself, with its arguments
 * @property {number} [startMs] how long a start may take; what it keeps on disk takes time to load
 *
 * @param {Options} [options]
 * @returns {Promise<Redis>}
 */
export async function startRedis({ clock, port, dir, args = [], under = [], startMs = 10_000 } = {}) {
  const [program, ...before] = [...under, findProgram()];
  const home = dir ?? mkdtempSync(join(tmpdir(), 'edgeboard-redis-'));
  const removeHome = () => {
    if (dir === undefined) rmSync(home, { recursive: true, force: true });
  };
  const all = [...(clock ? UNDER_A_CLOCK : []), ...args];
  const launch = (/** @type {number} */ at) => launchServer({ program, before, port: at, home, args: all, env: clock?.env, startMs });

  /** @type {Awaited<ReturnType<typeof launch>>} */
  let running;
  try {
    running = port === undefined ? await launchOnFreePort(launch) : await launch(port);
  } catch (error) {
    removeHome();
    throw error;
  }

  const connection = respConnection({ host: HOST, port: running.port });
  const send = async (/** @type {Argument[]} */ command) => {
    const [{ value }] = await connection.batch([command]);
    if (value instanceof ReplyError) throw value;
    return value;
  };
  const end = async (/** @type {NodeJS.Signals} */ signal) => {
    connection.close();
    await endServer(running.child, signal);
  };

  return {
    url: `redis://${HOST}:${running.port}`,
    port: running.port,
    get pid() {
      return /** @type {number} */ (running.child.pid);
    },
    command: async (...command) => toStrings(await send(command)),
    commandBuffers: async (...command) => toBuffers(await send(command)),
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGTERM');
      running = await launch(running.port);
    },
    async stop() {
      await end('SIGTERM');
      removeHome();
    },
  };
}

/** The path of redis-server: REDIS_SERVER, or the first one on PATH. */
function findProgram() {
  const named = process.env.REDIS_SERVER;
  const candidates = named ? [named] : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'));
  const found = candidates.find((path) => existsSync(path));
  if (found) return found;
  const where = named ? `at REDIS_SERVER=${named}` : 'on PATH';
  throw new Error(`no redis-server ${where}. npm start and npm test install it; by hand: apt-get install redis-server`);
}

/**
 * A free port can be taken between finding and using it; then another is tried.
 *
 * @template T
 * @param {(port: number) => Promise<T>} launch
 * @returns {Promise<T>}
 */
export async function launchOnFreePort(launch) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(await freePort());
    } catch (error) {
      if (attempt === PORT_ATTEMPTS || !/Address already in use/.test(String(error))) throw error;
    }
  }
}

/**
 * Start one server and wait until it, and not another server on its port, answers PING.
 *
 * @param {{ program: string, before: string[], port: number, home: string, args: string[], startMs: number, env?: Record<string, string> }} options
 */
async function launchServer({ program, before, port, home, args, env, startMs }) {
  const logPath = join(home, 'redis.log');
  const log = openSync(logPath, 'w');
  const settings = ['--bind', HOST, '--port', String(port), '--dir', home, '--save', '', '--appendonly', 'no'];
  const child = spawn(program, [...before, ...settings, ...args], {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  });
  closeSync(log);
  await once(child, 'spawn');
  killWithParent(child);
  child.unref(); // a test that forgot to stop it still ends

  const probe = respConnection({ host: HOST, port });
  try {
    const ready = async () => {
      if (hasEnded(child)) return true;
      const [pong, info] = await probe.batch([['PING'], ['INFO', 'server']]);
      const itself = String(info.value).includes(`process_id:${child.pid}\r\n`);
      return itself && pong.value instanceof Status; // an error reply means it is still loading
    };
    await until(`PING answered by redis-server on port ${port}`, ready, { timeoutMs: startMs });
  } catch (error) {
    await endServer(child, 'SIGKILL');
    throw error;
  } finally {
    probe.close();
  }
  if (hasEnded(child)) throw new Error(`redis-server did not start:\n${readFileSync(logPath, 'utf8')}`);
  return { child, port };
}

/** @param {import('node:child_process').ChildProcess} child */
function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
async function endServer(child, signal) {
  if (hasEnded(child)) return;
  child.ref();
  const exited = once(child, 'exit');
  child.kill(signal);
  const deadline = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(deadline);
}

/**
 * @param {import('./resp.mjs').Reply} reply
 * @returns {unknown}
 */
function toStrings(reply) {
  if (Array.isArray(reply)) return reply.map(toStrings);
  return Buffer.isBuffer(reply) || reply instanceof Status ? reply.toString() : reply;
}

/**
 * @param {import('./resp.mjs').Reply} reply
 * @returns {unknown}
 */
function toBuffers(reply) {
  if (Array.isArray(reply)) return reply.map(toBuffers);
  return reply instanceof Status ? Buffer.from(reply.toString()) : reply;
}
