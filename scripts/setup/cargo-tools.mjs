/**
 * The programs that turn the compiled crate into a worker, built from crates.io below .tools: worker-build, and
 * wasm-bindgen of the very version the crate is linked with. worker-build would download a wasm-bindgen from GitHub,
 * which closed networks refuse.
 */
import { readFileSync } from 'node:fs';

import { ask, run } from '../processes.mjs';
import { inProject } from '../project.mjs';
import { Problem, say } from '../report.mjs';
import { ensureCompiler } from './compiler.mjs';

export const WORKER_BUILD = inProject('.tools/bin/worker-build');
export const WASM_BINDGEN = inProject('.tools/bin/wasm-bindgen');

const WORKER_BUILD_VERSION = '0.8.7';

export async function ensureCargoTools() {
  // wasm-bindgen's default features are the TLS of its test runner.
  const wasmBindgen = { crate: 'wasm-bindgen-cli', version: lockedVersion('wasm-bindgen'), flags: ['--no-default-features'] };
  const workerBuild = { crate: 'worker-build', version: WORKER_BUILD_VERSION, flags: [] };
  await ensureTool(WASM_BINDGEN, 'wasm-bindgen', wasmBindgen);
  await ensureTool(WORKER_BUILD, 'worker-build', workerBuild);
}

/**
 * @param {string} path
 * @param {string} name
 * @param {{ crate: string, version: string, flags: string[] }} source
 */
async function ensureTool(path, name, { crate, version, flags }) {
  if (ask(path, ['--version'])?.split(' ').at(-1) === version) return;
  await ensureCompiler();
  say(`building ${name} ${version} below .tools (some minutes, once)`);
  const install = ['install', '--root', inProject('.tools'), '--bin', name, '--force', ...flags, `${crate}@${version}`];
  try {
    await run('cargo', [...install, '--locked']);
  } catch {
    // The lock file a tool was published with can name a version that was yanked since, or that a mirror lacks.
    say(`building ${name} again with the newest versions of what it depends on`);
    await run('cargo', install);
  }
}

/**
 * The version of a crate in Cargo.lock.
 *
 * @param {string} crate
 */
function lockedVersion(crate) {
  const lock = readFileSync(inProject('Cargo.lock'), 'utf8');
  const version = new RegExp(`^name = "${crate}"\\nversion = "(.+)"`, 'm').exec(lock)?.[1];
  if (!version) throw new Problem(`Cargo.lock names no ${crate}; cargo generate-lockfile brings it up to date`);
  return version;
}
