/**
 * The licenses of what is in the module: of each crate that is compiled into it, of the list of bots, and of Rust's own library. deny.toml says
 * which are allowed.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ask } from '../../packages/edgeboard/processes.mjs';
import { Problem } from '../../packages/edgeboard/report.mjs';
import { inProject } from '../project.mjs';

const TARGET = 'wasm32-unknown-unknown';
const OWN = ['LICENSE-APACHE', 'LICENSE-MIT'];
/** What crates/serve/build.rs and the build of web/ put into the module. */
const FROM_NPM = ['isbot'];
const LICENSE_FILE = /^(licen[cs]e|copying|notice|unlicense)/i;

/** @param {string} folder of a package */
export function ownLicenses(folder) {
  for (const name of OWN) copyFileSync(inProject(name), join(folder, name));
}

/** @returns {string} */
export function collectLicenses() {
  const printed = ask('cargo', ['metadata', '--format-version=1', '--locked', `--filter-platform=${TARGET}`]);
  if (printed === undefined) throw new Problem('cargo metadata failed');
  const { packages, resolve } = JSON.parse(printed);
  const bundled = reached(resolve.nodes, resolve.root);
  const crates = packages
    .filter((/** @type {{ id: string, source: string | null }} */ { id, source }) => source && bundled.has(id))
    .map((/** @type {Record<string, string>} */ crate) => ({ ...crate, folder: dirname(crate.manifest_path) }));
  const modules = FROM_NPM.map((name) => {
    const folder = inProject('node_modules', name);
    return { ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), folder };
  });
  return [...crates, ...modules].map(describe).join('\n');
}

/** The notices of Rust's own library, which comes with the compiler. @returns {string} the path of the page */
export function licensesOfRust() {
  const path = join(ask('rustc', ['--print', 'sysroot']) ?? '', 'share/doc/rust/COPYRIGHT-library.html');
  if (!existsSync(path)) throw new Problem(`${path} is missing, which the component rustc of rustup has`);
  return path;
}

/** What is linked: neither what only builds nor what only tests. @param {any[]} nodes @param {string} root */
function reached(nodes, root) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = new Set([root]);
  for (const id of found) {
    for (const { pkg, dep_kinds: kinds } of byId.get(id).deps)
      if (kinds.some((/** @type {{ kind: string | null }} */ { kind }) => kind === null)) found.add(pkg);
  }
  return found;
}

/** @param {{ name: string, version: string, license: string, folder: string }} one */
function describe({ name, version, license, folder }) {
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .sort();
  const text = texts.map((file) => `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`).join('');
  return `${'='.repeat(80)}\n${name} ${version}: ${license}\n${text}`;
}
