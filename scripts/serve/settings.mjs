/**
 * The settings of `npm start`. The environment comes first, then .dev.vars, where wrangler's users keep their secrets. The
 * tokens are made up when neither has them.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import util from 'node:util';

import { inProject, ROOT } from '../project.mjs';
import { Problem } from '../report.mjs';
import { signActor } from './actor-token.mjs';

const DEFAULT_PORT = '8787';
const TOKEN_BYTES = 18;

/** The worker's variables that the environment may set. */
const FROM_ENVIRONMENT = /^(REDIS_URL|REDIS_TOKEN|VISITOR_SECRET|FORWARD_SECRET|(WRITE_TOKEN|ADMIN_TOKEN|ACTOR_SECRET)(_[A-Z0-9_]+)?)$/;
/** Those that are made up when nobody gives them. */
const MADE_UP = ['WRITE_TOKEN', 'ADMIN_TOKEN', 'ACTOR_SECRET'];
/** Who the demo page's reader is, and for how long. */
const DEMO_ACTOR = 'you';
const DEMO_TOKEN_S = 30 * 24 * 60 * 60;

/**
 * @typedef {object} Settings
 * @property {number} port
 * @property {string} configFile
 * @property {Record<string, string>} variables the worker's, by name; REDIS_URL is absent when none is given
 * @property {Record<string, string>} madeUp those of the variables that nobody gave, and that may be printed therefore
 */

/**
 * @param {NodeJS.ProcessEnv} env an empty variable counts as absent
 * @returns {Settings}
 */
export function readSettings(env) {
  const named = Object.entries(env).filter(([name, value]) => value && FROM_ENVIRONMENT.test(name));
  const given = /** @type {Record<string, string>} */ ({ ...readDevVars(), ...Object.fromEntries(named) });
  const missing = MADE_UP.filter((name) => !given[name]);
  const madeUp = Object.fromEntries(missing.map((name) => [name, makeToken()]));
  const expiry = Math.floor(Date.now() / 1000) + DEMO_TOKEN_S;
  const [secret] = (given.ACTOR_SECRET_DEMO ?? given.ACTOR_SECRET ?? madeUp.ACTOR_SECRET).split(',');
  return {
    port: parsePort(env.PORT || DEFAULT_PORT),
    configFile: resolve(ROOT, env.EDGEBOARD_CONFIG || 'wrangler.toml'),
    variables: { DEMO_TOKEN: signActor({ secret: secret.trim(), site: 'demo', actor: DEMO_ACTOR, expiry }), ...given, ...madeUp },
    madeUp,
  };
}

function readDevVars() {
  try {
    return util.parseEnv(readFileSync(inProject('.dev.vars'), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * What is said of a token: it stands in terminals and logs, so one that was given is not told.
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
