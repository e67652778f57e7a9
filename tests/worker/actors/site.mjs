/**
 * The site of the tests of actors: what browsers may do with a token, and without one.
 */
import { after, before, beforeEach } from 'node:test';

import { signActor } from '../../../packages/edgeboard/serve/actor-token.mjs';
import { createClock } from '../../support/clock.mjs';
import { startDeployment } from '../../support/deployment.mjs';

export const ORIGIN = 'https://demo.example';
export const SECRET = 'a-secret-of-the-site';
export const EARLIER_SECRET = 'the-one-before-it';
export const NOW = '2026-11-20T12:30:00Z';
export const NOW_S = Date.parse(NOW) / 1000;

const SITE = {
  origins: [ORIGIN],
  actions: {
    view: { public: true },
    like: { reversible: true, signed: true },
    save: { reversible: true, public: true },
    comment: {},
  },
  boards: {
    articles: { weights: { view: 1, like: 2, save: 5, comment: 3 }, windows: ['day', 'all'] },
    people: { members: 'actors', weights: { view: 1, like: 2, save: 5, comment: 3 }, windows: ['day', 'all'] },
  },
};

/**
 * The token of an actor, for a year unless told: tests move the clocks so that no cache answers.
 *
 * @param {string} actor
 * @param {{ secret?: string, site?: string, expiry?: number }} [claim]
 */
export const tokenOf = (actor, { secret = SECRET, site = 'demo', expiry = NOW_S + 365 * 86_400 } = {}) =>
  signActor({ secret, site, actor, expiry });

/**
 * Starts the deployment of a suite, at noon for each test.
 *
 * @param {import('../../support/deployment.mjs').Transport} transport
 */
export function serve(transport) {
  /** @type {import('../../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    const edgeClock = createClock();
    edgeClock.set(NOW);
    const sites = { demo: SITE, other: SITE, any: { ...SITE, actors: 'any' }, unsigned: SITE, brief: { ...SITE, activity_entries: 5 } };
    const vars = {
      ACTOR_SECRET_DEMO: `${SECRET}, ${EARLIER_SECRET}`,
      ACTOR_SECRET_ANY: SECRET,
      ACTOR_SECRET_OTHER: 'a-secret-of-another',
      ACTOR_SECRET_BRIEF: SECRET,
    };
    deployment = await startDeployment({ transport, sites, vars, edgeClock });
  });
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set(NOW);
  });
  after(() => deployment.stop());
  return {
    get deployment() {
      return deployment;
    },
  };
}
