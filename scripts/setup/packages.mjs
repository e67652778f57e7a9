/**
 * The npm packages of package-lock.json, below node_modules.
 */
import { statSync } from 'node:fs';
import { delimiter } from 'node:path';

import { ask, run } from '../processes.mjs';
import { inProject, NODE } from '../project.mjs';
import { Problem, say } from '../report.mjs';

export async function ensurePackages() {
  if (modified('node_modules/.package-lock.json') >= modified('package-lock.json')) return;
  say('installing the npm packages');
  await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { quiet: true, env: { PATH: systemPath() } });
  if (ask(NODE, ['--version']) === undefined) {
    throw new Problem('the npm package `node` did not install its program: does npm run with ignore-scripts?');
  }
}

/**
 * When a file was last changed; 0 when it is missing.
 *
 * @param {string} path
 */
function modified(path) {
  return statSync(inProject(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** PATH without the packages' programs: npm must not run on the Node it is about to replace. */
function systemPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => folder !== inProject('node_modules/.bin')).join(delimiter);
}
