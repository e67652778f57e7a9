/**
 * A ranking with details over many items: what the top 100 costs, beside the same one without.
 */
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { createClock } from '../../tests/support/clock.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { expectStatus } from './contenders.mjs';

const ADMIN_TOKEN = 'bench';
const PUT_AT_ONCE = 5_000;
/** Reads of a variant in a round. */
const READS = 20;
/** Longer than a ranking is served while Redis answers. */
const SERVED_MS = 60_000;
/** One of a hundred items, so that a page of ten needs more ranks than are looked at. */
const RARE = 100;
const VARIANTS = {
  bare: '?limit=100',
  details: '?limit=100&details=1',
  filtered: '?limit=10&details=1&category=rare',
};
const BOARD = { weights: { view: 1 }, windows: ['all'], limit: 100 };

/** @param {import('../options.mjs').Effort} effort */
export async function benchDetails({ rounds, describedItems }) {
  const clock = createClock();
  const redis = await startRedis();
  const sites = { demo: { limits: { beacons: 0, misses: 0 }, actions: { view: {} }, boards: { articles: BOARD } } };
  const worker = await startWorker({ clock, hasDatabase: true, vars: { REDIS_URL: redis.url, ADMIN_TOKEN, SITES: sites } });
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const read = async (/** @type {string} */ query) => {
    clock.advance(SERVED_MS);
    return JSON.parse(await expectStatus(await worker.fetch(`/v1/demo/boards/articles/all${query}`), 200));
  };
  const statements = async () => {
    const text = await expectStatus(await worker.fetch('/v1/demo/admin/metrics', { headers }), 200);
    return Number(/_database_total\{site="",what="statements"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  try {
    await fill(worker, redis, headers, describedItems);
    const turns = mapValues(VARIANTS, (query) => async () => {
      const before = await statements();
      await redis.command('CONFIG', 'RESETSTAT');
      const from = performance.now();
      let body;
      for (let i = 0; i < READS; i += 1) body = await read(query);
      const ms = (performance.now() - from) / READS;
      const calls = Number(/^cmdstat_fcall_ro:calls=(\d+)/m.exec(await redis.command('INFO', 'commandstats'))?.[1] ?? 0);
      const { searched = body.entries.length, bounded = false } = body;
      return { ms, scripts: calls / READS, statements: ((await statements()) - before) / READS, searched, bounded };
    });
    await inTurn(turns, 1); // to warm up
    const samples = await inTurn(turns, rounds);
    const times = (/** @type {keyof typeof VARIANTS} */ name) => samples[name].map(({ ms }) => ms);
    const rows = mapValues(samples, (taken, name) => ({
      ...taken[taken.length - 1],
      ms: median(times(name)),
      ratio: medianRatio(times(name), times('bare')),
    }));
    return { items: describedItems, rows };
  } finally {
    await worker.stop();
    await redis.stop();
    clock.close();
  }
}

/**
 * Describes items, and gives each points of its own.
 *
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {Record<string, string>} headers
 * @param {number} items
 */
async function fill(worker, redis, headers, items) {
  for (let at = 0; at < items; at += PUT_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(PUT_AT_ONCE, items - at) }, (_, i) => at + i);
    const line = (/** @type {number} */ i) =>
      JSON.stringify({
        id: `/posts/${i}`,
        title: `The title of post ${i}`,
        category: i % RARE === 0 ? 'rare' : 'news',
        image: `/i/${i}.jpg`,
      });
    await expectStatus(await worker.fetch('/v1/demo/items', { method: 'PUT', headers, body: numbers.map(line).join('\n') }), 200);
    await redis.command('ZADD', 'eb:{demo:articles}:all:0', ...numbers.flatMap((i) => [String(1 + i), `/posts/${i}`]));
  }
}
