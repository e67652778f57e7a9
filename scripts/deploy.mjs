/**
 * `npm run deploy`: what CI checks, then `wrangler deploy`.
 */
import { command } from './command.mjs';
import { run } from './processes.mjs';
import { inProject, NODE } from './project.mjs';
import { say } from './report.mjs';

const USAGE = `
Usage: npm run deploy [-- ARGUMENTS OF wrangler deploy]

Checks the format, the lints and the tests, then deploys the worker to Cloudflare.
`;

/** @param {string[]} args */
async function main(args) {
  say('checking');
  await run(inProject('.ci/run'), []);
  say('deploying');
  await run(NODE, [inProject('node_modules/wrangler/bin/wrangler.js'), 'deploy', ...args], { interactive: true });
}

command(import.meta, { usage: USAGE, main });
