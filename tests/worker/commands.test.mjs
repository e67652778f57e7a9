/**
 * What a request costs Redis, in commands, those inside scripts included: a bill where commands are billed.
 *
 * The bodies are those of web/beacon.js, on the boards of the shipped wrangler.toml. Members are there already.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createTraffic } from '../support/bodies/traffic.mjs';
import { createClock } from '../support/clock.mjs';
import {
  countCommands,
  COUNTING,
  countIdleMonth,
  MORE_COUNTING,
  ONCE,
  ONE_WINDOW,
  prepareWindows,
  READING,
  startCosts,
} from '../support/costs.mjs';

/** @typedef {import('../support/costs.mjs').Cost} Cost */

/** Half past noon, so that no event lies in another hour. */
const NOW = '2026-11-20T12:30:00Z';
/** Of upkeep each minute, while nobody sends or reads anything. */
const MAX_IDLE_MONTH = 830_000;

/** 40 items and 30 actors in a batch of 100. */
const traffic = createTraffic({ items: 40, actors: 30, inTurn: true });
/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  const clock = createClock();
  clock.set(NOW);
  deployment = await startCosts(traffic, { clock, members: 100 });
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
  const { commands, counts } = await countIdleMonth(traffic);
  t.diagnostic(`${commands} ${JSON.stringify(counts)}`);
  assert.ok(commands > 0 && commands <= MAX_IDLE_MONTH, `${commands}: ${JSON.stringify(counts)}`);
});

/** @param {Record<string, Cost>} costs @param {Record<string, number>} [maxima] instead of their own */
function checkAll(costs, maxima = {}) {
  for (const [key, cost] of Object.entries(costs)) check(cost, maxima[key] ?? cost.max);
}

/** @param {Cost} cost @param {number} max */
function check(cost, max) {
  const { name, events = 1, site = '' } = cost;
  test(`${site} ${name}: at most ${max} commands${events > 1 ? ' per event' : ''}`.trim(), async (t) => {
    const { counts, commands } = await countCommands(deployment, cost, traffic);
    t.diagnostic(`${commands} ${JSON.stringify(counts)}`);
    assert.ok(counts.evalsha >= 1 && commands <= max, `${commands}: ${JSON.stringify(counts)}`);
  });
}
