/**
 * Serving on this machine: a Redis unless one is given, the worker, and its scheduled run again and again, until something ends.
 */
import { sitesOf } from '../configuration/read.mjs';
import { describeShort, shortTokens } from '../configuration/tokens.mjs';
import { Problem, say } from '../report.mjs';
import { isFree } from './port.mjs';
import { remarks } from './ready.mjs';
import { startRedis } from './redis.mjs';
import { runScheduled } from './schedule.mjs';
import { startWorker } from './wrangler.mjs';

/**
 * @param {object} options
 * @param {import('../configuration/read.mjs').Configuration} options.configuration
 * @param {import('./settings.mjs').Settings} options.settings
 * @param {string} options.configFile that wrangler reads
 * @param {string} [options.storage] see startWorker
 * @param {string} [options.redisServer] the program to start, where no Redis is given
 * @param {import('./local.mjs').Local} options.local
 * @param {string} options.again what is typed to serve on another port
 * @param {(url: string, redisUrl: string | undefined) => string} options.describe what is printed once it serves
 * @returns {Promise<never>}
 */
export async function serve({ configuration, settings, configFile, storage, redisServer, local, again, describe }) {
  const { port, variables } = settings;
  const redis = redisServer === undefined ? undefined : await serveRedis(redisServer, port);
  await requireFree(port, again); // what came before took its time
  say('starting the worker');
  const worker = await startWorker({
    port,
    configFile,
    storage,
    variables: { ...variables, ...(redis && { REDIS_URL: redis.url }) },
    local,
    log: (text) => process.stdout.write(withoutProbes(text)),
  });
  runScheduled(worker.url);
  console.log(describe(worker.url, redis?.url));
  for (const remark of await remarks(worker.url)) console.log(`${remark}\n`);
  for (const name of shortTokens({ ...configuration.variables, ...variables })) {
    console.log(`${describeShort(name)}. While that is so, who tries wrong tokens locks a sender of the same address out.\n`);
  }
  for (const site of sitesThatBelieve(sitesOf(configuration))) {
    console.log(`The site ${site} has actors = "any": anyone can put any actor on its rankings. See docs/actors.md.\n`);
  }

  const ends = [worker.ended.then(() => 'wrangler'), redis?.ended.then(() => 'redis-server')];
  const program = await Promise.race(ends.filter(Boolean));
  throw new Problem(`${program} ended unexpectedly`);
}

/** @param {number} port @param {string} again */
export async function requireFree(port, again) {
  if (await isFree(port)) return;
  throw new Problem(`port ${port} is in use; end the program that listens there, or choose another one: PORT=8788 ${again}`);
}

/** @param {string} program @param {number} port of the worker */
function serveRedis(program, port) {
  say('starting a Redis');
  return startRedis(program, { name: String(port) });
}

/**
 * The request log without the probes this script and its like send.
 *
 * @param {string} text
 */
function withoutProbes(text) {
  return text.replaceAll(/^.* GET \/(healthz|cdn-cgi\/handler\/scheduled) .*\n/gm, '');
}

/**
 * The sites that believe browsers about who acts.
 *
 * @param {Record<string, any>} sites
 */
function sitesThatBelieve(sites) {
  return Object.keys(sites).filter((name) => sites[name]?.actors === 'any');
}
