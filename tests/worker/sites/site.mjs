/**
 * A deployment that makes sites while it runs, and what is asked of it.
 */
import assert from 'node:assert/strict';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';

export const ADMIN_TOKEN = 'a-token-of-all-sites';
export const SITES_SECRET = 'a-secret-of-which-others-are-derived';
export const NOW = Date.parse('2026-11-20T12:00:00Z');
export const MINUTE_MS = 60_000;

/** What wrangler.toml has. */
const DEMO = { actions: { view: { public: true } }, boards: { articles: { weights: { view: 1 }, windows: ['day', 'all'] } } };

/** What a site of run time has. */
export const SHOP = {
  origins: ['*'],
  new_members: { visitor: 0, address: 0 },
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: ['day', 'all'], fresh: '1s' },
    rolled: { weights: { view: 1 }, windows: ['last-3-days'], fresh: '1s' },
  },
};

/**
 * @param {import('node:test').TestContext} t
 * @param {Partial<Parameters<typeof startDeployment>[0]>} [options]
 */
export async function start(t, { vars, ...more } = {}) {
  const deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: DEMO },
    vars: { ADMIN_TOKEN, SITES_SECRET, ...vars },
    ...more,
  });
  t.after(deployment.stop);
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
  return deployment;
}

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

/** @param {Pick<Deployment, 'fetch'>} deployment @param {string} method @param {string} path @param {unknown} [body] */
export function sites({ fetch }, method, path, body, token = ADMIN_TOKEN) {
  const init = { method, headers: { authorization: `Bearer ${token}` }, body: body === undefined ? undefined : JSON.stringify(body) };
  return fetch(`/v1/admin/sites${path}`, init);
}

/** Makes a site, and answers what was issued. @param {Deployment} deployment @param {string} name @param {object} [more] */
export async function make(deployment, name, more = {}) {
  const { status, body, text } = await sites(deployment, 'PUT', `/${name}`, { ...SHOP, ...more });
  assert.equal(status, 201, text);
  return /** @type {Record<'write' | 'admin' | 'actor' | 'forward', string>} */ (body.issued);
}

/** Counts as the servers of a site do. @param {Pick<Deployment, 'events'>} deployment @param {string} site @param {string} token @param {...object} events */
export async function count({ events: send }, site, token, ...events) {
  return send({ events }, { site, headers: { authorization: `Bearer ${token}` } });
}

/** Moves both clocks. @param {Deployment} deployment @param {number} ms */
export function later({ clock, edgeClock }, ms = MINUTE_MS) {
  for (const each of [clock, edgeClock]) each.advance(ms);
}

/** The entries of a ranking, as texts. @param {import('../../support/deployment.mjs').Answer} answer */
export const shown = (answer) => entriesOf(answer).map((/** @type {[string, number]} */ entry) => entry.join(' '));

/** @param {Deployment} deployment @param {string} sql */
export async function database({ worker }, sql) {
  return (await (await worker.miniflare.getD1Database('DB')).prepare(sql).all()).results;
}

/** Status and code of a problem. @param {import('../../support/deployment.mjs').Answer} answer */
export const refusal = ({ status, body }) => [status, body?.code];
