/** Waiting for a program: until it is ready, has ended, or is late. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { poll } from '../../packages/edgeboard/poll.mjs';

const never = new Promise(() => {});
const LONG_MS = 60_000;

test('ends when the program is ready', async () => {
  let asked = 0;
  assert.equal(await poll(async () => ++asked === 3, { withinMs: LONG_MS, ended: never }), true);
  assert.equal(asked, 3);
});

test('ends when the program has ended', async () => {
  const started = performance.now();
  const isReady = await poll(async () => false, { withinMs: LONG_MS, ended: Promise.resolve(1) });
  assert.equal(isReady, false);
  assert.ok(performance.now() - started < LONG_MS / 2);
});

test('ends at the deadline', async () => {
  assert.equal(await poll(async () => false, { withinMs: 1, ended: never }), false);
});

test('ends with what asking throws', async () => {
  const wrong = async () => {
    throw new Error('wrong');
  };
  await assert.rejects(poll(wrong, { withinMs: LONG_MS, ended: never }), { message: 'wrong' });
});
