/**
 * The variables of a wrangler configuration file, as wrangler itself reads them.
 *
 * wrangler needs a newer Node than the system may have, so a process of its own reads the file.
 */
import { spawnSync } from 'node:child_process';

import { environment, inProject, NODE, ROOT } from '../project.mjs';
import { Problem } from '../report.mjs';

/**
 * @typedef {object} Configuration
 * @property {string} file its path
 * @property {string} [wranglerEnvironment] the `[env.NAME]` that was asked for
 * @property {Record<string, unknown>} variables by name
 * @property {{ name: string, simple: { limit: number, period: number } }[]} rateLimits
 */

/**
 * @param {string} file
 * @param {string} [wranglerEnvironment] `--env` of wrangler
 * @returns {Configuration}
 * @throws {Problem} one line, with the place of a syntax error
 */
export function readConfiguration(file, wranglerEnvironment) {
  const reader = spawnSync(NODE, [inProject('scripts/configuration/reader.mjs'), file, wranglerEnvironment ?? ''], {
    cwd: ROOT,
    env: environment({ WRANGLER_LOG: 'none' }),
    encoding: 'utf8',
  });
  if (reader.status !== 0) throw new Problem(`${reader.stderr}${file} could not be read`);
  const { variables, rateLimits, problem } = JSON.parse(reader.stdout);
  if (problem) throw new Problem(problem);
  return { file, wranglerEnvironment, variables, rateLimits };
}
