/**
 * Boards that rank values: max, min and last.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';
import { TRANSPORTS } from '../../support/transports.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const VALUES = { members: 'actors', actions: ['finish'], windows: ['hour', 'day', 'all'] };
const SITE = {
  origins: ['*'],
  actions: { finish: {}, view: { public: true }, score: {} },
  boards: {
    best: { ...VALUES, score: 'max', windows: [...VALUES.windows, 'last-3-days'], max_members: 1000 },
    fastest: { ...VALUES, score: 'min', order: 'ascending', decimals: 3, windows: [...VALUES.windows, 'last-3-days'], max_members: 1000 },
    level: { ...VALUES, score: 'last' },
    deepest: { ...VALUES, score: 'min', order: 'descending', ties: 'last', decimals: 0 },
    races: { members: 'actors', weights: { finish: 1, view: 1 }, windows: ['day'] },
    games: { score: 'max', actions: ['score'], windows: ['day'], max_members: 2 },
  },
};
const NOW = Date.parse('2026-11-20T12:00:00Z');

for (const transport of TRANSPORTS) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: { demo: SITE } })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** @param {string} actor @param {number} value */
    const finish = (actor, value, more = {}) => ({ action: 'finish', actor, value, ...more });
    /** @param {object[]} events */
    async function send(events, more = {}) {
      const { status, body, text } = await deployment.events({ events, ...more });
      assert.equal(status, 200, text);
      return body;
    }
    /** @param {string} ranking */
    const entries = async (ranking, query = '') => entriesOf(await deployment.freshTop(ranking, query));

    test('each board keeps its value, and sums go on', async () => {
      await send([finish('ann', 5), finish('ann', -7), finish('bob', 0), finish('ann', 2)]);
      assert.deepEqual(await entries('best/day'), [
        ['ann', 5],
        ['bob', 0],
      ]);
      assert.deepEqual(await entries('fastest/day'), [
        ['ann', -7],
        ['bob', 0],
      ]);
      assert.deepEqual(await entries('level/day'), [
        ['ann', 2],
        ['bob', 0],
      ]);
      assert.deepEqual(await entries('deepest/day'), [
        ['bob', 0],
        ['ann', -7],
      ]);
      assert.deepEqual(await entries('races/day'), [
        ['ann', 3],
        ['bob', 1],
      ]);
    });

    test('a page begins at a score, by the order of the board', async () => {
      await send([finish('ann', 5), finish('bob', 7), finish('cyd', 9)]);
      assert.deepEqual(await entries('best/day', '?from_score=7'), [
        ['bob', 7],
        ['ann', 5],
      ]);
      assert.deepEqual(await entries('fastest/day', '?from_score=7'), [
        ['bob', 7],
        ['cyd', 9],
      ]);
    });

    test('a late event counts in its period, and is no later than what happened after it', async () => {
      await send([finish('ann', 5)]);
      await send([finish('ann', 9, { at: '2026-11-19T23:59:59.999Z' })]);
      for (const board of ['best', 'level']) {
        assert.deepEqual(await entries(`${board}/day`), [['ann', 5]], board);
        assert.deepEqual(await entries(`${board}/day`, '?period=2026-11-19'), [['ann', 9]], board);
      }
      assert.deepEqual(await entries('best/all'), [['ann', 9]]);
      assert.deepEqual(await entries('level/all'), [['ann', 5]], 'what happened last');
      const several = await deployment.fetch('/v1/demo/top?boards=best/last-3-days,fastest/last-3-days');
      assert.deepEqual(
        several.body.boards.map((/** @type {any} */ { entries: [{ id, score }] }) => [id, score]),
        [
          ['ann', 9],
          ['ann', 5],
        ],
      );
      assert.deepEqual(await entries('best/last-3-days'), [['ann', 9]]);
      assert.deepEqual(await entries('fastest/last-3-days'), [['ann', 5]]);
    });

    test('a rolling window forgets what leaves it', async () => {
      await send([finish('ann', 9), finish('bob', 4)]);
      for (const [days, best] of [
        [1, 9],
        [2, 9],
        [3, 1],
      ]) {
        deployment.clock.set(NOW + days * 86_400_000);
        await send([finish('ann', 1)]);
        const found = await entries('best/last-3-days');
        assert.deepEqual(
          found,
          days < 3
            ? [
                ['ann', best],
                ['bob', 4],
              ]
            : [['ann', best]],
          `after ${days} days`,
        );
      }
      assert.deepEqual(await entries('best/last-3-days', '?period=2026-11-21'), [
        ['ann', 9],
        ['bob', 4],
      ]);
    });

    test('what is sent again counts once, also when its answer was lost', async () => {
      const batch = [finish('ann', 5, { id: 'a' }), finish('ann', 6)];
      await send(batch, { id: 'b' });
      assert.deepEqual(await send(batch, { id: 'b' }), { accepted: 0, duplicate: 2, rejected: [] });
      assert.deepEqual(await send([finish('ann', 50, { id: 'a' })]), { accepted: 0, duplicate: 1, rejected: [] });
      assert.deepEqual(await entries('best/day'), [['ann', 6]]);
      assert.deepEqual(await entries('races/day'), [['ann', 2]]);
    });

    test('64 senders at once: the best of all values stands', async () => {
      const values = Array.from({ length: 64 }, (_, i) => ((i * 37) % 64) - 20);
      const senders = values.map((value, i) =>
        send([finish('ann', value, { meta: { of: value } }), finish(`p${i % 5}`, value)], { id: `sender-${i}` }),
      );
      const answers = await Promise.all(senders);
      assert.ok(answers.every(({ accepted }) => accepted === 2));
      for (const window of ['hour', 'day', 'all', 'last-3-days']) {
        const best = (await deployment.freshTop(`best/${window}`)).body.entries;
        const ann = best.find((/** @type {{ id: string }} */ { id }) => id === 'ann');
        assert.deepEqual([ann.score, ann.meta], [43, { of: 43 }], window);
        const fastest = (await deployment.freshTop(`fastest/${window}`)).body.entries;
        assert.deepEqual([fastest[0].score, fastest.find((/** @type {any} */ { id }) => id === 'ann').meta], [-20, { of: -20 }], window);
        for (let p = 0; p < 5; p += 1) {
          const own = values.filter((_, i) => i % 5 === p);
          assert.equal(best.find((/** @type {any} */ { id }) => id === `p${p}`).score, Math.max(...own), `p${p} of ${window}`);
        }
      }
      assert.deepEqual((await entries('races/day'))[0], ['ann', 64]);
    });

    test('a board that is full refuses new members, and a better value of an old one counts', async () => {
      const score = (/** @type {string} */ item, /** @type {number} */ value) => ({ action: 'score', item, value });
      const { accepted, rejected } = await send([score('a', 1), score('b', 2), score('c', 3), score('a', 4)]);
      assert.deepEqual([accepted, rejected.map((/** @type {any} */ { index, code }) => [index, code])], [3, [[2, 'board-full']]]);
      assert.deepEqual(await entries('games/day'), [
        ['a', 4],
        ['b', 2],
      ]);
    });

    test('what stands beside goes with the value that it came with', async () => {
      const metas = async () => (await deployment.freshTop('best/all')).body.entries.map((/** @type {any} */ { id, meta }) => [id, meta]);
      await send([finish('ann', 5, { meta: 'one: = *' }), finish('bob', 1)]);
      assert.deepEqual(await metas(), [
        ['ann', 'one: = *'],
        ['bob', undefined],
      ]);
      await send([finish('ann', 4, { meta: 'worse' }), finish('bob', 2, { meta: [1, null, { a: 'ü' }] })]);
      assert.deepEqual(await metas(), [
        ['ann', 'one: = *'],
        ['bob', [1, null, { a: 'ü' }]],
      ]);
      await send([finish('bob', 7)]);
      assert.deepEqual(await metas(), [
        ['bob', undefined],
        ['ann', 'one: = *'],
      ]);
    });

    test('what is no value is refused by name, and the rest counts', async () => {
      const wrong = ['5', true, null, 4_503_599_628, 0.0000001].map((value) => ({ ...finish('ann', 0), value }));
      const body = await send([
        ...wrong,
        { action: 'finish', actor: 'ann' },
        { action: 'view', actor: 'ann', value: 3 },
        { action: 'view', actor: 'ann', meta: 3 },
        finish('ann', 1.5),
        finish('ann', 1, { meta: 'x'.repeat(255) }),
        finish('ann', 1, { undo: true }),
        { action: 'finish', value: 3 },
        { action: 'score', actor: 'ann', value: 3 },
        finish('bob', 1, { meta: 'x'.repeat(254) }),
      ]);
      assert.deepEqual(
        body.rejected.map((/** @type {any} */ { code }) => code),
        [
          ...Array(7).fill('invalid-value'),
          'invalid-meta',
          'invalid-value',
          'invalid-meta',
          'undo-not-possible',
          'invalid-actor',
          'invalid-item',
        ],
        JSON.stringify(body.rejected),
      );
      const detail = body.rejected[6].detail;
      assert.equal(detail, 'value = 3 is not allowed with view, whose values no board ranks; these sum: races');
      assert.deepEqual(await entries('best/day'), [['bob', 1]]);
      const beacon = await deployment.beacon({ action: 'view', item: 'a', value: 2 });
      assert.deepEqual([beacon.status, JSON.parse(beacon.text).code], [400, 'invalid-value']);
    });

    test('the list of boards tells what they rank', async () => {
      const { body } = await deployment.fetch('/v1/demo/boards');
      const of = (/** @type {string} */ name) => body.boards.find((/** @type {any} */ { board }) => board === name);
      const { score, order, actions, decimals, weights } = of('fastest');
      assert.deepEqual([score, order, actions, decimals, weights], ['min', 'ascending', ['finish'], 3, undefined]);
      assert.deepEqual([of('races').weights, of('races').score], [{ finish: 1, view: 1 }, undefined]);
    });
  });
}
