/** Made bodies are the same ones for the same seed, differ for another, and prefer few items as readers do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createTraffic } from './bodies/traffic.mjs';

test('the same seed makes the same bodies, another one others', () => {
  const made = (/** @type {number} */ seed) => {
    const { views, like } = createTraffic({ seed });
    return [views(3), views(2, { actors: true }), like()];
  };
  assert.deepEqual(made(1), made(1));
  assert.notDeepEqual(made(1), made(2));
});

test('the first item has twice the views of the second', () => {
  const { events } = createTraffic({ items: 100 }).views(50_000);
  const views = (/** @type {string} */ item) => events.filter((event) => event.item === item).length;
  const ratio = views('/posts/0') / views('/posts/1');
  assert.ok(Math.abs(ratio - 2) < 0.15, String(ratio));
});

test('in turn, each item comes as often as any other', () => {
  const { events } = createTraffic({ items: 40, actors: 30, inTurn: true }).views(100, { actors: true });
  assert.deepEqual([new Set(events.map(({ item }) => item)).size, new Set(events.map(({ actor }) => actor)).size], [40, 30]);
});

test('no two bodies share an id', () => {
  const traffic = createTraffic();
  const ids = [traffic.views(1), traffic.like(), traffic.undo(traffic.like()), createTraffic({ seed: 2 }).views(1)].map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});
