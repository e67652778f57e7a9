/**
 * What the soak runs on: two workers of which one has an older configuration, both clocks, and a way to Redis that loses replies.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startDeployment, unlimited, WRITE_TOKEN } from '../../support/deployment.mjs';
import { startRedis } from '../../support/redis.mjs';
import { until } from '../../support/until.mjs';
import { startWorker } from '../../support/worker.mjs';
import { ADMIN_TOKEN, askUntilDone, sendUntilKept } from './asking.mjs';

const LOST_REPLIES = 0.08;
/** A delivery that failed comes again after a second, and a batch of messages is delivered at once. */
const DELIVERED_MS = 60_000;
const MINUTE_MS = 60_000;
/** In which Redis loads ten days of writes, beside other work of the machine. */
const LOADING_MS = MINUTE_MS;
/** An archive follows within that time. */
const FOLLOWS_MS = 6 * MINUTE_MS;

/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */

/**
 * @param {object} options
 * @param {object} options.newer a configuration of the site
 * @param {object} options.older another one
 * @param {boolean} options.isQueued whether the site's events come by a queue
 * @param {boolean} options.hasArchive
 * @param {() => number} options.random for what never happens twice at the same time
 */
export async function startWorld({ newer, older, isQueued, hasArchive, random }) {
  const storage = await mkdtemp(join(tmpdir(), 'edgeboard-soak-'));
  const archive = hasArchive ? await startRedis() : undefined;
  const vars = { ADMIN_TOKEN, ...(archive && { ARCHIVE_REDIS_URL: archive.url }) };
  const deployment = await startDeployment({
    transport: 'redis://',
    relayed: true,
    sites: { demo: newer },
    vars,
    redisArgs: ['--appendonly', 'yes', '--appendfsync', 'always'],
    redisStartMs: LOADING_MS,
    hasQueue: isQueued,
    queueWaitS: 0,
    storage,
  });
  const { link, clock, edgeClock, redis } = deployment;
  const startOther = (/** @type {object} */ site) =>
    startWorker({
      clock: edgeClock,
      vars: { REDIS_URL: link.url, WRITE_TOKEN, ...vars, SITES: unlimited({ demo: site }) },
      hasQueue: isQueued,
      queueWaitS: 0,
    });
  let other = await startOther(older);
  /** What happened, for whoever looks for the reason of a difference. @type {string[]} */
  const log = [];
  const note = (/** @type {string} */ what) => log.push(`${new Date(clock.now()).toISOString()} ${what}`);
  let loses = false;
  link.loseRepliesWhen(() => loses && random() < LOST_REPLIES);

  /** Waits until a queue has delivered what was sent to it; nothing is lost any more once something was. @param {import('../../support/worker.mjs').Worker} worker */
  async function delivered(worker, messages = 1) {
    let pending = messages;
    const lost = loses;
    await until(
      'the queue has delivered what was sent',
      () => {
        for (const { message } of worker.log.splice(0)) {
          const [, done, all] = /QUEUE edgeboard-ingest .*?(\d+)\/(\d+)/.exec(message) ?? [];
          if (done === undefined) continue;
          pending -= Number(done);
          if (done !== all) loses = false;
        }
        return pending <= 0;
      },
      { timeoutMs: DELIVERED_MS },
    );
    loses = lost;
  }

  function tick(ms = 1_000) {
    clock.advance(ms);
    edgeClock.advance(ms);
  }

  return {
    deployment,
    log,
    note,
    tick,
    now: () => clock.now(),
    /** Sets both clocks. @param {number} at */
    moveTo(at) {
      clock.set(at);
      edgeClock.set(at);
    },
    alignClocks: () => edgeClock.set(clock.now()),
    /** @param {boolean} whether */
    loseReplies: (whether) => void (loses = whether),

    /** Asks until it is done. @param {string} path @param {RequestInit} [init] */
    ask(path, init = {}) {
      note(`${init.method} ${path} ${init.body ?? ''}`);
      return askUntilDone(deployment.fetch, tick, path, init);
    },

    /**
     * Sends a batch until it is counted.
     *
     * @param {'events' | 'beacon' | `events?${string}`} route @param {object} batch @param {boolean} isOlder whether the worker with the older
     *   configuration gets it
     */
    async send(route, batch, isOlder) {
      const worker = isOlder ? other : deployment.worker;
      const answer = await sendUntilKept(worker, `/v1/demo/${route}`, batch);
      if (isQueued && answer?.accepted !== 0) await delivered(worker);
      return answer;
    },

    /** Sends a message to the queue itself, and answers when that was. @param {object} message */
    async queue(message) {
      const at = edgeClock.now();
      const producer = await deployment.worker.miniflare.getQueueProducer('INGEST_QUEUE');
      await producer.send(message, { contentType: 'json' });
      await delivered(deployment.worker);
      return at;
    },

    /** Runs upkeep until the archive has what changed before. */
    async archiveFollows() {
      if (!archive) return;
      for (const since = clock.now(); ; tick(MINUTE_MS)) {
        await this.ask('/v1/demo/admin/upkeep', { method: 'POST' });
        const { archive: followed } = await this.ask('/v1/demo/admin/restore', { method: 'GET' });
        note(JSON.stringify(followed));
        if (followed?.behind.length === 0) return;
        assert.ok(clock.now() - since <= FOLLOWS_MS, `the archive does not follow: ${JSON.stringify(followed)}`);
      }
    },

    /** Deploys other configurations. @param {{ newer: object, older: object }} sites */
    async configure(sites) {
      await deployment.restartWorker({ SITES: unlimited({ demo: sites.newer }) });
      await other.stop();
      other = await startOther(sites.older);
    },

    /** Kills Redis, which has written down whatever it answered for. */
    async restartRedis() {
      await redis.kill();
      await redis.restart();
    },

    async stop() {
      await other.stop();
      await deployment.stop();
      await archive?.stop();
      await rm(storage, { recursive: true, force: true });
    },
  };
}
