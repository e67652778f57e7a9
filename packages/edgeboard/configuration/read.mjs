/**
 * The variables of a wrangler configuration file, as wrangler itself reads them.
 *
 * wrangler needs a newer Node than the system may have, so a process of its own reads the file.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { environment, PACKAGE, placeOf } from '../place.mjs';
import { Problem } from '../report.mjs';

/**
 * @typedef {object} Configuration
 * @property {string} file its path
 * @property {string} [wranglerEnvironment] the `[env.NAME]` that was asked for
 * @property {string} [storage] the folder of databases and buckets on this machine; else it is beside the file
 * @property {Record<string, unknown>} variables by name
 * @property {{ place: string, name: string }[]} misplaced variables that stand where nobody reads them
 * @property {{ name: string, simple: { limit: number, period: number } }[]} rateLimits
 * @property {Record<string, any>} raw what stands in the file, of the environment that was asked for as well
 * @property {Record<string, any>} resolved the same keys, and the name, as wrangler takes them
 */

/**
 * The tables of all sites, as the worker merges them, by name.
 *
 * @param {Configuration} configuration
 * @returns {Record<string, any>}
 */
export function sitesOf({ variables }) {
  const tables = Object.entries(variables).filter(([name, value]) => name.startsWith('SITES') && typeof value === 'object');
  /** @type {Record<string, any>} */
  const sites = {};
  for (const [name, site] of tables.flatMap(([, table]) => Object.entries(table ?? {}))) sites[name] = merged(sites[name], site);
  return sites;
}

/** Tables are merged; of anything else the worker demands that it is the same. @param {any} one @param {any} other @returns {any} */
function merged(one, other) {
  const isTable = (/** @type {any} */ value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isTable(one) || !isTable(other)) return other ?? one;
  const both = { ...one };
  for (const [name, value] of Object.entries(other)) both[name] = merged(both[name], value);
  return both;
}

/**
 * @param {string} file
 * @param {string} [wranglerEnvironment] `--env` of wrangler
 * @returns {Configuration}
 * @throws {Problem} one line, with the place of a syntax error
 */
export function readConfiguration(file, wranglerEnvironment) {
  const reader = spawnSync(placeOf().node, [join(PACKAGE, 'configuration/reader.mjs'), file, wranglerEnvironment ?? ''], {
    cwd: placeOf().folder,
    env: environment({ WRANGLER_LOG: 'none' }),
    encoding: 'utf8',
  });
  if (reader.status !== 0) throw new Problem(`${reader.stderr}${file} could not be read`);
  const { problem, ...read } = JSON.parse(reader.stdout);
  if (problem) throw new Problem(problem);
  return { file, wranglerEnvironment, ...read };
}
