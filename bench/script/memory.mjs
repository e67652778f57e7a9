/**
 * What remembering costs in Redis's memory: per id, per mark of what counts once, per tracked action; and what a board indexes besides
 * a member's score.
 *
 * Hash tables double, so what an entry costs depends on how many there are: the figure is the mean over a doubling.
 */
import { Problem } from '../../packages/edgeboard/report.mjs';
import { recordCalls } from '../../tests/support/overheard.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { WINDOWS } from '../site.mjs';
import { repeat } from './cpu.mjs';
import { grouped, openSender } from './replay.mjs';

const TOKEN = 'bench';
const STEPS = 5;
const BATCH = 100;
/** What is remembered of actors with much to remember. */
const MANY = 100;
/** Of a recorded event, to be replaced by others. */
const WORTH = '987654';
const MEMBER = /^any-member-(\d+)$/;

/** Options of the board and of the action, of each site. @type {Record<string, { board?: object, action?: object }>} */
const KINDS = {
  plain: {},
  once: { board: { once: { act: 'day' } } },
  tracked: { action: { reversible: true } },
  tracked_ties: { action: { reversible: true }, board: { ties: 'first' } },
  ties: { board: { ties: 'first' } },
  dense: { board: { ranking: 'dense' } },
  breakdown: { board: { breakdown: true } },
};

/** @param {import('../options.mjs').Effort} effort */
export async function benchMemory({ remembered }) {
  const redis = await startRedis();
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, WRITE_TOKEN: TOKEN, SITES: sites() } });
  const sender = openSender(redis);
  const bytesOf = (/** @type {(from: number, count: number) => Promise<unknown>} */ count) => meanBytes(redis, remembered, count);

  /** Through the worker: what it remembers. @param {string} kind @param {(i: number) => object} event */
  const remembering = (kind, event) =>
    bytesOf(async (from, count) => {
      for (const events of grouped(
        repeat(count, (i) => ({ action: 'act', item: '/posts/0', ...event(from + i) })),
        BATCH,
      )) {
        const headers = { authorization: `Bearer ${TOKEN}` };
        const response = await worker.fetch(`/v1/${siteName(kind)}/events`, { method: 'POST', headers, body: JSON.stringify({ events }) });
        const { accepted } = await response.json();
        if (accepted !== events.length) throw new Problem(`${kind}: ${accepted} of ${events.length} events were counted`);
      }
    });
  /** Replayed: members beside members, each with a score of its own. @param {string} kind */
  const ranking = async (kind) => {
    const [[call]] = await recordCalls(
      redis,
      repeat(2, () => () => sendMarked(worker, kind)),
    ).then((calls) => calls.slice(1));
    const bytes = await bytesOf(async (from, count) => {
      const calls = grouped(
        repeat(count, (i) => from + i),
        BATCH,
      ).map((members) => renamed(call, members));
      await sender.send(grouped(calls, 10));
    });
    return bytes / WINDOWS.length;
  };
  const byOne = (/** @type {number} */ i) => ({ actor: `u${100_000 + i}` });
  const byMany = (/** @type {number} */ i) => ({ actor: `u${100_000 + Math.floor(i / MANY)}`, item: `/posts/${i % MANY}` });
  const byVisitor = (/** @type {number} */ i) => ({
    visitor: { address: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`, agent: 'any' },
  });

  try {
    for (const kind of Object.keys(KINDS)) await sendMarked(worker, kind); // so that Redis knows the scripts
    const member = await ranking('plain');
    return {
      id: await remembering('plain', (i) => ({ id: i.toString(16).padStart(16, '0') })),
      once: await remembering('once', byOne),
      onceOfMany: await remembering('once', byMany),
      visitor: await remembering('once', byVisitor),
      tracked: await remembering('tracked', byOne),
      trackedOfMany: await remembering('tracked', byMany),
      trackedOnTies: await remembering('tracked_ties', byOne),
      member,
      ties: (await ranking('ties')) - member,
      dense: (await ranking('dense')) - member,
      breakdown: (await ranking('breakdown')) - member,
    };
  } finally {
    sender.close();
    await worker.stop();
    await redis.stop();
  }
}

/**
 * The mean of bytes per entry, while entries double. It begins with an empty Redis that knows the members of those that share them.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {number} remembered
 * @param {(from: number, count: number) => Promise<unknown>} count
 */
async function meanBytes(redis, remembered, count) {
  await redis.command('FLUSHALL', 'SYNC');
  // The entries before make the boards, their members and the connections' buffers.
  await count(-2 * MANY, 2 * MANY);
  const before = await usedMemory(redis);
  await count(0, remembered);
  const each = [];
  for (let step = 0; step < STEPS; step += 1) {
    const counted = remembered + (step * remembered) / STEPS;
    await count(counted, remembered / STEPS);
    each.push(((await usedMemory(redis)) - before) / (counted + remembered / STEPS));
  }
  return each.reduce((sum, bytes) => sum + bytes) / STEPS;
}

/** @param {string} kind a site's name has no underscores */
const siteName = (kind) => kind.replace('_', '-');

function sites() {
  const all = Object.entries(KINDS).map(([kind, { board, action }]) => [
    siteName(kind),
    {
      origins: ['*'],
      activity: false,
      actions: { act: action ?? {}, marked: {} },
      boards: { articles: { weights: { act: 1, marked: Number(WORTH) }, windows: WINDOWS, ...board } },
    },
  ]);
  return Object.fromEntries(all);
}

/** A batch whose members and scores can be found in what the worker sends. @param {import('../../tests/support/worker.mjs').Worker} worker @param {string} kind */
async function sendMarked(worker, kind) {
  const events = repeat(BATCH, (i) => ({ action: 'marked', item: `any-member-${i}` }));
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await worker.fetch(`/v1/${siteName(kind)}/events`, { method: 'POST', headers, body: JSON.stringify({ events }) });
  if (response.status !== 200) throw new Problem(await response.text());
}

/**
 * A recorded call with other members, each with a score of its own.
 *
 * @param {string[]} call
 * @param {number[]} members
 */
function renamed(call, members) {
  let event = -1;
  return call.map((text) => {
    const marked = MEMBER.exec(text);
    if (marked) event = Number(marked[1]);
    if (marked) return `/posts/${100_000 + members[event]}`;
    return text === WORTH ? String(1_000_000 + members[event]) : text;
  });
}

/** @param {import('../../tests/support/redis.mjs').Redis} redis */
async function usedMemory(redis) {
  return Number(/used_memory:(\d+)/.exec(await redis.command('INFO', 'memory'))?.[1]);
}
