#!/usr/bin/env node
/**
 * `npm run import -- --site S --action A FILE…`: sends a web server's access log as events.
 */
import { existsSync } from 'node:fs';

import { importAsProcess } from '../packages/edgeboard/import/process.mjs';
import { inProject } from './project.mjs';
import { ensurePackages } from './setup/packages.mjs';

await importAsProcess(process.argv.slice(2), {
  prepare: async () => {
    if (!existsSync(inProject('node_modules/isbot'))) await ensurePackages();
  },
});
