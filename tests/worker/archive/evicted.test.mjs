/**
 * Redis dropped the board of an archived period: the archive keeps what it has, and a restoration brings it back.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, COPIED, DAY_MS, NOW, start } from './site.mjs';
import { entriesOf } from '../../support/deployment.mjs';
import { until } from '../../support/until.mjs';

const view = { action: 'view', item: 'a' };
const DAY_KEY = 'eb:{demo:articles}:day:20777';

for (const isLate of [false, true]) {
  test(`a period that was evicted${isLate ? ', and began anew,' : ''} is restored, and lost no more`, async (t) => {
    const to = await start({ board: { windows: ['day', 'last-3-days', 'all'] } });
    t.after(to.stop);
    to.setClocks(NOW);
    await to.send([view, view, view]);
    to.setClocks(COPIED);
    assert.equal(await to.archive(), 1);
    assert.equal(await to.deployment.redis.command('UNLINK', DAY_KEY), 1);
    await to.send([view, ...(isLate ? [{ ...view, item: 'late', at: new Date(NOW).toISOString() }] : [])]);
    const late = isLate ? [['late', 1]] : [];

    /** @param {string} ranking @param {string} [query] */
    async function shown(ranking, query) {
      /** @type {any} */
      let body;
      await until(`${ranking} is complete`, async () => {
        await to.upkeep();
        ({ body } = await to.deployment.freshTop(ranking, query));
        return body.complete;
      });
      return [body.lost, ...entriesOf({ body })];
    }
    // What came late is archived, and no longer here.
    assert.deepEqual(await shown('articles/last-3-days'), [['2026-11-20'], ['a', 1]]);

    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const { status, body, text } = await to.deployment.fetch('/v1/demo/admin/restore', { method: 'POST', headers });
    assert.deepEqual([status, body.boards?.[0]?.done ?? body.done], [200, true], text);
    for (let again = 0; again < 2; again += 1) {
      assert.deepEqual(await shown('articles/day', '?period=2026-11-20'), [undefined, ['a', 3], ...late]);
      assert.deepEqual(await shown('articles/last-3-days'), [undefined, ['a', 4], ...late]);
      to.setClocks(COPIED + DAY_MS);
    }
  });
}
