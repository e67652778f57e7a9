/**
 * What requests cost Redis: its commands, and its CPU time beside plain counting of the same events in the same windows.
 *
 * The requests are those whose commands a test bounds (tests/support/costs.mjs). The worker sends each of many of them once. What it
 * sent is replayed without the worker. As it happens, each request is a round trip, and so is each event of plain counting, whose
 * windows travel in one pipeline. With about 100 events a trip on both sides, the commands alone are compared.
 */
import { Problem } from '../../packages/edgeboard/report.mjs';
import { createTraffic, everyMember } from '../../tests/support/bodies/traffic.mjs';
import { trueClock } from '../../tests/support/clock.mjs';
import {
  countCommands,
  countIdleMonth,
  GROUPS,
  prepared,
  prepareWindows,
  SITES,
  startCosts,
  startCounting,
} from '../../tests/support/costs.mjs';
import { recordCalls } from '../../tests/support/overheard.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { cpuDuring } from './cpu.mjs';
import { LEAST_READERS, LEAST_SCRIPT, leastCounting, leastReading, PLAIN_READING, plainCounting, worthOf } from './plain.mjs';
import { grouped, keepMemory, openSender } from './replay.mjs';

/**
 * @typedef {import('../../tests/support/costs.mjs').Cost} Cost
 * @typedef {import('../../tests/support/deployment.mjs').Deployment} Deployment
 * @typedef {import('../../tests/support/bodies/traffic.mjs').Body} Body
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {number} commands per event
 * @property {number} cpuUs per event, a round trip per request
 * @property {number} plainUs the same of plain counting, a round trip per event
 * @property {number} ratio
 * @property {number} pipelinedRatio with many events a round trip, on both sides
 * @property {number | undefined} leastRatio beside the least that a script or function costs which does the same, a round trip per request; undefined
 *   where there is none
 */

const ALL = /** @type {Record<string, Cost>} */ (Object.assign({}, ...GROUPS.map(([, costs]) => costs)));
/** Events that go out at once where many requests make a round trip. */
const PIPELINED = 100;
const NEW_ITEM = '/posts/new-';

/** @param {import('../options.mjs').Effort} effort */
export async function benchCosts({ rounds, costedEvents, costedRequests }) {
  const commands = await measureCommands();
  const traffic = createTraffic();
  const deployment = await startCosts(traffic, { clock: trueClock() });
  const sender = openSender(deployment.redis);
  try {
    await prepareWindows(deployment, traffic);
    for (const body of everyMember(traffic)) {
      for (const site of Object.keys(SITES)) await sender.send(plainCounting(body, site));
    }
    await deployment.redis.command('SCRIPT', 'LOAD', LEAST_SCRIPT);
    await deployment.redis.command('FUNCTION', 'LOAD', LEAST_READERS);
    const memory = await keepMemory(deployment.redis);
    /** @type {Record<string, () => Promise<Sample>>} */
    const turns = {};
    for (const [key, cost] of Object.entries(ALL)) {
      const requests = Math.max(costedRequests, Math.ceil(costedEvents / (cost.events ?? 1)));
      turns[key] = await turnOf(deployment, sender, memory, traffic, { key, cost, requests });
    }
    await inTurn(turns, 1); // to warm up
    const samples = await inTurn(turns, rounds);
    const rows = mapValues(samples, (of, key) => figures(ALL[key], commands[key], of));
    const batchUs = (/** @type {Sample[]} */ of) => of.map(({ cpuUs }) => cpuUs);
    const valuesRatio = medianRatio(batchUs(samples.maxHundred), batchUs(samples.sumHundred));
    return { rows, valuesRatio, idleMonth: commands.idleMonth };
  } finally {
    sender.close();
    await deployment.stop();
  }
}

/** As the test counts them. @returns {Promise<Record<string, number>>} */
async function measureCommands() {
  const { deployment, traffic } = await startCounting();
  try {
    await prepareWindows(deployment, traffic);
    /** @type {Record<string, number>} */
    const counted = {};
    for (const [key, cost] of Object.entries(ALL)) counted[key] = (await countCommands(deployment, cost, traffic)).commands;
    return { ...counted, idleMonth: (await countIdleMonth()).commands };
  } finally {
    await deployment.stop();
  }
}

/**
 * @typedef {{ cpuUs: number, plainUs: number, pipelinedUs: number, plainPipelinedUs: number, leastUs?: number }} Sample per event
 *
 * Records a cost's requests, and makes the measurement of a round.
 *
 * @param {Deployment} deployment
 * @param {import('./replay.mjs').Sender} sender
 * @param {import('./replay.mjs').Memory} memory
 * @param {import('../../tests/support/bodies/traffic.mjs').Traffic} traffic
 * @param {{ key: string, cost: Cost, requests: number }} of
 * @returns {Promise<() => Promise<Sample>>}
 */
