/**
 * The faults: what happens to the line, to Redis, or to what Redis keeps.
 */
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

import { startRedis } from '../../support/redis.mjs';
import { ReplyError, respConnection } from '../../support/resp.mjs';
import { until } from '../../support/until.mjs';
import { startLine } from './line.mjs';

/**
 * @typedef {import('./world.mjs').World} World
 *
 * @typedef {object} Fault
 * @property {string} name
 * @property {(world: World) => Promise<unknown> | void} [before] what must be so before the first click
 * @property {(world: World) => Promise<unknown> | void} [begin] it lasts from here
 * @property {(world: World) => Promise<unknown> | void} [end] to here
 * @property {(world: World, sent: Sent) => Promise<unknown>} [strike] it happens once, while clicks are on their way
 * @property {string[]} [redisArgs]
 * @property {'view' | 'heavy'} [action] what is clicked; `view` by default
 * @property {boolean} [loses] Redis forgets what it had acknowledged
 * @property {boolean} [forgetsIds] and may forget an id but not what it counted
 * @property {import('./world.mjs').Transport} [only] where else it would be hidden, or would be no fault
 */

/**
 * What waits for the clicks that are on their way.
 *
 * @typedef {object} Sent
 * @property {() => Promise<unknown>} some until some of them are acknowledged
 * @property {() => Promise<unknown>} all until each was answered
 */

/** @param {import('./line.mjs').Condition} condition */
const line = (condition) => ({ begin: (/** @type {World} */ world) => world.line.set(condition) });

/** @param {(string | number)[]} begin @param {(string | number)[]} end */
const commands = (begin, end) => ({
  begin: (/** @type {World} */ { redis }) => redis.command(...begin),
  end: (/** @type {World} */ { redis }) => redis.command(...end),
});

/** @type {Fault[]} */
export const FAULTS = [
  { name: 'none' },
  { name: 'replies come 300 ms late', ...line('delay') },
  { name: 'replies come 6 s late', ...line('longDelay') },
  { name: 'replies are swallowed', ...line('swallow') },
  { name: 'reset before Redis is asked', ...line('resetBefore') },
  { name: 'reset instead of the reply', ...line('reset') },
  { name: 'half-closed instead of the reply', ...line('halfClose') },
  { name: 'garbage instead of the reply', ...line('garbage') },
  { name: 'lies: lengths near 2^32, replies to other questions', ...line('lie') },
  { name: 'replies trickle, a byte each 40 ms', ...line('trickle') },
  { name: 'silence: connected, and nothing more', ...line('silence') },
  { name: 'HTTP 503 instead of the reply', only: 'http://', ...line('unavailable') },
  { name: 'HTTP 429 before Redis is asked', only: 'http://', ...line('tooMany') },
  { name: 'connections refused', begin: ({ line }) => line.refuse(), end: ({ line }) => line.accept() },
  { name: 'BUSY: a script that never ends', begin: keepBusy, end: ({ redis }) => redis.command('SCRIPT', 'KILL') },
  { name: 'LOADING', redisArgs: ['--enable-debug-command', 'yes'], before: fill, begin: reload, end: isLoaded },
  { name: 'read-only: a replica without its master', ...commands(['REPLICAOF', '127.0.0.1', 1], ['REPLICAOF', 'NO', 'ONE']) },
  {
    name: 'MASTERDOWN: a replica that serves nothing stale',
    redisArgs: ['--replica-serve-stale-data', 'no'],
    ...commands(['REPLICAOF', '127.0.0.1', 1], ['REPLICAOF', 'NO', 'ONE']),
  },
  { name: 'out of memory', ...commands(['CONFIG', 'SET', 'maxmemory', 1], ['CONFIG', 'SET', 'maxmemory', 0]) },
  {
    name: 'eviction: maxmemory-policy allkeys-random',
    before: ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random'),
    ...commands(['CONFIG', 'SET', 'maxmemory', 1], ['CONFIG', 'SET', 'maxmemory', 0]),
    loses: true,
    forgetsIds: true,
  },
  { name: 'a password that the worker does not have', only: 'redis://', begin: wantPassword, end: wantNoPassword },
  {
    name: 'rights missing: no FCALL, no EVALSHA',
    only: 'redis://',
    ...commands(['ACL', 'SETUSER', 'default', '-fcall', '-fcall_ro', '-evalsha', '-eval'], ['ACL', 'SETUSER', 'default', '+@all']),
  },
  {
    name: 'rights missing: no ZADD, no ZINCRBY',
    ...commands(['ACL', 'SETUSER', 'default', '-zadd', '-zincrby'], ['ACL', 'SETUSER', 'default', '+@all']),
  },
  { name: 'FUNCTION FLUSH', strike: ({ redis }) => redis.command('FUNCTION', 'FLUSH') },
  { name: 'FUNCTION KILL of each call that runs for a millisecond', action: 'heavy', begin: killScripts, end: killNoScripts },
  { name: 'FLUSHALL', strike: ({ redis }) => redis.command('FLUSHALL'), loses: true },
  { name: 'an older snapshot', before: ({ redis }) => redis.command('SAVE'), strike: restart, loses: true },
  { name: 'a failover to a replica that lags', only: 'redis://', before: replicate, strike: failOver, loses: true },
  {
    name: "a power cut that loses the file's last second",
    redisArgs: ['--appendonly', 'yes', '--appendfsync', 'everysec'],
    strike: cutPower,
    loses: true,
  },
];

