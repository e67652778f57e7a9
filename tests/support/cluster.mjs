/**
 * A Redis Cluster of a test's own: masters on loopback that share the slots, without replicas. A node that does not answer
 * leaves the others to serve their slots.
 */
import { freePort } from './port.mjs';
import { startRedis } from './redis.mjs';
import { until } from './until.mjs';

/** Longer than tests move clocks by: a node is gone only when it is ended. */
const NODE_TIMEOUT_MS = 10 * 365 * 86_400_000;
const SLOTS = 16_384;
/** Commands that name no key. They go to all nodes. */
const OF_NODES = new Set(['CONFIG', 'DBSIZE', 'FLUSHALL', 'FUNCTION', 'INFO', 'KEYS', 'PING', 'SCRIPT', 'CLUSTER']);

/**
 * @typedef {import('./redis.mjs').Redis} Redis
 * @typedef {object} Cluster
 * @property {string} url with all nodes as seeds
 * @property {Redis[]} nodes
 * @property {(key: string) => Promise<number>} slotOf
 * @property {(key: string) => Promise<Redis>} nodeOf the node that had the key's slot at the start
 * @property {Redis['command']} command sent to the node of its key; without a key to all nodes: their lists, texts and numbers are joined
 * @property {(slot: number, from: Redis, to: Redis) => Promise<{ move: () => Promise<void>, end: () => Promise<void> }>} beginMove begins to
 *   move a slot by SETSLOT; `move` moves its keys, `end` hands the slot over
 * @property {() => Promise<void>} stop
 */

/**
 * @param {object} [options]
 * @param {number} [options.masters]
 * @param {Pick<import('./clock.mjs').Clock, 'env'>} [options.clock]
 * @param {string[]} [options.args]
 * @returns {Promise<Cluster>}
 */
export async function startCluster({ masters = 3, clock, args = [] } = {}) {
  /** @type {Redis[]} */
  const nodes = [];
  const stop = async () => {
    for (const node of nodes) await node.stop();
  };
  try {
    for (let node = 0; node < masters; node += 1) nodes.push(await startNode({ clock, args }));
    await join(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  const [seed] = nodes;
  const slotOf = async (/** @type {string} */ key) => Number(await asked(nodes).command('CLUSTER', 'KEYSLOT', key));
  const nodeOf = async (/** @type {string} */ key) => nodes[Math.floor(((await slotOf(key)) * masters) / SLOTS)];
  const idOf = (/** @type {Redis} */ node) => node.command('CLUSTER', 'MYID');

  return {
    url: `redis://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?cluster=true`,
    nodes,
    slotOf,
    nodeOf,
    async command(name, ...words) {
      if (!OF_NODES.has(String(name).toUpperCase())) {
        const node = await nodeOf(String(words[/^(FCALL|EVAL)/i.test(String(name)) ? 2 : 0]));
        return node.command(name, ...words);
      }
      const answers = [];
      for (const node of nodes) answers.push(await node.command(name, ...words));
      return Array.isArray(answers[0]) ? answers.flat() : answers.reduce((all, answer) => all + answer);
    },
    async beginMove(slot, from, to) {
      const [source, target] = [await idOf(from), await idOf(to)];
      await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source);
      await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target);
      return {
        async move() {
          for (;;) {
            const keys = await from.command('CLUSTER', 'GETKEYSINSLOT', slot, 10);
            if (keys.length === 0) return;
            await from.command('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys);
          }
        },
        async end() {
          for (const node of [to, from, ...nodes.filter((other) => other !== to && other !== from)]) {
            await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', target);
          }
        },
      };
    },
    stop,
  };

  /** The first of the nodes that runs. @param {Redis[]} of */
  function asked(of) {
    return of.find(({ pid }) => isRunning(pid)) ?? seed;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @param {{ clock?: Pick<import('./clock.mjs').Clock, 'env'>, args: string[] }} options */
async function startNode({ clock, args }) {
  const own = ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())];
  const settings = ['--cluster-node-timeout', String(NODE_TIMEOUT_MS), '--cluster-require-full-coverage', 'no'];
  return startRedis({ clock, args: [...own, ...settings, ...args] });
}

/** Shares the slots among nodes, and has them know each other. @param {Redis[]} nodes */
async function join(nodes) {
  const firsts = nodes.map((_, at) => Math.ceil((at * SLOTS) / nodes.length));
  for (const [at, node] of nodes.entries()) {
    await node.command('CLUSTER', 'ADDSLOTSRANGE', firsts[at], (firsts[at + 1] ?? SLOTS) - 1);
    await node.command('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
  }
  const [seed, ...others] = nodes;
  for (const other of others) {
    const busPort = await other.command('CONFIG', 'GET', 'cluster-port');
    await seed.command('CLUSTER', 'MEET', '127.0.0.1', other.port, busPort[1]);
  }
  await until('the cluster serves all slots', async () => {
    for (const node of nodes) {
      const info = await node.command('CLUSTER', 'INFO');
      if (!/cluster_state:ok/.test(info) || !new RegExp(`cluster_size:${nodes.length}\\b`).test(info)) return false;
    }
    return true;
  });
}
