/**
 * Whether anything the worker is built from changed since it was built.
 *
 * A fingerprint is a digest of every input's path, size and time of change, so that it also notices a file that was
 * removed, renamed or put back. Cargo would find out too, in seconds; wrangler builds before every command.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { inProject } from '../project.mjs';

const INPUTS = [
  'build.rs',
  'Cargo.lock',
  'Cargo.toml',
  'lua',
  'migrations',
  'package-lock.json',
  'rust-toolchain.toml',
  'scripts/build',
  'scripts/build.mjs',
  'src',
  'web',
];

const STAMP = inProject('build/.fingerprint');

/** @returns {string} of the inputs as they are now */
export function takeFingerprint() {
  const digest = createHash('sha256');
  for (const path of INPUTS.flatMap(filesAt)) {
    const { size, mtimeMs } = statSync(inProject(path));
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}

/** @returns {string | undefined} of the inputs of the last build that succeeded */
export function lastFingerprint() {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} fingerprint */
export function keepFingerprint(fingerprint) {
  writeFileSync(STAMP, fingerprint);
}

/**
 * A file, or all files below a folder, in a stable order.
 *
 * @param {string} path
 * @returns {string[]}
 */
function filesAt(path) {
  const found = statSync(inProject(path), { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(inProject(path))
    .sort()
    .flatMap((name) => filesAt(join(path, name)));
}
