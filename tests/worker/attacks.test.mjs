/**
 * No request of anyone's starts work without a bound: the commands and elements of the most expensive ones, on boards of 100,000
 * members.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { ATTACKS, costOf, startAttacked } from '../support/attacks.mjs';

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  deployment = await startAttacked();
});
after(() => deployment?.stop());

for (const attack of ATTACKS) {
  test(`${attack.name}: at most ${attack.commands} commands and ${attack.elements} elements`, async (t) => {
    const { status, commands, elements } = await costOf(deployment, attack);
    t.diagnostic(`${status}: ${commands} commands, ${elements} elements`);
    assert.ok(status && status < 300, `${status}`);
    assert.ok(commands >= 1 && commands <= attack.commands && elements <= attack.elements, `${commands} commands, ${elements} elements`);
  });
}
