/**
 * A Redis Cluster of a test's own: masters on loopback that share the slots, with replicas where a test asks for them. A node that
 * does not answer leaves the others to serve their slots.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { launchOnFreePort, startRedis } from './redis.mjs';
import { until } from './until.mjs';

/** Longer than tests move clocks by: a node is gone only when it is ended. */
const NODE_TIMEOUT_MS = 10 * 365 * 86_400_000;
/** An election takes a second or two after the timeout of nodes. */
const FAILOVER_MS = 60_000;
/** Nodes ping one other at random each second: when all of them have heard of each other is chance. */
const GOSSIP_MS = 60_000;
const SLOTS = 16_384;
/** Seconds, likewise: a replica whose clock moves is still one. */
const REPLICATION_TIMEOUT_S = NODE_TIMEOUT_MS / 1000;
/** Commands that name no key. They go to all masters. */
const OF_NODES = new Set(['ACL', 'CLIENT', 'CLUSTER', 'CONFIG', 'DBSIZE', 'FLUSHALL', 'FUNCTION', 'INFO', 'KEYS', 'PING', 'SCRIPT']);
/** Commands that one of them answers for all. */
const OF_ANY = new Set(['COMMAND', 'ECHO', 'TIME']);
/** Commands on any number of keys, which are sent key by key. */
const OF_KEYS = new Set(['DEL', 'EXISTS', 'MGET', 'TOUCH', 'UNLINK']);
/** Commands whose first word is another one than the key, and where that stands. @type {Record<string, number>} */
const KEY_AT = { EVAL: 2, EVALSHA: 2, FCALL: 2, FCALL_RO: 2, MEMORY: 1, OBJECT: 1, XGROUP: 1, XINFO: 1 };

/**
 * @typedef {import('./redis.mjs').Redis} Redis
 * @typedef {object} Slots
 * @property {Redis[]} nodes the masters at the start
 * @property {Redis[]} replicas one of each of them, in their order, if a test asks for them
 * @property {(key: string) => Promise<number>} slotOf
 * @property {(key: string) => Promise<Redis>} nodeOf the node that had the key's slot at the start
 * @property {(slot: number, from: Redis, to: Redis, options?: { timeoutMs?: number }) => Promise<{ move: () => Promise<void>, end: () => Promise<void> }>} beginMove begins to
 *   move a slot by SETSLOT; `move` moves its keys, `end` hands the slot over
 * @property {(slot: number, from: Redis, to: Redis, options?: { timeoutMs?: number }) => Promise<void>} moveAtomically moves a slot by MIGRATESLOTS, which
 *   Valkey 9 has
 * @property {(place: number, options?: { lagMs?: number }) => Promise<void>} failOver kills the master at a place, which its replica did not hear
 *   for some time before, waits until that is the master, and starts the former one again as its replica. The two change places in `nodes` and
 *   `replicas`
 *
 * @typedef {Redis & Slots} Cluster as one Redis: `url` has all masters as seeds, `port` and `pid` are the first one's, and `kill` and `restart`
 *   are for all masters. A command is sent to the master of its key, and one without a key to all of them: their lists, texts and numbers
 *   are joined
 */

/**
 * @param {object} [options]
 * @param {number} [options.masters]
 * @param {boolean} [options.hasReplicas]
 * @param {Pick<import('./clock.mjs').Clock, 'env'>} [options.clock]
 * @param {Pick<import('./clock.mjs').Clock, 'env'>[]} [options.clocks] of each master, instead
 * @param {number} [options.nodeTimeoutMs] for how long a node may be silent before others take it for gone, and its replica for the master.
 *   Without it that is never
 * @param {string[]} [options.args]
 * @param {number} [options.startMs] how long the start of a node may take
 * @returns {Promise<Cluster>}
 */
