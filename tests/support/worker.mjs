/**
 * The built worker on real workerd: what wrangler.toml describes, with a test's own variables, clock and port.
 *
 * wrangler reads the configuration, so that bindings, dates and flags are what a deployment would get, and its
 * Miniflare runs it. The bundler and the proxy of `wrangler dev` are left out: a start takes a fraction of a second,
 * and workerd's environment is the test's to choose. Nothing is persisted unless a test says where, and only what
 * the worker asks for leaves the machine.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';

import { killWithParent } from './guard.mjs';
import { readWorkerOptions } from './wrangler.mjs';

const CONFIG = fileURLToPath(new URL('../../wrangler.toml', import.meta.url));
const MODULE_TYPES = new Map([
  ['.js', /** @type {const} */ ('ESModule')],
  ['.wasm', /** @type {const} */ ('CompiledWasm')],
]);
const SCHEDULED = '/cdn-cgi/local/scheduled'; // Miniflare 5; it was /cdn-cgi/handler/scheduled before
const CLIENT = 'cf-connecting-ip';
const MAX_LOG_ENTRIES = 10_000;
/** What docs/ingest/queue.md has one write into wrangler.toml. */
const queue = (/** @type {number} */ waitS) => ({
  queueProducers: { INGEST_QUEUE: { queueName: 'edgeboard-ingest' } },
  queueConsumers: { 'edgeboard-ingest': { maxBatchSize: 100, maxBatchTimeout: waitS, maxRetries: 3 } },
});

/** The workerd of the worker that is being started: several may be at once. */
const starting = new AsyncLocalStorage();

// Miniflare ends workerd when this process exits or is asked to end, but not when it is killed.
subscribe('child_process', (message) => {
  const { process: child } = /** @type {{ process: import('node:child_process').ChildProcess }} */ (message);
  const started = starting.getStore();
  child.once('spawn', () => {
    if (basename(child.spawnfile) !== 'workerd') return;
    killWithParent(child);
    if (started) started.runtime = child;
  });
});

/**
 * @typedef {{ level: string, message: string }} LogEntry
 * @typedef {object} Worker
 * @property {string} url `http://127.0.0.1:<port>`
 * @property {(path: string, init?: RequestInit) => Promise<Response>} fetch over TCP, following no redirects
 * @property {(trigger?: { cron?: string, time?: number }) => Promise<{ outcome: string }>} scheduled run the cron
 *   handler and wait for it; `time` in Unix milliseconds
 * @property {LogEntry[]} log what the worker and workerd wrote, the newest 10,000 entries
 * @property {Miniflare} miniflare for what has no URL: D1 databases, queues, caches
 * @property {() => Promise<void>} kill end workerd with SIGKILL, as a crash would. What it stored is
 *   free for the next one then
 * @property {() => Promise<void>} stop
 */

/**
 * @param {object} [options]
 * @param {Record<string, import('miniflare').Json>} [options.vars] variables and secrets, instead of those of the
 *   configuration file and .dev.vars
 * @param {Pick<import('./clock.mjs').Clock, 'env'>} [options.clock] the clock that workerd lives on
 * @param {number} [options.port] a free one by default
 * @param {string} [options.config] another wrangler configuration file
 * @param {boolean} [options.hasDatabase] else the binding of D1 is left out
 * @param {boolean} [options.hasObjects] else the bindings of Durable Objects are left out
 * @param {boolean} [options.hasBucket] bind a bucket for the archive
 * @param {boolean} [options.hasQueue] bind a queue that keeps events, and consume it
 * @param {number} [options.queueWaitS] how long a delivery of it waits for more messages
 * @param {string} [options.entry] another entry, in a copy of the build's folder
 * @param {boolean} [options.isAskedItself] `url` is the worker's own socket: not that of Miniflare's worker before it, which takes more of
 *   their thread than a click does, and which no deployment has
 * @param {string} [options.storage] a folder for what objects and databases store, which outlives the worker
 * @param {Record<string, import('miniflare').Json>} [options.cf] what requests say of their client, instead of Miniflare's made-up place
 * @returns {Promise<Worker>}
 */
