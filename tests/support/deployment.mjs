/**
 * A whole deployment: redis-server, the way to it, and the built worker. Redis and the worker have a clock each, which
 * need not agree.
 *
 * # Out of scope
 *
 * Browsers, and judging answers: that is the tests' business.
 */
import { createClock } from './clock.mjs';
import { startCluster } from './cluster.mjs';
import { startGateway } from './gateway.mjs';
import { startRedis } from './redis.mjs';
import { startRelay } from './relay.mjs';
import { startWorker } from './worker.mjs';

/** What `REDIS_URL` begins with: RESP over TCP, and the Upstash REST protocol. */
export const ALL_TRANSPORTS = /** @type {const} */ (['redis://', 'http://']);
/** What is above the transport is the same over each of them. One is enough to test it, and this one is the quicker. */
export const RESP = /** @type {const} */ (['redis://']);
/** Whether Redis is a cluster of three masters and three replicas, as `npm test -- --cluster` has it. A relay stands before one server, and so does REST. */
const IS_OVER_CLUSTER = process.env.EDGEBOARD_TEST_CLUSTER === '1';
export const WRITE_TOKEN = 'a-token-for-writing';
export const CALENDAR = ['hour', 'day', 'week', 'month', 'year', 'all'];

/** Longer than any ranking is kept for. */
const KEPT_MS = 25 * 60 * 60 * 1000;
/** Longer than any ranking is served for while Redis answers. */
const SERVED_MS = 60_000;
/** On a busy machine Redis may take longer than the worker waits for it; then it serves what it has, however old. */
const RESTARTS = 5;
const FRESH_TRIES = 20;

/**
 * @typedef {(typeof ALL_TRANSPORTS)[number]} Transport
 * @typedef {Record<string, import('miniflare').Json>} Variables
 * @typedef {{ status: number, headers: Headers, body: any, text: string }} Answer `body` is the parsed JSON, if it is JSON
 * @typedef {object} Link the way to Redis
 * @property {string} url for `REDIS_URL`
 * @property {number} roundTrips
 * @property {import('./gateway-locks.mjs').Locked} [locked] with `locks`: how calls locked
 * @property {(n: number) => void} loseReplies let the next n round trips reach Redis, and their replies nobody
 * @property {(loses: () => boolean) => void} loseRepliesWhen from now on the same with each round trip for which `loses`,
 *   asked once it reached Redis, says so
 * @property {(holds: () => Promise<unknown> | undefined) => void} holdRepliesWhen from now on hold the reply of each round trip for which
 *   `holds`, asked once it reached Redis, answers until when, where TCP is relayed
 * @property {(ms: number) => void} delayBy from now on hold what passes for so long, each way, where TCP is relayed
 * @property {() => void} loseReplyAndEnd the same once, and then let nothing through for good
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Deployment
 * @property {import('./redis.mjs').Redis} redis
 * @property {Link} link
 * @property {import('./worker.mjs').Worker} worker
 * @property {import('./clock.mjs').Clock} clock Redis's
 * @property {import('./clock.mjs').Clock} edgeClock the worker's
 * @property {(path: string, init?: RequestInit) => Promise<Answer>} fetch
 * @property {(body: unknown, init?: { site?: string, headers?: Record<string, string> }) => Promise<Answer>} beacon
 *   sends a batch as browsers do, as text/plain
 * @property {(body: unknown, init?: { site?: string, headers?: Record<string, string> }) => Promise<Answer>} events
 *   sends a batch as the site's servers do
 * @property {(ranking: string, query?: string, site?: string) => Promise<Answer>} top `ranking` is `board/window`;
 *   answered from wherever it comes
 * @property {(path: string) => Promise<Answer>} fresh gets a path of Redis: the worker's clock moves on, so that no cache may answer. While
 *   Redis is too slow for the worker it is asked again
 * @property {(ranking: string, query?: string, site?: string) => Promise<Answer>} freshTop `top` in this way
 * @property {(work: () => Promise<unknown>) => Promise<Record<string, number>>} commandsDuring how often Redis ran each
 *   command meanwhile, those inside scripts included
 * @property {(vars?: Variables, bindings?: { hasBucket?: boolean, hasDatabase?: boolean }) => Promise<void>} restartWorker ends workerd with SIGKILL, and starts it again: at another address, and from then
 *   on with other variables, if some are given
 * @property {() => Promise<void>} reset empties Redis, which is no loss, and ages every cache until it holds nothing
 * @property {() => Promise<void>} stop
 */

