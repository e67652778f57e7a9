/**
 * `npm run deploy`: the checks that keep a deployment from failing, then `wrangler deploy`. The tests are not run.
 *
 * 1. The configuration file can be read, and each variable fits and stands where it is read.
 * 2. Workers can reach the Redis that REDIS_URL names.
 * 3. No token can be found by trying, of those that can be seen from here.
 * 4. The worker builds, and takes the configuration with the bindings that it has. An outdated build says so before, where it can.
 * 5. `wrangler deploy`, with the arguments as they were given.
 * 6. The worker is asked whether it can count, and at which cost. That it cannot is only said: a first one still lacks its secrets.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { command } from '../packages/edgeboard/command.mjs';
import { judgeConfiguration } from '../packages/edgeboard/configuration/judge.mjs';
import { requireReadable } from '../packages/edgeboard/configuration/limits.mjs';
import { readConfiguration } from '../packages/edgeboard/configuration/read.mjs';
import { requireReachableRedis } from '../packages/edgeboard/configuration/redis-url.mjs';
import { requireLongTokens } from '../packages/edgeboard/configuration/tokens.mjs';
import { addressIn } from '../packages/edgeboard/deploy/upload.mjs';
import { run } from '../packages/edgeboard/processes.mjs';
import { Problem, say } from '../packages/edgeboard/report.mjs';
import { remarks } from '../packages/edgeboard/serve/ready.mjs';
import { build } from './build.mjs';
import { judgeBeforeBuild } from './judge.mjs';
import { inProject, NODE, ROOT } from './project.mjs';
import { setup } from './setup.mjs';

const USAGE = `
Usage: npm run deploy [-- ARGUMENTS OF wrangler deploy]

Checks the configuration and that the worker builds, then deploys it to Cloudflare. Runs no tests: npm test does.

Of wrangler's arguments the checks heed these:
  --config FILE  another wrangler configuration file, beside wrangler.toml
  --env NAME     the [env.NAME] of the configuration file
  --var NAME:VALUE, --secrets-file FILE  what is added to it; tokens there need 16 characters, as in the file and the environment
With --dry-run everything is done but the deployment itself.

REDIS_URL and REDIS_TOKEN may be secrets instead of variables. The checks cannot see secrets that were put before; the worker
logs short-token where one is too short. Where ARCHIVE_REDIS_URL is one, name it in the environment as well: else boards with an
archive are refused that have no bucket.
`;

/** @param {string[]} args */
async function main(args) {
  const { config, env, ...added } = readArguments(args);
  const configFile = resolve(ROOT, config ?? 'wrangler.toml');
  say(`checking what ${relative(ROOT, configFile) || configFile} says, then building and deploying`);
  await setup();
  say('checking the configuration');
  const configuration = readConfiguration(configFile, env);
  requireReadable(configuration);
  requireReachableRedis(configuration);
  requireLongTokens(configuration, added, process.env);
  await judgeBeforeBuild(configuration);
  await build();
  await judgeConfiguration(configuration);
  if (configuration.variables.REDIS_URL === undefined) {
    say('REDIS_URL is no variable, so it must be a secret: npx wrangler secret put REDIS_URL');
  }
  say('deploying');
  // The file that was checked is named, since wrangler looks for other files first.
  const named = config === undefined ? ['--config', configFile] : [];
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-deploy-'));
  try {
    const output = join(folder, 'output');
    const env = { WRANGLER_OUTPUT_FILE_PATH: output };
    await run(NODE, [inProject('node_modules/wrangler/bin/wrangler.js'), 'deploy', ...named, ...args], { interactive: true, env });
    const url = addressIn(output);
    if (url !== undefined) await remark(url);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} url */
async function remark(url) {
  try {
    for (const line of await remarks(url)) console.log(line);
  } catch (error) {
    say(`${url}/readyz does not answer yet: ${error.cause?.message ?? error.message}`);
  }
}

/**
 * The arguments that say which configuration is deployed.
 *
 * @param {string[]} args
 * @returns {{ config?: string, env?: string } & import('../packages/edgeboard/configuration/tokens.mjs').Added}
 */
function readArguments(args) {
  const { values } = parseArgs({
    args,
    options: {
      config: { type: 'string', short: 'c' },
      env: { type: 'string', short: 'e' },
      var: { type: 'string', multiple: true },
      'secrets-file': { type: 'string' },
    },
    strict: false, // the others are wrangler's
    allowPositionals: true,
  });
  for (const [name, value] of Object.entries(values)) {
    if (['config', 'env'].includes(name) && !value) throw new Problem(`--${name} needs a value`);
  }
  return /** @type {any} */ (values);
}

command(import.meta, { usage: USAGE, main });
