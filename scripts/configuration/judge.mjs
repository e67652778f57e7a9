/**
 * The worker's own verdict on a configuration, which is the one that production would give.
 *
 * A verdict before a build is that of the last build, where nothing changed since that judges. Any other build would refuse
 * options that are new.
 */
import { isBuildDue, isJudgeCurrent } from '../build/fingerprint.mjs';
import { freePort } from '../serve/port.mjs';
import { startWorker } from '../serve/wrangler.mjs';

/** Stand for what a deployment keeps as secrets. No connection is made while the configuration is judged. */
const STAND_INS = {
  REDIS_URL: 'redis://redis.invalid',
  REDIS_TOKEN: 'none',
  VISITOR_SECRET: 'sixteen-letters.',
  FORWARD_SECRET: 'sixteen-letters.',
};

/** Secrets that nothing stands for, since a bucket may be missing that they would replace. Whoever has them says so. */
const ARCHIVE = ['ARCHIVE_REDIS_URL', 'ARCHIVE_REDIS_TOKEN'];

/**
 * @param {import('./read.mjs').Configuration} configuration
 * @throws {import('../report.mjs').Problem} the line that the worker answers every request with
 */
export async function judgeConfiguration(configuration) {
  await judge(configuration, { variables: standInsFor(configuration) });
}

/** @param {import('./read.mjs').Configuration} configuration */
function standInsFor({ variables }) {
  const given = ARCHIVE.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return Object.fromEntries([...Object.entries(STAND_INS), ...given].filter(([name]) => !variables[name]));
}

/**
 * The same before anything is built: by the last build, where nothing has changed since that judges. A first build, and one of another
 * version, is no judge of this configuration.
 *
 * @param {import('./read.mjs').Configuration} configuration
 * @param {Given} [given] of `npm start`; there may be no Redis yet
 */
export async function judgeBeforeBuild(configuration, given) {
  if (!isBuildDue() || !isJudgeCurrent()) return;
  const served = given && { ...given, variables: { REDIS_URL: STAND_INS.REDIS_URL, ...given.variables } };
  await judge(configuration, served ?? { variables: standInsFor(configuration) });
}

/**
 * @typedef {{ variables: Record<string, string>, local?: import('../serve/local.mjs').Local }} Given what wins over the configuration file
 *
 * @param {import('./read.mjs').Configuration} configuration
 * @param {Given} given
 */
async function judge({ file, wranglerEnvironment }, { variables, local }) {
  const port = await freePort();
  const worker = await startWorker({ port, configFile: file, wranglerEnvironment, variables, local, isAsBuilt: true, log: () => {} });
  await worker.stop();
}
