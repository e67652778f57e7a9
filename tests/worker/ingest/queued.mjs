/**
 * A deployment with a queue, and what is sent to it.
 */
import { startDeployment } from '../../support/deployment.mjs';
import { sitesWith } from './site.mjs';

export const ADMIN_TOKEN = 'a-token-for-administrators';

/**
 * @param {import('node:test').TestContext} t
 * @param {{ site?: Record<string, import('miniflare').Json>, vars?: Record<string, string>, relayed?: boolean }} [options]
 */
export async function start(t, { site = {}, vars = {}, relayed } = {}) {
  const deployment = await startDeployment({
    transport: 'redis://',
    sites: sitesWith(site),
    vars: { ADMIN_TOKEN, ...vars },
    redisArgs: ['--appendonly', 'yes', '--appendfsync', 'always'],
    hasQueue: true,
    relayed,
  });
  t.after(deployment.stop);
  const queue = await deployment.worker.miniflare.getQueueProducer('INGEST_QUEUE');
  /** @param {unknown[]} bodies sends messages, some as text and some as JSON */
  const send = async (bodies) => {
    for (let i = 0; i < bodies.length; i += 100) {
      const one = (/** @type {unknown} */ body, /** @type {number} */ n) =>
        n % 2 === 0 && typeof body !== 'string' ? { body, contentType: 'json' } : { body: textOf(body), contentType: 'text' };
      await queue.sendBatch(/** @type {any} */ (bodies.slice(i, i + 100).map(one)));
    }
  };
  // Another one after a restart.
  const worker = () => deployment.worker;
  return {
    ...deployment,
    get worker() {
      return worker();
    },
    send,
  };
}

/** @param {unknown} body */
function textOf(body) {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** @param {Pick<import('../../support/deployment.mjs').Deployment, 'redis'>} deployment */
export async function score({ redis }, member = '/posts/1', board = 'articles') {
  return Number((await redis.command('ZSCORE', `eb:{demo:${board}}:all:0`, member)) ?? 0);
}
