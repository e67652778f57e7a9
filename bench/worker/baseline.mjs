/**
 * A Worker of bench/baselines on the same runtime, started the same way, as edgeboard.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { unstable_readConfig as readConfig } from 'wrangler';

import { run } from '../../packages/edgeboard/processes.mjs';
import { buildModule } from '../../scripts/build/module.mjs';
import { ESBUILD } from '../../scripts/build/web.mjs';
import { inProject } from '../../scripts/project.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { ZONE } from '../site.mjs';

const BUNDLING = ['--bundle', '--minify', '--format=esm', '--external:cloudflare:*', '--log-level=warning'];

/** Of a crate whose handler is made by `worker::event`. */
const ENTRY = `
import { WorkerEntrypoint } from 'cloudflare:workers';
import { fetch } from './NAME.js';

export default class extends WorkerEntrypoint {
  fetch(request) {
    return fetch(request, this.env, this.ctx);
  }
}
`;

/**
 * Starts it, with everything that must be made first.
 *
 * @param {string} name
 * @param {Record<string, import('miniflare').Json>} vars
 * @param {Record<string, unknown>} [more] of its configuration
 */
export async function startBaseline(name, vars, more) {
  const { config, remove } = await buildBaseline(name, more);
  try {
    return await startWorker({ config, vars, cf: ZONE });
  } finally {
    remove(); // the modules are in the runtime's memory
  }
}

/**
 * Starts one that is a crate, built and optimized as edgeboard is.
 *
 * @param {string} name
 * @param {Record<string, import('miniflare').Json>} vars
 */
export async function startRustBaseline(name, vars) {
  const folder = inProject('bench/baselines', name);
  const built = join(folder, 'build');
  mkdirSync(built, { recursive: true });
  const entry = join(built, 'entry.js');
  writeFileSync(entry, ENTRY.replace('NAME', name));
  await buildModule({ crate: folder, name, glue: [entry], folder: built, env: { CARGO_TARGET_DIR: inProject('target') } });
  const { config, remove } = configure(name, (from) => relative(from, join(folder, 'build/index.js')));
  try {
    return await startWorker({ config, vars, cf: ZONE });
  } finally {
    remove();
  }
}

/**
 * Makes what a start needs.
 *
 * @param {string} name
 * @param {Record<string, unknown>} [more] of its configuration
 * @returns {Promise<{ config: string, remove: () => void }>} a wrangler configuration file, until it is removed
 */
export async function buildBaseline(name, more) {
  const built = configure(name, () => 'index.js', more);
  try {
    const outfile = join(built.folder, 'index.js');
    await run(ESBUILD, [inProject('bench/baselines', `${name}.mjs`), `--outfile=${outfile}`, ...BUNDLING]);
    return built;
  } catch (error) {
    built.remove();
    throw error;
  }
}

/**
 * @param {string} name
 * @param {(folder: string) => string} mainFrom
 * @param {Record<string, unknown>} [more]
 */
function configure(name, mainFrom, more) {
  mkdirSync(inProject('.wrangler'), { recursive: true });
  const folder = mkdtempSync(inProject('.wrangler/bench-'));
  const config = join(folder, 'wrangler.json');
  const { compatibility_date } = readConfig({ config: inProject('wrangler.toml') });
  writeFileSync(config, JSON.stringify({ name, main: mainFrom(folder), compatibility_date, ...more }));
  return { folder, config, remove: () => rmSync(folder, { recursive: true }) };
}