/**
 * @param {object} options
 * @param {Transport} options.transport
 * @param {import('miniflare').Json} options.sites
 * @param {Variables | ((to: { redis: import('./redis.mjs').Redis, link: Link }) => Variables)} [options.vars] more
 *   variables; they win
 * @param {string[]} [options.redisArgs]
 * @param {string[]} [options.redisUnder] a program that runs Redis as itself
 * @param {number} [options.redisStartMs] how long a start of Redis may take
 * @param {boolean} [options.isCluster] Redis is a cluster of three masters without replicas; then `redis` is one of cluster.mjs
 * @param {boolean} [options.relayed] let TCP pass a relay, which can lose replies but cannot be down
 * @param {boolean} [options.forgets] over REST, keep nothing between calls of functions
 * @param {boolean} [options.locks] over REST, let functions lock by key, with REDIS_LOCKS = "keys"; EDGEBOARD_TEST_LOCKS=1 does so where nothing is said
 * @param {import('./clock.mjs').Clock} [options.edgeClock] another clock for the worker
 * @param {import('./clock.mjs').Clock} [options.clock] another clock for Redis
 * @param {boolean} [options.hasDatabase] else the worker has no D1
 * @param {boolean} [options.hasBucket] the worker has a bucket for the archive
 * @param {string} [options.storage] where what databases and buckets store outlives a restart of the worker
 * @param {string} [options.entry] another entry, in a copy of the build's folder
 * @param {boolean} [options.hasQueue] the worker has a queue that keeps events
 * @param {number} [options.queueWaitS] how long a delivery of it waits for more messages
 * @param {boolean} [options.isAskedItself] requests go straight to the worker, which takes half of the time; else through Miniflare's own
 *   worker, which tells it of the client
 * @returns {Promise<Deployment>}
 */
export async function startDeployment({
  transport,
  sites,
  vars = {},
  redisArgs,
  redisUnder,
  redisStartMs,
  isCluster = false,
  relayed = false,
  forgets = false,
  locks = transport === 'http://' && process.env.EDGEBOARD_TEST_LOCKS === '1',
  clock = createClock(),
  edgeClock = createClock(),
  hasDatabase,
  hasBucket,
  hasQueue,
  queueWaitS,
  storage,
  entry,
  isAskedItself = true,
}) {
  const hasReplicas = IS_OVER_CLUSTER && transport === 'redis://' && !relayed;
  const server = { clock, args: redisArgs, under: redisUnder, startMs: redisStartMs };
  const redis = await (isCluster || hasReplicas ? startCluster({ ...server, hasReplicas }) : startRedis(server));
  const link = await startLink(transport, redis, { relayed, forgets, locks });
  const more = typeof vars === 'function' ? vars({ redis, link }) : vars;
  const options = {
    clock: edgeClock,
    hasDatabase,
    hasBucket,
    hasQueue,
    queueWaitS,
    storage,
    entry,
    isAskedItself,
    vars: {
      REDIS_URL: link.url,
      REDIS_TOKEN: link.token,
      WRITE_TOKEN,
      SITES: unlimited(sites),
      ...(locks && { REDIS_LOCKS: 'keys' }),
      ...more,
    },
  };
  let worker = await startWorker(options);

  /** @type {Deployment['fetch']} */
  const ask = async (path, init) => {
    const response = await worker.fetch(path, init);
    const text = await response.text();
    const json = /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  };
  /** @param {string} ranking @param {string} [query] @param {string} [site] */
  const pathOf = (ranking, query = '', site = 'demo') => {
    const [board, window] = ranking.split('/');
    return `/v1/${site}/boards/${board}/${window}${query}`;
  };
  /** @param {string} path */
  const fresh = async (path) => {
    for (let tries = 1; ; tries += 1) {
      edgeClock.advance(SERVED_MS);
      const answer = await ask(path);
      if (!isOutdated(answer) || tries === FRESH_TRIES) return answer;
    }
  };

  return {
    redis,
    link,
    get worker() {
      return worker;
    },
    clock,
    edgeClock,
    fetch: ask,
    beacon: (body, { site = 'demo', headers } = {}) =>
      ask(`/v1/${site}/beacon`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
        body: JSON.stringify(body),
      }),
    events: (body, { site = 'demo', headers } = {}) =>
      ask(`/v1/${site}/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${WRITE_TOKEN}`, ...headers },
        body: JSON.stringify(body),
      }),
    top: (ranking, query, site) => ask(pathOf(ranking, query, site)),
    fresh,
    freshTop: (ranking, query, site) => fresh(pathOf(ranking, query, site)),
    async commandsDuring(work) {
      await redis.command('CONFIG', 'RESETSTAT');
      await work();
      return countsOf(await redis.command('INFO', 'commandstats'));
    },
    async restartWorker(vars, bindings) {
      const killed = worker;
      await killed.kill();
      Object.assign(options.vars, vars);
      Object.assign(options, bindings);
      worker = await startAgain(options);
      await killed.stop();
    },
    async reset() {
      await redis.command('FLUSHALL');
      if (hasDatabase !== false) await forgetState(worker);
      edgeClock.advance(KEPT_MS);
    },
    async stop() {
      await worker.stop();
      await link.close();
      await redis.stop();
      for (const own of new Set([clock, edgeClock])) own.close();
    },
  };
}

