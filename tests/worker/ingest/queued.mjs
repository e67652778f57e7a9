/**
 * A deployment with a queue, and what is sent to it.
 */
import { startDeployment } from '../../support/deployment.mjs';
import { until } from '../../support/until.mjs';
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

/** How many messages of the queue were sent, counted and dead. @param {Pick<import('../../support/deployment.mjs').Deployment, 'fetch'>} deployment @param {string} token of an administrator */
export async function messages({ fetch }, token) {
  const { text } = await fetch('/v1/demo/admin/metrics', { headers: { authorization: `Bearer ${token}` } });
  const number = (/** @type {string} */ what) =>
    Number(new RegExp(`^edgeboard_isolate_queue_messages_total\\{.*"${what}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return { sent: number('sent'), done: number('done'), dead: number('dead') };
}

/**
 * Waits until every message was counted, or is dead.
 *
 * @param {Pick<import('../../support/deployment.mjs').Deployment, 'fetch'>} deployment
 * @param {string} token of an administrator
 * @param {number} [own] messages that the test sent itself
 */
export async function delivered(deployment, token, own = 0) {
  const isAll = async () => {
    const { sent, done, dead } = await messages(deployment, token);
    return done + dead >= sent + own;
  };
  await until('everything is delivered', isAll, { timeoutMs: 60_000 });
}
