/**
 * The site of the tests of explanations, and the ways to ask for them.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';

import { CALENDAR, startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../../support/deployment.mjs').Answer} Answer */
/** @typedef {Record<string, [count: number, score: number]>} Shares by action */
/**
 * @typedef {{ action: string, count: number, score: number, weight?: number }} Share
 * @typedef {{ id: string, starts_at: string, score: number, actions: Share[] }} Period
 */

const ROLLING = ['last-2-hours', 'last-7-days', 'last-3-weeks', 'last-2-months'];
const DECAYING = [
  { name: 'hot', kind: 'half-life', half_life: '6h' },
  { name: 'fading', kind: 'step', every: 'day', factor: 0.5 },
  { name: 'smooth', kind: 'linear', resets: 'day', at: '02:01:00', beta: 1.1 },
];
export const WEIGHTS = { view: 1, like: 2.5, down: -0.75 };
export const SITE = {
  timezone: 'Europe/London',
  day_starts_at: '04:00',
  actions: { view: { public: true }, like: { reversible: true }, down: {} },
  boards: {
    articles: { weights: WEIGHTS, windows: [...CALENDAR, ...ROLLING, ...DECAYING], breakdown: true },
    people: { members: 'actors', weights: { view: 0.1, like: 1 / 8 }, windows: ['day', 'last-7-days'], breakdown: true, ranking: 'dense' },
    votes: { weights: { view: 1, like: 3 }, windows: ['day', 'last-7-days'], breakdown: true, ties: 'first' },
    small: { weights: { view: 1 }, windows: ['day'], breakdown: true, max_members: 1 },
    plain: { weights: WEIGHTS, windows: ['hour', 'day', 'all', 'last-7-days', ...DECAYING] },
  },
};
/** Half an hour into an hour of a summer's day of London, which began at 03:00Z. */
export const NOW = '2026-07-15T12:30:00Z';

export const FORMULAS = {
  calendar: "the sum of the weights of the period's events",
  rolling: 'the sum of the weights of the events of the current period and the length - 1 before it',
  'half-life': 'the sum over the events of weight * 2^(-age / half_life)',
  step: 'the sum over the events of weight * factor^(boundaries since the event)',
  linear: 'the sum over the events since the last reset of weight * beta * seconds from the reset to the event',
};

/** What an answer lists, as a table. @param {Share[]} actions @returns {Shares} */
export const sharesIn = (actions) => {
  assert.equal(new Set(actions.map(({ action }) => action)).size, actions.length, 'each action once');
  for (const { action, count, score, weight, ...more } of actions) {
    assert.deepEqual(more, {}, action);
    if (weight !== undefined) near(weight * count, score, `${action}: what was counted adds up`);
  }
  return Object.fromEntries(actions.map(({ action, count, score }) => [action, [count, score]]));
};
/** @param {{ periods: Period[] }} body */
export const periodsIn = ({ periods }) => periods.map(({ actions, ...period }) => ({ ...period, actions: sharesIn(actions) }));
export const near = (/** @type {number} */ actual, /** @type {number} */ expected, /** @type {string} */ what) =>
  assert.ok(Math.abs(actual - expected) <= Math.max(1e-9 * Math.abs(expected), 1e-12), `${what}: ${actual}, not ${expected}`);

/**
 * Starts the deployment of a suite, and gives what its tests ask it.
 *
 * @param {import('../../support/deployment.mjs').Transport} transport
 */
export function serve(transport) {
  /** @type {Deployment} */
  let deployment;
  before(async () => (deployment = await startDeployment({ transport, sites: { demo: SITE } })));
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set(NOW);
  });
  after(() => deployment?.stop());

  /** @param {object[]} events */
  async function send(events) {
    for (let i = 0; i < events.length; i += 100) {
      const some = events.slice(i, i + 100);
      const { status, body } = await deployment.events({ events: some });
      assert.deepEqual([status, body], [200, { accepted: some.length, duplicate: 0, rejected: [] }]);
    }
  }
  /** @param {string} ranking @param {string} [id] @param {string} [query] */
  function ask(ranking, id = 'x', query = '') {
    deployment.edgeClock.advance(60_000); // no cache may answer
    const [board, window] = ranking.split('/');
    return deployment.fetch(`/v1/demo/boards/${board}/${window}/members/${encodeURIComponent(id)}/explain${query}`);
  }
  /** Asks, and checks what holds for every explanation. @param {string} ranking @param {string} [id] @param {string} [query] */
  async function explain(ranking, id, query) {
    const { status, body, text } = await ask(ranking, id, query);
    const [, window] = ranking.split('/');
    assert.equal(status, 200, text);
    const fields = [
      'site',
      'board',
      'window',
      'period',
      'complete',
      'generated_at',
      ...(window === 'hot' ? ['scored_at'] : []),
      'id',
      'score',
      'formula',
      'actions',
      'periods',
      'counted_since',
      'unexplained',
    ];
    // A replica may answer of what is over, on a cluster.
    assert.deepEqual(
      Object.keys(body).filter((name) => name !== 'replicated_at'),
      fields,
    );
    assert.deepEqual([body.site, `${body.board}/${body.window}`, body.id, body.complete], ['demo', ranking, id ?? 'x', true]);
    const sum = (/** @type {{ score: number }[]} */ list) => list.reduce((total, { score }) => total + score, 0);
    near(sum(body.actions) + body.unexplained, body.score, 'actions and what is unexplained');
    near(sum(body.periods), body.score, 'periods');
    for (const { actions, score, id: period } of body.periods)
      if (body.unexplained === 0) near(sum(actions), score, `actions of ${period}`);
    return body;
  }
  const view = { action: 'view', item: 'x' };
  const like = { action: 'like', item: 'x', actor: 'u1' };
  const down = { action: 'down', item: 'x' };
  /** What the tables below are about. */
  const EVENTS = [
    view,
    view,
    like,
    down,
    { ...view, at: '2026-07-15T11:59:59Z' },
    { ...view, at: '2026-07-15T02:59:59Z' }, // of the day before
    { ...view, at: '2026-07-13T02:59:59.999Z' }, // of Sunday
    { ...like, actor: 'u2', at: '2026-06-30T12:00:00Z' },
    { ...view, at: '2025-12-31T12:00:00Z' },
    { action: 'like', item: 'y', actor: 'u1' },
  ];

  return {
    get deployment() {
      return deployment;
    },
    send,
    ask,
    explain,
    view,
    like,
    down,
    EVENTS,
  };
}
