/**
 * What it costs Redis to say where a member stands on a large board, beside a plain ZREVRANK of the same members; and how many members have which
 * scores. The cost is Redis's own count of the time that commands take. A script's time includes the commands it calls.
 *
 * The script's arguments are the worker's own, see tests/support/overheard.mjs; only members are varied.
 */
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { cpuDuring, repeat, spentOf } from './cpu.mjs';
import { recordCalls } from '../../tests/support/overheard.mjs';
import { openSender } from './replay.mjs';

/** The board with every index; the other rankings are asked of it, too. */
const KEY = 'eb:{dense:articles}';
const BOARD = `${KEY}:all:0`;
const PATH = 'boards/articles/all';
const RANKINGS = ['ordinal', 'competition', 'dense'];
const ADDED_AT_ONCE = 1000;
const IDS = 100;
const DEPTH = 16;
/** One member of so many is read between measurements, so that each finds the caches as cold. */
const COOLED = 50;
const DISTRIBUTIONS = 100;
const TOKEN = 'bench';

/** @param {import('../options.mjs').Effort} effort */
export async function benchRanks({ rounds, rankedMembers, askedRanks }) {
  const redis = await startRedis();
  const sites = Object.fromEntries(RANKINGS.map((ranking) => [ranking, site(ranking)]));
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, WRITE_TOKEN: TOKEN, SITES: sites } });
  const sender = openSender(redis);
  try {
    const variants = await makeVariants(redis, worker);
    await makeIndexes(worker);
    await fill(redis, sender, rankedMembers);
    const random = () => member(below(rankedMembers));
    const asked = repeat(Math.ceil(askedRanks / (IDS * DEPTH)) * IDS * DEPTH, random);
    const cooling = repeat(rankedMembers / COOLED / DEPTH, () => repeat(DEPTH, () => ['ZREVRANK', BOARD, random()]));

    const figures = async (/** @type {number} */ depth) => {
      /** @type {Record<string, () => Promise<{ us: number, cpuUs: number, inside: Record<string, number> }>>} */
      const turns = {};
      for (const [name, { ids, command }] of Object.entries(variants)) {
        const trips = repeat(asked.length / ids / depth, (p) =>
          repeat(depth, (c) => command(asked.slice((p * depth + c) * ids, (p * depth + c + 1) * ids))),
        );
        turns[name] = async () => {
          await sender.send(cooling);
          await redis.command('CONFIG', 'RESETSTAT');
          const cpuUs = (await cpuDuring(redis, () => sender.send(trips))) / asked.length;
          return { cpuUs, ...(await serverTime(redis, name === 'zrevrank' ? name : 'fcall_ro', asked.length)) };
        };
      }
      await inTurn(turns, 1); // to warm up
      const samples = await inTurn(turns, rounds);
      const all = (/** @type {string} */ name, /** @type {'us' | 'cpuUs'} */ of) => samples[name].map((sample) => sample[of]);
      return mapValues(samples, (taken, name) => ({
        us: median(all(name, 'us')),
        ratio: medianRatio(all(name, 'us'), all('zrevrank', 'us')),
        cpuUs: median(all(name, 'cpuUs')),
        cpuRatio: medianRatio(all(name, 'cpuUs'), all('zrevrank', 'cpuUs')),
        inside: mapValues(taken[0].inside, (_, command) => median(taken.map(({ inside }) => inside[command]))),
      }));
    };
    const distribution = await costOfDistribution(redis, worker, sender);
    return { members: rankedMembers, alone: await figures(1), pipelined: await figures(DEPTH), distribution };
  } finally {
    sender.close();
    await worker.stop();
    await redis.stop();
  }
}

/** @param {string} ranking */
function site(ranking) {
  return { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['all'], ranking } } };
}

/**
 * @typedef {object} Variant
 * @property {number} ids that a command asks for
 * @property {(ids: string[]) => string[]} command
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @returns {Promise<Record<string, Variant>>}
 */
