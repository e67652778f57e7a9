/**
 * Beacons per second: edgeboard over TCP and over REST, beside a tutorial's leaderboard over REST with as many ZINCRBYs as windows.
 *
 * The bodies are of the shape that pages send, with one event and with ten, for the shipped board with eight windows. Its rolling
 * window is ready. Tutorials send a request per click, so ten events are compared with ten of its requests. Beside that stands what it
 * does with the same bodies, all increments in one pipeline. And a Worker in Rust that does the least: it reads the body of one event, and sends
 * the same call.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Problem } from '../../packages/edgeboard/report.mjs';
import { createTraffic, everyMember } from '../../tests/support/bodies/traffic.mjs';
import { ADMIN_TOKEN, SHIPPED } from '../../tests/support/costs.mjs';
import { unlimited } from '../../tests/support/deployment.mjs';
import { startGateway } from '../../tests/support/gateway.mjs';
import { recordCalls } from '../../tests/support/overheard.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { medianRatio } from '../rounds.mjs';
import { ZONE } from '../site.mjs';
import { startBaseline, startRustBaseline } from './baseline.mjs';
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

    const floor = await startRustBaseline('beacon-rust', {
      URL: gateway.url,
      TOKEN: gateway.token,
      ...(await recordOne(redis, contenders.rest)),
    });
    workers.push(floor);

    const compared = async (/** @type {number} */ events) => {
      const bodies = join(folder, `${events}.jsonl`);
      writeFileSync(bodies, Array.from({ length: BODIES }, () => `${JSON.stringify(traffic.views(events))}\n`).join(''));
      const loaded = (/** @type {{ url: string }} */ { url }) => ({ url: url + PATH, bodies });
      /** @type {Record<string, import('./contenders.mjs').Contender>} */
      const raced = { tcp: loaded(contenders.tcp), rest: loaded(contenders.rest), upstash: loaded(contenders.upstash) };
      if (events === SIZES.one) raced.floor = loaded(floor);
      const measured = await measure(raced, effort);
      const ratio = (/** @type {'tcp' | 'rest'} */ way) => medianRatio(measured[way].rounds, measured.upstash.rounds);
      return { measured, ratios: { tcp: ratio('tcp'), rest: ratio('rest') } };
    };
    const [one, ten] = [await compared(SIZES.one), await compared(SIZES.ten)];
    const clicks = ten.measured.rest.rounds.map((perS) => perS * SIZES.ten);
    const floorRatio = medianRatio(one.measured.rest.rounds, one.measured.floor.rounds);
    return { windows, one, ten, floorRatio, clicksRatio: medianRatio(clicks, one.measured.upstash.rounds) };
  } finally {
    for (const { stop } of workers) await stop();
    await gateway.close();
    await redis.stop();
    rmSync(folder, { recursive: true });
  }
}

/**
 * What the worker sends to count one event: a board without an actor. Its words are those of the floor's variables.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 */
async function recordOne(redis, worker) {
  const [ITEM, ID] = ['/an-item', 'an-id-of-it'];
  const body = JSON.stringify({ id: ID, events: [{ action: 'view', item: ITEM }] });
  const [trip] = await recordCalls(redis, [() => worker.fetch(PATH, { method: 'POST', body })]);
  if (trip.length !== 1) throw new Problem(`a beacon of one event is ${trip.length} calls`);
  return { ITEM, ID, CALL: JSON.stringify(trip[0]) };
}
