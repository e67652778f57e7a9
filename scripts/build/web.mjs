/**
 * The browser's files as the worker serves them: scripts and styles bundled and minified one by one, the rest as it is.
 */
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

import { run } from '../processes.mjs';
import { inProject } from '../project.mjs';

export const ESBUILD = inProject('node_modules/.bin/esbuild');

const SOURCE = inProject('web');
const MINIFIED = new Set(['.css', '.js']);

/** @param {string} folder what is in it already is removed */
export async function buildWeb(folder) {
  const isMinified = (/** @type {string} */ name) => MINIFIED.has(extname(name));
  rmSync(folder, { recursive: true, force: true });
  cpSync(SOURCE, folder, { recursive: true, filter: (path) => !isMinified(path) });
  const entries = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(isMinified);
  if (entries.length === 0) return;
  const args = [...entries, '--bundle', '--minify', '--format=esm', `--outdir=${folder}`, '--outbase=.', '--log-level=warning'];
  await run(ESBUILD, args, { folder: SOURCE });
  writeFileSync(join(folder, 'bots.txt'), await botPattern());
}

/**
 * What finds the user agents of declared bots: the list of the npm package isbot. Without the shapes that no browser's has: a
 * program that only has a name, such as Node's own `fetch`, may be a server of the site that passes its readers' beacons on.
 */
async function botPattern() {
  const { list } = await import('isbot');
  return list.filter((pattern) => !new RegExp(pattern, 'i').test('node')).join('|');
}
