/**
 * wrangler's own commands, which ask Cloudflare with the login that there is.
 */
import { stripVTControlCharacters } from 'node:util';

import { start } from '../processes.mjs';
import { inFolder, placeOf, wrangler } from '../place.mjs';
import { Problem } from '../report.mjs';

const ENVIRONMENT = {
  CI: '1',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
  CLOUDFLARE_ENV: '', // what is deployed was written for one environment
};

/** What wrangler says where there is neither a login nor a token. */
const SIGNED_OUT = "it's necessary to set a CLOUDFLARE_API_TOKEN";
const SIGN_IN =
  'nobody is signed in at Cloudflare: npx wrangler login, or give CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID in the environment';

/**
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @param {string} [input] what it reads
 * @returns {Promise<string>} what it printed
 * @throws {Problem} with what it printed, where it fails
 */
export async function askWrangler(args, env, input) {
  let printed = '';
  const logs = inFolder('.wrangler/logs');
  const log = (/** @type {string} */ text) => (printed += text);
  const exitCode = await start(placeOf().node, [wrangler(), ...args], {
    log,
    input,
    env: { ...ENVIRONMENT, WRANGLER_LOG_PATH: logs, ...env },
  }).ended;
  if (exitCode === 0) return printed;
  if (printed.includes(SIGNED_OUT)) throw new Problem(SIGN_IN);
  const message = stripVTControlCharacters(printed).trim();
  throw new Problem(`${message}\nwrangler ${args.slice(0, 2).join(' ')} failed with exit code ${exitCode}`);
}
