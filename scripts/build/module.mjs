/**
 * A crate as a Worker: compiled, bound to JavaScript by wasm-bindgen, bundled with the files that hand requests to it, optimized.
 *
 * worker-build does the same, takes four minutes to compile, and makes an entry point that ours replaces. `npm run prove -- shim` compares
 * the two. A module that traps is begun anew by what wasm-bindgen writes, since the crate `worker` asks for it when it is configured to.
 *
 * There is one module. Of two modules the smaller one started 20 ms of CPU sooner. The price was a list of the requests that it
 * could answer, two caches and two sets of counters. The `url` crate, the formats of chrono and the section of names were a
 * third of the bundle together, and are not in it. Text is searched for characters only, since a search for text is half a
 * percent.
 */
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ask, run } from '../../packages/edgeboard/processes.mjs';
import { inProject } from '../project.mjs';
import { WASM_BINDGEN } from '../setup/cargo-tools.mjs';
import { ESBUILD } from './web.mjs';

const WASM_OPT = inProject('node_modules/.bin/wasm-opt');
const TARGET = 'wasm32-unknown-unknown';
/** Those of worker-build. They have a module that trapped begin anew. */
export const BINDING = ['--target=module', '--no-typescript', '--experimental-reset-state-function', '--force-enable-abort-handler'];

/**
 * What puts every function with one caller into it makes a few with so many locals that naming one takes two bytes: 6 % of the bundle,
 * gzipped. Functions of like names are alike, which gzip finds when they stand beside one another: 1 %. The names themselves are an
 * eighth; panics tell their file and line without them. Rust puts the stack's far end at the lowest addresses, so nobody uses these, and
 * small offsets need no addition of their own: 0.3 %.
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

/**
 * Builds `index.js` and `NAME_bg.wasm`. What they are bundled from lies beside them in `bindgen/`.
 *
 * @param {object} options
 * @param {string} options.crate its folder
 * @param {string} options.name the crate's
 * @param {string[]} options.glue JavaScript that imports `./NAME.js`; the first one is the Worker's entry point
 * @param {string} options.folder where to
 * @param {Record<string, string>} [options.env] of the compiler
 */
export async function buildModule({ crate, name, glue, folder, env }) {
  // The macros of `worker` take wasm-bindgen's futures from js-sys then.
  await run('cargo', ['build', '--lib', '--release', '--target', TARGET], { folder: crate, env: { ...env, WASM_BINDGEN_USE_JS_SYS: '1' } });
  const bindgen = join(folder, 'bindgen');
  rmSync(bindgen, { recursive: true, force: true });
  const compiled = join(env?.CARGO_TARGET_DIR ?? targetOf(crate), TARGET, 'release', `${name.replaceAll('-', '_')}.wasm`);
  await run(WASM_BINDGEN, [...BINDING, `--out-dir=${bindgen}`, `--out-name=${name}`, compiled]);
  const bound = join(bindgen, `${name}.js`);
  // The runtime has modules of WebAssembly as they are, and no other way to name one.
  writeFileSync(bound, readFileSync(bound, 'utf8').replace('import source ', 'import '));
  for (const file of glue) cpSync(file, join(bindgen, /** @type {string} */ (file.split('/').at(-1))));
  const wasm = join(folder, `${name}_bg.wasm`);
  await run(WASM_OPT, [
    ...OPTIMIZED,
    ...FEATURES.map((feature) => `--enable-${feature}`),
    join(bindgen, `${name}_bg.wasm`),
    '-o',
    `${wasm}.new`,
  ]);
  await bundle(join(bindgen, /** @type {string} */ (glue[0].split('/').at(-1))), join(folder, 'index.js'));
  renameSync(`${wasm}.new`, wasm);
}

/** @param {string} entry @param {string} outfile */
async function bundle(entry, outfile) {
  const external = ['./*_bg.wasm', './commit.js', 'cloudflare:*'].map((name) => `--external:${name}`);
  const args = [entry, '--bundle', '--minify', '--format=esm', '--log-level=warning', `--outfile=${outfile}`, ...external];
  await run(ESBUILD, args, { folder: dirname(entry) });
}

/** Where cargo puts what it compiles. @param {string} crate */
function targetOf(crate) {
  const manifest = join(crate, 'Cargo.toml');
  const metadata = ask('cargo', ['metadata', '--format-version=1', '--no-deps', '--manifest-path', manifest]);
  return JSON.parse(metadata ?? '{}').target_directory ?? join(crate, 'target');
}