async function turnOf(deployment, sender, memory, traffic, { key, cost, requests }) {
  const { events = 1, site } = cost;
  await memory.restore();
  const { before, calls, bodies } = await record(deployment, cost, traffic, requests);
  const plain = bodies.length > 0 ? bodies.flatMap((body) => plainCounting(body, site)) : calls.map(() => PLAIN_READING[key]);
  const sent = bodies.flatMap((body) => body.events);
  const worth = key === 'again' ? 0 : sent.reduce((sum, event) => sum + worthOf(event), 0);
  const perTrip = Math.max(1, Math.floor(PIPELINED / events));

  let round = 0;
  const replay = async (/** @type {number} */ size) => {
    round += 1;
    await memory.restore();
    await sender.send(renamed(before, round));
    const scores = await sumOfScores(deployment.redis, site);
    const trips = grouped(renamed(calls, round), size).map((group) => group.flat());
    const us = await cpuDuring(deployment.redis, () => sender.send(trips));
    const counted = (await sumOfScores(deployment.redis, site)) - scores;
    const isRight = cost.site === 'once' ? counted > 0 && counted <= worth : counted === worth;
    if (site !== 'max' && !isRight) throw new Problem(`${cost.name}: replaying counted ${counted} of ${worth}`);
    if (site === 'max' && (await greatest(deployment.redis)) !== sent.at(-1)?.value)
      throw new Problem(`${cost.name}: not the best value stands`);
    return us / (requests * events);
  };
  const least =
    bodies.length > 0 ? bodies.map((body) => leastCounting(body, site)) : calls.map(() => leastReading(key, deployment.clock.now()));
  const replayPlain = async (/** @type {string[][][]} */ of, /** @type {number} */ size) => {
    const trips = grouped(renamed(of, round), size).map((group) => group.flat());
    return (await cpuDuring(deployment.redis, () => sender.send(trips))) / (requests * events);
  };
  return async () => ({
    cpuUs: await replay(1),
    plainUs: await replayPlain(plain, 1),
    pipelinedUs: await replay(perTrip),
    plainPipelinedUs: await replayPlain(plain, perTrip * events),
    leastUs: least.some((calls) => calls.length > 0) ? await replayPlain(least, 1) : undefined,
  });
}

/**
 * Has the worker send requests, all different.
 *
 * @param {Deployment} deployment
 * @param {Cost} cost
 * @param {import('../../tests/support/bodies/traffic.mjs').Traffic} traffic
 * @param {number} requests
 */
async function record(deployment, cost, traffic, requests) {
  /** @type {Body[]} */
  const bodies = [];
  const keeping = (/** @type {Deployment['beacon']} */ send) => (/** @type {any} */ body, /** @type {any} */ init) => {
    bodies.push(body);
    return send(body, init);
  };
  const on = { ...deployment, beacon: keeping(deployment.beacon), events: keeping(deployment.events) };
  /** @type {(() => Promise<void>)[]} */
  const sends = [];
  const prepare = Array.from({ length: requests }, () => async () => void sends.push(await prepared(on, cost, traffic)));
  const before = cost.before ? await recordCalls(deployment.redis, prepare) : [];
  if (!cost.before) for (const ready of prepare) await ready();
  bodies.length = 0;
  return { before, calls: await recordCalls(deployment.redis, sends), bodies };
}

/**
 * New items are new in each round.
 *
 * @param {string[][][]} requests
 * @param {number} round
 */
function renamed(requests, round) {
  return requests.map((commands) => commands.map((command) => command.map((text) => text.replace(NEW_ITEM, `${NEW_ITEM}${round}-`))));
}

/** Of all items, over the days. @param {import('../../tests/support/redis.mjs').Redis} redis @param {string} [site] */
async function sumOfScores(redis, site = 'demo') {
  let sum = 0;
  for (const key of await redis.command('KEYS', `eb:{${site}:articles}:day:*`)) {
    if ((await redis.command('TYPE', key)) !== 'zset') continue;
    const flat = await redis.command('ZRANGEBYSCORE', key, '(-inf', '+inf', 'WITHSCORES');
    for (let i = 1; i < flat.length; i += 2) sum += Number(flat[i]);
  }
  return sum;
}

/** The greatest value of all members, as boards of values store them. @param {import('../../tests/support/redis.mjs').Redis} redis */
async function greatest(redis) {
  const [, score] = await redis.command('ZRANGE', 'eb:{max:articles}:max:descending:0:all:0', '0', '0', 'REV', 'WITHSCORES');
  return Number(score) - 2 ** 52;
}

/** @param {Cost} cost @param {number} commands @param {Sample[]} samples @returns {Row} */
function figures({ name }, commands, samples) {
  const all = (/** @type {keyof Sample} */ field) => samples.map((sample) => /** @type {number} */ (sample[field]));
  return {
    name,
    commands,
    cpuUs: median(all('cpuUs')),
    plainUs: median(all('plainUs')),
    ratio: medianRatio(all('cpuUs'), all('plainUs')),
    pipelinedRatio: medianRatio(all('pipelinedUs'), all('plainPipelinedUs')),
    leastRatio: samples[0].leastUs === undefined ? undefined : medianRatio(all('cpuUs'), all('leastUs')),
  };
}
