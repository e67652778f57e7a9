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
import { callsOf, overhear, recordCalls } from '../../tests/support/overheard.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { cpuDuring } from './cpu.mjs';
import { LEAST_READERS, LEAST_SCRIPT, leastCounting, leastReading, PLAIN_READING, plainCounting, worthOf } from './plain.mjs';
import { commandsAlone, grouped, keepMemory, openSender } from './replay.mjs';

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
export async function benchCosts(effort) {
  const commands = await measureCommands();
  const samples = await replayed(effort, cpuDuring, async ({ ours, plain, least, size, events }) => ({
    cpuUs: await ours(1),
    plainUs: await plain(1),
    pipelinedUs: await ours(size),
    plainPipelinedUs: await plain(size * events),
    leastUs: await least(),
  }));
  const rows = mapValues(samples, (of, key) => figures(ALL[key], commands[key], of));
  const batchUs = (/** @type {Sample[]} */ of) => of.map(({ cpuUs }) => cpuUs);
  const valuesRatio = medianRatio(batchUs(samples.maxHundred), batchUs(samples.sumHundred));
  return { rows, valuesRatio, idleMonth: commands.idleMonth };
}

/**
 * Replays each request in turn.
 *
 * @template Taken
 * @param {Pick<import('../options.mjs').Effort, 'rounds' | 'costedEvents' | 'costedRequests'>} effort
 * @param {Meter} meter
 * @param {(turn: Turn) => Promise<Taken>} take what is measured of a request in a round
 * @param {import('../../tests/support/redis.mjs').Options} [redis]
 * @returns {Promise<Record<string, Taken[]>>} by the key of the cost, one per round
 */
export async function replayed({ rounds, costedEvents, costedRequests }, meter, take, redis) {
  const traffic = createTraffic();
  const deployment = await startCosts(traffic, { clock: trueClock(), redis });
  const sender = openSender(deployment.redis);
  try {
    await prepareWindows(deployment, traffic);
    for (const body of everyMember(traffic)) {
      for (const site of Object.keys(SITES)) await sender.send(plainCounting(body, site));
    }
    await deployment.redis.command('SCRIPT', 'LOAD', LEAST_SCRIPT);
    await deployment.redis.command('FUNCTION', 'LOAD', LEAST_READERS);
    const memory = await keepMemory(deployment.redis);
    /** @type {Record<string, () => Promise<Taken>>} */
    const turns = {};
    for (const [key, cost] of Object.entries(ALL)) {
      const requests = Math.max(costedRequests, Math.ceil(costedEvents / (cost.events ?? 1)));
      const turn = await turnOf(deployment, sender, memory, traffic, meter, { key, cost, requests });
      turns[key] = () => take(turn);
    }
    await inTurn(turns, 1); // to warm up
    return await inTurn(turns, rounds);
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
 * @callback Meter what Redis takes while something is done
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {() => Promise<void>} work
 * @returns {Promise<number>}
 *
 * @typedef {object} Turn a request's replays, each measured, per event
 * @property {(size: number) => Promise<number>} ours with so many requests a round trip
 * @property {(size: number) => Promise<number>} plain with so many events a round trip
 * @property {() => Promise<number | undefined>} least undefined where there is none
 * @property {() => Promise<number>} commands only those that scripts ran
 * @property {number} events of a request
 * @property {number} size requests of about 100 events
 *
 * Records a cost's requests.
 *
 * @param {Deployment} deployment
 * @param {import('./replay.mjs').Sender} sender
 * @param {import('./replay.mjs').Memory} memory
 * @param {import('../../tests/support/bodies/traffic.mjs').Traffic} traffic
 * @param {Meter} meter
 * @param {{ key: string, cost: Cost, requests: number }} of
 * @returns {Promise<Turn>}
 */
async function turnOf(deployment, sender, memory, traffic, meter, { key, cost, requests }) {
  const { events = 1, site } = cost;
  await memory.restore();
  const { before, heard, bodies } = await record(deployment, cost, traffic, requests);
  const calls = heard.map(callsOf);
  const plain = bodies.length > 0 ? bodies.flatMap((body) => plainCounting(body, site)) : calls.map(() => PLAIN_READING[key]);
  const sent = bodies.flatMap((body) => body.events);
  const worth = key === 'again' ? 0 : sent.reduce((sum, event) => sum + worthOf(event), 0);

  let round = 0;
  const measured = async (/** @type {string[][][]} */ of, /** @type {number} */ size) => {
    const trips = grouped(of, size).map((group) => group.flat());
    return (await meter(deployment.redis, () => sender.send(trips))) / (requests * events);
  };
  const begin = async () => {
    round += 1;
    await memory.restore();
    await sender.send(renamed(before, round));
  };
  const ours = async (/** @type {number} */ size) => {
    await begin();
    const scores = await sumOfScores(deployment.redis, site);
    const taken = await measured(renamed(calls, round), size);
    const counted = (await sumOfScores(deployment.redis, site)) - scores;
    const isRight = cost.site === 'once' ? counted > 0 && counted <= worth : counted === worth;
    if (site !== 'max' && !isRight) throw new Problem(`${cost.name}: replaying counted ${counted} of ${worth}`);
    if (site === 'max' && (await greatest(deployment.redis)) !== sent.at(-1)?.value)
      throw new Problem(`${cost.name}: not the best value stands`);
    return taken;
  };
  const least =
    bodies.length > 0 ? bodies.map((body) => leastCounting(body, site)) : calls.map(() => leastReading(key, deployment.clock.now()));
  return {
    events,
    size: Math.max(1, Math.floor(PIPELINED / events)),
    ours,
    plain: (size) => measured(renamed(plain, round), size),
    least: async () => (least.some((calls) => calls.length > 0) ? measured(renamed(least, round), 1) : undefined),
    async commands() {
      await begin();
      return measured(await loadAlone(deployment.redis, heard, round), 1);
    },
  };
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
  return { before, heard: await overhear(deployment.redis, sends), bodies };
}

/**
 * The commands that scripts ran, as calls of scripts that run them again. Scripts that are sent together go so once more.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('../../tests/support/overheard.mjs').Overheard[][]} heard
 * @param {number} round
 */
async function loadAlone(redis, heard, round) {
  const renamedHeard = heard.map((commands) =>
    commands.map(({ isOfScript, command }) => ({ isOfScript, command: renamed([[command]], round)[0][0] })),
  );
  /** @type {string[][][]} */
  const trips = [];
  for (const commands of renamedHeard) {
    /** @type {string[][]} */
    const calls = [];
    for (const script of commandsAlone(commands)) calls.push(['EVALSHA', await redis.command('SCRIPT', 'LOAD', script), '0']);
    trips.push(calls.length > 1 ? [['MULTI'], ...calls, ['EXEC']] : calls);
  }
  return trips;
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
