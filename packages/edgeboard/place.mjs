/**
 * Where a command works: in the folder that it is started in, with the worker that is packed. The repository's own commands say another
 * place (scripts/project.mjs).
 */
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's own files. */
export const PACKAGE = fileURLToPath(new URL('.', import.meta.url));

/**
 * @typedef {object} Place
 * @property {string} folder what commands read and write is below it
 * @property {string} worker the module that is served
 * @property {string} node that wrangler runs on
 * @property {string[]} first folders of programs that come before PATH
 * @property {string[]} last those that come after it
 */

/** @type {Place} */
const place = { folder: process.cwd(), worker: join(PACKAGE, 'worker/index.js'), node: process.execPath, first: [], last: [] };

/** @param {Partial<Place>} other */
export function workAt(other) {
  Object.assign(place, other);
}

/** @returns {Readonly<Place>} */
export const placeOf = () => place;

/** @param {string[]} parts a path below the folder of the command */
export const inFolder = (...parts) => join(place.folder, ...parts);

/** The program of wrangler, which its package exports no path of. */
export const wrangler = () => join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js');

/**
 * This process's environment with the place's own programs.
 *
 * @param {Record<string, string | undefined>} [extra]
 */
export function environment(extra) {
  const path = [...place.first, process.env.PATH ?? '', ...place.last].join(delimiter);
  return { ...process.env, PATH: path, ...extra };
}
