/**
 * The site of the tests of ranks, and the ways to ask for them.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../../support/deployment.mjs').Answer} Answer */
/** @typedef {Record<string, number>} Scores */
/** @typedef {Record<string, number | null>} Ranks */

export const WINDOWS = ['hour', 'day', 'month', 'last-7-days', 'all'];
const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };
const FADING = { name: 'fading', kind: 'step', every: 'hour', factor: 0.5 };
const SMOOTH = { name: 'smooth', kind: 'linear', resets: 'day' };
const BOARD = { weights: { view: 1, down: -1 }, windows: WINDOWS };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, down: {}, quarter: {} },
  boards: {
    ordinal: BOARD,
    competition: { ...BOARD, ranking: 'competition' },
    dense: { ...BOARD, ranking: 'dense' },
    decaying: { ...BOARD, ranking: 'competition', windows: [HOT, FADING, SMOOTH] },
    least: { ...BOARD, windows: ['day', 'last-7-days', HOT], min_score: 5 },
    quarters: { weights: { quarter: 0.25 }, windows: ['day'], ranking: 'dense', min_score: 0.75 },
    short: { ...BOARD, limit: 2 },
    hundred: BOARD,
    still: { ...BOARD, movement: false },
  },
};
export const NOW = Date.parse('2026-11-20T12:30:00Z');

/** Members with ties, and where each ranking puts them; ties stand by id, the greater ones first. */
export const SCORES = { a: 5, b: 4, c: 4, d: 4, e: 2, f: 2, g: 1, below: -1 };
export const ORDER = ['a', 'd', 'c', 'b', 'f', 'e', 'g'];
/** @type {Record<string, number[]>} */
export const RANKS = { ordinal: [1, 2, 3, 4, 5, 6, 7], competition: [1, 2, 2, 2, 5, 5, 7], dense: [1, 2, 2, 2, 3, 3, 4] };
/** @type {Record<string, number>} */
export const PERCENTILES = { a: 100, d: 85.71, c: 85.71, b: 85.71, f: 42.86, e: 42.86, g: 14.29 };
export const BOARDS = Object.keys(RANKS);

/** An answer without what differs from one to the next. @param {any} body */
export function lasting({ generated_at: at, ...rest }) {
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return rest;
}

/**
 * Starts the deployment of a suite, and gives what its tests ask it.
 *
 * @param {import('../../support/deployment.mjs').Transport} transport
 */
export function serve(transport) {
  /** @type {Deployment} */
  let deployment;
  before(async () => (deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE } })));
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set(NOW);
  });
  after(() => deployment?.stop());

  /** Gives members so many points more. @param {Scores} scores @param {object} [when] */
  async function give(scores, when) {
    const events = Object.entries(scores).flatMap(([item, points]) =>
      Array.from({ length: Math.abs(points) }, () => ({ action: points < 0 ? 'down' : 'view', item, ...when })),
    );
    const { status, body } = await deployment.events({ events });
    assert.deepEqual([status, body], [200, { accepted: events.length, duplicate: 0, rejected: [] }]);
  }

  /** A member, asked of Redis. @param {string} ranking @param {string} id @param {string} [query] */
  function member(ranking, id, query = '') {
    deployment.edgeClock.advance(60_000);
    const [board, window] = ranking.split('/');
    return deployment.fetch(`/v1/demo/boards/${board}/${window}/members/${encodeURIComponent(id)}${query}`);
  }

  /** @param {string} ranking @param {unknown} body @param {string} [query] */
  function ranks(ranking, body, query = '') {
    const [board, window] = ranking.split('/');
    return deployment.fetch(`/v1/demo/boards/${board}/${window}/ranks${query}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /**
   * @param {Answer} answer
   * @param {number} status
   * @param {string} code
   * @param {RegExp} [cacheControl] that a ranking is not there may be kept for as long as rankings are fresh
   */
  function assertProblem(answer, status, code, cacheControl = status === 404 ? /^public, max-age=[12]$/ : /^no-store$/) {
    assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.match(answer.headers.get('cache-control') ?? '', cacheControl);
  }

  return {
    get deployment() {
      return deployment;
    },
    give,
    member,
    ranks,
    assertProblem,
  };
}
