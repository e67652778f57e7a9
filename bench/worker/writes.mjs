/**
 * Beacons per second: edgeboard over TCP and over REST, beside a tutorial's leaderboard over REST with as many ZINCRBYs as windows.
 *
 * The bodies are of the shape that pages send, with one event and with ten, for the shipped board with eight windows. Its rolling
 * window is ready. Tutorials send a request per click, so ten events are compared with ten of its requests. Beside that stands what it
 * does with the same bodies, all increments in one pipeline.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createTraffic, everyMember } from '../../tests/support/bodies/traffic.mjs';
import { ADMIN_TOKEN, SHIPPED } from '../../tests/support/costs.mjs';
import { unlimited } from '../../tests/support/deployment.mjs';
import { startGateway } from '../../tests/support/gateway.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { medianRatio } from '../rounds.mjs';
import { ZONE } from '../site.mjs';
import { startBaseline } from './baseline.mjs';
import { expectStatus, measure } from './contenders.mjs';

const PATH = '/v1/demo/beacon';
const SIZES = { one: 1, ten: 10 };
/** Different bodies, which come again with other ids. */
const BODIES = 1000;

/** @param {import('../options.mjs').Effort} effort */
export async function benchWrites(effort) {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-bodies-'));
  const traffic = createTraffic();
  const redis = await startRedis();
  const gateway = await startGateway({ redis });
  /** @type {import('../../tests/support/worker.mjs').Worker[]} */
  const workers = [];
  const started = async (/** @type {Promise<import('../../tests/support/worker.mjs').Worker>} */ starting) => {
    const worker = await starting;
    workers.push(worker);
    for (const body of everyMember(traffic)) {
      await expectStatus(await worker.fetch(PATH, { method: 'POST', body: JSON.stringify(body) }), 204);
    }
    return worker;
  };
  try {
    const ours = { ADMIN_TOKEN, SITES: unlimited(SHIPPED) };
    const windows = SHIPPED.demo.boards.articles.windows.length;
    const theirs = { UPSTASH_REDIS_REST_URL: gateway.url, UPSTASH_REDIS_REST_TOKEN: gateway.token, WINDOWS: windows };
    const contenders = {
      tcp: await started(startWorker({ vars: { REDIS_URL: redis.url, ...ours }, cf: ZONE })),
      rest: await started(startWorker({ vars: { REDIS_URL: gateway.url, REDIS_TOKEN: gateway.token, ...ours }, cf: ZONE })),
      upstash: await started(startBaseline('upstash', theirs)),
    };
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    await expectStatus(await contenders.tcp.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers }), 200);

    const compared = async (/** @type {number} */ events) => {
      const bodies = join(folder, `${events}.jsonl`);
      writeFileSync(bodies, Array.from({ length: BODIES }, () => `${JSON.stringify(traffic.views(events))}\n`).join(''));
      const loaded = (/** @type {{ url: string }} */ { url }) => ({ url: url + PATH, bodies });
      const measured = await measure(
        { tcp: loaded(contenders.tcp), rest: loaded(contenders.rest), upstash: loaded(contenders.upstash) },
        effort,
      );
      const ratio = (/** @type {'tcp' | 'rest'} */ way) => medianRatio(measured[way].rounds, measured.upstash.rounds);
      return { measured, ratios: { tcp: ratio('tcp'), rest: ratio('rest') } };
    };
    const [one, ten] = [await compared(SIZES.one), await compared(SIZES.ten)];
    const clicks = ten.measured.rest.rounds.map((perS) => perS * SIZES.ten);
    return { windows, one, ten, clicksRatio: medianRatio(clicks, one.measured.upstash.rounds) };
  } finally {
    for (const { stop } of workers) await stop();
    await gateway.close();
    await redis.stop();
    rmSync(folder, { recursive: true });
  }
}