/** Starts a worker whose databases were left by one that was killed: several parts of workerd repair the same file at once. @param {any} options */
async function startAgain(options) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startWorker(options);
    } catch (error) {
      if (tries === RESTARTS || !/SQLITE_BUSY/.test(String(error))) throw error;
    }
  }
}

/** Forgets what the database knows of Redis, if it knows something. @param {import('./worker.mjs').Worker} worker */
async function forgetState(worker) {
  const database = await worker.miniflare.getD1Database('DB');
  const { results } = await database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'state_documents'").all();
  if (results.length > 0) await database.prepare('DELETE FROM state_documents').run();
}

/** Whether a ranking was served since Redis did not answer in time. @param {Answer} answer */
export const isOutdated = ({ headers }) => /fwd-status=503/.test(headers.get('cache-status') ?? '');

/** Sites that take as much as a test sends, unless they say otherwise: all tests have one address. @param {any} sites */
export function unlimited(sites) {
  const limits = { beacons: 0, misses: 0 };
  const new_members = { visitor: 0, address: 0 };
  return Object.fromEntries(Object.entries(sites).map(([name, site]) => [name, { limits, new_members, max_beacon_events: 100, ...site }]));
}

/** Site and board of each key, the way Redis Cluster reads hash tags. @param {string[]} keys */
export function hashTags(keys) {
  return [...new Set(keys.map((key) => /\{(.+?)\}/.exec(key)?.[1] ?? key))].sort();
}

/** `[id, score]` of each entry. @param {Pick<Answer, 'body'>} answer @returns {[id: string, score: number][]} */
export function entriesOf({ body }) {
  return body.entries.map((/** @type {{ id: string, score: number }} */ { id, score }) => [id, score]);
}

/**
 * @param {Transport} transport
 * @param {import('./redis.mjs').Redis} redis
 * @param {{ relayed: boolean, forgets: boolean, locks: boolean }} options
 * @returns {Promise<Link & { token: string }>}
 */
async function startLink(transport, redis, { relayed, forgets, locks }) {
  if (transport === 'http://') {
    const gateway = await startGateway({ redis, forgets, locks });
    return {
      url: gateway.url,
      token: gateway.token,
      get roundTrips() {
        return gateway.requests;
      },
      locked: gateway.locked,
      loseReplies: gateway.faults.loseReplies,
      loseRepliesWhen: gateway.faults.loseRepliesWhen,
      holdRepliesWhen() {
        throw new Error('not relayed');
      },
      delayBy() {
        throw new Error('not relayed');
      },
      loseReplyAndEnd() {
        gateway.faults.loseReply(() => {
          gateway.faults.failBefore(Infinity);
          return true;
        });
      },
      close: gateway.close,
    };
  }
  if (!relayed) {
    const none = () => {
      throw new Error('not relayed');
    };
    return {
      url: redis.url,
      token: '',
      roundTrips: NaN,
      loseReplies: none,
      loseRepliesWhen: none,
      holdRepliesWhen: none,
      delayBy: none,
      loseReplyAndEnd: none,
      close: async () => {},
    };
  }
  const relay = await startRelay({ redis });
  return {
    url: `redis://127.0.0.1:${relay.port}`,
    token: '',
    get roundTrips() {
      return relay.roundTrips;
    },
    loseReplies: relay.loseReplies,
    loseRepliesWhen: relay.loseRepliesWhen,
    holdRepliesWhen: relay.holdRepliesWhen,
    delayBy: relay.delayBy,
    loseReplyAndEnd: relay.loseReplyAndEnd,
    close: relay.close,
  };
}

/**
 * `cmdstat_hset:calls=3,…` lines as `{ hset: 3 }`, without what the counting itself costs. Calls of scripts, whichever way they go, are `calls`.
 *
 * @param {string} info
 */
function countsOf(info) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const [, command, calls] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    const name = /^(fcall|eval)/.test(command) ? 'calls' : command;
    if (name !== 'config|resetstat' && name !== 'info') counts[name] = (counts[name] ?? 0) + Number(calls);
  }
  return counts;
}
