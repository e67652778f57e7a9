/**
 * Undoing takes back exactly what a tracked action added, whenever it is undone: afterwards every board, window and day of activity
 * is what it would be had neither happened.
 */
import { after, before, describe, test } from 'node:test';

import { RESP, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { startWorker } from '../../support/worker.mjs';
import { assertBecame, assertSame, readActivity, readKeys, readRankings } from './outcome.mjs';
import { ACTORS, BACKGROUND, eventsOf, REWEIGHED, SITE, START } from './site.mjs';
import { STORIES } from './stories.mjs';

/**
 * @typedef {import('../../support/deployment.mjs').Deployment} Deployment
 * @typedef {import('./site.mjs').Event} Event
 * @typedef {import('./site.mjs').Batch} Batch
 * @typedef {import('./site.mjs').Row} Row
 * @typedef {import('./site.mjs').Step} Step
 */

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    /** @type {import('../../support/worker.mjs').Worker} */
    let reweighed;
    /** What is left of stories without what was undone, which many share. @type {Map<string, Promise<object>>} */
    const without = new Map();
    before(async () => {
      deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE } });
      // From here it goes on by some months, so that the worker's guess of the year is right.
      deployment.edgeClock.set(START);
      const vars = { REDIS_URL: deployment.redis.url, WRITE_TOKEN, SITES: { demo: REWEIGHED } };
      reweighed = await startWorker({ clock: deployment.edgeClock, vars });
    });
    after(async () => {
      await reweighed?.stop();
      await deployment?.stop();
    });

    /**
     * Tells a story, and then the same without the events that are to have no effect: both leave the same behind.
     *
     * @param {Row} row
     */
    async function check({ steps, stands = [], upkeep = false, read = false }) {
      const actual = await tell(steps, upkeep, read);
      let place = 0;
      const rest = steps.flatMap(([wait, send, , through]) => {
        const events = eventsOf(send).filter(() => stands.includes(place++));
        const step = /** @type {Step} */ ([wait, { events }, events.map(() => 'accepted'), through]);
        return wait > 0 || events.length > 0 ? [step] : [];
      });
      const name = JSON.stringify([rest, upkeep]);
      if (!without.has(name)) without.set(name, tell(rest, upkeep, false));
      assertSame(actual, await without.get(name));
    }

    /** Answers what is left in the end. @param {Step[]} steps @param {boolean} upkeep @param {boolean} read */
    async function tell(steps, upkeep, read) {
      const { clock, redis, worker } = deployment;
      await deployment.reset();
      clock.set(START);
      assertBecame(
        await post(worker, { events: BACKGROUND }),
        BACKGROUND.map(() => 'accepted'),
      );
      let elapsed = 0;
      for (const [i, [wait, send, became, through]] of steps.entries()) {
        elapsed += wait;
        if (wait > 0) clock.set(START + elapsed);
        if (upkeep) await worker.scheduled();
        if (read) await readRankings(deployment, elapsed);
        if (eventsOf(send).length === 0) continue;
        assertBecame(await post(through === 'reweighed' ? reweighed : worker, send), [became].flat(), `step ${i}`);
      }
      return {
        rankings: await readRankings(deployment, elapsed),
        activity: await readActivity(deployment, ACTORS),
        keys: await readKeys(redis, clock.now()),
      };
    }

    /** @param {import('../../support/worker.mjs').Worker} worker @param {Event | Batch} send */
    async function post(worker, send) {
      const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
      const answer = await worker.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify(send) });
      const text = await answer.text();
      return { status: answer.status, text, body: JSON.parse(text) };
    }

    for (const row of STORIES) test(row.story, () => check(row));
  });
}
