/**
 * The browser's files as the worker serves them: scripts and styles bundled and minified one by one. The page of administration is one file,
 * with its own script and style in it; the rest is as it is.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

import { run } from '../../packages/edgeboard/processes.mjs';
import { inProject } from '../project.mjs';

export const ESBUILD = inProject('node_modules/.bin/esbuild');

const SOURCE = inProject('web');
const MINIFIED = new Set(['.css', '.js']);
/** What the page says in the place of its script and of its style, and the file that comes there. */
const PARTS = [
  ["import './admin/main.js';", 'admin/main.js'],
  ["@import 'admin/style.css';", 'admin/style.css'],
];

/** @param {string} folder what is in it already is removed */
export async function buildWeb(folder) {
  const isMinified = (/** @type {string} */ name) => MINIFIED.has(extname(name));
  rmSync(folder, { recursive: true, force: true });
  cpSync(SOURCE, folder, { recursive: true, filter: (path) => !isMinified(path) });
  const entries = [...readdirSync(SOURCE).filter(isMinified), ...PARTS.map(([, file]) => file)];
  const args = [...entries, '--bundle', '--minify', '--format=esm', `--outdir=${folder}`, '--outbase=.', '--log-level=warning'];
  await run(ESBUILD, args, { folder: SOURCE });
  putTogether(folder);
  writeFileSync(join(folder, 'bots.txt'), await botPattern());
}

/** @param {string} folder */
function putTogether(folder) {
  const page = join(folder, 'admin.html');
  const whole = PARTS.reduce(
    (text, [place, file]) => {
      if (!text.includes(place)) throw new Error(`web/admin.html has no ${place}`);
      return text.replace(place, () => readFileSync(join(folder, file), 'utf8'));
    },
    readFileSync(page, 'utf8'),
  );
  writeFileSync(page, whole);
  rmSync(join(folder, 'admin'), { recursive: true });
}

/**
 * What finds the user agents of declared bots: the list of the npm package isbot. Without the shapes that no browser's has: a
 * program that only has a name, such as Node's own `fetch`, may be a server of the site that passes its readers' beacons on.
 */
async function botPattern() {
  const { list } = await import('isbot');
  return list.filter((pattern) => !new RegExp(pattern, 'i').test('node')).join('|');
}
