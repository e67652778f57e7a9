/**
 * The settings of `npm start`. The environment comes first, then .dev.vars, where wrangler's users keep their secrets. The
 * tokens are made up when neither has them.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import util from 'node:util';

import { variableNamed } from '../configuration/variables.mjs';
import { inFolder } from '../place.mjs';
import { Problem } from '../report.mjs';

const DEFAULT_PORT = '8787';
const TOKEN_BYTES = 18;

/** Those that are made up when nobody gives them. */
const MADE_UP = ['WRITE_TOKEN', 'ADMIN_TOKEN', 'ACTOR_SECRET'];

/**
 * @typedef {object} Settings
 * @property {number} port
 * @property {string} configFile
 * @property {Record<string, string>} variables the worker's, by name; REDIS_URL is absent when none is given
 * @property {Record<string, unknown>} numbers those of them that are no texts, as what they are
 * @property {Record<string, string>} madeUp those of the variables that nobody gave, and that may be printed therefore
 */

/**
 * @param {NodeJS.ProcessEnv} env an empty variable counts as absent
 * @param {string} [wranglerEnvironment]
 * @returns {Settings}
 */
export function readSettings(env, wranglerEnvironment) {
  const named = Object.entries(env).filter(([name, value]) => value && variableNamed(name));
  const given = /** @type {Record<string, string>} */ ({ ...readDevVars(wranglerEnvironment), ...Object.fromEntries(named) });
  const missing = MADE_UP.filter((name) => !given[name]);
  const madeUp = Object.fromEntries(missing.map((name) => [name, makeToken()]));
  return {
    port: parsePort(env.PORT || DEFAULT_PORT),
    configFile: resolve(inFolder(), env.EDGEBOARD_CONFIG || 'wrangler.toml'),
    variables: { ...given, ...madeUp },
    numbers: Object.fromEntries(Object.entries(given).flatMap(([name, text]) => numberOf(name, text))),
    madeUp,
  };
}

/** A text that is no number stays one, and the worker says so. @param {string} name @param {string} text */
function numberOf(name, text) {
  const isNumber = variableNamed(name)?.isNumber && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? [[name, Number(text)]] : [];
}

/**
 * What a site's tokens of actors are signed with: the newer one, where there are two.
 *
 * @param {Settings} settings
 * @param {string} site
 */
export function actorSecretOf({ variables }, site) {
  const own = `ACTOR_SECRET_${site.toUpperCase().replaceAll('-', '_')}`;
  return (variables[own] || variables.ACTOR_SECRET).split(',')[0].trim();
}

/** As wrangler reads them: an environment's own file, where there is one, stands for the other. @param {string} [wranglerEnvironment] */
function readDevVars(wranglerEnvironment) {
  const names = [...(wranglerEnvironment ? [`.dev.vars.${wranglerEnvironment}`] : []), '.dev.vars'];
  const file = names.map((name) => inFolder(name)).find((path) => existsSync(path));
  return file ? util.parseEnv(readFileSync(file, 'utf8')) : {};
}

/**
 * A token for terminals and logs: one that was given is not shown.
 *
 * @param {Settings} settings
 * @param {'WRITE_TOKEN' | 'ADMIN_TOKEN' | 'ACTOR_SECRET'} name
 */
export function describeToken({ madeUp }, name) {
  return madeUp[name] ?? 'as given';
}

/** @param {string} text */
function parsePort(text) {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return port;
  throw new Problem(`PORT is ${JSON.stringify(text)}, which is not a port: 1 to 65535`);
}

function makeToken() {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}
