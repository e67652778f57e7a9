/**
 * What a click costs Redis on clusters of one, two and four masters: on the same boards, which lie on all masters alike, and as many clicks for each
 * master. One master after the other gets its clicks, since the machine has fewer cores than masters. A cluster of n masters counts n times the clicks of
 * one where a click needs no more CPU time of its master.
 * What a node does without clicks, such as hearing of the others, is taken off and shown beside it.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { startCluster } from '../../tests/support/cluster.mjs';
import { unlimited } from '../../tests/support/deployment.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { cpuSeconds } from './cpu.mjs';

const MASTERS = /** @type {const} */ ([1, 2, 4]);
const LARGEST = 4;
/** Two on each of four masters. Ranges of fewer masters are made of those of four. */
const BOARDS = 8;
const AT_ONCE = 4;
const IDLE_MS = 3_000;
/** So many clicks for each one that other parts count at least, since CPU time is read in parts of a millisecond. */
const CLICKS_EACH = 4;

/** @param {import('../options.mjs').Effort} effort */
export async function benchNodes({ rounds, costedEvents }) {
  const clicks = costedEvents * CLICKS_EACH;
  /** @type {Record<string, Awaited<ReturnType<typeof startOf>>>} */
  const started = {};
  try {
    for (const masters of MASTERS) started[masters] = await startOf(masters);
    for (const { click } of Object.values(started)) await click(costedEvents);
    const contenders = mapValues(started, (cluster) => () => cluster.clickUs(clicks));
    const measured = await inTurn(contenders, rounds);
    const rows = MASTERS.map((masters) => ({
      masters,
      clickUs: median(measured[masters]),
      ofLinear: medianRatio(measured[1], measured[masters]),
      idlePercent: started[masters].idle * 100,
    }));
    return { clicks, rounds, rows };
  } finally {
    for (const { stop } of Object.values(started)) await stop();
  }
}

/** @param {number} masters */
async function startOf(masters) {
  const cluster = await startCluster({ masters });
  const names = await boardsOnFour(cluster);
  const boards = Object.fromEntries(names.map((name) => [name, { weights: { [name]: 1 }, windows: ['day', 'last-7-days', 'all'] }]));
  const actions = Object.fromEntries(names.map((name) => [name, { public: true }]));
  const sites = unlimited({ bench: { origins: ['*'], actions, boards } });
  const worker = await startWorker({ vars: { REDIS_URL: cluster.url, SITES: sites } });

  /** Clicks on all boards of each master in turn. @param {number} each for each master */
  async function click(each) {
    for (let master = 0; master < masters; master += 1) {
      const own = names.filter((_, at) => Math.floor(((at % LARGEST) * masters) / LARGEST) === master);
      let sent = 0;
      const send = async () => {
        while (sent < each) {
          sent += 1;
          const body = JSON.stringify({ action: own[sent % own.length], item: `/posts/${sent % 100}` });
          const response = await worker.fetch('/v1/bench/beacon', { method: 'POST', body });
          await response.arrayBuffer();
          if (response.status !== 204) throw new Error(`a click was answered ${response.status}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, send));
    }
  }

  /** Seconds of each master's CPU, and of the time. */
  async function spentDuring(/** @type {() => Promise<unknown>} */ work) {
    const [before, began] = [await Promise.all(cluster.nodes.map(cpuSeconds)), performance.now()];
    await work();
    const after = await Promise.all(cluster.nodes.map(cpuSeconds));
    return { cpu: after.map((seconds, at) => seconds - before[at]), seconds: (performance.now() - began) / 1000 };
  }

  const unused = await spentDuring(() => pause(IDLE_MS));
  const idle = sum(unused.cpu) / masters / unused.seconds;

  return {
    click,
    /** The share of a core that a node needs without clicks. */
    idle,
    /** What a click takes of its master, in µs. @param {number} each clicks for each of them */
    async clickUs(each) {
      const { cpu, seconds } = await spentDuring(() => click(each));
      return ((sum(cpu) / masters - idle * seconds) / each) * 1e6;
    },
    async stop() {
      await worker.stop();
      await cluster.stop();
    },
  };
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);

/** Names of boards, as many in each quarter of the slots. @param {import('../../tests/support/cluster.mjs').Cluster} cluster */
async function boardsOnFour(cluster) {
  const SLOTS = 16_384;
  const names = [];
  for (let number = 0; names.length < BOARDS; number += 1) {
    const name = `board-${number}`;
    const quarter = Math.floor(((await cluster.slotOf(`eb:{bench:${name}}`)) * LARGEST) / SLOTS);
    if (quarter === names.length % LARGEST) names.push(name);
  }
  return names;
}
