/**
 * Events that happened more than once: `count`.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, RESP, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const WINDOWS = ['day', 'all', 'last-7-days', { name: 'hot', kind: 'half-life', half_life: '6h' }];
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, buy: {}, like: { reversible: true } },
  boards: {
    products: { weights: { buy: 0.25, like: 2, view: 1 }, windows: WINDOWS, breakdown: true },
    buyers: { members: 'actors', weights: { buy: 0.01, like: 1 }, windows: ['day'] },
  },
};
const NOW = Date.parse('2026-11-20T12:00:00Z');

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: { demo: SITE } })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** @param {...object} events */
    async function send(...events) {
      const { status, body, text } = await deployment.events({ events });
      assert.equal(status, 200, text);
      return body;
    }
    /** @param {string} ranking */
    const scores = async (ranking) => Object.fromEntries(entriesOf(await deployment.freshTop(ranking)));

    test('multiplies the weight, in every window', async () => {
      await send(
        { action: 'buy', item: 'a', count: 10 },
        { action: 'view', item: 'a' },
        { action: 'buy', item: 'b', count: 4_294_967_295 },
      );
      for (const window of ['day', 'all', 'last-7-days']) {
        assert.deepEqual(await scores(`products/${window}`), { a: 3.5, b: 1_073_741_823.75 }, window);
      }
      assert.ok(Math.abs((await scores('products/hot')).a - 3.5) < 1e-3);
    });

    test('counts as often in explanations and activity', async () => {
      for (let times = 0; times < 2; times += 1)
        await send({ action: 'buy', item: 'a', actor: 'u1', count: 600 }, { action: 'buy', item: 'a', actor: 'u1' });
      const explained = await deployment.fetch('/v1/demo/boards/products/day/members/a/explain');
      assert.deepEqual(
        explained.body.actions.map((/** @type {any} */ { action, count, score }) => [action, count, score]),
        [['buy', 1202, 300.5]],
        explained.text,
      );
      assert.deepEqual(await scores('buyers/day'), { u1: 12.02 });
      const activity = await deployment.fetch('/v1/demo/actors/u1/activity', { headers: { authorization: `Bearer ${WRITE_TOKEN}` } });
      assert.deepEqual(activity.body.days[0].actions, { buy: 1202 }, activity.text);
    });

    test('an undo takes back all of it, and nothing else', async () => {
      const like = { action: 'like', item: 'a', actor: 'u1' };
      await send({ ...like, count: 5 }, { ...like, actor: 'u2' }, { action: 'view', item: 'a' });
      assert.deepEqual(await scores('products/day'), { a: 13 });
      assert.equal((await send({ ...like, undo: true })).accepted, 1);
      assert.deepEqual(await scores('products/day'), { a: 3 });
      assert.deepEqual(await scores('buyers/day'), { u2: 1 });
      const { body } = await deployment.fetch('/v1/demo/boards/products/day/members/a/explain');
      assert.deepEqual(
        body.actions.map((/** @type {any} */ { action, count }) => [action, count]),
        [
          ['like', 1],
          ['view', 1],
        ],
      );
    });

    test('what is no count is refused, and the rest counts', async () => {
      const event = { action: 'like', item: 'a', actor: 'u1' };
      const wrong = [0, -1, 1.5, 4_294_967_296, '3', true, []].map((count) => ({ ...event, count }));
      const body = await send(...wrong, { ...event, undo: true, count: 2 }, { action: 'view', item: 'b', count: null });
      assert.deepEqual(
        body.rejected.map((/** @type {any} */ { code }) => code),
        Array(8).fill('invalid-count'),
      );
      assert.deepEqual(await scores('products/day'), { b: 1 });
      const beacon = await deployment.beacon({ action: 'view', item: 'a', count: 2 });
      assert.deepEqual([beacon.status, beacon.body?.code ?? JSON.parse(beacon.text).code], [400, 'invalid-count']);
    });
  });
}
