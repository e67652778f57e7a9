/**
 * `npm run prove copies` with three seeds, two of which failed once, one for each way to lose what Redis has: every window is as the model has it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { proveCopies, renderCopies, wrongInCopies } from '../../prove/copies/copies.mjs';
import { LOSSES } from '../../prove/copies/world.mjs';

for (const seed of [1, 20, 51])
  test(`${LOSSES[seed % LOSSES.length]}: seed ${seed}`, async (t) => {
    const run = await proveCopies({ seed });
    t.diagnostic(renderCopies([run]));
    assert.deepEqual(wrongInCopies([run]), []);
    assert.ok(run.compared > 80, `${run.compared} windows were compared`);
    assert.ok(Object.keys(run.operations).length > 4, JSON.stringify(run.operations));
  });
