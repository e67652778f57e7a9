/**
 * A worker, a Redis, and a line between them to which faults happen.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createClock } from '../../support/clock.mjs';
import { unlimited, WRITE_TOKEN } from '../../support/deployment.mjs';
import { startGateway } from '../../support/gateway.mjs';
import { startRedis } from '../../support/redis.mjs';
import { startWorker } from '../../support/worker.mjs';
import { startLine } from './line.mjs';

const NOW = '2026-11-20T12:01:00Z';
const WINDOWS = ['day', 'week', 'all', 'last-7-days'];
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true }, heavy: { public: true } },
    boards: {
      articles: { weights: { view: 1 }, windows: WINDOWS },
      // Counting on it takes milliseconds.
      heavy: { weights: { heavy: 1 }, windows: [...WINDOWS, ...Array.from({ length: 80 }, (_, i) => `last-${i + 2}-hours`)] },
    },
  },
};
/** What is compared: the sorted sets behind some windows. @param {string} action */
export function keysOf(action) {
  const board = action === 'view' ? 'articles' : action;
  return ['day:20777', 'all:0', 'window:last-7-days:20777'].map((key) => `eb:{demo:${board}}:${key}`);
}

/**
 * @typedef {Awaited<ReturnType<typeof startWorld>>} World
 * @typedef {import('../../support/deployment.mjs').Transport} Transport
 * @typedef {{ status: number, ms: number, stale: boolean }} Timed
 */

/**
 * @param {object} options
 * @param {Transport} options.transport
 * @param {string[]} [options.redisArgs]
 */
export async function startWorld({ transport, redisArgs }) {
  const dir = mkdtempSync(join(tmpdir(), 'edgeboard-faults-'));
  const [clock, edgeClock] = [createClock(), createClock()];
  clock.set(NOW);
  const redis = await startRedis({ clock, dir, args: redisArgs });
  const gateway = transport === 'http://' ? await startGateway({ redis }) : undefined;
  const port = gateway ? Number(new URL(gateway.url).port) : redis.port;
  const line = await startLine({ to: port, isHttp: gateway !== undefined });
  const worker = await startWorker({
    clock: edgeClock,
    vars: { REDIS_URL: `${transport}127.0.0.1:${line.port}`, REDIS_TOKEN: gateway?.token ?? '', WRITE_TOKEN, SITES: unlimited(SITES) },
  });
  /** Ended with the rest, the latest first. @type {(() => unknown)[]} */
  const others = [];

  /** @param {string} path @param {RequestInit} [init] @returns {Promise<Timed>} */
  const ask = async (path, init) => {
    const began = performance.now();
    const response = await worker.fetch(path, init);
    await response.arrayBuffer();
    const stale = /fwd=stale/.test(response.headers.get('cache-status') ?? '');
    return { status: response.status, ms: performance.now() - began, stale };
  };
  return {
    /** Where clicks are counted; another one after a failover. */
    redis,
    /** The one that takes over, and the line to it. @type {{ redis: typeof redis, line: import('./line.mjs').Line } | undefined} */
    replica: undefined,
    dir,
    /** Scripts that were killed. */
    killed: 0,
    clock,
    edgeClock,
    line,
    worker,
    others,
    ask,
    /** @param {'beacon' | 'events'} route @param {unknown} body */
    send: (route, body) =>
      ask(`/v1/demo/${route}`, { method: 'POST', headers: { authorization: `Bearer ${WRITE_TOKEN}` }, body: JSON.stringify(body) }),
    async stop() {
      await worker.stop();
      await line.close();
      for (const stop of others.reverse()) await stop();
      await gateway?.close();
      await redis.stop();
      for (const own of [clock, edgeClock]) own.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
