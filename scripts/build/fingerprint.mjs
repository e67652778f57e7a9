/**
 * Whether anything the worker is built from changed since it was built.
 *
 * A fingerprint is a digest of every input's path, size and time of change, so that it also notices a file that was
 * removed, renamed or put back. Cargo would find out too, in seconds; wrangler builds before every command.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { inProject } from '../project.mjs';

const INPUTS = [
  'crates',
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

/** Those of them that a verdict on a configuration depends on. */
const JUDGE_INPUTS = ['Cargo.lock', 'Cargo.toml', 'crates/engine', 'crates/ranking', 'crates/serve/src/config', 'src/edge'];
const JUDGE_STAMP = inProject('build/.judge-fingerprint');

/** @param {string[]} inputs @returns {string} of the inputs as they are now */
export function takeFingerprint(inputs = INPUTS) {
  const digest = createHash('sha256');
  for (const path of inputs.flatMap(filesAt)) {
    const { size, mtimeMs } = statSync(inProject(path));
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}

/** Whether anything changed since the last build that succeeded, or there was none. */
export function isBuildDue() {
  return read(STAMP) !== takeFingerprint();
}

/** Whether there is a build, and it judges configurations as the next one will. */
export function isJudgeCurrent() {
  return read(JUDGE_STAMP) === takeFingerprint(JUDGE_INPUTS);
}

/** What is in build/ from now on is no build, until one succeeds. */
export function forgetFingerprints() {
  for (const stamp of [STAMP, JUDGE_STAMP]) rmSync(stamp, { force: true });
}

/** @returns {() => void} keeps what the inputs are now, once they are built */
export function takeFingerprints() {
  const [all, judge] = [takeFingerprint(), takeFingerprint(JUDGE_INPUTS)];
  return () => {
    writeFileSync(STAMP, all);
    writeFileSync(JUDGE_STAMP, judge);
  };
}

/** @param {string} stamp @returns {string | undefined} */
function read(stamp) {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
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
