/**
 * The built worker as `npm start` serves it: with the demo page at `/`, and what only this machine adds to the configuration.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { LOCAL, localText } from '../../packages/edgeboard/serve/local.mjs';
import { inProject } from '../../scripts/project.mjs';
import { demoPage } from '../../scripts/serve/demo/page.mjs';
import { demoOf } from '../../scripts/serve/demo/site.mjs';
import { startWorker } from './worker.mjs';

const SECRET = 'a-secret-of-the-demo';

/**
 * @param {NonNullable<Parameters<typeof startWorker>[0]> & { sites: Record<string, any> }} options `sites`: of the configuration
 * @returns {Promise<import('./worker.mjs').Worker>}
 */
export async function startLocal({ sites, vars, ...options }) {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-local-'));
  cpSync(inProject('build'), folder, { recursive: true });
  const entry = join(folder, 'dev-worker.js');
  writeFileSync(
    entry,
    readFileSync(inProject('packages/edgeboard/serve/dev-worker.mjs'), 'utf8').replaceAll('edgeboard-worker', './index.js'),
  );
  const { table, isAdded } = demoOf(sites);
  const local = { variables: isAdded ? { DEMO: table } : {}, page: demoPage({ table, secret: SECRET }) };
  const worker = await startWorker({ ...options, entry, vars: { ACTOR_SECRET: SECRET, SITES: sites, ...vars, [LOCAL]: localText(local) } });
  return {
    ...worker,
    async stop() {
      await worker.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
