/**
 * The secrets of a deployment. Each is made or asked for once, and kept in a file that git ignores before it goes to Cloudflare, so that a
 * deployment that was stopped goes on with the same ones. What Cloudflare has already is never made anew, since another VISITOR_SECRET
 * would count everyone again, and another ACTOR_SECRET would sign everyone out.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import util from 'node:util';

import { unreachableHost } from '../configuration/redis-url.mjs';
import { describeShort, shortTokens } from '../configuration/tokens.mjs';
import { inFolder } from '../place.mjs';
import { Problem } from '../report.mjs';
import { askHidden } from './ask.mjs';
import { askWrangler } from './wrangler.mjs';

/** Whoever knows one may do what stands beside it. */
export const MADE = {
  WRITE_TOKEN: 'your servers send events with it',
  ADMIN_TOKEN: 'administrators show it',
  METRICS_TOKEN: 'it reads metrics',
  ACTOR_SECRET: 'your servers sign the tokens of actors with it',
  VISITOR_SECRET: 'visitors without an actor are told apart with it',
  FORWARD_SECRET: 'webhooks are signed with it',
};
const ASKED = /** @type {const} */ ({
  REDIS_URL: 'The address of your Redis (rediss://USER:PASSWORD@HOST:PORT, or https:// of Upstash)',
  REDIS_TOKEN: 'The token of your Redis',
});
/** As many as `openssl rand -base64 24` makes of. */
const SECRET_BYTES = 24;
/** What wrangler says of a worker that was never deployed. */
const NO_WORKER = /Worker ".*" not found/;

/** @typedef {Record<string, string>} Secrets */

/** @param {string} [env] @returns {string} the name of the file */
export const fileOf = (env) => (env ? `.prod.vars.${env}` : '.prod.vars');

/** @param {string} file @returns {Secrets} */
export function readSecrets(file) {
  const path = inFolder(file);
  return existsSync(path) ? /** @type {Secrets} */ (util.parseEnv(readFileSync(path, 'utf8'))) : {};
}

/**
 * Adds secrets to the file, whole or not at all.
 *
 * @param {string} file
 * @param {Secrets} added
 */
export function keepSecrets(file, added) {
  requireIgnored(file);
  const lines = Object.entries({ ...readSecrets(file), ...added }).map(([name, value]) => `${name}='${value}'\n`);
  const path = inFolder(file);
  writeFileSync(`${path}.new`, lines.join(''), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/**
 * @param {string} file
 * @param {string} [pattern] what has git ignore it
 * @throws {Problem} where git would take it
 */
export function requireIgnored(file, pattern = `${file}*`) {
  // It is asked of git, whose rules lie in many files.
  for (const name of [file, `${file}.new`]) {
    const options = /** @type {const} */ ({ cwd: inFolder(), env: { ...process.env, LC_ALL: 'C' }, encoding: 'utf8' });
    const { status, stderr } = spawnSync('git', ['check-ignore', '--quiet', name], options);
    if (status === 1) throw new Problem(`git would take ${name}, which has secrets in it: write ${pattern} into .gitignore`);
    const isIgnored = status === 0 || status === null || stderr.includes('not a git repository'); // null: there is no git
    if (!isIgnored) throw new Problem(`${stderr.trim()}\ngit does not say whether it would take ${name}, which has secrets in it`);
  }
}

/** @param {string[]} where arguments that name the configuration @returns {Promise<Set<string> | undefined>} what a worker has that is there */
export async function namesAtCloudflare(where) {
  try {
    const printed = await askWrangler(['secret', 'list', '--format', 'json', ...where]);
    /** @type {{ name: string }[]} */
    const list = JSON.parse(printed.slice(printed.indexOf('[')));
    return new Set(list.map(({ name }) => name));
  } catch (error) {
    if (error instanceof Problem && NO_WORKER.test(error.message)) return undefined;
    throw error;
  }
}

/**
 * Makes and asks for what is nowhere yet: in no variable, in no file and not at Cloudflare.
 *
 * @param {object} known
 * @param {Record<string, unknown>} known.variables of the configuration file
 * @param {Set<string>} known.names of what Cloudflare has
 * @param {string} known.file
 * @returns {Promise<{ secrets: Secrets, made: string[] }>} those that Cloudflare lacks, and which of them were made now
 */
export async function completeSecrets({ variables, names, file }) {
  const kept = readSecrets(file);
  const isThere = (/** @type {string} */ name) => variables[name] !== undefined || names.has(name) || Boolean(kept[name]);
  const obtain = async (/** @type {keyof typeof ASKED} */ name) => {
    if (isThere(name)) return;
    const value = process.env[name] || (await askHidden(ASKED[name], name));
    requireUsable(name, value);
    keepSecrets(file, { [name]: value });
    kept[name] = value;
  };
  requireIgnored(file);
  await obtain('REDIS_URL');
  const url = variables.REDIS_URL ?? kept.REDIS_URL;
  if (typeof url === 'string' && /^https?:/i.test(url)) await obtain('REDIS_TOKEN');
  const made = Object.keys(MADE).filter((name) => !isThere(name));
  if (made.length > 0) keepSecrets(file, Object.fromEntries(made.map((name) => [name, randomBytes(SECRET_BYTES).toString('base64url')])));
  const all = Object.entries(readSecrets(file));
  return { secrets: Object.fromEntries(all.filter(([name]) => variables[name] === undefined && !names.has(name))), made };
}

/** @param {string} name @param {string} value @throws {Problem} where it cannot work, or can be guessed */
export function requireUsable(name, value) {
  const [short] = shortTokens({ [name]: value });
  if (short) throw new Problem(describeShort(short));
  if (/['\r\n]/.test(value)) throw new Problem(`${name} has a line break or a ', which is not allowed`);
  const host = name === 'REDIS_URL' ? unreachableHost(value) : undefined;
  if (host !== undefined)
    throw new Problem(`REDIS_URL names ${host}, which no worker at Cloudflare can reach; give the public address of your Redis`);
  if (name === 'REDIS_URL' && !/^(rediss?|https?):\/\//i.test(value)) {
    throw new Problem('REDIS_URL begins with something else than what is allowed: rediss://, redis://, https://');
  }
}
