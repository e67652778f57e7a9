/**
 * What worker-build makes of the crate, beside what `scripts/build/module.mjs` does, which replaces it: the programs that both call with
 * what they are told, the compiled module, and how an answer is asked for. worker-build is of the version of `worker` that is locked.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

import { run } from '../../packages/edgeboard/processes.mjs';
import { takeFingerprint } from '../../scripts/build/fingerprint.mjs';
import { BINDING } from '../../scripts/build/module.mjs';
import { ESBUILD } from '../../scripts/build/web.mjs';
import { inProject } from '../../scripts/project.mjs';
import { ensureWorkerBuild, WASM_BINDGEN } from '../../scripts/setup/cargo-tools.mjs';

const FOLDER = 'build/shim';
const OURS = 'build/bindgen/edgeboard_bg.wasm';
const THEIRS = `${FOLDER}/index_bg.wasm`;
const CUSTOM = 0;
const IMPORTS = 2;
/** Of the module's name, and of where it goes. */
const NAMED = /^--out-|^build\/|\.wasm$/;
/** How worker-build's entry point asks for an answer. Ours does the same, past its proxies. */
const ASKS = /\.prototype\.fetch = function [^{]*\{\s*return fetch\w*\.call\(this, arg, this\.env, this\.ctx\)/;

/** @returns {Promise<string[]>} in what they differ */
export async function compareShims() {
  const program = await ensureWorkerBuild();
  rmSync(inProject(FOLDER), { recursive: true, force: true });
  mkdirSync(inProject('build/called'), { recursive: true });
  const bindgen = record('wasm-bindgen', WASM_BINDGEN);
  const env = {
    EDGEBOARD_BUILD: takeFingerprint(),
    EDGEBOARD_WEB_DIR: inProject('build/web'),
    ESBUILD_BIN: ESBUILD,
    NO_MINIFY: '1',
    WASM_BINDGEN_BIN: bindgen.program,
  };
  await run(program, ['--release', '--no-opt', '--out-dir', FOLDER], { env });
  const wrong = [];
  const [theirs, ours] = [bindgen.args().sort(), [...BINDING].sort()];
  if (`${theirs}` !== `${ours}`) wrong.push(`wasm-bindgen is told ${theirs} by worker-build, and ${ours} by us`);
  wrong.push(...differencesOf(readFileSync(inProject(THEIRS)), readFileSync(inProject(OURS))));
  if (!ASKS.test(readFileSync(inProject(FOLDER, 'index.js'), 'utf8'))) wrong.push("worker-build's entry point asks in another way");
  return wrong;
}

/**
 * A program that notes what it is told, and calls another one.
 *
 * @param {string} name
 * @param {string} program
 */
function record(name, program) {
  const [path, noted] = [inProject('build/called', name), inProject('build/called', `${name}.txt`)];
  rmSync(noted, { force: true });
  const source = `#!/bin/sh\n[ "$1" = --version ] || printf '%s\\n' "$@" > '${noted}'\nexec '${program}' "$@"\n`;
  writeFileSync(path, source, { mode: 0o755 });
  return {
    program: path,
    /** @returns {string[]} without names of files, each with its value */
    args() {
      const args = existsSync(noted) ? readFileSync(noted, 'utf8').trimEnd().split('\n') : [];
      const joined = args
        .join(' ')
        .replaceAll(/ (?=[^-])/g, '=')
        .split(' ');
      return joined.map((arg) => arg.replace(/=\/.*/, '')).filter((arg) => !NAMED.test(arg));
    },
  };
}

/**
 * Sections but those of names; of the imports, what they are but not of which file.
 *
 * @param {Buffer} one
 * @param {Buffer} other
 */
function differencesOf(one, other) {
  const [theirs, ours] = [sectionsOf(one), sectionsOf(other)];
  const wrong = [...new Set([...theirs.keys(), ...ours.keys()])].filter((id) => `${theirs.get(id)}` !== `${ours.get(id)}`);
  const namesOf = (/** @type {Buffer} */ wasm) =>
    WebAssembly.Module.imports(new WebAssembly.Module(Uint8Array.from(wasm))).map(({ name, kind }) => `${name} ${kind}`);
  const differences = wrong.map((id) => `section ${id} of the module differs`);
  return `${namesOf(one)}` === `${namesOf(other)}` ? differences : [...differences, 'the modules import something else'];
}

/** By their numbers, in hexadecimal digits: https://webassembly.github.io/spec/core/binary/modules.html @param {Buffer} wasm */
function sectionsOf(wasm) {
  /** @type {Map<number, string>} */
  const sections = new Map();
  let at = 8;
  while (at < wasm.length) {
    const id = wasm[at];
    let [size, shift] = [0, 0];
    do {
      at += 1;
      size |= (wasm[at] & 127) << shift;
      shift += 7;
    } while (wasm[at] & 128);
    at += 1;
    if (id !== CUSTOM && id !== IMPORTS) sections.set(id, wasm.toString('hex', at, at + size));
    at += size;
  }
  return sections;
}
