/**
 * Where the project's files are, and the environment its programs run in.
 */
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @param {string[]} parts a path below the project's folder */
export const inProject = (...parts) => join(ROOT, ...parts);

/** The Node that wrangler and the tests need; the system's may be older. */
export const NODE = inProject('node_modules/.bin/node');

/**
 * This process's environment with the project's own programs first, and cargo found where rustup puts it even in
 * a shell that has not been opened anew since.
 *
 * @param {Record<string, string | undefined>} [extra]
 */
export function environment(extra) {
  const { PATH = '', CARGO_HOME = join(homedir(), '.cargo') } = process.env;
  const path = [inProject('node_modules/.bin'), PATH, join(CARGO_HOME, 'bin')].join(delimiter);
  return { ...process.env, PATH: path, ...extra };
}
