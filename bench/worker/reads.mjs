/**
 * Top-N reads per second: edgeboard from its memory, which is renewed from Redis as always, beside a constant in Rust and one in
 * JavaScript, the Cache API, and a tutorial's leaderboard.
 *
 * The constant and the Cache API answer the very body and headers that edgeboard does. What the headers cost shows
 * against a constant with a content type alone.
 */
import { Problem } from '../../packages/edgeboard/report.mjs';
import { startGateway } from '../../tests/support/gateway.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { medianRatio } from '../rounds.mjs';
import { BEACON_PATH, SITES, TOP_PATH } from '../site.mjs';
import { startBaseline, startRustBaseline } from './baseline.mjs';
import { expectStatus, measure } from './contenders.mjs';

const ITEMS = 20;
const EVENTS = 100;

/** What the runtime adds by itself. */
const NOT_CONSTANT = new Set(['connection', 'content-encoding', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'vary']);

/** @param {import('../options.mjs').Effort} effort */
export async function benchReads(effort) {
  const redis = await startRedis();
  const gateway = await startGateway({ redis });
  const edgeboard = await startWorker({ vars: { REDIS_URL: redis.url, SITES } });
  const workers = [edgeboard];
  try {
    const events = Array.from({ length: EVENTS }, (_, i) => ({ action: 'view', item: `/posts/${(i * i) % ITEMS}` }));
    await expectStatus(await edgeboard.fetch(BEACON_PATH, { method: 'POST', body: JSON.stringify({ events }) }), 204);
    await expectStatus(await edgeboard.fetch(TOP_PATH), 200);
    const hit = await edgeboard.fetch(TOP_PATH);
    const HEADERS = Object.fromEntries([...hit.headers].filter(([name]) => !NOT_CONSTANT.has(name)));
    const ANSWER = await expectStatus(hit, 200);
    for (const { id, score } of JSON.parse(ANSWER).entries) await redis.command('ZADD', 'leaderboard:0', score, id);

    /** @typedef {Promise<import('../../tests/support/worker.mjs').Worker>} Starting */
    const started = async (/** @type {Starting} */ starting) => {
      const worker = await starting;
      workers.push(worker);
      await expectStatus(await worker.fetch(TOP_PATH), 200);
      return { url: worker.url + TOP_PATH };
    };
    const contenders = {
      edgeboard: { url: edgeboard.url + TOP_PATH },
      rustConstant: await started(startRustBaseline('constant-rust', { ANSWER, HEADERS })),
      constant: await started(startBaseline('constant', { ANSWER, HEADERS })),
      bareConstant: await started(startBaseline('constant', { ANSWER, HEADERS: { 'content-type': 'application/json' } })),
      cacheApi: await started(startBaseline('cache-api', { ANSWER, HEADERS })),
      upstash: await started(startBaseline('upstash', { UPSTASH_REDIS_REST_URL: gateway.url, UPSTASH_REDIS_REST_TOKEN: gateway.token })),
    };
    const measured = await measure(contenders, effort);
    await expectFromMemory(edgeboard);

    const than = (/** @type {keyof typeof contenders} */ other) => medianRatio(measured.edgeboard.rounds, measured[other].rounds);
    const ratios = {
      rustConstant: than('rustConstant'),
      constant: than('constant'),
      bareConstant: than('bareConstant'),
      cacheApi: than('cacheApi'),
      upstash: than('upstash'),
    };
    return { answerBytes: Buffer.byteLength(ANSWER), measured, ratios };
  } finally {
    for (const { stop } of workers) await stop();
    await gateway.close();
    await redis.stop();
  }
}

/**
 * What was measured was the memory.
 *
 * @param {import('../../tests/support/worker.mjs').Worker} edgeboard
 */
async function expectFromMemory(edgeboard) {
  await edgeboard.fetch(TOP_PATH);
  const status = (await edgeboard.fetch(TOP_PATH)).headers.get('cache-status');
  if (!status?.includes('detail=memory')) throw new Problem(`the ranking is not served from memory: ${status}`);
}
