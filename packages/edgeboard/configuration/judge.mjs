/**
 * The worker's own verdict on a configuration, which is the one that production would give.
 */
import { freePort } from '../serve/port.mjs';
import { startWorker } from '../serve/wrangler.mjs';

const MAX_TRIES = 3;
/** What the runtime prints of a port that is not free. */
const TAKEN = /Address already in use/;

/** Stand for what a deployment keeps as secrets. No connection is made while the configuration is judged. */
const STAND_INS = {
  REDIS_URL: 'redis://redis.invalid',
  REDIS_TOKEN: 'none',
  VISITOR_SECRET: 'sixteen-letters.',
  FORWARD_SECRET: 'sixteen-letters.',
};

/**
 * Secrets that are judged as the environment has them: a bucket may be missing that an archive in Redis replaces, and a cluster does
 * not do everything. The environment of a command gives them.
 */
const GIVEN = ['ARCHIVE_REDIS_URL', 'ARCHIVE_REDIS_TOKEN', 'REDIS_URL'];

/**
 * @param {import('./read.mjs').Configuration} configuration
 * @throws {import('../report.mjs').Problem} the line that the worker answers every request with
 */
export async function judgeConfiguration(configuration) {
  await judge(configuration, { variables: standInsFor(configuration) });
}

/** @param {import('./read.mjs').Configuration} configuration */
function standInsFor({ variables }) {
  const given = GIVEN.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return Object.fromEntries([...Object.entries(STAND_INS), ...given].filter(([name]) => !variables[name]));
}

/**
 * @typedef {{ variables: Record<string, string>, local?: import('../serve/local.mjs').Local }} Given what wins over the configuration file
 */

/**
 * The same of what is served on this machine, where there may be no Redis yet.
 *
 * @param {import('./read.mjs').Configuration} configuration
 * @param {Given} given
 */
export async function judgeServed(configuration, given) {
  await judge(configuration, { ...given, variables: { REDIS_URL: STAND_INS.REDIS_URL, ...given.variables } });
}

/**
 * @param {import('./read.mjs').Configuration} configuration
 * @param {Given} given
 */
async function judge({ file, wranglerEnvironment, storage }, { variables, local }) {
  const options = { configFile: file, wranglerEnvironment, variables, local, storage, isAsBuilt: true, log: () => {} };
  for (let tries = 1; ; tries += 1) {
    try {
      const worker = await startWorker({ ...options, port: await freePort() });
      return await worker.stop();
    } catch (error) {
      // Somebody else took the port meanwhile; nobody chose it.
      if (tries === MAX_TRIES || !TAKEN.test(error.message)) throw error;
    }
  }
}
