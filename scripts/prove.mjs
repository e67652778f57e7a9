/**
 * `npm run prove NAME`: installs what is missing, builds the worker, and runs what takes too long for the tests (tests/prove/,
 * tests/fuzz/).
 */
import { command } from '../packages/edgeboard/command.mjs';
import { run } from '../packages/edgeboard/processes.mjs';
import { readOptions, USAGE } from '../tests/prove/options.mjs';
import { build } from './build.mjs';
import { inProject, NODE } from './project.mjs';
import { setup } from './setup.mjs';

const INPUTS = 1_000_000;

/** @param {string[]} args */
async function main(args) {
  const { name, quick } = readOptions(args);
  const { redisServer } = await setup({ needs: ['redis'] });
  const env = { REDIS_SERVER: redisServer };
  if (name === 'fuzz') {
    const inputs = String(quick ? INPUTS / 100 : INPUTS);
    await run('cargo', ['test', '--test', 'fuzz', '--', '--nocapture'], { env: { ...env, EDGEBOARD_FUZZ: inputs } });
    return;
  }
  await build();
  await run(NODE, [inProject('tests/prove/main.mjs'), ...args], { env });
}

command(import.meta, { usage: USAGE, main });