export async function startCluster({
  masters = 3,
  hasReplicas = false,
  clock,
  clocks = [],
  nodeTimeoutMs = NODE_TIMEOUT_MS,
  args = [],
  startMs,
} = {}) {
  /** @type {[Redis[], Redis[]]} */
  const [nodes, replicas] = [[], []];
  const stop = async () => {
    await Promise.all([...nodes, ...replicas].map((node) => node.stop()));
  };
  try {
    const started = Promise.all(
      Array.from({ length: hasReplicas ? 2 * masters : masters }, (_, at) =>
        startNode({ clock: clocks[at] ?? clock, nodeTimeoutMs, args, startMs }),
      ),
    );
    const all = await started;
    nodes.push(...all.slice(0, masters));
    replicas.push(...all.slice(masters));
    await join(nodes, replicas);
  } catch (error) {
    await stop();
    throw error;
  }
  const [seed] = nodes;
  const slotOf = async (/** @type {string} */ key) => Number(await asked(nodes).command('CLUSTER', 'KEYSLOT', key));
  const nodeOf = async (/** @type {string} */ key) => nodes[Math.floor(((await slotOf(key)) * masters) / SLOTS)];
  const idOf = (/** @type {Redis} */ node) => node.command('CLUSTER', 'MYID');

  /**
   * @param {'command' | 'commandBuffers'} send
   * @param {import('./resp.mjs').Argument[]} command
   */
  async function sendBySlots(send, [name, ...words]) {
    const verb = String(name).toUpperCase();
    if (OF_ANY.has(verb)) return asked(nodes)[send](name, ...words);
    if (verb === 'SCAN') return ['0', await everyKey(words)];
    if (OF_KEYS.has(verb) && words.length > 1) {
      const answers = [];
      for (const key of words) answers.push(await (await nodeOf(String(key)))[send](name, key));
      return joined(answers);
    }
    if (!OF_NODES.has(verb)) return (await nodeOf(String(words[KEY_AT[verb] ?? 0])))[send](name, ...words);
    const answers = [];
    for (const node of nodes) answers.push(await node[send](name, ...words));
    return verb === 'INFO' ? answers.map(withoutReplication).join('\n') : joined(answers);
  }

  /** @param {import('./resp.mjs').Argument[]} words of `SCAN` */
  async function everyKey([, ...filters]) {
    const found = [];
    for (const node of nodes) {
      let cursor = '0';
      do {
        const [next, keys] = await node.command('SCAN', cursor, ...filters);
        found.push(...keys);
        cursor = next;
      } while (cursor !== '0');
    }
    return found;
  }

  return {
    url: `redis://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?cluster=true`,
    port: seed.port,
    get pid() {
      return seed.pid;
    },
    nodes,
    replicas,
    slotOf,
    nodeOf,
    command: (...command) => sendBySlots('command', command),
    commandBuffers: (...command) => sendBySlots('commandBuffers', command),
    async kill() {
      await Promise.all(nodes.map((node) => node.kill()));
    },
    async restart() {
      await Promise.all(nodes.map((node) => node.restart()));
      await servesAll(nodes, [...nodes, ...replicas]);
    },
    async beginMove(slot, from, to, { timeoutMs = 5000 } = {}) {
      const [source, target] = [await idOf(from), await idOf(to)];
      await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source);
      await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target);
      return {
        async move() {
          for (;;) {
            const keys = await from.command('CLUSTER', 'GETKEYSINSLOT', slot, 10);
            if (keys.length === 0) return;
            await from.command('MIGRATE', '127.0.0.1', to.port, '', 0, timeoutMs, 'KEYS', ...keys);
          }
        },
        async end() {
          for (const node of [to, from, ...nodes.filter((other) => other !== to && other !== from)]) {
            await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', target);
          }
        },
      };
    },
    async moveAtomically(slot, from, to, { timeoutMs = 5000 } = {}) {
      await from.command('CLUSTER', 'MIGRATESLOTS', 'SLOTSRANGE', slot, slot, 'NODE', await idOf(to));
      const isMoved = async () => {
        const [latest] = await from.command('CLUSTER', 'GETSLOTMIGRATIONS');
        const state = latest[latest.indexOf('state') + 1];
        if (state === 'failed' || state === 'cancelled') throw new Error(`the slot does not move: ${latest.join(' ')}`);
        return state === 'success';
      };
      await until('the slot is moved', isMoved, { timeoutMs });
    },
    async failOver(place, { lagMs = 0 } = {}) {
      const [master, replica] = [nodes[place], replicas[place]];
      process.kill(replica.pid, 'SIGSTOP');
      try {
        // What the system holds for it would reach it all the same.
        await master.command('CLIENT', 'KILL', 'TYPE', 'replica');
        await pause(lagMs);
        await master.kill();
      } finally {
        process.kill(replica.pid, 'SIGCONT');
      }
      await until('its replica is the master', async () => (await roleOf(replica)) === 'master', { timeoutMs: FAILOVER_MS });
      [nodes[place], replicas[place]] = [replica, master];
      await master.restart();
      await until('it is a replica', async () => (await roleOf(master)) === 'slave' && (await isInSync(master)), {
        timeoutMs: FAILOVER_MS,
      });
      await servesAll(nodes, [...nodes, ...replicas]);
    },
    stop,
  };

  /** The first of the nodes that runs. @param {Redis[]} of */
  function asked(of) {
    return of.find(({ pid }) => isRunning(pid)) ?? seed;
  }
}

