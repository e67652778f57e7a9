/**
 * The rings of tests, the cheapest first, and the JavaScript files of a run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { CHROMIUM } from '../setup/chromium.mjs';
import { MARIADB, POSTGRES } from '../setup/databases.mjs';
import { NAME as DENO } from '../setup/deno.mjs';
import { NGINX } from '../setup/nginx.mjs';
import { NAME as VITEPRESS } from '../setup/site.mjs';
import { VALGRIND } from '../setup/valgrind.mjs';
import { WRK } from '../setup/wrk.mjs';
import { inProject } from '../project.mjs';
import { whyNoCluster } from './cluster.mjs';

/**
 * Each is a target of cargo or a folder of JavaScript.
 *
 * @type {{ name: string, cargo?: string[], folder?: string }[]}
 */
export const RINGS = [
  { name: 'units', cargo: ['--lib'] },
  { name: 'layers', cargo: ['--test', 'layers'] },
  { name: 'fuzz', cargo: ['--test', 'fuzz'] },
  { name: 'http', cargo: ['--test', 'http'] },
  { name: 'lua', cargo: ['--test', 'lua'] },
  { name: 'docs', folder: 'tests/docs/' },
  { name: 'vectors', folder: 'tests/vectors/' },
  { name: 'support', folder: 'tests/support/' },
  { name: 'commands', folder: 'tests/commands/' },
  { name: 'import', folder: 'tests/import/' },
  { name: 'packages', folder: 'tests/packages/' },
  { name: 'client', folder: 'tests/client/' },
  { name: 'worker', folder: 'tests/worker/' },
  { name: 'browser', folder: 'tests/browser/' },
  { name: 'bench', folder: 'tests/bench/' },
];

/**
 * What only `--engines` and `--all` run: fuzzers, proofs, what shows by its size that a cost has a bound, what installs much, and what starts
 * commands, stores or workers again and again. The beginnings of paths.
 */
const ENGINES = [
  'tests/bench/',
  'tests/client/lists',
  'tests/client/types',
  'tests/commands/configuration',
  'tests/docs/site',
  'tests/packages/boards',
  'tests/packages/create',
  'tests/packages/deploy',
  'tests/packages/missing',
  'tests/packages/node',
  'tests/packages/packed',
  'tests/packages/page',
  'tests/packages/sites',
  'tests/worker/archive/killed',
  'tests/worker/archive/lease',
  'tests/worker/cluster.test.mjs',
  'tests/worker/door/rows',
  'tests/worker/dropped',
  'tests/worker/erasure/copies',
  'tests/worker/erasure/meanwhile',
  'tests/worker/history/clocks',
  'tests/worker/history/killed',
  'tests/worker/ingest/objects',
  'tests/worker/items/alias-killed',
  'tests/worker/lost-replies',
  'tests/worker/memory',
  'tests/worker/openapi-requests',
  'tests/worker/prove/',
  'tests/worker/readers',
  'tests/worker/replicated',
  'tests/worker/sites/due',
  'tests/worker/sites/faults',
  'tests/worker/templates/all',
  'tests/worker/templates/costs',
  'tests/worker/templates/kept',
  'tests/worker/templates/killed',
];
/** A file with a deployment of its own may run over a cluster. */
const DEPLOYMENT = 'tests/support/deployment.mjs';
/** A file that asks for the part of a run has something for each. */
const PART = 'tests/support/part.mjs';

/** A file that imports a module needs its program. Schemathesis comes from PyPI, VitePress and Deno from npm. @type {Record<string, string>} */
const MODULES = {
  'tests/support/chromium.mjs': CHROMIUM.name,
  'scripts/setup/chromium.mjs': CHROMIUM.name,
  'tests/support/mariadb.mjs': MARIADB.name,
  'tests/support/nginx.mjs': NGINX.name,
  'tests/support/postgres.mjs': POSTGRES.name,
  'tests/support/schemathesis.mjs': 'Schemathesis',
  'scripts/setup/deno.mjs': DENO,
  'scripts/setup/site.mjs': VITEPRESS,
  'scripts/setup/valgrind.mjs': VALGRIND.name,
  'scripts/setup/wrk.mjs': WRK.name,
};

/**
 * The JavaScript files of a run.
 *
 * @param {{ rings: string[], words: string[], part: import('./options.mjs').Part, isOverCluster?: boolean }} options
 */
export function filesOf({ rings, words, part, isOverCluster = false }) {
  const folders = RINGS.flatMap(({ name, folder }) => (folder && rings.includes(name) ? [folder] : []));
  return testFiles().filter((path) => {
    if (!folders.some((folder) => path.startsWith(folder))) return false;
    if (words.length > 0 && !words.some((word) => path.includes(word))) return false;
    if (isOverCluster && (!modulesOf(path).has(DEPLOYMENT) || whyNoCluster(path) !== undefined)) return false;
    const isOfEngines = ENGINES.some((begins) => path.startsWith(begins));
    if (part === 'quick') return !isOfEngines;
    return part === 'all' || isOfEngines || modulesOf(path).has(PART);
  });
}

/** The programs that a file needs and that may be missing. @param {string} path */
export function programsOf(path) {
  const modules = modulesOf(path);
  return Object.keys(MODULES)
    .filter((module) => modules.has(module))
    .map((module) => MODULES[module]);
}

/**
 * The arguments of `cargo test`, or undefined if no ring is cargo's.
 *
 * @param {{ rings: string[], words: string[], part: import('./options.mjs').Part }} options
 */
export function cargoArgumentsOf({ rings, words, part }) {
  const targets = RINGS.filter(({ name, cargo }) => cargo && rings.includes(name)).flatMap(({ cargo }) => cargo ?? []);
  const chosen = [...(part === 'quick' ? [] : ['--include-ignored']), ...words];
  return targets.length > 0 ? [...targets, ...(chosen.length > 0 ? ['--', ...chosen] : [])] : undefined;
}

export function testFiles() {
  const names = readdirSync(inProject('tests'), { recursive: true, encoding: 'utf8' }).sort();
  return names.filter((name) => name.endsWith('.test.mjs')).map((name) => `tests/${name}`);
}

/**
 * A module and those that it imports, directly or not.
 *
 * @param {string} path
 * @param {Set<string>} [found]
 * @returns {Set<string>}
 */
function modulesOf(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  const imports = readFileSync(inProject(path), 'utf8').matchAll(/^(?:import|export|\}) .*?'(\.[^']+\.mjs)';$/gm);
  for (const [, module] of imports) modulesOf(join(dirname(path), module), found);
  return found;
}
