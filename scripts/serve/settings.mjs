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

const DEFAULT_PORT = '8787';
const TOKEN_BYTES = 18;

/** The worker's variables that the environment may set. */
const FROM_ENVIRONMENT = ['REDIS_URL', 'REDIS_TOKEN', 'WRITE_TOKEN', 'ADMIN_TOKEN'];

/**
 * @typedef {object} Settings
 * @property {number} port
 * @property {string} configFile
 * @property {Record<string, string>} variables the worker's, by name; REDIS_URL is absent when none is given
 */

/**
 * @param {NodeJS.ProcessEnv} env an empty variable counts as absent
 * @returns {Settings}
 */
export function readSettings(env) {
  const given = FROM_ENVIRONMENT.filter((name) => env[name]).map((name) => [name, env[name]]);
  return {
    port: parsePort(env.PORT || DEFAULT_PORT),
    configFile: resolve(ROOT, env.EDGEBOARD_CONFIG || 'wrangler.toml'),
    variables: {
      WRITE_TOKEN: makeToken(),
      ADMIN_TOKEN: makeToken(),
      ...readDevVars(),
      ...Object.fromEntries(given),
    },
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

/** @param {string} text */
function parsePort(text) {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return port;
  throw new Problem(`PORT is ${JSON.stringify(text)}, which is not a port: 1 to 65535`);
}

function makeToken() {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}
