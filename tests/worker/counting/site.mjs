/**
 * The site of the tests of counting, and what holds of every click.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';

import { CALENDAR, entriesOf, hashTags, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';

const SITE = {
  origins: ['https://demo.example'],
  actors: 'any',
  actions: {
    view: { public: true },
    half: { public: true },
    nothing: { public: true },
    like: {},
    comment: {},
    dislike: {},
  },
  boards: {
    articles: { weights: { view: 1, half: 0.5, like: 2, comment: 3, dislike: -1.25 }, windows: CALENDAR },
    people: { members: 'actors', weights: { view: 0.1, comment: 1 }, windows: ['day', 'all'] },
    loved: { weights: { like: 1 }, windows: ['week'] },
    small: { weights: { view: 1 }, windows: ['day'], max_members: 2, limit: 2 },
  },
};
const RANKINGS = Object.entries(SITE.boards).flatMap(([board, { windows }]) => windows.map((window) => [board, window]));

/** The activity log of 2026-11-20: an actor's day by action, "view 1 1". */
const ACTIVITY_LOG = 'eb:{demo}:day:20777:actions';

/** One round trip of Redis's commands besides those of the scripts: `n` scripts. @param {number} n */
export const scripts = (n) => ({ calls: n });

/**
 * Starts the deployment of a suite, and gives what its tests ask it.
 *
 * @param {import('../../support/deployment.mjs').Transport} transport
 */
export function serve(transport) {
  /** @type {import('../../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE, other: SITE } });
  });
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set('2026-11-20T12:00:00Z'); // no period ends while a test runs
    // Loads the scripts of one event and of several.
    const warm = { action: 'view', item: '/warm' };
    await deployment.beacon(warm, { site: 'other' });
    await deployment.beacon({ events: [warm, warm] }, { site: 'other' });
    await deployment.redis.command('FLUSHALL');
  });
  after(() => deployment?.stop());

  /**
   * Sends what `send` sends to an empty deployment. Then the boards named in `boards` show these entries in each of their
   * windows, and every other board of every site is empty. The activity log knows what these `actors` did, and of no other.
   *
   * @param {object} expectation
   * @param {(to: import('../../support/deployment.mjs').Deployment) => Promise<import('../../support/deployment.mjs').Answer>} expectation.send
   * @param {[status: number, body?: object]} expectation.answer of the last request
   * @param {Record<string, [string, number][]>} expectation.boards
   * @param {Record<string, Record<string, number>>} [expectation.actors] how often each did what
   * @param {number} [expectation.roundTrips]
   * @param {Record<string, number>} [expectation.commands] calls of scripts
   */
  async function check({ send, answer: [status, body], boards, actors = {}, roundTrips = 1, commands = {} }) {
    const before = deployment.link.roundTrips;
    /** @type {import('../../support/deployment.mjs').Answer | undefined} */
    let answer;
    const { calls = 0 } = await deployment.commandsDuring(async () => (answer = await send(deployment)));
    assert.equal(answer?.status, status, answer?.text);
    if (body) assert.deepEqual(answer?.body, body);
    else if (status === 204) assert.equal(answer?.text, '');
    assert.equal(deployment.link.roundTrips - before, roundTrips, 'round trips');
    if (commands.calls !== undefined) assert.deepEqual({ calls }, { calls: commands.calls });

    for (const [board, window] of RANKINGS) {
      const shown = await deployment.freshTop(`${board}/${window}`);
      assert.deepEqual(entriesOf(shown), boards[board] ?? [], `${board}/${window}`);
      assert.equal(shown.body.total, (boards[board] ?? []).length, `total of ${board}/${window}`);
    }
    for (const [actor, actions] of Object.entries(actors)) {
      const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
      const { body: log } = await deployment.fetch(`/v1/demo/actors/${encodeURIComponent(actor)}/activity`, { headers });
      assert.deepEqual(log, { site: 'demo', actor, days: [{ day: '2026-11-20', actions }] });
    }
    assert.deepEqual(
      (await deployment.redis.command('HKEYS', ACTIVITY_LOG)).filter((/** @type {string} */ actor) => !actor.startsWith('\0')).sort(),
      Object.keys(actors).sort(),
      'actors in the activity log',
    );
    const tags = hashTags(await deployment.redis.command('KEYS', '*'));
    assert.deepEqual(
      tags.filter((tag) => tag !== 'demo' && !tag.startsWith('demo:')),
      [],
      'keys of nothing but the site',
    );
  }

  const view = { action: 'view', item: '/posts/1' };

  return {
    get deployment() {
      return deployment;
    },
    check,
    view,
  };
}
