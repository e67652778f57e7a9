/**
 * `npm run prove clicks` with a hundredth of its clicks: what is acknowledged is counted once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { proveClicks } from '../../prove/clicks.mjs';
import { ALL_TRANSPORTS } from '../../support/deployment.mjs';

const CLICKS = 1_000;
const KILLS = 2;

for (const transport of ALL_TRANSPORTS) {
  test(`over ${transport}, Redis is killed and replies are lost: what is acknowledged is counted once`, async (t) => {
    const { windows, ...figures } = await proveClicks({ clicks: CLICKS, kills: KILLS, transport });
    t.diagnostic(JSON.stringify(figures));
    for (const [window, differences] of Object.entries(windows)) {
      assert.deepEqual(differences, { missing: 0, twice: 0, refused: 0, shown: 0 }, window);
    }
    const { kills, acknowledged, refused, doubtful, doubtfulCounted, lostReplies, statuses } = figures;
    assert.equal(acknowledged + refused + doubtful, CLICKS);
    assert.ok(acknowledged > CLICKS / 2 && doubtfulCounted <= doubtful);
    assert.equal(kills, KILLS);
    assert.ok(lostReplies > 0 && (statuses[503] ?? 0) + (statuses[504] ?? 0) > 0, JSON.stringify(statuses));
  });
}

test('the same without ids counts some of them twice, so it is the ids that do it', async (t) => {
  const { windows, ...figures } = await proveClicks({ clicks: CLICKS, kills: KILLS, withIds: false });
  t.diagnostic(JSON.stringify(figures));
  assert.ok(windows.all.twice > 0, JSON.stringify(windows));
  assert.equal(windows.all.missing, 0);
});

test('grouped ingest, while workerd is killed too', async (t) => {
  const { windows, ...figures } = await proveClicks({ clicks: CLICKS, kills: KILLS, runtimeKills: KILLS, ingest: 'grouped' });
  t.diagnostic(JSON.stringify(figures));
  for (const [window, differences] of Object.entries(windows)) {
    assert.deepEqual(differences, { missing: 0, twice: 0, refused: 0, shown: 0 }, window);
  }
  assert.deepEqual([figures.kills, figures.runtimeKills], [KILLS, KILLS]);
  assert.ok(figures.lostReplies > 0 && figures.acknowledged > CLICKS / 2, JSON.stringify(figures));
});
