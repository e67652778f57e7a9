#!/usr/bin/env node
/**
 * `npm run import -- --site S --action A FILE…`: sends a web server's access log as events.
 * Only the process stands here (arguments, streams, signals); the work is in packages/edgeboard/import/.
 */
import { existsSync } from 'node:fs';

import { Interrupted, main } from '../packages/edgeboard/import/main.mjs';
import { inProject } from './project.mjs';
import { ensurePackages } from './setup/packages.mjs';

const halt = new AbortController();
process.once('SIGINT', () => halt.abort(new Interrupted()));

process.exitCode = await main({
  argv: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  halt,
  prepare: async () => {
    if (!existsSync(inProject('node_modules/isbot'))) await ensurePackages();
  },
});
