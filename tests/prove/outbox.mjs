/**
 * Beacons at a steady rate while Redis is killed, or hangs, with a queue bound: each is acknowledged, and counts exactly once, soon
 * after Redis is back.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { scoresOf } from '../support/windows.mjs';
import { table } from './document.mjs';

/** Every write is on disk before it is acknowledged. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true } },
    boards: { articles: { weights: { view: 1 }, windows: ['all', 'last-7-days'] } },
  },
};
const BOARD = 'eb:{demo:articles}:all:0';
/** How soon all is on the board. */
export const SOON_S = 30;
const PATIENCE_MS = 120_000;

/** What befalls Redis, and how it passes. */
export const OUTAGES = {
  killed: {
    /** @param {import('../support/redis.mjs').Redis} redis */
    begin: (redis) => redis.kill(),
    /** @param {import('../support/redis.mjs').Redis} redis */
    end: (redis) => redis.restart(),
  },
  hung: {
    /** @param {import('../support/redis.mjs').Redis} redis */
    begin: (redis) => process.kill(redis.pid, 'SIGSTOP'),
    /** @param {import('../support/redis.mjs').Redis} redis */
    end: (redis) => process.kill(redis.pid, 'SIGCONT'),
  },
};

/**
 * @typedef {object} Figures
 * @property {keyof typeof OUTAGES} outage
 * @property {number} seconds that Redis was out
 * @property {number} beacons
 * @property {number} acknowledged with 204
 * @property {Record<string, number>} statuses
 * @property {number} kept acknowledged while Redis was out
 * @property {number} slowestMs answer
 * @property {number} lost
 * @property {number} twice
 * @property {number} dead
 * @property {number} soonS after Redis was back, until all were on the board
 */

/**
 * @param {object} options
 * @param {keyof typeof OUTAGES} options.outage
 * @param {number} options.seconds
 * @param {number} options.perSecond
 * @returns {Promise<Figures>}
 */
export async function proveOutbox({ outage, seconds, perSecond }) {
  const deployment = await startDeployment({ transport: 'redis://', sites: SITES, redisArgs: DURABLE, hasQueue: true });
  try {
    const { redis } = deployment;
    const { begin, end } = OUTAGES[outage];
    /** @type {Record<string, number>} */
    const statuses = {};
    let [slowestMs, kept, isOut] = [0, 0, false];
    const send = async (/** @type {number} */ n) => {
      const began = Date.now();
      const { status } = await deployment.beacon({ id: `beacon-${n}`, events: [{ action: 'view', item: `/clicks/${n}` }] });
      slowestMs = Math.max(slowestMs, Date.now() - began);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (isOut && status === 204) kept += 1;
    };
    await send(0);
    let isSending = true;
    /** @type {Promise<void>[]} */
    const sent = [];
    const sending = (async () => {
      for (; isSending; await pause(1000 / perSecond)) sent.push(send(sent.length + 1));
    })();
    await pause(1000);
    await begin(redis);
    await pause(100); // what Redis had counted before is answered
    isOut = true;
    await pause(seconds * 1000);
    isOut = false;
    await end(redis);
    const backAt = Date.now();
    await pause(1000);
    isSending = false;
    await sending;
    await Promise.all(sent);
    const beacons = sent.length + 1;
    /** @type {Map<string, number>} */
    let counted = new Map();
    const all = async () => {
      counted = await scoresOf(redis, BOARD);
      return counted.size >= (statuses[204] ?? 0);
    };
    await until('everything on the board', all, { timeoutMs: PATIENCE_MS }).catch(() => {});
    const soonS = (Date.now() - backAt) / 1000;
    const lost = Array.from({ length: beacons }, (_, n) => `/clicks/${n}`).filter((item) => !counted.has(item)).length;
    // A message that comes once more would do it now.
    await pause(2000);
    counted = await scoresOf(redis, BOARD);
    const twice = [...counted.values()].filter((score) => score !== 1).length;
    const dead = Number(await redis.command('XLEN', 'eb:{demo}:dead')) + Number(await redis.command('XLEN', 'eb:unknown:dead'));
    return { outage, seconds, beacons, acknowledged: statuses[204] ?? 0, statuses, kept, slowestMs, lost, twice, dead, soonS };
  } finally {
    await deployment.stop();
  }
}

/** What does not hold. @param {Figures} figures @returns {string[]} */
export function wrongInOutbox(figures) {
  const { outage, beacons, acknowledged, lost, twice, dead, soonS, kept } = figures;
  const holds = acknowledged === beacons && kept > 0 && lost + twice + dead === 0 && soonS <= SOON_S;
  return holds ? [] : [`${outage}: ${JSON.stringify(figures)}`];
}

/** @param {Figures[]} runs */
export function renderOutbox(runs) {
  const head = ['Redis is', 'for', 'beacons', '204', 'kept', 'lost', 'twice', 'slowest answer', 'all on the board after'];
  const row = (/** @type {Figures} */ { outage, seconds, beacons, acknowledged, kept, lost, twice, slowestMs, soonS }) =>
    [outage, `${seconds} s`, beacons, acknowledged, kept, lost, twice, `${(slowestMs / 1000).toFixed(1)} s`, `${soonS.toFixed(0)} s`].map(
      String,
    );
  return table(head, runs.map(row));
}
