/**
 * The npm packages of a package-lock.json, below the node_modules beside it.
 */
import { readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { ask, run } from '../../packages/edgeboard/processes.mjs';
import { Problem, say } from '../../packages/edgeboard/report.mjs';
import { inProject, NODE } from '../project.mjs';
import { mayUseUnlocked } from './unlocked.mjs';

/** @param {string} [folder] below the project's folder; that itself by default */
export async function ensurePackages(folder = '.') {
  const lock = join(folder, 'package-lock.json');
  if (modified(join(folder, 'node_modules/.package-lock.json')) >= modified(lock)) return;
  const unverified = withoutIntegrity(JSON.parse(readFileSync(inProject(lock), 'utf8')), process);
  if (unverified.length > 0 && !mayUseUnlocked(process.env, `${lock} has no digest of ${unverified.join(', ')}`)) {
    throw new Problem('npm would install it unverified; a package-lock.json made where the registry has it has the digest');
  }
  say(folder === '.' ? 'installing the npm packages' : `installing the npm packages of ${folder}/`);
  await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    quiet: true,
    folder: inProject(folder),
    env: { PATH: systemPath() },
  });
  if (folder === '.' && ask(NODE, ['--version']) === undefined) {
    throw new Problem('the npm package `node` did not install its program: does npm run with ignore-scripts?');
  }
}

/**
 * The packages of a lock file that a machine would install and nothing verifies.
 *
 * @param {{ packages: Record<string, { integrity?: string, link?: boolean, os?: string[], cpu?: string[] }> }} lock
 * @param {{ platform: string, arch: string }} machine
 */
export function withoutIntegrity({ packages }, { platform, arch }) {
  const fits = (/** @type {string[] | undefined} */ list, /** @type {string} */ name) => !list || list.includes(name);
  const isUnverified = (/** @type {string} */ path) => {
    const { integrity, link, os, cpu } = packages[path];
    return path !== '' && !link && !integrity && fits(os, platform) && fits(cpu, arch);
  };
  return Object.keys(packages).filter(isUnverified);
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
