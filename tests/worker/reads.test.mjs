/**
 * A read whose connection is lost is tried again once, as a beacon is; and nobody keeps Redis busy by asking whether it is ready.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { TRANSPORTS } from '../support/transports.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const SITES = {
  demo: { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day', 'week'], breakdown: true } } },
};
const bearer = (/** @type {string} */ token) => ({ headers: { authorization: `Bearer ${token}` } });
const BOARD = '/v1/demo/boards/articles/week';
const READS = /** @type {[string, RequestInit?][]} */ ([
  [BOARD],
  [`${BOARD}/members/a`],
  [`${BOARD}/members/a/explain`],
  [`${BOARD}/ranks`, { method: 'POST', body: '{"ids":["a"]}' }],
  ['/v1/demo/top?boards=articles/week'],
  ['/v1/demo/actors/u/activity', bearer(WRITE_TOKEN)],
  ['/v1/demo/admin/boards/articles/hidden', bearer(ADMIN_TOKEN)],
]);

for (const transport of TRANSPORTS) {
  describe(`over ${transport}`, () => {
    /** @type {import('../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, relayed: true, sites: SITES, vars: { ADMIN_TOKEN } })));
    after(() => deployment?.stop());
    beforeEach(async () => {
      await deployment.reset();
      await deployment.events({ events: [{ action: 'view', item: 'a', actor: 'u' }] });
      // Redis knows the scripts then, and the handshake was accepted.
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/day')), [['a', 1]]);
    });

    for (const [path, init] of READS) {
      test(`${init?.method ?? 'GET'} ${path} outlasts one lost reply, and not two`, async () => {
        await deployment.fetch(path, init);
        await deployment.reset();
        await deployment.events({ events: [{ action: 'view', item: 'a', actor: 'u' }] });
        deployment.link.loseReplies(2);
        assert.ok([503, 504].includes((await deployment.fetch(path, init)).status));
        deployment.link.loseReplies(1);
        // What failed is left alone for a second.
        deployment.edgeClock.advance(1_000);
        const answer = await deployment.fetch(path, init);
        assert.equal(answer.status, 200, answer.text);
      });
    }

    test('readyz asks about once a second', async () => {
      // The first call of a library is asked again, whether it was counted.
      await deployment.fetch('/readyz');
      deployment.edgeClock.advance(1_000);
      const start = Date.now();
      const { set = 0 } = await deployment.commandsDuring(async () => {
        for (let asked = 0; asked < 50; asked += 1) assert.equal((await deployment.fetch('/readyz')).status, 200);
      });
      const seconds = Math.floor((Date.now() - start) / 1_000);
      assert.ok(set >= 1 && set <= 1 + seconds, `${set} in ${seconds} s`);
      deployment.edgeClock.advance(1_000);
      const again = await deployment.commandsDuring(() => deployment.fetch('/readyz'));
      assert.equal(again.set, 1);
    });
  });
}
