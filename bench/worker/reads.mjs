/**
 * Top-N reads per second: edgeboard from its memory, beside a constant, the Cache API, and a tutorial's leaderboard.
 *
 * The first two answer the very bytes that edgeboard does. edgeboard's memory is renewed from Redis as always.
 */
import { startGateway } from '../../tests/support/gateway.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { medianRatio } from '../rounds.mjs';
import { BEACON_PATH, SITES, TOP_PATH } from '../site.mjs';
import { startBaseline } from './baseline.mjs';
import { expectStatus, measure } from './contenders.mjs';

const ITEMS = 100;

/** @param {import('../options.mjs').Effort} effort */
export async function benchReads(effort) {
  const redis = await startRedis();
  const gateway = await startGateway({ redis });
  const workers = [await startWorker({ vars: { REDIS_URL: redis.url, SITES } })];
  try {
    const [edgeboard] = workers;
    const events = Array.from({ length: ITEMS }, (_, i) => ({ action: 'view', item: `/posts/${i % 37}/article-${i % 10}` }));
    await expectStatus(await edgeboard.fetch(BEACON_PATH, { method: 'POST', body: JSON.stringify({ events }) }), 204);
    const ANSWER = await expectStatus(await edgeboard.fetch(TOP_PATH), 200);
    for (const { id, score } of JSON.parse(ANSWER).entries) await redis.command('ZADD', 'leaderboard', score, id);

    const start = async (/** @type {string} */ name, /** @type {Record<string, string>} */ vars) => {
      const worker = await startBaseline(name, vars);
      workers.push(worker);
      await expectStatus(await worker.fetch(TOP_PATH), 200);
      return { url: worker.url + TOP_PATH };
    };
    const constant = await start('constant', { ANSWER });
    const cacheApi = await start('cache-api', { ANSWER });
    const upstash = await start('upstash', { UPSTASH_REDIS_REST_URL: gateway.url, UPSTASH_REDIS_REST_TOKEN: gateway.token });

    const contenders = { edgeboard: { url: edgeboard.url + TOP_PATH }, constant, cacheApi, upstash };
    const measured = await measure(contenders, effort);
    const than = (/** @type {keyof typeof measured} */ other) => medianRatio(measured.edgeboard.rounds, measured[other].rounds);
    const ratios = { constant: than('constant'), cacheApi: than('cacheApi'), upstash: than('upstash') };
    return { bytes: Buffer.byteLength(ANSWER), measured, ratios };
  } finally {
    for (const { stop } of workers) await stop();
    await gateway.close();
    await redis.stop();
  }
}
