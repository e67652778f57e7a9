/**
 * What a request costs Redis, in commands, those inside scripts included: a bill where commands are billed.
 *
 * The bodies are those of web/beacon.js, on the boards of the shipped wrangler.toml. Members are there already.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import {
  breakWindows,
  countCommands,
  countIdleMonth,
  GROUPS,
  NOT_READY,
  prepareWindows,
  SHIPPED,
  startCounting,
} from '../support/costs.mjs';
import { documentedCommands, documentedIdleMonth } from '../support/documented-costs.mjs';

/** Of upkeep each minute, while nobody sends or reads anything. */
const MAX_IDLE_MONTH = 41_970;

/** Of what a board's configuration is, which every call sends, and a plan is kept by. */
const MAX_ABOUT = 600;

/** One call of 64 asks how many ids are remembered: a command, for each of three targets. */
const MAX_BESIDES = 3;
const WRITE = 'docs/operations/costs.md tells another figure: npm run bench -- --only costs --document writes what is measured';

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('../support/bodies/traffic.mjs').Traffic} */
let traffic;
before(async () => {
  ({ deployment, traffic } = await startCounting());
});
after(() => deployment?.stop());

for (const state of NOT_READY) {
  describe(`while rolling windows are not ready: ${state}`, () => {
    before(() => breakWindows(deployment, state));
    for (const [, costs] of GROUPS) {
      for (const cost of Object.values(costs)) if (cost.maxNotReady !== undefined) check(cost, cost.maxNotReady);
    }
  });
}

describe('when rolling windows are ready', () => {
  before(() => prepareWindows(deployment, traffic));
  for (const [title, costs] of GROUPS) {
    describe(title, () => {
      for (const cost of Object.values(costs)) check(cost, cost.max, documentedCommands(title, cost.name));
    });
  }
});

test(`what a call says of a shipped board: at most ${MAX_ABOUT} bytes`, async () => {
  for (const board of Object.keys(SHIPPED.demo.boards)) {
    const sent = await deployment.redis.command('HMGET', `eb:{demo:${board}}:state`, 'arguments:browser', 'arguments:server');
    for (const about of sent) assert.ok(about?.length > 0 && about.length <= MAX_ABOUT, `${board}: ${about}`);
  }
});

test(`an idle month: at most ${MAX_IDLE_MONTH} commands`, async (t) => {
  const { commands, counts } = await countIdleMonth();
  t.diagnostic(`${commands} ${JSON.stringify(counts)}`);
  assert.ok(commands > 0 && commands <= MAX_IDLE_MONTH, `${commands}: ${JSON.stringify(counts)}`);
  assert.equal(documentedIdleMonth(), commands, WRITE);
});

/**
 * @param {import('../support/costs.mjs').Cost} cost
 * @param {number} max
 * @param {number} [documented] what the docs tell of it
 */
function check(cost, max, documented) {
  test(`${cost.name}: at most ${max} commands${cost.events ? ' per event' : ''}`, async (t) => {
    const { counts, commands, besides } = await countCommands(deployment, cost, traffic);
    t.diagnostic(`${commands} ${JSON.stringify(counts)}`);
    assert.ok(besides <= MAX_BESIDES, String(besides));
    assert.ok(counts.calls >= 1 && commands <= max, `${commands}: ${JSON.stringify(counts)}`);
    if (documented !== undefined) assert.equal(documented, commands, WRITE);
  });
}