export async function startWorker({
  vars = {},
  clock,
  port = 0,
  config: configPath = CONFIG,
  hasDatabase = true,
  hasObjects = true,
  hasBucket = false,
  hasQueue = false,
  queueWaitS = 1,
  entry,
  storage,
  cf,
  isAskedItself = false,
} = {}) {
  process.env.WRANGLER_LOG ??= 'error'; // else it announces a .dev.vars file, which counts for nothing here
  const { name, workerOptions, main: built, externalWorkers } = await readWorkerOptions(configPath);
  const main = entry ?? built;
  if (!main || !existsSync(main)) throw new Error(`no worker at ${main}: node scripts/build.mjs builds it`);

  /** @type {LogEntry[]} */
  const log = [];
  const write = (/** @type {LogEntry} */ { level, message }) => {
    log.push({ level, message });
    if (log.length > MAX_LOG_ENTRIES) log.shift();
  };
  const settings = convertV4MiniflareOptions({
    host: '127.0.0.1',
    port,
    resourcePersistencePath: storage,
    cf: cf ?? false, // a made-up place instead of a download
    telemetry: { enabled: false },
    unsafeRuntimeEnv: clock?.env,
    unsafeTriggerHandlers: true,
    verbose: true, // workerd names uncaught exceptions
    handleStructuredLogs: write,
    log: new CollectingLog(write),
    workers: [
      {
        ...workerOptions,
        ...(!hasDatabase && { d1Databases: {} }),
        ...(!hasObjects && { durableObjects: {} }),
        ...(hasBucket && { r2Buckets: { ARCHIVE: 'edgeboard-archive' } }),
        ...(hasQueue && queue(queueWaitS)),
        ...(isAskedItself && { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] }),
        name,
        bindings: vars,
        modulesRules: undefined, // Miniflare wants the modules themselves
        modules: modulesOf(main),
        modulesRoot: dirname(main),
      },
      ...externalWorkers,
    ],
  });
  /** @type {{ runtime?: import('node:child_process').ChildProcess }} */
  const started = {};
  const miniflare = starting.run(started, () => new Miniflare(settings));
  const { origin } = await miniflare.ready.catch(async (error) => {
    await miniflare.dispose();
    throw error;
  });
  const url = isAskedItself ? (await miniflare.unsafeGetDirectURL(name)).origin : origin;
  /** @type {Worker['fetch']} */
  const request = (path, init) => {
    const headers = new Headers(init?.headers);
    // What a deployment is told of the client; Miniflare's worker says so too.
    if (isAskedItself && !headers.has(CLIENT)) headers.set(CLIENT, '127.0.0.1');
    return fetch(new URL(path, url), { redirect: 'manual', ...init, headers });
  };
  return {
    url,
    fetch: request,
    async scheduled({ cron, time } = {}) {
      const trigger = new URLSearchParams({ format: 'json' });
      if (cron !== undefined) trigger.set('cron', cron);
      if (time !== undefined) trigger.set('time', String(time));
      return (await fetch(new URL(`${SCHEDULED}?${trigger}`, origin))).json();
    },
    log,
    miniflare,
    async kill() {
      const { runtime } = started;
      if (!runtime || runtime.exitCode !== null || runtime.signalCode !== null) return;
      const ended = once(runtime, 'exit');
      runtime.kill('SIGKILL');
      await ended;
    },
    stop: () => miniflare.dispose(),
  };
}

/**
 * The modules of a build: its entry first, and everything in its folder and below.
 *
 * @param {string} main
 */
function modulesOf(main) {
  const folder = dirname(main);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return [main, ...files.filter((path) => path !== main)].flatMap((path) => {
    const type = MODULE_TYPES.get(extname(path));
    return type ? [{ type, path }] : [];
  });
}

/** Miniflare's own messages, such as a worker's uncaught exception, go where workerd's go. */
class CollectingLog extends Log {
  /** @param {(entry: LogEntry) => void} write */
  constructor(write) {
    super(LogLevel.WARN);
    this.write = write;
  }

  /**
   * @override
   * @param {LogLevel} level
   * @param {string} message
   */
  logWithLevel(level, message) {
    this.write({ level: LogLevel[level].toLowerCase(), message });
  }
}
