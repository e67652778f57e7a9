/**
 * `npm run prove faults` with few clicks: what holds of each fault.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { faultsOf, proveFault, renderFaults, wrongIn } from '../../prove/faults/faults.mjs';
import { ALL_TRANSPORTS } from '../../support/deployment.mjs';

/** Most of the time is waiting for what never comes. */
const AT_ONCE = 4;
const EFFORT = { waves: 1, width: 8 };

for (const transport of ALL_TRANSPORTS) {
  describe(`over ${transport}`, { concurrency: AT_ONCE }, () => {
    for (const fault of faultsOf(transport)) {
      test(fault.name, async (t) => {
        const row = await proveFault(fault, { transport, ...EFFORT });
        t.diagnostic(renderFaults([row]).split('\n')[2]);
        assert.deepEqual(wrongIn(fault, row), []);
        if (fault.loses) assert.ok(row.lost > 0, 'it loses something, or it shows nothing');
      });
    }
  });
}
