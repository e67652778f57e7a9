/**
 * What wrangler makes of a configuration file. Its modules take half a second of a processor to load, more than most test files take for
 * the rest of their start, so that what it answered is kept in `target`.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { inProject } from '../../scripts/project.mjs';

const { version } = createRequire(import.meta.url)('wrangler/package.json');
const FOLDER = inProject('target/tests/wrangler');

/**
 * @typedef {ReturnType<typeof import('wrangler').unstable_getMiniflareWorkerOptions>} Options
 * @typedef {Pick<Options, 'main' | 'workerOptions' | 'externalWorkers'> & { name?: string }} WorkerOptions
 *
 * @param {string} path
 * @returns {Promise<WorkerOptions>}
 */
export async function readWorkerOptions(path) {
  if (!path.startsWith(inProject())) return ask(path); // a test has written it, and nobody asks again
  const digest = createHash('sha256')
    .update(JSON.stringify([version, path, readFileSync(path, 'utf8')]))
    .digest('hex');
  const kept = join(FOLDER, `${digest}.json`);
  try {
    return JSON.parse(readFileSync(kept, 'utf8'));
  } catch {
    const options = await ask(path);
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(`${kept}.${process.pid}`, JSON.stringify(options));
    renameSync(`${kept}.${process.pid}`, kept); // other files of a run read it
    return options;
  }
}

/** @param {string} path @returns {Promise<WorkerOptions>} */
async function ask(path) {
  const { unstable_getMiniflareWorkerOptions: workerOptionsOf, unstable_readConfig: readConfig } = await import('wrangler');
  const config = readConfig({ config: path });
  const { main, workerOptions, externalWorkers } = workerOptionsOf(config);
  return { name: config.name, main, workerOptions, externalWorkers };
}
