/**
 * A cold start: from starting the runtime until the first answer, edgeboard beside a worker that answers a constant, which is what a
 * hello-world does. Both include the start of workerd, so their difference is what edgeboard's code costs to load.
 */
import { startWorker } from '../../tests/support/worker.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { SITES } from '../site.mjs';
import { buildBaseline } from './baseline.mjs';

/** @param {import('../options.mjs').Effort} effort */
export async function benchStart({ rounds }) {
  // No request of these reaches Redis.
  const vars = { REDIS_URL: 'redis://127.0.0.1:1', SITES };
  const { config, remove } = await buildBaseline('constant');
  const starts = {
    edgeboard: () => timed(() => startWorker({ vars }), '/healthz'),
    helloWorld: () => timed(() => startWorker({ config, vars: { ANSWER: 'hello, world', HEADERS: {} } }), '/'),
  };
  await inTurn(starts, 1); // to warm up the disk
  const samples = await inTurn(starts, rounds);
  remove();
  const differences = samples.edgeboard.map((ms, round) => ms - samples.helloWorld[round]);
  return {
    ms: mapValues(samples, median),
    ratio: medianRatio(samples.edgeboard, samples.helloWorld),
    differenceMs: median(differences),
  };
}

/**
 * @param {() => Promise<import('../../tests/support/worker.mjs').Worker>} start
 * @param {string} path
 */
async function timed(start, path) {
  const before = performance.now();
  const worker = await start();
  const { status } = await worker.fetch(path);
  const ms = performance.now() - before;
  await worker.stop();
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return ms;
}
