/**
 * What the library of functions keeps between calls, where clicks come to one board, to 256 and to a thousand: how often a board's plan is known, and
 * Redis's CPU time per click. The library keeps 1 MB of plans, a half of which it drops at once.
 *
 * A script makes its functions anew at each call, so nothing is kept: that stands for a server whose functions keep nothing either.
 *
 * The calls are the worker's own, see tests/support/overheard.mjs. A plan that is not known is read with one HMGET more.
 */
import { unlimited } from '../../tests/support/deployment.mjs';
import { recordCalls } from '../../tests/support/overheard.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { cpuDuring, repeat } from './cpu.mjs';
import { grouped, keepMemory, openSender } from './replay.mjs';

const SITES = 1_000;
const DEPTH = 16;
const BOARD = 'eb:{demo:articles}';
const BOARDS = { one: 1, sections: 256, sites: SITES, scripts: 1 };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['hour', 'day', 'week', 'month', 'all', 'last-7-days'] } },
};

/** @param {import('../options.mjs').Effort} effort */
export async function benchMemo({ rounds, costedEvents }) {
  const redis = await startRedis();
  await redis.command('ACL', 'SETUSER', 'scripts', 'on', '>scripts', 'allkeys', '+@all', '-fcall', '-fcall_ro');
  const start = (/** @type {string} */ url) =>
    startWorker({ vars: { REDIS_URL: url, WRITE_TOKEN: 'bench', ADMIN_TOKEN: 'bench', SITES: unlimited({ demo: SITE }) } });
  const worker = await start(redis.url);
  const ofScripts = await start(redis.url.replace('//', '//scripts:scripts@'));
  const sender = openSender(redis);
  const click = (/** @type {string} */ id, on = worker) =>
    on.fetch('/v1/demo/beacon', { method: 'POST', body: JSON.stringify({ id, events: [{ action: 'view', item: '/a' }] }) });
  /** @param {string[][][]} trips */
  const send = (trips) => sender.send(grouped(trips, DEPTH).map((group) => group.flat()));
  try {
    const clicks = Math.max(costedEvents, 2 * SITES);
    const record = async (/** @type {import('../../tests/support/worker.mjs').Worker} */ on) => {
      await click('first', on); // so that Redis knows the library, or the script
      return recordCalls(
        redis,
        repeat(clicks, (i) => () => click(`b${i}`, on)),
      );
    };
    const recorded = await record(worker);
    await redis.command('FLUSHALL'); // of the same ids
    const scripts = await record(ofScripts);
    await redis.command('FLUSHALL');
    // Each board is planned, and has its member.
    for (let click = 0; click < 3; click += 1) await send(repeat(SITES, (site) => ofSite(recorded[click], site)));
    const memory = await keepMemory(redis);
    const variants = mapValues(BOARDS, (boards, name) =>
      (name === 'scripts' ? scripts : recorded).slice(3).map((trip, i) => ofSite(trip, i % boards)),
    );
    /** @type {Record<string, number>} */
    const known = {};
    const turns = mapValues(variants, (all, name) => async () => {
      await memory.restore();
      const before = await calls(redis);
      const cpuUs = (await cpuDuring(redis, () => send(all))) / all.length;
      known[name] = 2 - ((await calls(redis)) - before) / all.length;
      return cpuUs;
    });
    await inTurn(turns, 1); // to warm up
    const samples = await inTurn(turns, rounds);
    return mapValues(samples, (cpuUs, name) => ({
      boards: BOARDS[/** @type {keyof typeof BOARDS} */ (name)],
      known: known[name],
      cpuUs: median(cpuUs),
      ratio: medianRatio(cpuUs, samples.one),
    }));
  } finally {
    sender.close();
    await worker.stop();
    await ofScripts.stop();
    await redis.stop();
  }
}

/** The commands of a click, to another site's board of the same kind. @param {string[][]} trip @param {number} site */
function ofSite(trip, site) {
  return trip.map((command) => command.map((word) => (word === BOARD ? BOARD.replace('demo', `s${site}`) : word)));
}

/** How often HMGET was called. @param {import('../../tests/support/redis.mjs').Redis} redis */
async function calls(redis) {
  return Number(/^cmdstat_hmget:calls=(\d+)/m.exec(await redis.command('INFO', 'commandstats'))?.[1] ?? 0);
}
