/**
 * What a request costs Redis, in commands, those inside scripts included: a bill where commands are billed.
 *
 * The bodies are those of web/beacon.js, with `ago`, on the boards of the shipped wrangler.toml. Members are there already, and
 * rolling windows are ready.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';

import { unstable_readConfig as readConfig } from 'wrangler';

import { RESP, startDeployment } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const CONFIG = fileURLToPath(new URL('../../wrangler.toml', import.meta.url));

/** A batch of `count` views of `items` items, by so many actors in turn; by nobody with 0. */
function views(/** @type {number} */ count, items = 1, actors = 0) {
  const events = Array.from({ length: count }, (_, i) => ({
    action: 'view',
    item: `/posts/${i % items}`,
    ...(actors > 0 && { actor: `u${i % actors}` }),
    ago: 1000 - i,
  }));
  return { id: Math.random().toString(16).slice(2, 18).padEnd(16, '0'), events };
}
const like = { action: 'like', item: '/posts/1', actor: 'u1' };

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {import('../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => {
      const { SITES } = /** @type {any} */ (readConfig({ config: CONFIG }).vars);
      deployment = await startDeployment({ transport, sites: SITES, vars: { ADMIN_TOKEN } });
      // Twice, since a script's first call costs an EVAL.
      for (const batch of [views(100, 40), views(100, 40, 30), views(1), views(1, 1, 1), views(100, 40), views(100, 40, 30)]) {
        assert.equal((await deployment.beacon(batch)).status, 204);
      }
      for (const undo of [false, true]) assert.equal((await deployment.events({ ...like, undo })).body.accepted, 1);
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const { body } = await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
      assert.ok(
        body.windows.every((/** @type {{ ready?: boolean }} */ { ready }) => ready !== false),
        JSON.stringify(body),
      );
    });
    after(() => deployment.stop());

    /**
     * @param {string} what
     * @param {number} max commands per event
     * @param {() => Promise<{ status: number }>} send
     * @param {number} [events]
     */
    const check = (what, max, send, events = 1) =>
      test(`${what}: at most ${max} commands${events > 1 ? ' per event' : ''}`, async (t) => {
        /** @type {{ status: number } | undefined} */
        let answer;
        const counts = await deployment.commandsDuring(async () => {
          answer = await send();
        });
        assert.ok(answer && answer.status < 300, `${answer?.status}`);
        const commands = Object.values(counts).reduce((sum, calls) => sum + calls, 0) / events;
        t.diagnostic(`${commands} ${JSON.stringify(counts)}`);
        assert.ok(counts.evalsha >= 1 && commands <= max, `${commands}: ${JSON.stringify(counts)}`);
      });

    check('one view', 16, () => deployment.beacon(views(1)));
    check('one view by an actor', 55, () => deployment.beacon(views(1, 1, 1)));
    check('100 views of 40 items', 0.3, () => deployment.beacon(views(100, 40)), 100);
    check('100 views of 40 items by 30 actors', 0.75, () => deployment.beacon(views(100, 40, 30)), 100);
    check('one like', 80, () => deployment.events({ ...like, id: 'like' }));
    check('its undo', 98, () => deployment.events({ ...like, undo: true, id: 'undo' }));
  });
}
