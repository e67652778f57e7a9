/**
 * A request that traps takes nobody along: those in flight end within their own time limits, and the next ones are answered.
 *
 * A trap ends the WebAssembly instance, and with it what its other requests wait with. What they get then is the runtime's 500.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { startGateway } from '../support/gateway.mjs';
import { startRedis } from '../support/redis.mjs';
import { startRelay } from '../support/relay.mjs';
import { TRANSPORTS } from '../support/transports.mjs';
import { until } from '../support/until.mjs';
import { startWorker } from '../support/worker.mjs';

/**
 * The worker before it is bundled, and an address at which one of its tasks asks for what is past the end of its memory.
 *
 * The object is one that the library exports, and its pointer is changed.
 */
const ENTRY = `
import Worker from './bindgen/index.js';
import { ContainerStartupOptions } from './bindgen/edgeboard.js';

export * from './bindgen/index.js';

export default class extends Worker {
  async fetch(request) {
    if (new URL(request.url).pathname !== '/trap') return super.fetch(request);
    const options = new ContainerStartupOptions();
    options.__wbg_ptr = 2 ** 32 - 8;
    queueMicrotask(() => options.enableInternet);
    return new Promise(() => {});
  }
}
`;
const TOKEN = 'a-token-for-everything';
const SITE = {
  actions: { view: { public: true } },
  limits: { beacons: 0, misses: 0 },
  boards: { articles: { weights: { view: 1 }, windows: ['day'] } },
};
/** Longer than any limit. */
const LATE_MS = 60_000;
/** The longest limit is 4 s, for an answer over REST; the rest is for a busy machine. */
const LIMIT_MS = 10_000;
const ASKED = /** @type {[string, RequestInit][]} */ ([
  ['/v1/demo/beacon', { method: 'POST', body: JSON.stringify({ action: 'view', item: '/a' }) }],
  ['/v1/demo/boards/articles/day?limit=N', {}],
  ['/v1/demo/admin/audit', { headers: { authorization: `Bearer ${TOKEN}` } }],
]);

const folder = mkdtempSync(join(tmpdir(), 'edgeboard-trap-'));
const entry = join(folder, 'trapping.js');
before(() => {
  cpSync(inProject('build'), folder, { recursive: true });
  cpSync(inProject('build/commit.js'), join(folder, 'bindgen/commit.js'));
  writeFileSync(entry, ENTRY);
});
after(() => rmSync(folder, { recursive: true }));

for (const transport of TRANSPORTS) {
  test(`over ${transport}`, async (t) => {
    const redis = await startRedis();
    t.after(() => redis.stop());
    const gateway = await startGateway({ redis });
    t.after(() => gateway.close());
    const relay = await startRelay({ redis: transport === 'http://' ? { port: Number(new URL(gateway.url).port) } : redis });
    t.after(() => relay.close());
    const vars = {
      REDIS_URL: `${transport}127.0.0.1:${relay.port}`,
      REDIS_TOKEN: gateway.token,
      ADMIN_TOKEN: TOKEN,
      SITES: { demo: SITE },
    };
    const worker = await startWorker({ entry, vars });
    t.after(() => worker.stop());
    const ask = async (/** @type {string} */ path, /** @type {RequestInit} */ init) => (await worker.fetch(path, init)).status;
    const traps = () => worker.log.filter(({ message }) => message.includes('"code":"trapped"')).length;
    let times = 0;
    const answers = async () => {
      times += 1; // another address each time, so that no cache answers
      return Promise.all(ASKED.map(([path, init]) => ask(path.replace('N', String(times)), init)));
    };
    const [before, trapsBefore] = [await answers(), traps()];
    assert.ok(
      before.every((status) => status < 300),
      String(before),
    );

    relay.delayBy(LATE_MS);
    const asked = relay.roundTrips + ASKED.length;
    const began = Date.now();
    const waiting = answers();
    await until('they wait for Redis', () => relay.roundTrips >= asked);
    assert.equal(await ask('/trap', {}), 500);
    assert.ok(traps() > trapsBefore, 'it trapped');
    assert.deepEqual(
      await waiting,
      ASKED.map(() => 500),
    );
    assert.ok(Date.now() - began < LIMIT_MS, `${Date.now() - began} ms`);

    relay.delayBy(0);
    assert.deepEqual(await answers(), before, 'the next ones');
  });
}
