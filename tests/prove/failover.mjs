/**
 * Numbered clicks over a cluster while masters are killed and replicas take their places. Just before, a replica does not hear its
 * master for some time, as over a slow network: what was written then is gone with the master.
 *
 * An id and its points are written by one call in one slot. So after a failover both are there, or both are missing. Those that are missing
 * although they were acknowledged are what Redis lost. With `acknowledge = "replicated"` there are none.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { startCluster } from '../support/cluster.mjs';
import { unlimited, WRITE_TOKEN } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { startWorker } from '../support/worker.mjs';
import { table } from './document.mjs';

/** So many that each master has some. */
const BOARDS = Array.from({ length: 9 }, (_, i) => `board-${i}`);
const WINDOWS = ['day', 'all'];
/** A node is silent for so long before others take it for gone; longer than a busy machine keeps one waiting. */
const NODE_TIMEOUT_MS = 2_000;
const LAG_MS = 300;
const SENDERS = 12;
const EVENTS = 20;
const AGAIN_MS = 50;
const PATIENCE_MS = 120_000;

/**
 * @typedef {object} Failovers
 * @property {'written' | 'replicated'} acknowledge
 * @property {number} clicks all of them are acknowledged in the end
 * @property {number} kills
 * @property {Record<string, number>} statuses
 * @property {number} idOnly clicks whose id is there and whose points are not, on some window
 * @property {number} pointsOnly clicks whose points are there on some window, and whose id is not
 * @property {number} twice clicks that count more than once on some window
 * @property {number} lost acknowledged clicks of which neither is there
 */

/**
 * @param {object} options
 * @param {'written' | 'replicated'} options.acknowledge
 * @param {number} options.kills
 * @param {number} options.clicks at least so many, and as many as are sent until the last failover is over
 * @returns {Promise<Failovers>}
 */
export async function proveFailover({ acknowledge, kills, clicks }) {
  const cluster = await startCluster({ hasReplicas: true, nodeTimeoutMs: NODE_TIMEOUT_MS });
  const actions = Object.fromEntries(BOARDS.map((name) => [name, {}]));
  const boards = Object.fromEntries(BOARDS.map((name) => [name, { weights: { [name]: 1 }, windows: WINDOWS }]));
  const sites = unlimited({ demo: { acknowledge, activity: false, actions, boards } });
  const worker = await startWorker({ isAskedItself: true, vars: { REDIS_URL: cluster.url, WRITE_TOKEN, SITES: sites } });
  try {
    /** @type {Record<string, number>} */
    const statuses = {};
    let [begun, acknowledged, isOver] = [0, 0, false];
    const sender = async () => {
      while (!isOver || begun < clicks) {
        const first = begun;
        begun += EVENTS;
        const events = Array.from({ length: EVENTS }, (_, i) => clickOf(first + i));
        const deadline = Date.now() + PATIENCE_MS;
        for (let status = 0; status !== 200; statuses[status] = (statuses[status] ?? 0) + 1) {
          status = await send(worker, events);
          if (status !== 200 && status !== 503 && status !== 504) throw new Error(`events were answered ${status}`);
          if (Date.now() > deadline) throw new Error(`events were not acknowledged within ${PATIENCE_MS} ms`);
          if (status !== 200) await pause(AGAIN_MS);
        }
        acknowledged += EVENTS;
      }
    };
    const killer = async () => {
      for (let kill = 0; kill < kills; kill += 1) {
        const before = acknowledged;
        await until('clicks are acknowledged', () => acknowledged >= before + SENDERS * EVENTS, { timeoutMs: PATIENCE_MS });
        await cluster.failOver(kill % cluster.nodes.length, { lagMs: LAG_MS });
      }
      isOver = true;
    };
    await Promise.all([killer(), ...Array.from({ length: SENDERS }, sender)]);
    return { acknowledge, clicks: begun, kills, statuses, ...(await compare(cluster, begun)) };
  } finally {
    await worker.stop();
    await cluster.stop();
  }
}

/** A click with an id of its own, which Redis keeps as it is. @param {number} number */
function clickOf(number) {
  return { action: BOARDS[number % BOARDS.length], item: `c${number}`, id: `c${number}` };
}

/** @param {import('../support/worker.mjs').Worker} worker @param {object[]} events */
async function send(worker, events) {
  const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
  const { status } = await worker.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify({ events }) });
  return status;
}

/** What the masters have of each click. @param {import('../support/cluster.mjs').Cluster} cluster @param {number} clicks */
async function compare(cluster, clicks) {
  const found = { idOnly: 0, pointsOnly: 0, twice: 0, lost: 0 };
  for (const [at, name] of BOARDS.entries()) {
    const key = `eb:{demo:${name}}`;
    const node = await cluster.nodeOf(key);
    /** @type {string[]} */
    const lists = await node.command('KEYS', `${key}:ids:*`);
    const ids = new Set((await Promise.all(lists.map((list) => node.command('SMEMBERS', list)))).flat());
    const windows = [];
    for (const window of WINDOWS) {
      const [of] = await node.command('KEYS', `${key}:${window}:*`);
      const flat = of === undefined ? [] : await node.command('ZRANGE', of, 0, -1, 'WITHSCORES');
      windows.push(new Map(Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], Number(flat[2 * i + 1])])));
    }
    for (let number = at; number < clicks; number += BOARDS.length) {
      const { item } = clickOf(number);
      const scores = windows.map((window) => window.get(item) ?? 0);
      const [hasId, hasSome, hasAll] = [ids.has(item), scores.some((score) => score > 0), scores.every((score) => score > 0)];
      if (hasId && !hasAll) found.idOnly += 1;
      if (!hasId && hasSome) found.pointsOnly += 1;
      if (!hasId && !hasSome) found.lost += 1;
      if (scores.some((score) => score > 1)) found.twice += 1;
    }
  }
  return found;
}

/** What must not be: of `written`, all but losses. Without a loss there nothing is shown of `replicated`. @param {Failovers} run */
export function wrongInFailover({ acknowledge, idOnly, pointsOnly, twice, lost }) {
  const wrong = idOnly + pointsOnly + twice > 0 ? [`${acknowledge}: ${JSON.stringify({ idOnly, pointsOnly, twice })}`] : [];
  if (acknowledge === 'replicated' && lost > 0) wrong.push(`${acknowledge}: ${lost} acknowledged clicks are lost`);
  if (acknowledge === 'written' && lost === 0) wrong.push('written: nothing is lost, so this shows nothing of "replicated"');
  return wrong;
}

/** @param {Failovers[]} runs */
export function renderFailover(runs) {
  /** @type {[string, (run: Failovers) => number][]} */
  const rows = [
    ['clicks, all acknowledged in the end', ({ clicks }) => clicks],
    ['masters killed', ({ kills }) => kills],
    ['batches answered 200', ({ statuses }) => statuses[200] ?? 0],
    ['answered 503', ({ statuses }) => statuses[503] ?? 0],
    ['answered 504', ({ statuses }) => statuses[504] ?? 0],
    ['clicks with their id and without all of their points', ({ idOnly }) => idOnly],
    ['clicks with points and without their id', ({ pointsOnly }) => pointsOnly],
    ['clicks that count twice', ({ twice }) => twice],
    ['acknowledged clicks of which neither is there', ({ lost }) => lost],
  ];
  const lines = rows.map(([name, of]) => [name, ...runs.map((run) => of(run).toLocaleString('en'))]);
  return table(['`acknowledge`', ...runs.map(({ acknowledge }) => `\`"${acknowledge}"\``)], lines);
}
