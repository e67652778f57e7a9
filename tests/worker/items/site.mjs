/**
 * The site of the tests of items, and the ways to describe them.
 */
import { startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

export const ADMIN_TOKEN = 'a-token-for-editors';
export const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: {} },
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: ['day', 'all'], limit: 1000, breakdown: true, fresh: '1s' },
    people: { members: 'actors', weights: { view: 1 }, windows: ['day'] },
  },
};

/** @param {object} [options] @param {boolean} [options.hasDatabase] */
export function start({ hasDatabase = true } = {}) {
  return startDeployment({ transport: 'redis://', relayed: true, sites: { demo: SITE, other: SITE }, vars: { ADMIN_TOKEN }, hasDatabase });
}

/**
 * Asks as an editor.
 *
 * @param {Deployment} deployment
 * @param {string} method
 * @param {string} path below `/v1/demo/`
 * @param {unknown} [body] text goes as it is
 * @param {Record<string, string>} [headers]
 */
export function edit(deployment, method, path, body, headers = {}) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return deployment.fetch(`/v1/demo/${path}`, { method, body: text, headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers } });
}

/** One object on each line. @param {object[]} objects */
export function lines(objects) {
  return objects.map((object) => JSON.stringify(object)).join('\n');
}
