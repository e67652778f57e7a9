/**
 * `npm run prove attack` with fewer readers: a week under attack, cleaned up each evening, is as one without.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { kendall, proveAttack, renderAttack, wrongInAttack } from '../../prove/attack/attack.mjs';

test('a week of a site under attack', async (t) => {
  const result = await proveAttack({ readers: 200, junk: 420, beacons: 10 });
  t.diagnostic(renderAttack(result));
  assert.deepEqual(wrongInAttack(result), []);
});

describe("Kendall's tau", () => {
  /** @type {[string, number][]} */
  const expected = [
    ['a', 3],
    ['b', 2],
    ['c', 1],
  ];
  for (const [what, scores, tau] of /** @type {const} */ ([
    ['the same order', [30, 20, 10], 1],
    ['the opposite', [1, 2, 3], -1],
    ['two of three pairs', [2, 3, 1], 1 / 3],
    ['a tie', [2, 2, 1], 2 / Math.sqrt(6)],
  ])) {
    test(what, () => assert.equal(kendall(expected, new Map(expected.map(([id], i) => [id, scores[i]]))), tau));
  }
});
