/**
 * The Rust toolchain of rust-toolchain.toml with the target the worker is compiled for.
 */
import { existsSync, readFileSync } from 'node:fs';

import { ask, run } from '../../packages/edgeboard/processes.mjs';
import { Problem, say } from '../../packages/edgeboard/report.mjs';
import { inProject } from '../project.mjs';

const TARGET = 'wasm32-unknown-unknown';
const WHERE = 'install it with rustup from https://rustup.rs';

export async function ensureRust() {
  const rustup = ask('rustup', ['--version']) !== undefined;
  if (rustup) await ensureToolchain();
  const version = rustcVersion();
  if (!version) throw new Problem(`edgeboard needs Rust: ${WHERE}`);
  const oldest = oldestVersion();
  if (isOlder(version, oldest)) throw new Problem(`edgeboard needs Rust ${oldest} or newer, this is ${version}: ${WHERE}`);
  if (hasTarget()) return;
  if (!rustup) throw new Problem(`edgeboard needs Rust's ${TARGET} target, which this Rust lacks: ${WHERE}`);
  say(`installing Rust's ${TARGET} target`);
  await run('rustup', ['target', 'add', TARGET]);
}

/**
 * Has rustup use the pinned version, whatever its name: a machine that rustup cannot reach its server from may have it as
 * `stable`. Without it, the newest one that is installed must do; the checks may then find other things.
 */
async function ensureToolchain() {
  if (process.env.RUSTUP_TOOLCHAIN) return;
  const pinned = pinnedVersion();
  const names = toolchainNames();
  if (names.some((name) => name.startsWith(`${pinned}-`))) return;
  const installed = releasesOf(names);
  const same = installed.find(({ version }) => version === pinned);
  if (same) {
    process.env.RUSTUP_TOOLCHAIN = same.name;
    return;
  }
  say(`installing Rust ${pinned}, the version of rust-toolchain.toml`);
  try {
    await run('rustup', ['toolchain', 'install'], { quiet: true });
  } catch (error) {
    const [newest] = installed.filter(({ version }) => !isOlder(version, oldestVersion()));
    if (!newest) throw error;
    say(`it could not be installed; Rust ${newest.version} is used`);
    process.env.RUSTUP_TOOLCHAIN = newest.name;
  }
}

function toolchainNames() {
  const listed = ask('rustup', ['toolchain', 'list']) ?? '';
  return listed.split('\n').map((line) => line.split(' ')[0]);
}

/**
 * The toolchains that are releases, the newest first.
 *
 * @param {string[]} names
 */
function releasesOf(names) {
  const toolchains = names.map((name) => ({ name, version: ask('rustup', ['run', name, 'rustc', '--version'])?.split(' ')[1] ?? '' }));
  const releases = toolchains.filter(({ version }) => /^\d+\.\d+\.\d+$/.test(version));
  return releases.sort((one, other) => (isOlder(one.version, other.version) ? 1 : -1));
}

/** `1.95.0` of `rustc 1.95.0 (…)` */
function rustcVersion() {
  return ask('rustc', ['--version'])?.split(' ')[1];
}

/** The `channel` of rust-toolchain.toml. */
function pinnedVersion() {
  return /^channel = "(.+)"/m.exec(readFileSync(inProject('rust-toolchain.toml'), 'utf8'))?.[1] ?? '';
}

/** The `rust-version` of Cargo.toml. */
function oldestVersion() {
  return /^rust-version = "(.+)"/m.exec(readFileSync(inProject('Cargo.toml'), 'utf8'))?.[1] ?? '';
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
