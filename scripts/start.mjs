/**
 * `npm start`: installs what is missing, starts a Redis unless one is given, builds, and serves until it is stopped.
 *
 * 1. The port is free, and the configuration file can be read.
 * 2. The configuration is judged, before anything is built where the last build can: see judge.mjs.
 * 3. The worker builds, a Redis starts, and the worker serves. It judges the configuration itself.
 *
 * The site `demo` is added in memory where the configuration has none, with keys of its own.
 */
import { command } from '../packages/edgeboard/command.mjs';
import { requireReadable } from '../packages/edgeboard/configuration/limits.mjs';
import { readConfiguration, sitesOf } from '../packages/edgeboard/configuration/read.mjs';
import { variableLines } from '../packages/edgeboard/configuration/variables.mjs';
import { Problem, say } from '../packages/edgeboard/report.mjs';
import { requireFree, serve } from '../packages/edgeboard/serve/serve.mjs';
import { actorSecretOf, describeToken, readSettings } from '../packages/edgeboard/serve/settings.mjs';
import { build } from './build.mjs';
import { judgeBeforeBuild } from './judge.mjs';
import { demoPage } from './serve/demo/page.mjs';
import { demoOf, SITE } from './serve/demo/site.mjs';
import { setup } from './setup.mjs';

const AGAIN = 'npm start';

const USAGE = `
Usage: npm start

Installs what is missing, starts a Redis, builds the worker and serves it on this machine, with a demo page at / and the
page of administration at /admin. The scheduled run is done each ten seconds.

The demo page counts on the site demo alone. Where the configuration has no such site, it is there while this runs, with
keys of its own. Nothing of it is deployed.

Environment:
  PORT              the port to serve on (8787)
  EDGEBOARD_CONFIG  another wrangler configuration file, beside wrangler.toml

Variables of the worker, which win over those of the configuration file:
${variableLines()}
`;

/** @param {string[]} args */
async function main(args) {
  if (args.length > 0) throw new Problem(`npm start takes no ${args[0]}; what can be set stands in npm start -- --help`);
  const settings = readSettings(process.env);
  const { port, configFile, variables } = settings;
  say(`checks the configuration, builds where something changed, and serves on http://localhost:${port}`);
  await requireFree(port, AGAIN);
  const { redisServer } = await setup({ needs: variables.REDIS_URL ? [] : ['redis'] });
  say('checking the configuration');
  const configuration = readConfiguration(configFile);
  requireReadable(configuration);
  const sites = sitesOf(configuration);
  const local = localOf(settings, sites);
  await judgeBeforeBuild(configuration, { variables, local });
  await build();

  await serve({
    configuration,
    settings,
    configFile,
    redisServer,
    local,
    again: AGAIN,
    describe: (url, redisUrl) => describe(url, redisUrl, settings, local),
  });
}

/**
 * What no deployment has: the demo, and numbers from the environment.
 *
 * @param {import('../packages/edgeboard/serve/settings.mjs').Settings} settings
 * @param {Record<string, any>} sites
 * @returns {import('../packages/edgeboard/serve/local.mjs').Local}
 */
function localOf(settings, sites) {
  const { table, isAdded } = demoOf(sites);
  const page = demoPage({ table, secret: actorSecretOf(settings, SITE) });
  return { variables: { ...settings.numbers, ...(isAdded && { DEMO: table }) }, page };
}

/**
 * @param {string} url
 * @param {string | undefined} redisUrl of the Redis started here; a given one's may hold a password
 * @param {import('../packages/edgeboard/serve/settings.mjs').Settings} settings
 * @param {import('../packages/edgeboard/serve/local.mjs').Local} local
 */
function describe(url, redisUrl, settings, { variables }) {
  const isAdded = variables?.DEMO !== undefined;
  return `
edgeboard serves on ${url}

  demo page    ${url}/        counts on the site ${SITE}, ${isAdded ? 'which is there while this runs' : "the configuration's own"}
  admin page   ${url}/admin   asks for ADMIN_TOKEN
  Redis        ${redisUrl ?? 'as given by REDIS_URL'}
  WRITE_TOKEN  ${describeToken(settings, 'WRITE_TOKEN')}
  ADMIN_TOKEN  ${describeToken(settings, 'ADMIN_TOKEN')}
  ACTOR_SECRET ${describeToken(settings, 'ACTOR_SECRET')}

Ctrl-C stops it.
`;
}

command(import.meta, { usage: USAGE, main, exitWhenStopped: 0 });
