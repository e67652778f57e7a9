/**
 * A Redis that locks by key, as Upstash does: calls declare the keys that they use, and no other key is used. Everything counts as it does
 * without, over turns of hours, new boards and garbage; and it is told how many trips that takes.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';

const HOUR_MS = 3_600_000;
const WINDOWS = ['hour', 'day', 'week', 'month', 'year', 'all', 'last-24-hours', 'last-7-days'];
const SITES = {
  demo: {
    actors: 'any',
    origins: ['*'],
    activity_entries: 10,
    actions: { view: { public: true }, like: { reversible: true }, read: { public: true } },
    boards: {
      articles: {
        weights: { view: 1, like: 5, read: 2 },
        windows: WINDOWS,
        once: { read: 'day' },
        ties: 'first',
      },
      trend: { weights: { view: 1 }, windows: [{ name: 'hot', kind: 'half-life', half_life: '6h' }] },
      members: { members: 'actors', weights: { view: 1, like: 5, read: 2 }, windows: ['day', 'all'] },
    },
  },
};

/** @param {import('node:test').TestContext} t @param {{ transport: import('../support/deployment.mjs').Transport, locks?: boolean, vars?: Record<string, string> }} options */
async function start(t, options) {
  const deployment = await startDeployment({ sites: SITES, ...options });
  t.after(() => deployment.stop());
  return deployment;
}

describe('REDIS_LOCKS = "keys"', () => {
  test('a model without it agrees after each hour of views, late events, likes, undos and what counts once', async (t) => {
    const locking = await start(t, { transport: 'http://', locks: true });
    const plain = await start(t, { transport: 'redis://' });
    const both = [locking, plain];
    for (const { clock, edgeClock } of both) for (const each of [clock, edgeClock]) each.set('2026-11-20T21:30:00Z');
    let events = 0;
    const send = async (/** @type {object} */ event) => {
      const answers = await Promise.all(both.map((on) => on.events(event)));
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body]),
        [answers[1], answers[1]].map(({ status, body }) => [status, body]),
      );
      events += 1;
    };
    for (let hour = 0; hour < 4; hour += 1) {
      for (let n = 0; n < 12; n += 1) {
        await send({ action: 'view', item: `/posts/${n % 5}` });
        await send({ action: 'view', item: `/posts/${n % 7}`, actor: `u${n % 3}`, id: `${hour}-${n >> 1}` });
        await send({ action: 'read', item: `/posts/${n % 4}`, actor: `u${n % 3}` });
      }
      await send({ action: 'view', item: '/posts/late', ago: 2 * HOUR_MS });
      await send({ action: 'like', item: `/posts/${hour}`, actor: 'u1' });
      if (hour % 2) await send({ action: 'like', item: `/posts/${hour - 1}`, actor: 'u1', undo: true });
      for (const window of WINDOWS) await same(both, `articles/${window}`);
      for (const ranking of ['trend/hot', 'members/all']) await same(both, ranking);
      for (const on of both) {
        await on.worker.scheduled();
        for (const clock of [on.clock, on.edgeClock]) clock.advance(HOUR_MS);
      }
    }
    const { locked } = locking.link;
    t.diagnostic(`${events} events: ${JSON.stringify(locked)}`);
    assert.ok(locked && locked.keys > events, JSON.stringify(locked));
    assert.ok(locked.mostKeys <= 24, String(locked.mostKeys));
  });

  test('an hour costs one trip more at most, for each kind of call', async (t) => {
    const deployment = await start(t, { transport: 'http://', locks: true });
    for (const each of [deployment.clock, deployment.edgeClock]) each.set('2026-11-20T09:50:00Z');
    const view = (/** @type {number} */ n) => deployment.beacon({ id: `b${n}`, events: [{ action: 'view', item: `/posts/${n % 3}` }] });
    for (let n = 0; n < 10; n += 1) assert.equal((await view(n)).status, 204);
    const before = deployment.link.roundTrips;
    for (let n = 10; n < 210; n += 1) {
      if (n % 100 === 10) for (const each of [deployment.clock, deployment.edgeClock]) each.advance(20 * 60_000);
      assert.equal((await view(n)).status, 204);
    }
    const more = deployment.link.roundTrips - before - 200;
    t.diagnostic(`${more} trips more for 200 events over two turns of 20 minutes: ${JSON.stringify(deployment.link.locked)}`);
    assert.ok(more <= 2, String(more));
  });

  test('a server that knows no such flag is called as without it, and the log says so once', async (t) => {
    const deployment = await start(t, { transport: 'redis://', vars: { REDIS_LOCKS: 'keys' } });
    for (let n = 0; n < 5; n += 1) assert.equal((await deployment.events({ action: 'view', item: 'a' })).body.accepted, 1);
    assert.deepEqual(
      (await deployment.freshTop('articles/all')).body.entries.map((/** @type {any} */ { score }) => score),
      [5],
    );
    assert.equal(deployment.worker.log.filter(({ message }) => message.includes('"no-key-locks"')).length, 1);
  });
});

/** That all answer the same ranking. @param {import('../support/deployment.mjs').Deployment[]} deployments @param {string} ranking */
async function same(deployments, ranking) {
  const answers = await Promise.all(deployments.map((on) => on.freshTop(ranking)));
  const [one, other] = answers.map(({ status, body }) => [
    status,
    body.entries.map((/** @type {any} */ { id, score, rank }) => [id, rank, score.toFixed(2)]),
  ]);
  assert.deepEqual(one, other, ranking);
}
