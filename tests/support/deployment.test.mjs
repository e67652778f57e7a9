/** What is asked of Redis is what Redis answers, however busy it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isOutdated, startDeployment } from './deployment.mjs';

test('a ranking of a slow Redis is waited for, where the worker serves the one that it has', async () => {
  const site = { actions: { view: { public: true } }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } };
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: site } });
  try {
    const { clock, edgeClock, redis } = deployment;
    const dayOf = (/** @type {{ body: any }} */ { body }) => body.period.id;
    clock.set('2026-11-20T23:00:00Z');
    assert.equal(dayOf(await deployment.freshTop('articles/day')), '2026-11-20');
    clock.set('2026-11-21T00:00:00Z');
    process.kill(redis.pid, 'SIGSTOP');
    edgeClock.advance(60_000);
    const kept = await deployment.top('articles/day');
    assert.deepEqual([isOutdated(kept), dayOf(kept)], [true, '2026-11-20'], 'this one is not waited for');
    const fresh = deployment.freshTop('articles/day');
    process.kill(redis.pid, 'SIGCONT');
    assert.equal(dayOf(await fresh), '2026-11-21');
  } finally {
    process.kill(deployment.redis.pid, 'SIGCONT');
    await deployment.stop();
  }
});
