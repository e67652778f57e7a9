/**
 * The Rust toolchain of rust-toolchain.toml with the target the worker is compiled for.
 */
import { existsSync, readFileSync } from 'node:fs';

import { ask, run } from '../processes.mjs';
import { inProject } from '../project.mjs';
import { Problem, say } from '../report.mjs';

const TARGET = 'wasm32-unknown-unknown';
const WHERE = 'install it with rustup from https://rustup.rs';

export async function ensureRust() {
  const rustup = ask('rustup', ['--version']) !== undefined;
  let version = rustcVersion();
  if (!version && rustup) {
    say('installing the Rust toolchain of rust-toolchain.toml');
    await run('rustup', ['toolchain', 'install']);
    version = rustcVersion();
  }
  if (!version) throw new Problem(`edgeboard needs Rust: ${WHERE}`);
  const oldest = oldestVersion();
  if (isOlder(version, oldest)) throw new Problem(`edgeboard needs Rust ${oldest} or newer, this is ${version}: ${WHERE}`);
  if (hasTarget()) return;
  if (!rustup) throw new Problem(`edgeboard needs Rust's ${TARGET} target, which this Rust lacks: ${WHERE}`);
  say(`installing Rust's ${TARGET} target`);
  await run('rustup', ['target', 'add', TARGET]);
}

/** `1.95.0` of `rustc 1.95.0 (…)` */
function rustcVersion() {
  return ask('rustc', ['--version'])?.split(' ')[1];
}

/** The `rust-version` of Cargo.toml. */
function oldestVersion() {
  return /^rust-version = "(.+)"/m.exec(readFileSync(inProject('Cargo.toml'), 'utf8'))[1];
}

/**
 * @param {string} version
 * @param {string} oldest
 */
function isOlder(version, oldest) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldest.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

function hasTarget() {
  const libraries = ask('rustc', ['--print', 'target-libdir', '--target', TARGET]);
  return libraries !== undefined && existsSync(libraries);
}
