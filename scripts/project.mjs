/**
 * Where the project's files are, and its programs. What the commands share with the package `edgeboard` works there as well.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { workAt } from '../packages/edgeboard/place.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @param {string[]} parts a path below the project's folder */
export const inProject = (...parts) => join(ROOT, ...parts);

/** The Node that wrangler and the tests need; the system's may be older. */
export const NODE = inProject('node_modules/.bin/node');

workAt({
  folder: ROOT,
  worker: inProject('build/index.js'),
  node: NODE,
  first: [inProject('node_modules/.bin')],
  // Where rustup puts cargo, for a shell that has not been opened anew since.
  last: [join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin')],
});
