/**
 * Deno, in which the client is tested: the npm package of that name, below .tools, since `npm start` and `npm test` of a fresh clone
 * need not wait for its 90 MB.
 */
import { cpSync, mkdirSync } from 'node:fs';

import { inProject } from '../project.mjs';
import { ensurePackages } from './packages.mjs';

const FOLDER = '.tools/deno';
export const DENO = inProject(FOLDER, 'node_modules/deno/bin.cjs');

/** What a test that needs it names, where it cannot be installed. */
export const NAME = 'Deno';

/** @returns {Promise<string>} its path */
export async function ensureDeno() {
  mkdirSync(inProject(FOLDER), { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(inProject('scripts/setup/deno', name), inProject(FOLDER, name), { preserveTimestamps: true });
  await ensurePackages(FOLDER);
  return DENO;
}
