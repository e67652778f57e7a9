/**
 * Builds the worker into build/: the browser's files, then the crate with them inside.
 *
 * worker-build would download the programs it runs; each is named to it instead.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import { keepFingerprint, lastFingerprint, takeFingerprint } from './build/fingerprint.mjs';
import { buildWeb, ESBUILD } from './build/web.mjs';
import { command } from './command.mjs';
import { run } from './processes.mjs';
import { inProject } from './project.mjs';
import { Problem, say } from './report.mjs';
import { WASM_BINDGEN, WORKER_BUILD } from './setup/cargo-tools.mjs';

const WEB = inProject('build/web');
const WASM_OPT = inProject('node_modules/.bin/wasm-opt');
const WASM = inProject('build/index_bg.wasm');

const USAGE = `
Usage: node scripts/build.mjs

Builds the worker into build/, when anything it is built from changed since the last time.
`;

export async function build() {
  const fingerprint = takeFingerprint();
  if (fingerprint === lastFingerprint() && existsSync(WASM)) return;
  if (!existsSync(WORKER_BUILD)) throw new Problem('what builds the worker is missing: node scripts/setup.mjs installs it');
  say('building the worker');
  await buildWeb(WEB);
  await run(WORKER_BUILD, ['--release'], {
    env: {
      EDGEBOARD_WEB_DIR: WEB,
      ESBUILD_BIN: ESBUILD,
      WASM_BINDGEN_BIN: WASM_BINDGEN,
      WASM_OPT_BIN: WASM_OPT,
    },
  });
  // The names of functions, an eighth of the bundle: panics tell their file and line without them. -Os gzips better
  // than -Oz, which worker-build ran.
  await run(WASM_OPT, ['-Os', '--all-features', '--strip-debug', '--strip-producers', WASM, '-o', WASM]);
  keepFingerprint(fingerprint);
  const wasm = readFileSync(WASM);
  say(`the worker is ${kilobytes(wasm)}, ${kilobytes(gzipSync(wasm))} gzipped`);
}

/** @param {Uint8Array} bytes */
function kilobytes({ length }) {
  return `${(length / 1000).toFixed(1)} KB`;
}

command(import.meta, { usage: USAGE, main: build });
