/**
 * The longest rolling windows of days and of hours, built anew from their base boards, with all members on all of them: how long Redis works on it, in how
 * many trips, and the longest piece by Redis's own slow log. That log tells the time that passed, which other processes make longer and never
 * shorter, so the longest piece is that of the repair in which it was shortest.
 */
import { startRedis } from '../../tests/support/redis.mjs';
import { startRelay } from '../../tests/support/relay.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { expectStatus } from '../worker/contenders.mjs';
import { median } from '../rounds.mjs';
import { cpuDuring, repeat } from './cpu.mjs';

const WINDOWS = /** @type {const} */ ([
  { unit: 'day', length: 400, ms: 86_400_000 },
  { unit: 'hour', length: 744, ms: 3_600_000 },
]);
const BOARD = 'eb:{bench:articles}';
const HEADERS = { authorization: 'Bearer bench' };

/** @param {import('../options.mjs').Effort} effort */
export async function benchRepair({ repairs, repairedMembers }) {
  const measured = [];
  for (const window of WINDOWS) {
    const rounds = [];
    for (let round = 0; round < repairs; round += 1) rounds.push(await repair(window, repairedMembers));
    const longestMs = Math.min(...rounds.map((round) => round.longestMs));
    measured.push({ ...rounds[0], redisSeconds: median(rounds.map((round) => round.redisSeconds)), longestMs });
  }
  return measured;
}

/** @param {(typeof WINDOWS)[number]} window @param {number} members */
async function repair({ unit, length, ms }, members) {
  const redis = await startRedis();
  const window = `last-${length}-${unit}s`;
  const site = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: [window] } } };
  const relay = await startRelay({ redis });
  const REDIS_URL = `redis://127.0.0.1:${relay.port}`;
  const worker = await startWorker({ vars: { REDIS_URL, ADMIN_TOKEN: 'bench', SITES: { bench: site } } });
  const upkeep = async () => {
    const response = await worker.fetch('/v1/bench/admin/upkeep', { method: 'POST', headers: HEADERS });
    return JSON.parse(await expectStatus(response, 200)).windows[0];
  };
  try {
    const current = Math.floor(Date.now() / ms);
    const first = `${BOARD}:${unit}:${current}`;
    const scored = repeat(members, (i) => [String(1 + (i % 97)), `/posts/${i}`]);
    for (let from = 0; from < scored.length; from += 1000) await redis.command('ZADD', first, ...scored.slice(from, from + 1000).flat());
    for (let back = 1; back < length; back += 1) await redis.command('COPY', first, `${BOARD}:${unit}:${current - back}`);

    // Those that take longer than this; the log would hold every command that a script calls, too.
    await redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '200', 'slowlog-max-len', '10000');
    await redis.command('SLOWLOG', 'RESET');
    const before = relay.roundTrips;
    const us = await cpuDuring(redis, async () => {
      while (!(await upkeep()).complete);
    });
    const trips = relay.roundTrips - before;
    const log = await redis.command('SLOWLOG', 'GET', '-1');
    const longestUs = Math.max(...log.map((/** @type {any[]} */ entry) => Number(entry[2])));
    return { window, periods: length, members, redisSeconds: us / 1e6, trips, longestMs: longestUs / 1000 };
  } finally {
    await worker.stop();
    await relay.close();
    await redis.stop();
  }
}
