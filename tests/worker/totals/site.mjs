/**
 * The site of the tests of totals, and the ways to ask for it.
 */
import assert from 'node:assert/strict';

import { startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {Record<string, number>} Scores by member */
/** @typedef {{ member: string, period: string, score: number, actions: string | null }} Row */

export const ADMIN_TOKEN = 'a-token-for-owners';
export const FORWARD_SECRET = 'sixteen-letters-and-more';
export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
/** Half an hour before the day's end. */
export const NOW = Date.parse('2026-11-20T23:30:00Z');

const BOARD = { weights: { view: 1, like: 2 }, windows: ['day', 'all', 'last-7-days'], breakdown: true };
const TO_D1 = [
  { window: 'all', every: '5m' },
  { window: 'day', every: '1m', to: 'd1' },
];
const ACTIONS = { view: { public: true }, like: { reversible: true }, finish: {} };

/**
 * @param {object} [options]
 * @param {object} [options.boards]
 * @param {boolean} [options.hasDatabase]
 */
export async function start({ boards = {}, hasDatabase = true } = {}) {
  const sites = {
    demo: {
      origins: ['*'],
      journal: '1d',
      actions: ACTIONS,
      boards: {
        articles: { ...BOARD, totals: TO_D1 },
        people: { ...BOARD, members: 'actors', windows: ['day'], totals: [{ window: 'day' }] },
        ...boards,
      },
    },
  };
  const deployment = await startDeployment({
    transport: 'redis://',
    relayed: true,
    sites,
    vars: { ADMIN_TOKEN, FORWARD_SECRET },
    hasDatabase,
  });
  return { deployment, ...on(deployment) };
}

/** The ways to act on a deployment. @param {Deployment} deployment */
function on(deployment) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

  /** Sets both clocks. @param {number} ms */
  function setClocks(ms) {
    deployment.clock.set(ms);
    deployment.edgeClock.set(ms);
  }

  /** @param {object[]} events */
  async function send(events) {
    for (let i = 0; i < events.length; i += 100) {
      const { status, body, text } = await deployment.events({ events: events.slice(i, i + 100) });
      assert.equal(status, 200, text);
      assert.deepEqual(body.rejected, []);
    }
  }

  /** How many members upkeep handed on. */
  async function handOn() {
    const { status, body, text } = await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
    assert.equal(status, 200, text);
    return body.totals;
  }

  /** What the database has of a window. @param {string} [ranking] @returns {Promise<Row[]>} */
  async function rows(ranking = 'articles/all') {
    const database = await deployment.worker.miniflare.getD1Database('DB');
    const statement = database.prepare(
      "SELECT member, period, score, actions FROM totals WHERE site = 'demo' AND board = ?1 AND window_name = ?2 ORDER BY period, member",
    );
    return (await statement.bind(...ranking.split('/')).all()).results;
  }

  /** The same as scores by member. @param {string} [ranking] @returns {Promise<Scores>} */
  async function scores(ranking) {
    return Object.fromEntries((await rows(ranking)).map(({ member, score }) => [member, score]));
  }

  /** What the metrics tell of a job. @param {string} job */
  async function counted(job) {
    const { text } = await deployment.fetch('/v1/demo/admin/metrics', { headers });
    const of = (/** @type {string} */ name) =>
      Number(new RegExp(`^edgeboard_isolate_${name}\\{site="demo",job="${job}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
    return {
      runs: of('job_runs_total'),
      members: of('job_members_total'),
      busy: of('jobs_busy_total'),
      failed: of('jobs_failed_total'),
      done: of('job_last_success_timestamp_seconds'),
    };
  }

  /** @param {string} id */
  const erase = (id) =>
    deployment.fetch(`/v1/demo/actors/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${WRITE_TOKEN}` } });
  /** Takes an item off the board. @param {string} path */
  const remove = (path) => deployment.fetch(`/v1/demo/admin/boards/articles/members${path}`, { method: 'DELETE', headers });
  /** @param {object} body */
  const revoke = (body) =>
    deployment.fetch('/v1/demo/admin/revoke', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  return { setClocks, send, handOn, rows, scores, counted, erase, remove, revoke };
}
