/**
 * The site of the tests of what counts once, and the ways to send and check.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {'counted' | 'duplicate' | 'already-done' | 'already-undone' | 'not-done' | 'board-full'} Outcome */

export const UNITS = ['hour', 'day', 'week', 'month', 'year', 'ever'];
/** Actions that count once per their unit. */
export const PER_UNIT = Object.fromEntries(UNITS.map((unit) => [`per-${unit}`, unit]));
const ones = (/** @type {string[]} */ actions) => Object.fromEntries(actions.map((action) => [action, 1]));

const SITE = {
  origins: ['*'],
  actors: 'any',
  bots: 'count',
  timezone: 'Europe/London',
  day_starts_at: '04:00',
  actions: {
    ...Object.fromEntries(
      [...UNITS.map((unit) => `per-${unit}`), 'tap', 'mixed', 'glow', 'brief'].map((action) => [action, { public: true }]),
    ),
    like: { reversible: true },
    take: {},
    keep: {},
  },
  boards: {
    articles: { weights: ones(Object.keys(PER_UNIT)), windows: ['day', 'all', 'last-2-days'], once: PER_UNIT },
    people: { members: 'actors', weights: { 'per-day': 1, tap: 1 }, windows: ['all'], once: { 'per-day': 'day' } },
    hourly: { weights: { mixed: 1 }, windows: ['all'], once: { mixed: 'hour' } },
    daily: { weights: { mixed: 1, tap: 10 }, windows: ['all'], once: { mixed: 'day' } },
    always: { weights: { mixed: 1 }, windows: ['all'] },
    loved: { weights: { like: 1 }, windows: ['all', 'day'], once: { like: 'ever' } },
    small: { weights: { take: 1 }, windows: ['hour'], once: { take: 'day' }, max_members: 2 },
    few: { weights: { keep: 1 }, windows: ['hour'], once: { keep: 'ever' }, max_members: 2 },
    warm: { weights: { glow: 8 }, windows: [{ name: 'hot', kind: 'half-life', half_life: '366d' }], once: { glow: 'day' } },
    short: { weights: { brief: 1 }, windows: ['all'], once: { brief: 'hour' }, replay_window: '10m' },
  },
};
const ARTICLES = { bots: 'count', actions: SITE.actions, boards: { articles: SITE.boards.articles } };
const SITES = { demo: SITE, other: SITE };
/** More sites, since a variable of the platform is small. */
const SITES_MORE = { two: { ...ARTICLES, visitors_per_address: 2 }, all: { ...ARTICLES, visitors_per_address: 0 } };
/** A summer's day in London, which began at 03:00Z. */
export const NOW = '2026-07-15T12:30:00Z';

/**
 * Starts the deployment of a suite, and gives what its tests ask it.
 *
 * @param {import('../../support/deployment.mjs').Transport} transport
 */
export function serve(transport) {
  /** @type {Deployment} */
  let deployment;
  before(async () => (deployment = await startDeployment({ transport, relayed: true, sites: SITES, vars: { SITES_MORE } })));
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set(NOW);
  });
  after(() => deployment?.stop());

  /**
   * Sends a batch as a server does; each event must become what is expected of it.
   *
   * @param {object[]} events
   * @param {Outcome[]} outcomes
   * @param {{ site?: string, id?: string }} [init]
   */
  async function send(events, outcomes, { site, id } = {}) {
    const { status, body, text } = await deployment.events({ ...(id && { id }), events }, { site });
    assert.equal(status, 200, text);
    const rejected = body.rejected.map((/** @type {any} */ { index, code }) => [index, code]);
    const number = (/** @type {Outcome} */ outcome) => outcomes.filter((other) => other === outcome).length;
    assert.deepEqual(
      { ...body, rejected },
      {
        accepted: number('counted'),
        duplicate: number('duplicate'),
        rejected: outcomes.flatMap((outcome, index) => (outcome === 'counted' || outcome === 'duplicate' ? [] : [[index, outcome]])),
      },
    );
  }
  /** @param {string} ranking @param {[string, number][]} entries @param {string} [site] */
  async function check(ranking, entries, site) {
    assert.deepEqual(entriesOf(await deployment.freshTop(ranking, '?limit=100', site)), entries, ranking);
  }
  /** @param {string} key */
  const expiryOf = async (key) => Number(await deployment.redis.command('PEXPIRETIME', key));
  /** The sets of marks of a board. */
  const marks = async (/** @type {string} */ board) => (await deployment.redis.command('KEYS', `eb:{demo:${board}}:once:*`)).sort();
  /** Who did what, as digests: what stands in the sets of some keys, without the engine's own mark. */
  const digests = async (/** @type {string[]} */ keys) => {
    const sets = await Promise.all(keys.map((key) => deployment.redis.command('SMEMBERS', key)));
    return sets.flat().filter((/** @type {string} */ digest) => !digest.startsWith('\0'));
  };

  return {
    get deployment() {
      return deployment;
    },
    send,
    check,
    expiryOf,
    marks,
    digests,
  };
}
