/**
 * Beacons per second: edgeboard over TCP and over REST, beside a tutorial's leaderboard over REST.
 *
 * An edgeboard beacon counts into six windows, the tutorial's into one sorted set.
 */
import { startGateway } from '../../tests/support/gateway.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { medianRatio } from '../rounds.mjs';
import { BEACON_PATH, SITES } from '../site.mjs';
import { startBaseline } from './baseline.mjs';
import { expectStatus, measure } from './contenders.mjs';

const BODY = '{"action":"view","item":"/posts/%d"}';

/** @param {import('../options.mjs').Effort} effort */
export async function benchWrites(effort) {
  const redis = await startRedis();
  const gateway = await startGateway({ redis });
  /** @type {import('../../tests/support/worker.mjs').Worker[]} */
  const workers = [];
  const started = async (/** @type {Promise<import('../../tests/support/worker.mjs').Worker>} */ starting) => {
    const worker = await starting;
    workers.push(worker);
    await expectStatus(await worker.fetch(BEACON_PATH, { method: 'POST', body: BODY }), 204);
    return { url: worker.url + BEACON_PATH, body: BODY };
  };
  try {
    const tcp = await started(startWorker({ vars: { REDIS_URL: redis.url, SITES } }));
    const rest = await started(startWorker({ vars: { REDIS_URL: gateway.url, REDIS_TOKEN: gateway.token, SITES } }));
    const upstash = await started(
      startBaseline('upstash', { UPSTASH_REDIS_REST_URL: gateway.url, UPSTASH_REDIS_REST_TOKEN: gateway.token }),
    );
    const measured = await measure({ tcp, rest, upstash }, effort);
    const ratio = (/** @type {'tcp' | 'rest'} */ way) => medianRatio(measured[way].rounds, measured.upstash.rounds);
    return { measured, ratios: { tcp: ratio('tcp'), rest: ratio('rest') } };
  } finally {
    for (const { stop } of workers) await stop();
    await gateway.close();
    await redis.stop();
  }
}
