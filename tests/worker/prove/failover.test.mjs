/**
 * `npm run prove failover` with two kills: an id and its points are lost together, and nothing is lost that a replica acknowledged.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { proveFailover, renderFailover, wrongInFailover } from '../../prove/failover.mjs';

for (const acknowledge of /** @type {const} */ (['written', 'replicated']))
  test(`masters are killed, and their replicas are behind: acknowledge = "${acknowledge}"`, { timeout: 240_000 }, async (t) => {
    const run = await proveFailover({ acknowledge, kills: 2, clicks: 1_000 });
    t.diagnostic(renderFailover([run]));
    assert.deepEqual(wrongInFailover(run), []);
    assert.ok(run.clicks >= 1_000 && (run.statuses[503] ?? 0) + (run.statuses[504] ?? 0) > 0, JSON.stringify(run.statuses));
  });