/** @param {Redis} node @returns {Promise<'master' | 'slave'>} */
async function roleOf(node) {
  return (await node.command('ROLE'))[0];
}

/** @param {Redis} replica */
async function isInSync(replica) {
  const info = await replica.command('INFO', 'replication');
  return /^role:slave\r$/m.test(info) && /^master_link_status:up\r$/m.test(info);
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Answers of several nodes as one: lists one after the other, the sum of numbers, and a text that all of them say. @param {any[]} answers */
function joined(answers) {
  const [first] = answers;
  if (Array.isArray(first)) return answers.flat();
  if (typeof first === 'number') return answers.reduce((sum, answer) => sum + answer, 0);
  if (answers.every((answer) => answer === first)) return first;
  return answers.some((answer) => typeof answer !== 'string') ? answers : answers.join('\n');
}

/** What a node says of itself, but for what its replica asked of it. @param {string} info */
function withoutReplication(info) {
  return String(info).replace(/^cmdstat_(replconf|psync|ping):.*\r?\n/gm, '');
}

/** @param {{ clock?: Pick<import('./clock.mjs').Clock, 'env'>, nodeTimeoutMs: number, args: string[], startMs?: number }} options */
async function startNode({ clock, nodeTimeoutMs, args, startMs }) {
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs), '--cluster-require-full-coverage', 'no'];
  const ofReplicas = ['--repl-timeout', String(REPLICATION_TIMEOUT_S), '--repl-diskless-sync-delay', '0'];
  return launchOnFreePort((busPort) =>
    startRedis({ clock, startMs, args: ['--cluster-port', String(busPort), ...settings, ...ofReplicas, ...args] }),
  );
}

/** Shares the slots among nodes, has them know each other, and gives each its replica. @param {Redis[]} nodes @param {Redis[]} replicas */
async function join(nodes, replicas) {
  const firsts = nodes.map((_, at) => Math.ceil((at * SLOTS) / nodes.length));
  for (const [at, node] of nodes.entries()) {
    await node.command('CLUSTER', 'ADDSLOTSRANGE', firsts[at], (firsts[at + 1] ?? SLOTS) - 1);
    await node.command('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
  }
  const [seed, ...others] = [...nodes, ...replicas];
  for (const other of others) {
    const busPort = await other.command('CONFIG', 'GET', 'cluster-port');
    await seed.command('CLUSTER', 'MEET', '127.0.0.1', other.port, busPort[1]);
  }
  await servesAll(nodes, [...nodes, ...replicas]);
  for (const [at, replica] of replicas.entries()) {
    const master = await nodes[at].command('CLUSTER', 'MYID');
    const isKnown = async () => (await replica.command('CLUSTER', 'NODES')).includes(master);
    await until('a replica knows its master', isKnown, { timeoutMs: GOSSIP_MS });
    await replica.command('CLUSTER', 'REPLICATE', master);
    await until('a replica has what its master has', () => isInSync(replica), { timeoutMs: GOSSIP_MS });
  }
}

/** @param {Redis[]} masters @param {Redis[]} nodes */
async function servesAll(masters, nodes) {
  const isServed = async () => {
    for (const node of nodes) {
      const info = await node.command('CLUSTER', 'INFO');
      if (!/cluster_state:ok/.test(info) || !new RegExp(`cluster_size:${masters.length}\\b`).test(info)) return false;
    }
    return true;
  };
  await until('the cluster serves all slots', isServed, { timeoutMs: GOSSIP_MS });
}
