/**
 * What wrangler makes of a configuration file. Its modules take half a second of a processor to load, more than most test files take for
 * the rest of their start, so that what it answered is kept in `target`.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { version } = createRequire(import.meta.url)('wrangler/package.json');
const FOLDER = fileURLToPath(new URL('../../target/tests/wrangler/', import.meta.url));

/**
 * @typedef {ReturnType<typeof import('wrangler').unstable_getMiniflareWorkerOptions>} Options
 *
 * @param {string} path
 * @returns {Promise<Pick<Options, 'main' | 'workerOptions' | 'externalWorkers'> & { name?: string }>}
 */
export async function readWorkerOptions(path) {
  const digest = createHash('sha256')
    .update(JSON.stringify([version, path, readFileSync(path, 'utf8')]))
    .digest('hex');
  const kept = join(FOLDER, `${digest}.json`);
  try {
    return JSON.parse(readFileSync(kept, 'utf8'));
  } catch {
    const { unstable_getMiniflareWorkerOptions: workerOptionsOf, unstable_readConfig: readConfig } = await import('wrangler');
    const config = readConfig({ config: path });
    const { main, workerOptions, externalWorkers } = workerOptionsOf(config);
    const text = JSON.stringify({ name: config.name, main, workerOptions, externalWorkers });
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(`${kept}.${process.pid}`, text);
    renameSync(`${kept}.${process.pid}`, kept); // other files of a run read it
    return JSON.parse(text);
  }
}
