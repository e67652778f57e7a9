/**
 * The bodies that benchmarks and tests of cost send are those of web/beacon.js in a real browser.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { shapeOf } from '../support/bodies/shape.mjs';
import { createTraffic } from '../support/bodies/traffic.mjs';
import { launchChromium } from '../support/chromium.mjs';
import { RECORDED, recordBodies } from './support/bodies.mjs';

/** @type {Record<string, string>} */
const stored = JSON.parse(readFileSync(RECORDED, 'utf8'));

test('the recorded bodies are what pages send today', async (t) => {
  const browser = await launchChromium();
  t.after(() => browser.close());
  const sent = await recordBodies(browser);
  assert.deepEqual(Object.keys(stored), Object.keys(sent));
  for (const [name, body] of Object.entries(sent)) assert.deepEqual(shapeOf(stored[name]), shapeOf(body), name);
});

describe('what is made has the shape of what was recorded', () => {
  const traffic = createTraffic();
  /** @type {[name: string, body: object][]} */
  const cases = [
    ['a page that is viewed', traffic.views(1)],
    ['a page that is viewed by an actor', traffic.views(1, { actors: true })],
    ['ten clicks in a second', traffic.views(10)],
    ['ten clicks of an actor in a second', traffic.views(10, { actors: true })],
    ['as many clicks as fit into a batch', traffic.views(20)],
  ];
  for (const [name, body] of cases) {
    test(name, () => assert.deepEqual(shapeOf(JSON.stringify(body)), shapeOf(stored[name])));
  }
});
