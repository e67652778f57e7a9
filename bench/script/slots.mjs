/**
 * A slot that moves from one node to another under load: for how long its board takes no clicks, and for how long a board beside it on the same node
 * does, and one on the node that gets it. The slot has one board with one large key. It moves by MIGRATESLOTS where REDIS_SERVER has that, else
 * by SETSLOT and MIGRATE, which moves a key whole.
 */
import { startCluster } from '../../tests/support/cluster.mjs';
import { unlimited } from '../../tests/support/deployment.mjs';
import { startWorker } from '../../tests/support/worker.mjs';

/** A key of a gigabyte moves for longer than that of a test. */
const TIMEOUT_MS = 600_000;
/** So many members are put on the board by a call. */
const CHUNK = 50_000;
const FILL = `
local scored = {}
for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  scored[#scored + 1] = i % 1009 + 1
  scored[#scored + 1] = '/posts/' .. i
  if #scored == 2000 then
    redis.call('ZADD', KEYS[1], unpack(scored))
    scored = {}
  end
end
if #scored > 0 then redis.call('ZADD', KEYS[1], unpack(scored)) end`;

/** @param {import('../options.mjs').Effort} effort */
export async function benchSlots({ movedMembers }) {
  const cluster = await startCluster({ masters: 2 });
  const [source, target] = cluster.nodes;
  const [moved, beside, there] = await boardsOn(cluster, [source, source, target]);
  const board = (/** @type {string} */ name) => ({ weights: { [name]: 1 }, windows: ['all'], max_members: 100_000_000 });
  const boards = Object.fromEntries([moved, beside, there].map((name) => [name, board(name)]));
  const actions = Object.fromEntries([moved, beside, there].map((name) => [name, { public: true }]));
  const worker = await startWorker({ vars: { REDIS_URL: cluster.url, SITES: unlimited({ bench: { origins: ['*'], actions, boards } }) } });
  let done = false;

  /** The longest time without a click that was counted, while clicks are sent one after the other. @param {string} action */
  async function longestGap(action) {
    let [gapMs, counted] = [0, performance.now()];
    for (;;) {
      const body = JSON.stringify({ action, item: '/posts/1' });
      const response = await worker.fetch('/v1/bench/beacon', { method: 'POST', body });
      await response.arrayBuffer();
      const now = performance.now();
      if (response.status !== 204) continue;
      gapMs = Math.max(gapMs, now - counted);
      counted = now;
      if (done) return gapMs / 1000;
    }
  }

  try {
    const prefix = `eb:{bench:${moved}}`;
    const key = `${prefix}:all:0`;
    for (let first = 1; first <= movedMembers; first += CHUNK)
      await source.command('EVAL', FILL, 1, key, first, Math.min(first + CHUNK - 1, movedMembers));
    const bytes = Number(await source.command('MEMORY', 'USAGE', key));
    const gaps = Promise.all([moved, beside, there].map(longestGap));
    const [slot, limit] = [await cluster.slotOf(prefix), { timeoutMs: TIMEOUT_MS }];
    const isAtomic = (await source.command('CLUSTER', 'HELP')).join('\n').includes('MIGRATESLOTS');
    const begunMs = performance.now();
    if (isAtomic) {
      await cluster.moveAtomically(slot, source, target, limit);
    } else {
      const moving = await cluster.beginMove(slot, source, target, limit);
      await moving.move();
      await moving.end();
    }
    const tookS = (performance.now() - begunMs) / 1000;
    done = true;
    const [movedS, besideS, thereS] = await gaps;
    return { server: await versionOf(source), isAtomic, members: movedMembers, bytes, tookS, movedS, besideS, thereS };
  } finally {
    done = true;
    await worker.stop();
    await cluster.stop();
  }
}

/** `Valkey 9.1.2` @param {import('../../tests/support/redis.mjs').Redis} node */
async function versionOf(node) {
  const info = await node.command('INFO', 'server');
  const [, valkey] = /^valkey_version:(\S+)/m.exec(info) ?? [];
  return valkey ? `Valkey ${valkey}` : `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1]}`;
}

/**
 * Names of boards that lie on these nodes.
 *
 * @param {import('../../tests/support/cluster.mjs').Cluster} cluster
 * @param {import('../../tests/support/redis.mjs').Redis[]} nodes
 */
async function boardsOn(cluster, nodes) {
  const names = [];
  for (let number = 0; names.length < nodes.length; number += 1) {
    const name = `board-${number}`;
    if ((await cluster.nodeOf(`eb:{bench:${name}}`)) === nodes[names.length]) names.push(name);
  }
  return names;
}
