/**
 * `npm run prove soak` with two days of one seed: every window is as the model has it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { proveSoak, renderSoak, wrongInSoak } from '../../prove/soak/soak.mjs';

test('two days of everything at once', async (t) => {
  const run = await proveSoak({ seed: 1, days: 2, instants: 12 });
  t.diagnostic(renderSoak([run]));
  assert.deepEqual(wrongInSoak([run]), []);
  assert.ok(run.compared > 12 * 40, `${run.compared} windows were compared`);
  assert.ok(run.again > 20, `${run.again} batches were sent again`);
  assert.ok(Object.keys(run.operations).length > 4, JSON.stringify(run.operations));
});
