/**
 * A site with templates, and what is asked of it.
 */
import assert from 'node:assert/strict';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';

export const ADMIN_TOKEN = 'a-token-for-owners';
export const NOW = Date.parse('2026-11-20T12:00:00Z');
export const MINUTE_MS = 60_000;

export const SITE = {
  origins: ['*'],
  actors: 'any',
  limits: { beacons: 0, misses: 0 },
  actions: { view: { public: true }, like: { reversible: true }, finish: {} },
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: ['day', 'all'] },
    level: { template: true, members: 'actors', weights: { finish: 1, like: 5 }, windows: ['day', 'all'], max_boards: 3, fresh: '1s' },
    made: { template: true, on_event: true, public: true, weights: { view: 1, like: 1 }, windows: ['all'], max_boards: 2, fresh: '1s' },
    best: { template: true, on_event: true, members: 'actors', score: 'max', actions: ['finish'], windows: ['all'] },
  },
};

/**
 * @param {import('node:test').TestContext} t
 * @param {object} [options]
 * @param {Record<string, import('miniflare').Json>} [options.site] more options of it
 * @param {boolean} [options.hasQueue]
 * @param {boolean} [options.hasDatabase]
 * @param {boolean} [options.hasBucket]
 * @param {boolean} [options.relayed] its trips to Redis can be lost
 */
export async function start(t, { site = {}, ...more } = {}) {
  const deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: { ...SITE, ...site }, other: SITE },
    vars: { ADMIN_TOKEN, FORWARD_SECRET: 'sixteen-letters-and-more' },
    ...more,
  });
  t.after(deployment.stop);
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
  return deployment;
}

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

/** @param {Pick<Deployment, 'fetch'>} deployment @param {string} method @param {string} path @param {unknown} [body] */
export function admin({ fetch }, method, path, body, site = 'demo') {
  const init = { method, headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, body: body === undefined ? undefined : JSON.stringify(body) };
  return fetch(`/v1/${site}/admin/${path}`, init);
}

/** The codes of the events that do not count. @param {Pick<Deployment, 'events'>} deployment @param {...object} events */
export async function count({ events: send }, ...events) {
  const { status, body, text } = await send({ events });
  assert.equal(status, 200, text);
  return body.rejected.map((/** @type {{ index: number, code: string }} */ { index, code }) => `${index} ${code}`);
}

/** Moves both clocks on, by a minute each time, so that the scheduled run of each does its part. @param {Deployment} deployment @param {number} minutes */
export async function pass(deployment, minutes) {
  for (let i = 0; i < minutes; i += 1) {
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(MINUTE_MS);
    await deployment.worker.scheduled();
  }
}

/** The entries of a ranking, as texts. @param {import('../../support/deployment.mjs').Answer} answer */
export const shown = (answer) => entriesOf(answer).map((/** @type {[string, number]} */ entry) => entry.join(' '));

/** The keys of a board. @param {Pick<Deployment, 'redis'>} deployment @param {string} board */
export const keysOf = async ({ redis }, board) => [...(await redis.command('KEYS', `eb:{demo:${board}}*`))].sort();
