/**
 * What the soak runs on: two workers of which one has an older configuration, both clocks, and a way to Redis that loses replies.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startDeployment, unlimited, WRITE_TOKEN } from '../../support/deployment.mjs';
import { startWorker } from '../../support/worker.mjs';
import { ADMIN_TOKEN, askUntilDone, sendUntilKept } from './asking.mjs';

const LOST_REPLIES = 0.08;

/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */

/** @param {{ newer: object, older: object, random: () => number }} options `random` is for what never happens twice at the same time */
export async function startWorld({ newer, older, random }) {
  const storage = await mkdtemp(join(tmpdir(), 'edgeboard-soak-'));
  const deployment = await startDeployment({
    transport: 'redis://',
    relayed: true,
    sites: { demo: newer },
    vars: { ADMIN_TOKEN },
    storage,
  });
  const { link, clock, edgeClock } = deployment;
  const other = await startWorker({
    clock: edgeClock,
    vars: { REDIS_URL: link.url, WRITE_TOKEN, ADMIN_TOKEN, SITES: unlimited({ demo: older }) },
  });
  /** What happened, for whoever looks for the reason of a difference. @type {string[]} */
  const log = [];
  const note = (/** @type {string} */ what) => log.push(`${new Date(clock.now()).toISOString()} ${what}`);
  let loses = false;
  link.loseRepliesWhen(() => loses && random() < LOST_REPLIES);

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
    /** @param {boolean} whether */
    loseReplies: (whether) => void (loses = whether),

    /** Asks until it is done. @param {string} path @param {RequestInit} [init] */
    ask(path, init = {}) {
      note(`${init.method} ${path} ${init.body ?? ''}`);
      return askUntilDone(deployment.fetch, tick, path, init);
    },

    /** @param {object} batch @param {boolean} isOlder whether the worker with the older configuration gets it */
    send: (batch, isOlder) => sendUntilKept(isOlder ? other : deployment.worker, '/v1/demo/events', batch),

    async stop() {
      await other.stop();
      await deployment.stop();
      await rm(storage, { recursive: true, force: true });
    },
  };
}
