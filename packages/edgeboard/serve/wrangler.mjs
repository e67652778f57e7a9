/**
 * The worker in wrangler's local runtime, up to the moment it answers.
 *
 * Variables go to it in a file only this user can read: arguments are visible to every user of the machine. They win
 * over those of the configuration file.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { inFolder, PACKAGE, placeOf, wrangler } from '../place.mjs';
import { poll } from '../poll.mjs';
import { start } from '../processes.mjs';
import { Problem } from '../report.mjs';
import { LOCAL, localText } from './local.mjs';

/** What dev-worker.mjs calls the module that is served, which is somewhere else in each place. */
const SERVED = "'edgeboard-worker'";
const READY_MS = 60_000;
const PROBE_MS = 5_000;

const environment = () => ({
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_PATH: inFolder('.wrangler/logs'),
  WRANGLER_REGISTRY_PATH: inFolder('.wrangler/registry'),
  CLOUDFLARE_CF_FETCH_ENABLED: 'false', // `request.cf` is a made-up one instead of one fetched from Cloudflare
});

/**
 * Start the worker and wait until /healthz answers 200.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {string} options.configFile
 * @param {string} [options.wranglerEnvironment] the `[env.NAME]` of the configuration file
 * @param {Record<string, string>} options.variables
 * @param {string} [options.storage] the folder of databases and buckets; else it is beside the configuration file
 * @param {import('./local.mjs').Local} [options.local]
 * @param {boolean} [options.isAsBuilt] nothing is built anew, as wrangler would
 * @param {(text: string) => void} options.log takes what wrangler prints once the worker answers
 * @returns {Promise<{ url: string, ended: Promise<number>, stop: () => Promise<void> }>}
 * @throws {Problem} a wrong configuration's own line, or what wrangler printed when the worker does not come up
 */
export async function startWorker({ port, configFile, wranglerEnvironment, variables, local, storage, isAsBuilt = false, log }) {
  const url = `http://localhost:${port}`;
  const files = writeFiles({ ...variables, [LOCAL]: localText(local) });
  let isReady = false;
  let printed = '';
  const worker = start(
    placeOf().node,
    [
      wrangler(),
      ...['dev', files.entry, '--bundle', '--config', configFile, '--env-file', files.env],
      ...(wranglerEnvironment ? ['--env', wranglerEnvironment] : []),
      ...(storage ? ['--persist-to', storage] : []),
      ...['--ip', 'localhost', '--port', String(port), '--show-interactive-dev-session=false'],
    ],
    { env: { ...environment(), ...(isAsBuilt && { EDGEBOARD_AS_BUILT: '1' }) }, log: (text) => (isReady ? log(text) : (printed += text)) },
  );
  const ended = worker.ended.finally(files.remove);

  isReady = await poll(() => answersHealthy(url), { withinMs: READY_MS, ended });
  if (!isReady) throw new Problem(`${printed}\nthe worker did not start`);
  return { url, ended, stop: worker.stop };
}

/**
 * @param {string} url
 * @returns {Promise<boolean>}
 * @throws {Problem} when the worker says that its configuration is wrong
 */
async function answersHealthy(url) {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) });
    const problem = response.status === 500 ? await response.json() : undefined;
    if (problem?.code === 'configuration-invalid') throw new Problem(problem.detail);
    return response.ok;
  } catch (error) {
    if (error instanceof Problem) throw error;
    return false;
  }
}

/**
 * The entry, and a file of variables as wrangler reads them: `$` would begin a reference to another one.
 *
 * @param {Record<string, string>} variables
 */
function writeFiles(variables) {
  mkdirSync(inFolder('.wrangler'), { recursive: true });
  const folder = mkdtempSync(inFolder('.wrangler/worker-'));
  const [entry, env] = [join(folder, 'worker.mjs'), join(folder, 'env')];
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quote(value.replaceAll('$', '\\$'))}\n`);
  writeFileSync(env, lines.join(''), { mode: 0o600 });
  writeFileSync(entry, readFileSync(join(PACKAGE, 'serve/dev-worker.mjs'), 'utf8').replaceAll(SERVED, JSON.stringify(placeOf().worker)));
  return { entry, env, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * The format escapes no quotes, but takes any of three.
 *
 * @param {string} value
 */
function quote(value) {
  const mark = ["'", '`', '"'].find((candidate) => !value.includes(candidate));
  if (!mark || /[\r\n]/.test(value)) throw new Problem('a variable must not hold line breaks or all of \' " `');
  return mark + value + mark;
}
