/**
 * `npm run deploy`: the checks that keep a deployment from failing, then `wrangler deploy`. The tests are not run.
 *
 * 1. The configuration file can be read, and each variable fits.
 * 2. Workers can reach the Redis that REDIS_URL names.
 * 3. The worker builds, and takes the configuration.
 * 4. `wrangler deploy`, with the arguments as they were given.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { build } from './build.mjs';
import { command } from './command.mjs';
import { judgeConfiguration } from './configuration/judge.mjs';
import { requireRateLimitsFit, requireVariablesFit } from './configuration/limits.mjs';
import { readConfiguration } from './configuration/read.mjs';
import { requireReachableRedis } from './configuration/redis-url.mjs';
import { run } from './processes.mjs';
import { inProject, NODE, ROOT } from './project.mjs';
import { Problem, say } from './report.mjs';
import { setup } from './setup.mjs';

const USAGE = `
Usage: npm run deploy [-- ARGUMENTS OF wrangler deploy]

Checks the configuration and that the worker builds, then deploys it to Cloudflare. Runs no tests: npm test does.

Of wrangler's arguments the checks heed these:
  --config FILE  another wrangler configuration file, beside wrangler.toml
  --env NAME     the [env.NAME] of the configuration file
With --dry-run everything is done but the deployment itself.

REDIS_URL and REDIS_TOKEN may be secrets instead of variables. The checks cannot see secrets.
`;

/** @param {string[]} args */
async function main(args) {
  const { config, env } = readArguments(args);
  const configFile = resolve(ROOT, config ?? 'wrangler.toml');
  await setup();
  say('checking the configuration');
  const configuration = readConfiguration(configFile, env);
  requireVariablesFit(configuration);
  requireRateLimitsFit(configuration);
  requireReachableRedis(configuration);
  await build();
  await judgeConfiguration(configuration);
  if (configuration.variables.REDIS_URL === undefined) {
    say('REDIS_URL is no variable, so it must be a secret: npx wrangler secret put REDIS_URL');
  }
  say('deploying');
  // The file that was checked is named, since wrangler looks for other files first.
  const named = config === undefined ? ['--config', configFile] : [];
  await run(NODE, [inProject('node_modules/wrangler/bin/wrangler.js'), 'deploy', ...named, ...args], { interactive: true });
}

/**
 * The arguments that say which configuration is deployed.
 *
 * @param {string[]} args
 * @returns {{ config?: string, env?: string }}
 */
function readArguments(args) {
  const { values } = parseArgs({
    args,
    options: { config: { type: 'string', short: 'c' }, env: { type: 'string', short: 'e' } },
    strict: false, // the others are wrangler's
    allowPositionals: true,
  });
  for (const [name, value] of Object.entries(values)) {
    if (['config', 'env'].includes(name) && !value) throw new Problem(`--${name} needs a value`);
  }
  return /** @type {{ config?: string, env?: string }} */ (values);
}

command(import.meta, { usage: USAGE, main });
