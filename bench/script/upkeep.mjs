/**
 * Upkeep of a rolling window with a million members: how long it takes, and the longest chunk by Redis's own slow log.
 * Also what a concurrent client notices, and what a member costs in memory.
 */
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { repeat } from './cpu.mjs';

const WINDOW = 'last-7-days';

/** @param {import('../options.mjs').Effort} effort */
export async function benchUpkeep({ upkeepMembers }) {
  const redis = await startRedis();
  const site = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day', WINDOW], max_members: 10_000_000 } } };
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, WRITE_TOKEN: 'bench', ADMIN_TOKEN: 'bench', SITES: { bench: site } } });
  const headers = { authorization: 'Bearer bench' };
  const upkeep = async () => {
    const { windows } = await (await worker.fetch('/v1/bench/admin/upkeep', { method: 'POST', headers })).json();
    return windows[0];
  };
  try {
    // One event makes the keys; the members are put in directly, as a day's and a window's boards would hold them.
    const body = JSON.stringify({ action: 'view', item: 'first' });
    await worker.fetch('/v1/bench/events', { method: 'POST', headers, body });
    while (!(await upkeep()).ready);
    const [current, next] = (await redis.command('KEYS', `eb:{bench:articles}:window:${WINDOW}:*`)).sort();
    const before = await usedMemory(redis);
    for (let first = 0; first < upkeepMembers; first += 1000) {
      const scored = repeat(1000, (i) => [String(1 + ((first + i) % 97)), `/posts/${first + i}`]).flat();
      await redis.command('ZADD', current, ...scored);
    }
    const bytesPerMember = Math.round(((await usedMemory(redis)) - before) / upkeepMembers);
    // As if it had vanished, so that it is prepared anew.
    await redis.command('DEL', next);

    // Those that take longer than this; the log would hold every command that a script calls, too.
    await redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '200', 'slowlog-max-len', '10000');
    const idle = await probing(redis, async () => {}, 5000);
    await redis.command('SLOWLOG', 'RESET');
    await redis.command('CONFIG', 'RESETSTAT');
    const started = performance.now();
    const busy = await probing(redis, async () => {
      while (!(await upkeep()).ready);
    });
    const seconds = (performance.now() - started) / 1000;
    const chunks = Number(/^cmdstat_fcall:calls=(\d+)/m.exec(await redis.command('INFO', 'commandstats'))?.[1]);
    const slow = await redis.command('SLOWLOG', 'GET', '-1');
    const longestChunkMs = Math.max(...slow.map((/** @type {any[]} */ entry) => Number(entry[2]))) / 1000;
    return {
      members: upkeepMembers,
      bytesPerMember,
      idle,
      prepare: { seconds, chunks, longestChunkMs, ...busy },
    };
  } finally {
    await worker.stop();
    await redis.stop();
  }
}

/**
 * What a client that reads all the time waits, while something is done.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {() => Promise<void>} work
 * @param {number} [reads] how many at least
 */
async function probing(redis, work, reads = 0) {
  let done = false;
  const working = work().then(() => (done = true));
  const waits = [];
  while (!done || waits.length < reads) {
    const asked = performance.now();
    await redis.command('ZSCORE', 'none', 'none');
    waits.push(performance.now() - asked);
  }
  await working;
  waits.sort((a, b) => a - b);
  return { p999Ms: waits[Math.floor(waits.length * 0.999)], maxMs: waits[waits.length - 1] };
}

/** @param {import('../../tests/support/redis.mjs').Redis} redis */
async function usedMemory(redis) {
  return Number(/used_memory:(\d+)/.exec(await redis.command('INFO', 'memory'))?.[1]);
}
