/**
 * The program that binds the compiled crate to JavaScript, built from crates.io below .tools: wasm-bindgen of the very version that the
 * crate is linked with. And cargo-deny, which checks the crates.
 *
 * Each is built of the versions that a lock file names. EDGEBOARD_UNLOCKED=1 allows newer ones where these cannot be had.
 */
import { readFileSync, rmSync } from 'node:fs';

import { ask, run } from '../../packages/edgeboard/processes.mjs';
import { Problem, say } from '../../packages/edgeboard/report.mjs';
import { inProject } from '../project.mjs';
import { ensureCompiler } from './compiler.mjs';
import { mayUseUnlocked } from './unlocked.mjs';

export const WASM_BINDGEN = inProject('.tools/bin/wasm-bindgen');
const WORKER_BUILD = inProject('.tools/bin/worker-build');
export const CARGO_DENY = inProject('.tools/bin/cargo-deny');

const CARGO_DENY_VERSION = '0.20.2';
const WASM_BINDGEN_SOURCE = 'scripts/setup/wasm-bindgen';
/** Where tools are compiled; removed when they are there. */
const TARGET = inProject('.tools/target');

/** Without optimization: that takes a minute, and it runs for two seconds. */
export async function ensureCargoTools() {
  const version = lockedVersion('wasm-bindgen', 'Cargo.lock');
  if (lockedVersion('wasm-bindgen-cli', `${WASM_BINDGEN_SOURCE}/Cargo.lock`) !== version) {
    throw new Problem(`${WASM_BINDGEN_SOURCE} is not of the version ${version}, which Cargo.lock names; its Cargo.toml says what to do`);
  }
  await ensureTool(WASM_BINDGEN, 'wasm-bindgen', version, ['--debug', '--path', inProject(WASM_BINDGEN_SOURCE)]);
}

/** Likewise. */
export async function ensureCargoDeny() {
  await ensureTool(CARGO_DENY, 'cargo-deny', CARGO_DENY_VERSION, ['--debug', `cargo-deny@${CARGO_DENY_VERSION}`]);
}

/** Of the version of `worker` that is locked; answers its path. For `npm run prove shim` alone. */
export async function ensureWorkerBuild() {
  const version = lockedVersion('worker', 'Cargo.lock');
  await ensureTool(WORKER_BUILD, 'worker-build', version, ['--debug', `worker-build@${version}`]);
  return WORKER_BUILD;
}

/**
 * @param {string} path
 * @param {string} name
 * @param {string} version
 * @param {string[]} source what cargo installs
 */
async function ensureTool(path, name, version, source) {
  if (ask(path, ['--version'])?.split(' ').at(-1) === version) return;
  await ensureCompiler();
  say(`building ${name} ${version} below .tools (some minutes, once)`);
  const install = ['install', '--root', inProject('.tools'), '--target-dir', TARGET, '--bin', name, '--force', ...source];
  try {
    await run('cargo', [...install, '--locked']);
  } catch (error) {
    // A lock file can name a version that was yanked since, or that a mirror lacks.
    if (!mayUseUnlocked(process.env, `${name} could not be built of the versions that it is locked to`)) throw error;
    await run('cargo', install);
  }
  rmSync(TARGET, { recursive: true, force: true });
}

/**
 * The version of a crate in a lock file.
 *
 * @param {string} crate
 * @param {string} file
 */
function lockedVersion(crate, file) {
  const lock = readFileSync(inProject(file), 'utf8');
  const version = new RegExp(`^name = "${crate}"\\nversion = "(.+)"`, 'm').exec(lock)?.[1];
  if (!version) throw new Problem(`${file} names no ${crate}; cargo generate-lockfile brings it up to date`);
  return version;
}
