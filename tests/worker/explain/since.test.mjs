/**
 * Since when a window counts, where it began before: before the board's first event, or before the window was configured.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { RESP, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { startWorker } from '../../support/worker.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../../support/worker.mjs').Worker} Worker */

const site = (/** @type {any[]} */ windows) => ({
  actions: { view: {} },
  boards: { articles: { weights: { view: 1 }, windows, breakdown: true } },
});
const DECAYING = [
  { name: 'hot', kind: 'half-life', half_life: '6h' },
  { name: 'fading', kind: 'step', every: 'day', factor: 0.5 },
  { name: 'smooth', kind: 'linear', resets: 'day', at: '02:01:00', beta: 1.1 },
];
const FEW = site(['day']);
const MANY = site(['hour', 'day', 'week', 'all', 'last-2-days', 'last-7-days', 'last-2-weeks', ...DECAYING]);

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** With few windows. @type {Deployment} */
    let few;
    /** With many. @type {Worker} */
    let many;
    before(async () => {
      few = await startDeployment({ transport, sites: { demo: FEW } });
      many = await startWorker({
        clock: few.edgeClock,
        vars: { REDIS_URL: few.redis.url, WRITE_TOKEN, SITES: { demo: MANY } },
      });
    });
    after(async () => {
      await many?.stop();
      await few?.stop();
    });
    beforeEach(() => few.reset());

    /** Counts a view at an instant. @param {Deployment | Worker} through @param {string} at */
    async function view(through, at) {
      few.clock.set(at);
      const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
      const body = JSON.stringify({ action: 'view', item: 'x' });
      const answer = await through.fetch('/v1/demo/events', { method: 'POST', headers, body });
      assert.equal(answer.status, 200);
    }
    /** Since when, to the minute. @param {string} window @param {string} [query] */
    async function since(window, query = '') {
      few.edgeClock.advance(60_000); // no cache may answer
      const answer = await many.fetch(`/v1/demo/boards/articles/${window}/members/x/explain${query}`);
      assert.equal(answer.status, 200);
      const { counted_since } = /** @type {any} */ (await answer.json());
      return counted_since?.slice(0, -4);
    }

    test('the first event of a board', async () => {
      await view(many, '2026-11-18T09:30:00Z');
      for (const window of ['hour', 'day', 'week', 'all', 'last-2-days', 'last-7-days', 'last-2-weeks', 'hot', 'fading', 'smooth'])
        assert.equal(await since(window), '2026-11-18T09:30', window);
      await view(many, '2026-11-19T10:00:00Z');
      for (const window of ['hour', 'day', 'smooth']) assert.equal(await since(window), undefined, window);
      for (const window of ['week', 'all', 'last-2-days', 'last-7-days', 'last-2-weeks', 'hot', 'fading'])
        assert.equal(await since(window), '2026-11-18T09:30', window);
      assert.equal(await since('day', '?period=2026-11-18'), '2026-11-18T09:30');
      await view(many, '2026-11-20T10:00:00Z');
      assert.equal(await since('last-2-days'), undefined);
    });

    test('a window that is added while its period runs', async () => {
      await view(few, '2026-11-18T09:30:00Z');
      await view(few, '2026-11-19T09:30:00Z');
      await view(many, '2026-11-20T12:15:00Z');
      for (const window of ['hour', 'week', 'all', 'last-2-weeks', 'hot', 'fading', 'smooth'])
        assert.equal(await since(window), '2026-11-20T12:15', window);
      assert.equal(await since('day'), undefined, 'it was counted before');
      assert.equal(await since('last-7-days'), '2026-11-18T09:30', 'so were its base periods');
      await view(many, '2026-11-20T13:00:01Z');
      assert.equal(await since('hour'), undefined);
      assert.equal(await since('week'), '2026-11-20T12:15');
    });

    test('a window that was not counted for a while', async () => {
      await view(many, '2026-11-18T09:30:00Z');
      await view(few, '2026-11-20T10:10:00Z');
      await view(many, '2026-11-20T12:15:00Z');
      assert.equal(await since('all'), '2026-11-20T12:15');
      assert.equal(await since('last-7-days'), '2026-11-18T09:30');
    });

    test('what was counted before boards remembered it', async () => {
      await view(many, '2026-11-18T09:30:00Z');
      assert.equal(await few.redis.command('HDEL', 'eb:{demo:articles}:state', 'counts', 'since'), 2);
      for (const window of ['day', 'all', 'last-7-days', 'hot']) assert.equal(await since(window), undefined, window);
      await view(many, '2026-11-18T09:40:00Z');
      for (const window of ['day', 'all', 'last-7-days', 'hot']) assert.equal(await since(window), undefined, window);
    });
  });
}
