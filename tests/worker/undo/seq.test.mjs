/**
 * Actions and undos that carry a seq, sent at once and out of order: the last one holds, on boards, in the activity log and in what actors
 * are told, whichever way they come.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { createRandom } from '../../support/windows.mjs';

const SITE = {
  origins: ['*'],
  limits: { beacons: 0, misses: 0 },
  activity: true,
  actions: { like: { reversible: true }, view: { public: true } },
  boards: {
    articles: { weights: { like: 2, view: 1 }, windows: ['day', 'all', 'last-7-days'] },
    people: { members: 'actors', weights: { like: 1 }, windows: ['day', 'all'] },
  },
};
const [ACTORS, ITEMS, SEQS] = [6, 4, 7];

for (const ingest of ['direct', 'grouped']) {
  describe(`${ingest} ingest`, () => {
    test('any order ends as the greatest seq says', async (t) => {
      const deployment = await startDeployment({ transport: 'redis://', sites: { demo: { ...SITE, ingest } } });
      t.after(deployment.stop);
      const random = createRandom(20261122);
      /** @type {{ action: string, item: string, actor: string, undo: boolean, seq: number }[]} */
      const events = [];
      const last = new Map();
      for (let pair = 0; pair < ACTORS * ITEMS; pair += 1) {
        const [actor, item] = [`u${pair % ACTORS}`, `/posts/${Math.floor(pair / ACTORS)}`];
        for (let seq = 1; seq <= SEQS; seq += 1) {
          const event = { action: 'like', item, actor, undo: random() < 0.5, seq };
          last.set(`${actor} ${item}`, event);
          events.push(event);
          if (random() < 0.2) events.push(event);
        }
      }
      const shuffled = events.map((event) => ({ event, at: random() })).toSorted((a, b) => a.at - b.at);
      const bodies = Array.from({ length: Math.ceil(shuffled.length / 3) }, (_, n) => shuffled.slice(3 * n, 3 * n + 3));
      let [accepted, superseded] = [0, 0];
      await Promise.all(
        bodies.map(async (body) => {
          const answer = await deployment.events({ events: body.map(({ event }) => event) });
          assert.equal(answer.status, 200);
          accepted += answer.body.accepted;
          for (const { code } of answer.body.rejected) {
            assert.equal(code, 'superseded');
            superseded += 1;
          }
        }),
      );
      assert.equal(accepted + superseded, events.length);
      assert.ok(accepted > last.size && superseded > last.size, `${accepted} accepted, ${superseded} superseded`);

      const stands = [...last.values()].filter(({ undo }) => !undo);
      assert.ok(stands.length > 0 && stands.length < last.size);
      const sums = (/** @type {'item' | 'actor'} */ by, /** @type {number} */ worth) => {
        /** @type {Record<string, number>} */
        const sum = {};
        for (const event of stands) sum[event[by]] = (sum[event[by]] ?? 0) + worth;
        return sum;
      };
      for (const [board, by, worth] of /** @type {const} */ ([
        ['articles', 'item', 2],
        ['people', 'actor', 1],
      ])) {
        for (const window of ['day', 'all']) {
          const { body } = await deployment.freshTop(`${board}/${window}`);
          const shown = Object.fromEntries(body.entries.map((/** @type {any} */ { id, score }) => [id, score]));
          assert.deepEqual(shown, sums(by, worth), `${board}/${window}`);
        }
      }
    });

    test('what is not a seq is refused', async (t) => {
      const deployment = await startDeployment({ transport: 'redis://', sites: { demo: { ...SITE, ingest } } });
      t.after(deployment.stop);
      const like = { action: 'like', item: '/posts/1', actor: 'u1' };
      const wrong = [0, -1, 1.5, 2 ** 53, '1', true].map((seq) => ({ ...like, seq }));
      const others = [
        { ...like, actor: undefined, seq: 1 },
        { ...like, action: 'view', seq: 1 },
      ];
      const { body } = await deployment.events({ events: [...wrong, ...others, { ...like, seq: 2 ** 53 - 1 }, { ...like, seq: null }] });
      const codes = body.rejected.map((/** @type {any} */ { index, code }) => [index, code]);
      assert.deepEqual(codes, [...[0, 1, 2, 3, 4, 5, 6, 7].map((index) => [index, 'invalid-seq']), [9, 'already-done']]);
      assert.equal((await deployment.events({ ...like, undo: true, seq: 2 ** 53 - 2 })).body.code, 'superseded');
      const beacon = await deployment.beacon({ action: 'view', item: '/posts/1', actor: 'u1', seq: 1 });
      assert.deepEqual([beacon.status, JSON.parse(beacon.text).code], [400, 'invalid-seq']);
    });
  });
}
