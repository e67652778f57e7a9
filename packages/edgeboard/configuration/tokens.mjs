/**
 * Tokens that can be found by trying.
 *
 * Cloudflare tells the names of secrets and never their values. So a deployment is judged by what it is given: variables of the
 * configuration file, those and the secrets that wrangler's arguments add, and what the environment has.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import util from 'node:util';

import { Problem } from '../report.mjs';

/** Characters of a token, at least: `openssl rand -base64 24` makes 32. */
const LONG = 16;
const TOKEN = /^(WRITE|ADMIN|METRICS)_TOKEN(_[A-Z0-9_]+)?$/;

/** What the arguments of `wrangler deploy` add to the worker. @typedef {{ var?: string[], 'secrets-file'?: string }} Added */

/**
 * The variables that hold a token which is too short, of one or of two that are separated by a comma.
 *
 * @param {Record<string, unknown>} variables
 */
export function shortTokens(variables) {
  const isShort = (/** @type {unknown} */ value) => typeof value === 'string' && value !== '' && value.split(',').some(isShortToken);
  return Object.entries(variables).flatMap(([name, value]) => (TOKEN.test(name) && isShort(value) ? [name] : []));
}

/** @param {string} token */
const isShortToken = (token) => token.trim().length < LONG;

/** What short tokens lead to. @param {string} name */
export const describeShort = (name) => `${name} has fewer than ${LONG} characters, so it can be found by trying`;

/**
 * @param {import('./read.mjs').Configuration} configuration
 * @param {Added} added
 * @param {NodeJS.ProcessEnv} env
 * @throws {Problem} naming the first token that is too short, and where it stands
 */
export function requireLongTokens({ file, variables }, added, env) {
  const given = (added.var ?? [])
    .filter((pair) => typeof pair === 'string')
    .map((pair) => [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)]);
  const places = /** @type {[string, Record<string, unknown>][]} */ ([
    [file, variables],
    ['--var', Object.fromEntries(given)],
    ...(added['secrets-file'] ? [[added['secrets-file'], readSecrets(added['secrets-file'])]] : []),
    ['the environment', env],
  ]);
  for (const [place, found] of places) {
    const [name] = shortTokens(found);
    if (name) throw new Problem(`${describeShort(name)} (in ${place}); make another one: openssl rand -base64 24`);
  }
}

/** A file of secrets, as JSON or as lines. What cannot be read is wrangler's to refuse. @param {string} file */
function readSecrets(file) {
  try {
    const text = readFileSync(resolve(file), 'utf8');
    return text.trimStart().startsWith('{') ? JSON.parse(text) : util.parseEnv(text);
  } catch {
    return {};
  }
}