/** More connections than the tests' own. @param {World} world */
function anotherConnection({ redis, others }) {
  const connection = respConnection({ host: '127.0.0.1', port: redis.port });
  others.push(connection.close);
  return connection;
}

/** @param {World} world */
async function keepBusy(world) {
  await world.redis.command('CONFIG', 'SET', 'busy-reply-threshold', 10);
  anotherConnection(world)
    .batch([['EVAL', 'while true do end', 0]])
    .catch(() => {});
  await until('it is busy', async () => {
    const busy = await world.redis.command('PING').catch((error) => error);
    return busy instanceof ReplyError && busy.message.startsWith('BUSY');
  });
}

/** Keys that take a while to load. @param {World} world */
async function fill({ redis }) {
  await redis.command('EVAL', "for i = 1, 4000 do redis.call('SET', 'filler:' .. i, string.rep('x', 100)) end", 0);
  await redis.command('CONFIG', 'SET', 'loading-process-events-interval-bytes', 1024);
  await redis.command('CONFIG', 'SET', 'key-load-delay', 1000);
}

/** @param {World} world */
async function reload(world) {
  anotherConnection(world)
    .batch([['DEBUG', 'RELOAD']])
    .catch(() => {});
  await until('it is loading', async () => {
    const loading = await world.redis.command('PING').catch((error) => error);
    return loading instanceof ReplyError && loading.message.startsWith('LOADING');
  });
}

/** @param {World} world */
async function isLoaded({ redis }) {
  await until('it is loaded', () => redis.command('PING'), { timeoutMs: 60_000 });
}

/** @param {World} world */
async function wantPassword({ redis }) {
  await redis.command('CONFIG', 'SET', 'requirepass', 'another');
}

/** The tests' own connection stays the one that may. @param {World} world */
async function wantNoPassword({ redis }) {
  await redis.command('CONFIG', 'SET', 'requirepass', '');
}

/** Kills whatever script has not written yet. @param {World} world */
async function killScripts(world) {
  await world.redis.command('CONFIG', 'SET', 'busy-reply-threshold', 1);
  const connection = anotherConnection(world);
  const kill = async () => {
    for (;;) {
      const [{ value }] = await connection.batch([['FUNCTION', 'KILL']]);
      if (!(value instanceof ReplyError)) world.killed += 1;
    }
  };
  kill().catch(() => {}); // the connection is closed
}

/** @param {World} world */
async function killNoScripts(world) {
  world.others.pop()?.();
  await world.redis.command('CONFIG', 'SET', 'busy-reply-threshold', 5_000);
}

/** Kills Redis and starts it on what it keeps on disk. @param {World} world */
async function restart({ redis }) {
  await redis.kill();
  await redis.restart();
}

/** A replica behind a line of its own. @param {World} world */
async function replicate(world) {
  const replication = await startLine({ to: world.redis.port });
  const replica = await startRedis({ clock: world.clock, args: ['--replicaof', `127.0.0.1 ${replication.port}`] });
  world.others.push(replica.stop, replication.close);
  await until('the replica is in step', async () => /master_link_status:up/.test(await replica.command('INFO', 'replication')));
  world.replica = { redis: replica, line: replication };
}

/** From here on nothing reaches the replica, which then takes over. @param {World} world @param {Sent} sent */
async function failOver(world, { some }) {
  if (!world.replica) throw new Error('there is no replica');
  const { redis, line } = world.replica;
  line.set('swallow');
  await some();
  await world.redis.kill();
  await redis.command('REPLICAOF', 'NO', 'ONE');
  world.line.lead(redis.port);
  world.redis = redis;
}

/** @param {World} world */
function fileOf({ dir }) {
  const folder = join(dir, 'appendonlydir');
  const name = readdirSync(folder).find((name) => name.endsWith('.incr.aof'));
  return join(folder, name ?? '');
}

/** Half of what was written within the last moment is gone; its end was acknowledged. @param {World} world @param {Sent} sent */
async function cutPower(world, { all }) {
  const size = () => statSync(fileOf(world)).size;
  const kept = size();
  await all();
  await world.redis.kill();
  truncateSync(fileOf(world), kept + Math.floor((size() - kept) / 2));
  await world.redis.restart();
}