async function makeVariants(redis, worker) {
  /** @type {Record<string, Variant>} */
  const variants = { zrevrank: { ids: 1, command: ([id]) => ['ZREVRANK', BOARD, id] } };
  for (const ranking of RANKINGS) {
    const call = await recordCall(redis, (id) => worker.fetch(`/v1/${ranking}/${PATH}/members/${id}-0?around=0`));
    variants[ranking] = { ids: 1, command: (ids) => varied(call, ids) };
  }
  const call = await recordCall(redis, (id) => {
    const body = JSON.stringify({ ids: repeat(IDS, (i) => `${id}-${i}`) });
    return worker.fetch(`/v1/ordinal/${PATH}/ranks`, { method: 'POST', body });
  });
  variants.hundred = { ids: IDS, command: (ids) => varied(call, ids) };
  return variants;
}

/**
 * A distribution of the board: the milliseconds of Redis's CPU and the commands of one.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {import('./replay.mjs').Sender} sender
 */
async function costOfDistribution(redis, worker, sender) {
  const [[call]] = await recordCalls(redis, [() => worker.fetch(`/v1/ordinal/${PATH}/distribution`)]);
  await redis.command('CONFIG', 'RESETSTAT');
  const cpuUs = await cpuDuring(redis, () => sender.send(repeat(DISTRIBUTIONS, () => [varied(call, [])])));
  const { calls } = spentOf(await redis.command('INFO', 'commandstats'));
  return { ms: cpuUs / DISTRIBUTIONS / 1000, commands: Math.round(calls / DISTRIBUTIONS) };
}

/**
 * The second request, when Redis knows the script. It is about other members than the first, else the worker's cache answers it.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {(id: string) => Promise<Response>} request
 */
async function recordCall(redis, request) {
  await request('first');
  const [[call]] = await recordCalls(redis, [() => request('any')]);
  return call;
}

/**
 * A recorded call for other members, and for the board that is there.
 *
 * @param {string[]} call
 * @param {string[]} ids
 */
function varied(call, ids) {
  return call.map((argument) => {
    const i = /^any-(\d+)$/.exec(argument)?.[1];
    return i === undefined ? argument.replace(/^eb:.*$/, KEY) : ids[Number(i)];
  });
}

/**
 * Few high scores and many low ones, which came in no order; and the distinct ones, as beside a dense board.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('./replay.mjs').Sender} sender
 * @param {number} members
 */
async function fill(redis, sender, members) {
  const scores = new Set();
  for (let first = 0; first < members; first += ADDED_AT_ONCE) {
    const added = repeat(ADDED_AT_ONCE, (i) => {
      const number = ((first + i) * 7919) % members;
      const score = String(1 + Math.floor(members / (number + 1)));
      scores.add(score);
      return [score, member(number)];
    });
    await sender.send([[['ZADD', BOARD, ...added.flat()]]]);
  }
  const [index] = await redis.command('KEYS', `${BOARD}:scores*`);
  for (const score of scores) await redis.command('ZADD', index, score, score);
}

/**
 * An event begins the board together with its indexes.
 *
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 */
async function makeIndexes(worker) {
  const body = JSON.stringify({ action: 'view', item: 'first' });
  await worker.fetch('/v1/dense/events', { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` }, body });
}

/** @param {number} number */
const below = (number) => Math.floor(Math.random() * number);

/** @param {number} number */
const member = (number) => `/posts/${number}`;

/**
 * Since the last CONFIG RESETSTAT, in µs per member asked for: what a command took, and what it called.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {string} command
 * @param {number} asked
 */
async function serverTime(redis, command, asked) {
  const stats = (await redis.command('INFO', 'commandstats')).matchAll(/^cmdstat_(\S+):calls=\d+,usec=(\d+)/gm);
  const us = Object.fromEntries([...stats].map(([, name, usec]) => [name, Number(usec) / asked]));
  const inside = Object.fromEntries(Object.entries(us).filter(([name]) => !/^(info|config\|.*)$/.test(name) && name !== command));
  return { us: us[command], inside };
}
