/**
 * What a request costs Redis, in commands, those inside scripts included: a bill where commands are billed.
 *
 * The bodies are those of web/beacon.js, on the boards of the shipped wrangler.toml. Members are there already.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createTraffic, everyMember } from '../support/bodies/traffic.mjs';
import { COUNTING, MORE_COUNTING, ONCE, ONE_WINDOW, prepared, prepareWindows, READING, SHIPPED, startCosts } from '../support/costs.mjs';
import { startDeployment } from '../support/deployment.mjs';

/** @typedef {import('../support/costs.mjs').Cost} Cost */

/** Of upkeep each minute, while nobody sends or reads anything. */
const MAX_IDLE_MONTH = 830_000;

/** 40 items and 30 actors in a batch of 100. */
const traffic = createTraffic({ items: 40, actors: 30, inTurn: true });
/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  deployment = await startCosts(traffic, { members: 100 });
});
after(() => deployment.stop());

describe('while rolling windows are not ready', () => {
  checkAll(COUNTING, { one: 23, ten: 3.2, hundred: 0.31, oneByActor: 77, tenByActors: 8, hundredByActors: 0.81 });
});

describe('when rolling windows are ready', () => {
  before(() => prepareWindows(deployment, traffic));
  checkAll(COUNTING);
  checkAll(MORE_COUNTING);
  checkAll(ONCE);
  checkAll(ONE_WINDOW);
  checkAll(READING);
});

test(`an idle month: at most ${MAX_IDLE_MONTH} commands`, async (t) => {
  const idle = await startDeployment({ transport: 'redis://', sites: SHIPPED });
  t.after(idle.stop);
  const clocks = [idle.clock, idle.edgeClock];
  for (const clock of clocks) clock.set('2026-11-20T12:30:00Z');
  for (const body of everyMember(traffic, { items: 100, actors: 100 })) assert.equal((await idle.beacon(body)).status, 204);
  const minutes = async (/** @type {number} */ count) => {
    for (let minute = 0; minute < count; minute += 1) {
      await idle.worker.scheduled();
      for (const clock of clocks) clock.advance(60_000);
    }
  };
  await minutes(10);
  const counts = await idle.commandsDuring(() => minutes(24 * 60));
  const month = Object.values(counts).reduce((sum, calls) => sum + calls, 0) * 30;
  t.diagnostic(`${month} ${JSON.stringify(counts)}`);
  assert.ok(month > 0 && month <= MAX_IDLE_MONTH, `${month}: ${JSON.stringify(counts)}`);
});

/** @param {Record<string, Cost>} costs @param {Record<string, number>} [maxima] instead of their own */
function checkAll(costs, maxima = {}) {
  for (const [key, cost] of Object.entries(costs)) check(cost, maxima[key] ?? cost.max);
}

/** @param {Cost} cost @param {number} max */
function check(cost, max) {
  const { name, events = 1, site = '' } = cost;
  test(`${site} ${name}: at most ${max} commands${events > 1 ? ' per event' : ''}`.trim(), async (t) => {
    const send = await prepared(deployment, cost, traffic);
    const counts = await deployment.commandsDuring(send);
    const commands = Object.values(counts).reduce((sum, calls) => sum + calls, 0) / events;
    t.diagnostic(`${commands} ${JSON.stringify(counts)}`);
    assert.ok(counts.evalsha >= 1 && commands <= max, `${commands}: ${JSON.stringify(counts)}`);
  });
}
