/**
 * `edgeboard dev`: serves the site of a folder on this machine, with the page to try it on.
 */
import { existsSync, readFileSync } from 'node:fs';

import { prepare, printed, storage, writeMerged, writeOther } from '../configuration/prepare.mjs';
import { variableLines } from '../configuration/variables.mjs';
import { applyMigrations } from '../deploy/migrations.mjs';
import { inFolder } from '../place.mjs';
import { say } from '../report.mjs';
import { requireFree, serve } from '../serve/serve.mjs';
import { describeToken, readSettings } from '../serve/settings.mjs';
import { locate } from '../setup/programs.mjs';
import { ensureRedis, REDIS } from '../setup/redis.mjs';
import { mayInstall } from '../setup/system-packages.mjs';
import { NAMED, NAMED_USAGE, readOptions } from './options.mjs';

const AGAIN = 'npx edgeboard dev';
const PAGE = 'try.html';

const USAGE = `
Usage: ${AGAIN} [--print] [--origin ORIGIN]… [--config FILE] [--env NAME]

Serves the configuration of this folder on this machine, with ${PAGE} at / and the page of administration at /admin. The scheduled
run is done each ten seconds. A Redis is started unless REDIS_URL names one; it keeps its data below .wrangler, as databases do.

${NAMED_USAGE}
  --origin ORIGIN  pages that may count too, such as http://localhost:1313
  --print        print the whole configuration, and serve nothing

Environment:
  PORT  the port to serve on (8787)

Variables of the worker, which win over those of the configuration file and of .dev.vars:
${variableLines()}
`;

/** @param {string[]} args */
async function main(args) {
  const { values } = readOptions(args, { ...NAMED, origin: { type: 'string', multiple: true }, print: { type: 'boolean' } });
  const prepared = await prepare(values);
  writeMerged(prepared); // for wrangler's own commands
  const settings = readSettings(process.env, prepared.configuration.wranglerEnvironment);
  if (!values.print) await requireFree(settings.port, AGAIN);
  const merged = onThisMachine(prepared.merged, values.origin ?? []);
  if (values.print) return void process.stdout.write(printed(merged));
  const redisServer = settings.variables.REDIS_URL ? undefined : await redisProgram();
  const configFile = writeOther({ ...prepared, merged }, 'dev.json');
  await applyMigrations(merged, { configFile, storage: storage() });
  const local = { variables: settings.numbers, page: pageOf() };
  await serve({
    configuration: prepared.configuration,
    settings,
    configFile,
    storage: storage(),
    redisServer,
    local,
    again: AGAIN,
    describe: (url, redisUrl) => describe(url, redisUrl, settings, local.page !== undefined),
  });
}

/**
 * The configuration where no address but this machine's answers, and where more pages may count.
 *
 * @param {import('../configuration/merge.mjs').Table} merged
 * @param {string[]} added origins
 */
export function onThisMachine({ routes, route, ...merged }, added) {
  /** @param {any} site */
  const opened = (site) => (Array.isArray(site?.origins) ? { ...site, origins: [...new Set([...site.origins, ...added])] } : site);
  /** @param {[string, any]} variable @returns {[string, any]} */
  const each = ([name, value]) =>
    name.startsWith('SITES') && typeof value === 'object'
      ? [name, Object.fromEntries(Object.entries(value).map(([site, table]) => [site, opened(table)]))]
      : [name, value];
  return { ...merged, vars: Object.fromEntries(Object.entries(merged.vars ?? {}).map(each)) };
}

/** @returns {Promise<string>} */
async function redisProgram() {
  const found = locate(REDIS);
  if (found) return found;
  say("there is no redis-server or valkey-server. The system's packages have one in about a minute; building one takes some three minutes");
  return ensureRedis(() => mayInstall(process.env, REDIS.name, 'npm install redis-memory-server, which builds it below .tools'));
}

/** @returns {import('../serve/local.mjs').Page | undefined} the page of the folder, where there is one */
function pageOf() {
  if (!existsSync(inFolder(PAGE))) return undefined;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // Not `no-referrer`, with which browsers name no origin in the page's own beacons.
    'referrer-policy': 'same-origin',
  };
  return { html: readFileSync(inFolder(PAGE), 'utf8'), headers };
}

/**
 * @param {string} url
 * @param {string | undefined} redisUrl of the Redis started here; a given one's may hold a password
 * @param {import('../serve/settings.mjs').Settings} settings
 * @param {boolean} hasPage
 */
function describe(url, redisUrl, settings, hasPage) {
  return `
edgeboard serves on ${url}

  ${PAGE}     ${hasPage ? `${url}/` : 'there is none in this folder'}
  admin page   ${url}/admin   asks for ADMIN_TOKEN
  Redis        ${redisUrl ?? 'as given by REDIS_URL'}
  WRITE_TOKEN  ${describeToken(settings, 'WRITE_TOKEN')}
  ADMIN_TOKEN  ${describeToken(settings, 'ADMIN_TOKEN')}
  ACTOR_SECRET ${describeToken(settings, 'ACTOR_SECRET')}

Ctrl-C stops it.
`;
}

export const dev = { about: 'serves on this machine, with a page to try it on', usage: USAGE, main };
