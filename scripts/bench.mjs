/**
 * `npm run bench`: installs what is missing, builds the worker, and measures it (bench/) on the Node that the tests
 * run on.
 */
import { readOptions, USAGE } from '../bench/options.mjs';
import { command } from '../packages/edgeboard/command.mjs';
import { run } from '../packages/edgeboard/processes.mjs';
import { makeCertificate } from '../tests/support/tls.mjs';
import { build } from './build.mjs';
import { inProject, NODE } from './project.mjs';
import { setup } from './setup.mjs';
import { ensureValgrind } from './setup/valgrind.mjs';
import { ensureWrk } from './setup/wrk.mjs';

/** @param {string[]} args */
async function main(args) {
  const { parts } = readOptions(args);
  const { redisServer, chromium } = await setup({ needs: parts.includes('live') ? ['redis', 'chromium'] : ['redis'] });
  if (parts.some((part) => ['reads', 'writes', 'ingest'].includes(part))) await ensureWrk();
  if (parts.includes('instructions')) await ensureValgrind();
  await build();
  // Miniflare reads whom to trust when it is loaded.
  const certificate = parts.includes('ingest') ? makeCertificate() : undefined;
  const env = { REDIS_SERVER: redisServer, CHROMIUM: chromium, ...(certificate && { NODE_EXTRA_CA_CERTS: certificate.path }) };
  try {
    await run(NODE, [inProject('bench/main.mjs'), ...args], { env });
  } finally {
    certificate?.remove();
  }
}

command(import.meta, { usage: USAGE, main });
