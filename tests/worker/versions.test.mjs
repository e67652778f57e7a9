/**
 * Renewals by version: what has not changed costs Redis three commands, and readers a 304. What is hidden or pinned by hand is seen at
 * the next renewal.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment, RESP } from '../support/deployment.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

const ADMIN_TOKEN = 'a-token-for-curation';
const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: {
    articles: {
      weights: { view: 1 },
      // Once a minute a page with them is read anew; items/remembered.test.mjs has what that costs.
      details: false,
      windows: [
        'day',
        'last-7-days',
        { name: 'hot', kind: 'half-life', half_life: '6h' },
        { name: 'fading', kind: 'step', every: 'hour', factor: 0.9 },
      ],
    },
  },
};
const RANKINGS = ['articles/day', 'articles/last-7-days', 'articles/hot', 'articles/fading'];
const THREE = { calls: 1, hmget: 1, time: 1 };
/** No tick, hour or day ends soon after. */
const NOW = Date.parse('2026-11-20T12:01:00Z');

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: { demo: SITE }, vars: { ADMIN_TOKEN } })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
      await deployment.beacon({ events: ['a', 'b', 'b'].map((item) => ({ action: 'view', item })) });
      for (const ranking of RANKINGS) await deployment.freshTop(ranking);
    });
    after(() => deployment?.stop());

    /** What a renewal costs, and what a reader with that version gets. @param {string} path @param {string} tag */
    async function renew(path, tag) {
      deployment.edgeClock.advance(60_000);
      /** @type {Response | any} */
      let answer;
      const cost = await deployment.commandsDuring(async () => {
        answer = await deployment.fetch(path, { headers: { 'if-none-match': tag } });
      });
      return { answer, cost };
    }

    test('every five minutes a line tells what became of reads', async () => {
      deployment.edgeClock.advance(10 * 60_000);
      await deployment.fetch(`/v1/demo/boards/${RANKINGS[0]}`);
      const lines = deployment.worker.log.map(({ message }) => message).filter((message) => message.includes('"code":"reads"'));
      assert.ok(lines.length > 0, 'nothing was logged');
      const { level, asked, memory, unchanged } = JSON.parse(lines.at(-1) ?? '');
      assert.deepEqual([level, typeof memory, typeof unchanged], ['info', 'number', 'number']);
      assert.ok(asked >= RANKINGS.length, `${asked}`);
    });

    test('nothing happens: three commands, and 304 for everyone', async () => {
      const paths = RANKINGS.map((ranking) => `/v1/demo/boards/${ranking}`);
      for (const path of [...paths, `${paths[0]}/members/a`, `${paths[2]}/members/a?around=1`]) {
        const tag = (await deployment.fetch(path)).headers.get('etag') ?? '';
        for (let times = 0; times < 3; times += 1) {
          const { answer, cost } = await renew(path, tag);
          assert.deepEqual(cost, THREE, path);
          assert.deepEqual([answer.status, answer.headers.get('etag')], [304, tag], path);
        }
      }
    });

    test('several at once cost three commands each', async () => {
      const path = `/v1/demo/top?boards=${RANKINGS.join(',')}`;
      const tag = (await deployment.fetch(path)).headers.get('etag') ?? '';
      const { answer, cost } = await renew(path, tag);
      assert.deepEqual(cost, { calls: 4, hmget: 4, time: 4 });
      assert.equal(answer.status, 304);
    });

    test('a half-life stands still for a tick', async () => {
      const first = await deployment.freshTop('articles/hot');
      assert.equal(first.body.scored_at, '2026-11-20T12:00:00.000Z');
      deployment.clock.advance(4 * 60_000);
      const same = await deployment.freshTop('articles/hot');
      assert.deepEqual([same.text, same.headers.get('etag')], [first.text, first.headers.get('etag')]);
      deployment.clock.advance(60_000);
      const faded = await deployment.freshTop('articles/hot');
      assert.equal(faded.body.scored_at, '2026-11-20T12:05:37.500Z');
      assert.notEqual(faded.headers.get('etag'), first.headers.get('etag'));
    });

    test('what changes is seen: a view, hiding, pinning, and their end', async () => {
      const shown = async () => entriesOf(await deployment.freshTop('articles/day'));
      const curate = (/** @type {string} */ method, /** @type {string} */ list) =>
        deployment.fetch(`/v1/demo/admin/boards/articles/${list}/a`, { method, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
      assert.deepEqual(await shown(), [
        ['b', 2],
        ['a', 1],
      ]);
      await deployment.beacon({ action: 'view', item: 'b' });
      assert.deepEqual(await shown(), [
        ['b', 3],
        ['a', 1],
      ]);
      await curate('PUT', 'hidden');
      assert.deepEqual(await shown(), [['b', 3]]);
      await curate('DELETE', 'hidden');
      assert.deepEqual(await shown(), [
        ['b', 3],
        ['a', 1],
      ]);
      await curate('PUT', 'pinned');
      assert.deepEqual(await shown(), [
        ['a', 1],
        ['b', 3],
      ]);
      await curate('DELETE', 'pinned');
      assert.deepEqual(await shown(), [
        ['b', 3],
        ['a', 1],
      ]);
    });
  });
}
