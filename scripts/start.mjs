/**
 * `npm start`: installs what is missing, starts a Redis unless one is given, builds, and serves until it is stopped.
 */
import { build } from './build.mjs';
import { command } from './command.mjs';
import { requireRateLimitsFit, requireVariablesFit } from './configuration/limits.mjs';
import { readConfiguration } from './configuration/read.mjs';
import { Problem } from './report.mjs';
import { isFree } from './serve/port.mjs';
import { unreadiness } from './serve/ready.mjs';
import { startRedis } from './serve/redis.mjs';
import { runScheduled } from './serve/schedule.mjs';
import { describeToken, readSettings } from './serve/settings.mjs';
import { startWorker } from './serve/wrangler.mjs';
import { setup } from './setup.mjs';

const USAGE = `
Usage: npm start

Installs what is missing, starts a Redis, builds the worker and serves it with its demo page on this machine.
The scheduled run is done each minute.

Environment:
  PORT              the port to serve on (8787)
  REDIS_URL         use this Redis and start none
  REDIS_TOKEN       the token that goes with an https:// REDIS_URL
  EDGEBOARD_CONFIG  another wrangler configuration file, beside wrangler.toml
  WRITE_TOKEN       what servers show to send events; made up and printed when absent, never printed when given
  ADMIN_TOKEN       what administrators show; likewise
  ACTOR_SECRET      what signs the tokens of actors; likewise
  WRITE_TOKEN_SITE  ADMIN_TOKEN_SITE  ACTOR_SECRET_SITE  the same for one site
`;

/** @param {string[]} args */
async function main(args) {
  if (args.length > 0) throw new Problem(`npm start takes no ${args[0]}; what can be set stands in npm start -- --help`);
  const settings = readSettings(process.env);
  const { port, configFile, variables } = settings;
  await requireFree(port);
  const { redisServer } = await setup({ needs: variables.REDIS_URL ? [] : ['redis'] });
  const configuration = readConfiguration(configFile);
  requireVariablesFit(configuration);
  requireRateLimitsFit(configuration);
  await build();

  const redis = redisServer === undefined ? undefined : await startRedis(redisServer, { name: String(port) });
  await requireFree(port); // building took its time
  const worker = await startWorker({
    port,
    configFile,
    variables: { ...variables, ...(redis && { REDIS_URL: redis.url }) },
    log: (text) => process.stdout.write(withoutProbes(text)),
  });
  runScheduled(worker.url);
  console.log(describe(worker.url, redis?.url, settings));
  const why = await unreadiness(worker.url);
  if (why) console.log(`${why}\n`);
  for (const site of sitesThatBelieve(configuration)) {
    console.log(`The site ${site} has actors = "any": anyone can put any actor on its rankings. See docs/actors.md.\n`);
  }

  const ends = [worker.ended.then(() => 'wrangler'), redis?.ended.then(() => 'redis-server')];
  const program = await Promise.race(ends.filter(Boolean));
  throw new Problem(`${program} ended unexpectedly`);
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
 * @param {import('./configuration/read.mjs').Configuration} configuration
 */
function sitesThatBelieve({ variables }) {
  const tables = Object.entries(variables).filter(([name, value]) => name.startsWith('SITES') && typeof value === 'object');
  const sites = tables.flatMap(([, table]) => Object.entries(table ?? {}));
  return new Set(sites.filter(([, site]) => site?.actors === 'any').map(([name]) => name));
}

/** @param {number} port */
async function requireFree(port) {
  if (await isFree(port)) return;
  throw new Problem(`port ${port} is in use; end the program that listens there, or choose another one: PORT=8788 npm start`);
}

/**
 * @param {string} url
 * @param {string | undefined} redisUrl of the Redis started here; a given one's may hold a password
 * @param {import('./serve/settings.mjs').Settings} settings
 */
function describe(url, redisUrl, settings) {
  return `
edgeboard serves on ${url}

  demo page    ${url}/
  Redis        ${redisUrl ?? 'as given by REDIS_URL'}
  WRITE_TOKEN  ${describeToken(settings, 'WRITE_TOKEN')}
  ADMIN_TOKEN  ${describeToken(settings, 'ADMIN_TOKEN')}
  ACTOR_SECRET ${describeToken(settings, 'ACTOR_SECRET')}

Ctrl-C stops it.
`;
}

command(import.meta, { usage: USAGE, main, exitWhenStopped: 0 });
