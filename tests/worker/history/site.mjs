/**
 * The site of the tests of history, and the ways to ask for it.
 */
import assert from 'node:assert/strict';

import { startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { delivered } from '../ingest/queued.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

export const ADMIN_TOKEN = 'a-token-for-owners';
export const NOW = Date.parse('2026-11-20T23:30:00Z');
export const MINUTE_MS = 60_000;
const WINDOWS = ['hour', 'day', 'month', 'last-7-days', 'all', { name: 'hot', kind: 'half-life', half_life: '6h' }];
const BOARD = { weights: { view: 1 }, windows: WINDOWS, limit: 10, history: 3 };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    articles: BOARD,
    people: { ...BOARD, members: 'actors', windows: ['day'] },
    forgetful: { weights: { view: 1 }, windows: ['day'] },
  },
};

/** @param {object} [options] @param {boolean} [options.hasDatabase] @param {object} [options.site] @param {Record<string, string>} [options.vars] */
export function start({ hasDatabase = true, site = {}, vars = {} } = {}) {
  const sites = { demo: { ...SITE, ...site } };
  return startDeployment({ transport: 'redis://', relayed: true, sites, vars: { ADMIN_TOKEN, ...vars }, hasDatabase });
}

/** The ways to act on a deployment. @param {Deployment} deployment @param {string} [ingest] of its site */
export function on(deployment, ingest = 'direct') {
  /** Sets both clocks. @param {number} ms */
  function setClocks(ms) {
    deployment.clock.set(ms);
    deployment.edgeClock.set(ms);
  }

  /** Views by `scores`: of an item, by an actor of the same name. @param {Record<string, number>} scores @param {object} [when] */
  async function view(scores, when) {
    const times = (/** @type {[string, number]} */ [item, count]) =>
      Array.from({ length: count }, () => ({ action: 'view', item, actor: item, ...when }));
    const { status, body } = await deployment.events({ events: Object.entries(scores).flatMap(times) });
    assert.deepEqual([status, body.rejected], [ingest === 'queue' ? 202 : 200, []]);
    if (ingest === 'queue') await delivered(deployment, ADMIN_TOKEN);
  }

  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

  /** How many periods upkeep froze. */
  async function freeze() {
    const { status, body, text } = await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
    assert.equal(status, 200, text);
    return body.frozen;
  }

  /** @param {string} ranking @param {string} [query] */
  const periods = (ranking, query = '') => deployment.fetch(`/v1/demo/boards/${ranking}/periods${query}`);

  /** Erases an actor. @param {string} id */
  const erase = (id) =>
    deployment.fetch(`/v1/demo/actors/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${WRITE_TOKEN}` } });

  return { setClocks, view, freeze, periods, erase };
}

/** What ranks there: ids and scores, in order. @param {any} body */
export const shown = (body) => body.entries.map((/** @type {any} */ { rank, id, score }) => [rank, id, score]);
