/**
 * Pages that begin at a score.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { RESP, startDeployment } from '../../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const BOARD = { weights: { view: 1 }, windows: ['day'] };
const SITE = { actions: { view: { public: true } }, boards: { ordinal: BOARD, dense: { ...BOARD, ranking: 'dense' } } };
/** @type {Record<string, number>} */
const SCORES = { a: 6, b: 5, c: 4, d: 4, e: 2, f: 1 };

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {import('../../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => {
      deployment = await startDeployment({ transport, sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
      const events = Object.entries(SCORES).flatMap(([item, count]) => Array.from({ length: count }, () => ({ action: 'view', item })));
      assert.equal((await deployment.events({ events })).status, 200);
    });
    after(() => deployment?.stop());

    const entries = async (/** @type {string} */ query, board = 'ordinal') => {
      const { status, body } = await deployment.freshTop(`${board}/day`, query);
      assert.equal(status, 200, JSON.stringify(body));
      return body.entries.map((/** @type {any} */ { rank, id, score }) => `${rank} ${id} ${score}`);
    };

    test('it begins with the first that has at most that, with its own rank', async () => {
      assert.deepEqual(await entries('?from_score=4&limit=3'), ['3 d 4', '4 c 4', '5 e 2']);
      assert.deepEqual(await entries('?from_score=4.5&limit=1'), ['3 d 4']);
      assert.deepEqual(await entries('?from_score=4&limit=2', 'dense'), ['3 d 4', '3 c 4']);
      assert.deepEqual(await entries('?from_score=4&limit=2&offset=2'), ['5 e 2', '6 f 1']);
      assert.deepEqual(await entries('?from_score=100&limit=1'), ['1 a 6']);
      assert.deepEqual(await entries('?from_score=0.5'), []);
    });

    test('pinned members stand before it', async () => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const pin = (/** @type {string} */ method) => deployment.fetch('/v1/demo/admin/boards/ordinal/pinned/f', { method, headers });
      assert.equal((await pin('PUT')).status, 204);
      assert.deepEqual(await entries('?from_score=2'), ['6 e 2']);
      assert.equal((await pin('DELETE')).status, 204);
    });

    test('what is no score is refused', async () => {
      for (const score of ['', 'x', '1e3', '0.1234567', 'NaN']) {
        const { status, body } = await deployment.top('ordinal/day', `?from_score=${score}`);
        assert.deepEqual([status, body.code], [400, 'invalid-parameter'], score);
      }
    });
  });
}
