/**
 * The worker's own verdict on a configuration, which is the one that production would give.
 */
import { freePort } from '../serve/port.mjs';
import { startWorker } from '../serve/wrangler.mjs';

/** Stand for what a deployment keeps as secrets. No connection is made while the configuration is judged. */
const STAND_INS = {
  REDIS_URL: 'redis://redis.invalid',
  REDIS_TOKEN: 'none',
  VISITOR_SECRET: 'sixteen-letters.',
  FORWARD_SECRET: 'sixteen-letters.',
};

/**
 * @param {import('./read.mjs').Configuration} configuration
 * @throws {import('../report.mjs').Problem} the line that the worker answers every request with
 */
export async function judgeConfiguration({ file, wranglerEnvironment, variables }) {
  const missing = Object.entries(STAND_INS).filter(([name]) => !variables[name]);
  const worker = await startWorker({
    port: await freePort(),
    configFile: file,
    wranglerEnvironment,
    variables: Object.fromEntries(missing),
    log: () => {},
  });
  await worker.stop();
}
