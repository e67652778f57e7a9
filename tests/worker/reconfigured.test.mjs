/**
 * Another configuration over what is in Redis already. Indexes that were kept for a part of the time only show nothing wrong.
 * What is remembered of actors stays remembered, and can be erased.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { contentsOf, keysThatHold } from '../support/contents.mjs';
import { entriesOf, startDeployment, RESP, WRITE_TOKEN } from '../support/deployment.mjs';
import { DAY_MS, readComplete } from '../support/windows.mjs';
import { startWorker } from '../support/worker.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../support/worker.mjs').Worker} Worker */

const WINDOWS = ['day', 'all', 'last-7-days'];
const ACTIONS = { view: {}, like: { reversible: true } };
const decaying = (/** @type {string} */ half_life, /** @type {number} */ beta) => [
  { name: 'hot', kind: 'half-life', half_life },
  { name: 'smooth', kind: 'linear', resets: 'week', beta },
];
const WEIGHTS = { view: 1, like: 1 };
const KEPT = {
  actions: ACTIONS,
  boards: {
    ordered: { weights: WEIGHTS, windows: WINDOWS, ties: 'first', breakdown: true },
    last: { weights: WEIGHTS, windows: WINDOWS, ties: 'last', ranking: 'competition' },
    people: {
      members: 'actors',
      weights: WEIGHTS,
      windows: [...WINDOWS, 'hour', 'week', 'month', 'year'],
      ties: 'first',
      ranking: 'dense',
      breakdown: true,
      once: { view: 'hour' },
    },
    fading: { weights: WEIGHTS, windows: decaying('2d', 1.5) },
  },
};
/** Keeps no indexes, remembers longer, and counts fewer periods. */
const PLAIN = {
  actions: ACTIONS,
  actor_history: '90d',
  activity: false,
  boards: {
    ordered: { weights: WEIGHTS, windows: WINDOWS },
    last: { weights: WEIGHTS, windows: WINDOWS },
    people: { members: 'actors', weights: WEIGHTS, windows: ['last-7-days'] },
    fading: { weights: WEIGHTS, windows: decaying('1d', 3) },
  },
};
const NOW = Date.parse('2026-11-20T12:00:00Z');

