/**
 * Builds the worker into build/: the browser's files, then the crate with them inside, twice: its everyday module, and the whole one.
 *
 * worker-build would download the programs it runs; each is named to it instead.
 */
import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import { keepCommit } from './build/commit.mjs';
import { forgetFingerprints, isBuildDue, takeFingerprint, takeFingerprints } from './build/fingerprint.mjs';
import { buildWeb, ESBUILD } from './build/web.mjs';
import { command } from './command.mjs';
import { run } from './processes.mjs';
import { inProject } from './project.mjs';
import { Problem, say } from './report.mjs';
import { WASM_BINDGEN, WORKER_BUILD } from './setup/cargo-tools.mjs';
import { ensureRust } from './setup/rust.mjs';

const WEB = inProject('build/web');
const WASM_OPT = inProject('node_modules/.bin/wasm-opt');
const BUILT = inProject('build/index.js');
/** What carries requests to the modules, beside them as it is written. */
const GLUE = ['index.js', 'before.js', 'counts.js', 'live.js', 'streams.js', 'watched.js'];
const EVERYDAY = inProject('build/everyday.js');
const EVERYDAY_WASM = inProject('build/index_bg.wasm');
const WHOLE_WASM = inProject('build/whole/index_bg.wasm');

/**
 * Instead of worker-build's own -O. That puts every function with one caller into it, until a few have so many locals that
 * naming one takes two bytes: 6 % of the bundle, gzipped. Functions of like names are alike, which gzip finds when they stand
 * beside one another: 1 %. The names themselves are an eighth; panics tell their file and line without them. Rust puts the
 * stack's far end at the lowest addresses, so nobody uses these, and small offsets need no addition of their own: 0.3 %.
 */
const OPTIMIZED = [
  '-Os',
  '--low-memory-unused',
  '--one-caller-inline-max-function-size=20',
  '--reorder-functions-by-name',
  '--strip-debug',
  '--strip-producers',
  '--strip-target-features',
];

/** Those that worker-build allows. With all, wasm-opt writes imports in an encoding that few runtimes read. */
const FEATURES = [
  'mutable-globals',
  'sign-ext',
  'nontrapping-float-to-int',
  'bulk-memory',
  'multivalue',
  'reference-types',
  'exception-handling',
];

const USAGE = `
Usage: node scripts/build.mjs

Builds the worker into build/, when anything it is built from changed since the last time.
`;

export async function build() {
  if (!isBuildDue() && existsSync(EVERYDAY_WASM)) return keepCommit();
  if (!existsSync(WORKER_BUILD)) throw new Problem('what builds the worker is missing: node scripts/setup.mjs installs it');
  await ensureRust();
  say('building the worker');
  const keepFingerprints = takeFingerprints();
  forgetFingerprints();
  await buildWeb(WEB);
  await buildModule('build', ['--', '--no-default-features']);
  renameSync(BUILT, EVERYDAY);
  await buildModule('build/whole', []);
  for (const file of GLUE) copyFileSync(inProject('src/edge', file), inProject('build', file));
  await Promise.all([EVERYDAY_WASM, WHOLE_WASM].map(optimize));
  keepCommit();
  keepFingerprints();
  const [everyday, whole] = [EVERYDAY_WASM, WHOLE_WASM].map((path) => kilobytes(gzipSync(readFileSync(path))));
  say(`the worker's everyday module is ${everyday} gzipped, the whole one ${whole}`);
}

/** @param {string} folder @param {string[]} options of cargo */
async function buildModule(folder, options) {
  const env = { EDGEBOARD_BUILD: takeFingerprint(), EDGEBOARD_WEB_DIR: WEB, ESBUILD_BIN: ESBUILD, WASM_BINDGEN_BIN: WASM_BINDGEN };
  await run(WORKER_BUILD, ['--release', '--no-opt', '--out-dir', folder, ...options], { env });
}

/** Optimizes a module where it lies. @param {string} wasm */
export async function optimize(wasm) {
  await run(WASM_OPT, [...OPTIMIZED, ...FEATURES.map((feature) => `--enable-${feature}`), wasm, '-o', wasm]);
}

/** @param {Uint8Array} bytes */
function kilobytes({ length }) {
  return `${(length / 1000).toFixed(1)} KB`;
}

/** wrangler runs this before it serves, also where only the configuration is judged. */
async function main() {
  if (!process.env.EDGEBOARD_AS_BUILT) await build();
}

command(import.meta, { usage: USAGE, main });
