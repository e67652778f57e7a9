/**
 * A Worker of bench/baselines on the same runtime, started the same way, as edgeboard.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { unstable_readConfig as readConfig } from 'wrangler';

import { ESBUILD } from '../../scripts/build/web.mjs';
import { run } from '../../scripts/processes.mjs';
import { inProject } from '../../scripts/project.mjs';
import { startWorker } from '../../tests/support/worker.mjs';

const BUNDLING = ['--bundle', '--minify', '--format=esm', '--external:cloudflare:*', '--log-level=warning'];

/**
 * Starts it, with everything that must be made first.
 *
 * @param {string} name
 * @param {Record<string, import('miniflare').Json>} vars
 */
export async function startBaseline(name, vars) {
  const { config, remove } = await buildBaseline(name);
  try {
    return await startWorker({ config, vars });
  } finally {
    remove(); // the modules are in the runtime's memory
  }
}

/**
 * Makes what a start needs.
 *
 * @param {string} name
 * @returns {Promise<{ config: string, remove: () => void }>} a wrangler configuration file, until it is removed
 */
export async function buildBaseline(name) {
  mkdirSync(inProject('.wrangler'), { recursive: true });
  const folder = mkdtempSync(inProject('.wrangler/bench-'));
  const remove = () => rmSync(folder, { recursive: true });
  try {
    await run(ESBUILD, [inProject('bench/baselines', `${name}.mjs`), `--outfile=${join(folder, 'index.js')}`, ...BUNDLING]);
    const config = join(folder, 'wrangler.json');
    const { compatibility_date } = readConfig({ config: inProject('wrangler.toml') });
    writeFileSync(config, JSON.stringify({ name, main: 'index.js', compatibility_date }));
    return { config, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