const view = (/** @type {string} */ item) => ({ action: 'view', item });
const like = { action: 'like', item: '/posts/1', actor: 'the-one' };

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** Of which the worker keeps everything. @type {Deployment} */
    let deployment;
    /** @type {Worker} */
    let plain;
    before(async () => {
      deployment = await startDeployment({ transport, sites: { demo: KEPT } });
      deployment.edgeClock.set(NOW);
      plain = await startWorker({
        clock: deployment.edgeClock,
        vars: { REDIS_URL: deployment.redis.url, WRITE_TOKEN, SITES: { demo: PLAIN } },
      });
    });
    after(async () => {
      await plain?.stop();
      await deployment?.stop();
    });
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });

    /** @param {object | undefined} body @param {string} [path] @param {string} [method] */
    async function throughPlain(body, path = '/v1/demo/events', method = 'POST') {
      const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
      const answer = await plain.fetch(path, { method, headers, body: body && JSON.stringify(body) });
      return { status: answer.status, text: await answer.text() };
    }
    const accepted = (/** @type {any} */ { body, text }) => (body ?? JSON.parse(text)).accepted;

    for (const board of ['ordered', 'last']) {
      for (const window of WINDOWS) {
        test(`${board}/${window}: scores and ranks are right when the order of ties was not kept for a while`, async () => {
          for (const item of ['b', 'a', 'c', 'e']) assert.equal(accepted(await deployment.events(view(item))), 1);
          await readComplete(deployment, `${board}/${window}`);
          // e is new to the order, d knows nothing of it, and c has another place than its score.
          for (const item of ['d', 'c', 'c', 'd', 'd']) assert.equal(accepted(await throughPlain(view(item))), 1);
          const { answer } = await readComplete(deployment, `${board}/${window}`);
          assert.deepEqual(
            entriesOf(answer).map(([, score]) => score),
            [3, 3, 1, 1, 1],
          );
          assert.deepEqual(
            new Set(
              entriesOf(answer)
                .slice(0, 2)
                .map(([id]) => id),
            ),
            new Set(['c', 'd']),
          );
          for (let offset = 0; offset < 5; offset += 1) {
            const page = await deployment.freshTop(`${board}/${window}`, `?limit=1&offset=${offset}`);
            assert.deepEqual(
              entriesOf(page).map(([, score]) => score),
              [[3, 3, 1, 1, 1][offset]],
            );
          }
          for (const [id, ranks] of /** @type {[string, number[]][]} */ ([
            ['c', [1, 2]],
            ['d', [1, 2]],
            ['a', [3, 4, 5]],
            ['b', [3, 4, 5]],
            ['e', [3, 4, 5]],
          ])) {
            const { status, body } = await deployment.fetch(`/v1/demo/boards/${board}/${window}/members/${id}?around=4`);
            assert.equal(status, 200);
            assert.ok(ranks.includes(body.rank), `${id}: ${body.rank}`);
            const alone = await deployment.fetch(`/v1/demo/boards/${board}/${window}/members/${id}`);
            assert.equal(alone.body.rank, body.rank);
          }
        });
      }

      test(`${board}/day: the same when somebody is hidden, and nobody else vanishes`, async () => {
        for (const item of ['h', 'z']) await deployment.events(view(item));
        await throughPlain(view('x'));
        await deployment.redis.command('HSET', `eb:{demo:${board}}:state`, 'layout', '2');
        await deployment.redis.command('ZADD', `eb:{demo:${board}}:curated`, -1, 'h');
        const { body } = await deployment.freshTop(`${board}/day`);
        assert.deepEqual(
          [
            body.total,
            entriesOf({ body })
              .map(([id]) => id)
              .sort(),
          ],
          [2, ['x', 'z']],
        );
        for (const id of ['x', 'z']) {
          const { body: member } = await deployment.fetch(`/v1/demo/boards/${board}/day/members/${id}?around=5`);
          assert.deepEqual(
            member.around.map((/** @type {any} */ entry) => entry.id),
            body.entries.map((/** @type {any} */ entry) => entry.id),
          );
        }
      });

      test(`${board}/day: the next one has its order again`, async () => {
        for (const send of [deployment.events, throughPlain]) await send(view('a'));
        deployment.clock.advance(DAY_MS);
        for (const item of ['b', 'a', 'c']) await deployment.events(view(item));
        const shown = entriesOf(await deployment.freshTop(`${board}/day`)).map(([id]) => id);
        assert.deepEqual(shown, board === 'ordered' ? ['b', 'a', 'c'] : ['c', 'a', 'b']);
      });
    }

    test('another actor history forgets nothing', async () => {
      assert.equal(accepted(await deployment.events(like)), 1);
      for (const days of [1, 29]) {
        deployment.clock.advance(days * DAY_MS);
        assert.equal(JSON.parse((await throughPlain(like)).text).code, 'already-done');
      }
      // Longer than the actor history was when it was done.
      deployment.clock.advance(30 * DAY_MS);
      assert.equal(accepted(await throughPlain({ ...like, undo: true })), 1);
      assert.deepEqual(entriesOf(await deployment.freshTop('ordered/all')), []);
    });

    test('what is done after the actor history grew is remembered for as long, too', async () => {
      await deployment.events({ ...like, item: '/posts/0' });
      await throughPlain(like);
      deployment.clock.advance(89 * DAY_MS);
      assert.equal(JSON.parse((await throughPlain(like)).text).code, 'already-done');
      assert.equal(accepted(await throughPlain({ ...like, undo: true })), 1);
      assert.deepEqual(
        entriesOf(await deployment.freshTop('ordered/all')).map(([id]) => id),
        ['/posts/0'],
      );
    });

    test('an undo takes back what decaying windows of the same names counted, and nothing else', async () => {
      // What is added to a decaying score and taken back may leave it rounded otherwise.
      const rounded = (/** @type {string} */ text) => (Number.isNaN(Number(text)) ? text : Number(text).toPrecision(9));
      const boards = async () => {
        const held = [...(await contentsOf(deployment.redis))].filter(([key]) => key.includes('{demo:fading}:window:'));
        return held.map(([key, members]) => [key, members.map(rounded)]);
      };
      for (const [does, undoes] of [
        [deployment.events, throughPlain],
        [throughPlain, deployment.events],
      ]) {
        await deployment.reset();
        // What stays is on the boards of who counted it.
        await does(view('/posts/2'));
        const counted = await boards();
        assert.equal(counted.length, 2);
        for (let time = 0; time < 3; time += 1) {
          assert.equal(accepted(await does(like)), 1);
          assert.notDeepEqual(await boards(), counted);
          assert.equal(accepted(await undoes({ ...like, undo: true })), 1);
          assert.deepEqual(await boards(), counted);
        }
      }
    });

    test('what was kept is erased, also when it is not kept any more', async () => {
      await deployment.events({ events: [like, { ...like, action: 'view' }, view('/posts/1')] });
      await deployment.worker.scheduled();
      deployment.clock.advance(DAY_MS);
      await deployment.events({
        events: [
          { ...like, action: 'view' },
          { ...like, item: '/posts/2' },
        ],
      });
      assert.ok(keysThatHold(await contentsOf(deployment.redis), 'the-one').length > 10);
      assert.deepEqual(await throughPlain(undefined, '/v1/demo/actors/the-one', 'DELETE'), { status: 204, text: '' });
      // On a cluster what is underway may come for two minutes, and is not counted.
      deployment.clock.advance(2 * 60_000);
      assert.deepEqual(keysThatHold(await contentsOf(deployment.redis), 'the-one'), []);
    });
  });
}
