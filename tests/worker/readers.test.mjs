/**
 * Two hundred readers of one ranking beside fifty clicks a second: Redis is asked seldom, no reader sees a score go down or an older
 * period after a newer one, and an outage of Redis is not noticed.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { createClock } from '../support/clock.mjs';
import { startDeployment } from '../support/deployment.mjs';

/** @typedef {import('../support/deployment.mjs').Answer} Answer */

const READERS = 200;
const CLICKS_PER_S = 50;
const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['hour', 'day', 'week', 'month', 'all', 'last-7-days'] } },
};

describe('two hundred readers', () => {
  const clock = createClock(); // one for Redis and the worker
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, clock, edgeClock: clock });
    clock.set('2026-11-20T12:30:00Z');
  });
  after(() => deployment?.stop());

  /** @param {Record<string, number>} commands */
  const scriptsIn = ({ calls = 0 }) => calls;
  const view = () => deployment.beacon({ action: 'view', item: '/posts/1' });

  /**
   * Each reads once a second until all have read so often.
   *
   * @param {string} ranking
   * @param {number} times
   * @param {(answer: Answer, last: Answer | undefined) => void} check with what the same reader saw before
   */
  async function readers(ranking, times, check) {
    const reader = async (/** @type {number} */ i) => {
      await pause((i / READERS) * 1_000);
      /** @type {Answer | undefined} */
      let last;
      for (let n = 0; n < times; n += 1) {
        const next = pause(1_000);
        const answer = await deployment.top(ranking);
        assert.equal(answer.status, 200, answer.text);
        check(answer, last);
        last = answer;
        await next;
      }
    };
    await Promise.all(Array.from({ length: READERS }, (_, i) => reader(i)));
  }

  test('of a cold ranking cost a handful of renderings', async (t) => {
    await view();
    const cost = scriptsIn(
      await deployment.commandsDuring(async () => {
        await Promise.all(Array.from({ length: READERS }, () => deployment.top('articles/month')));
      }),
    );
    t.diagnostic(`${READERS} readers cost ${cost} renderings`);
    assert.ok(cost >= 1 && cost <= 5, `${cost}`);
  });

  test('see no score go down and no older period after a newer one, over the end of an hour', async (t) => {
    clock.set('2026-11-20T12:59:57Z');
    let clicking = true;
    const clicks = (async () => {
      while (clicking) {
        const next = pause(1_000 / CLICKS_PER_S);
        assert.equal((await view()).status, 204);
        await next;
      }
    })();
    const startedAt = Date.now();
    /** @type {Set<string>} */
    const periods = new Set();
    await readers('articles/hour', 6, ({ body }, last) => {
      periods.add(body.period.id);
      if (!last) return;
      const [from, to] = [last.body, body];
      assert.ok(to.period.id >= from.period.id, `${to.period.id} after ${from.period.id}`);
      if (to.period.id === from.period.id) {
        assert.ok((to.entries[0]?.score ?? 0) >= (from.entries[0]?.score ?? 0), 'a score that goes down');
      }
    });
    clicking = false;
    await clicks;
    t.diagnostic(`${6 * READERS} reads in ${((Date.now() - startedAt) / 1000).toFixed(1)} s, of ${[...periods].join(' and ')}`);
    assert.equal(periods.size, 2, 'the hour ended meanwhile');
  });

  test('cost Redis at most six commands a second', async (t) => {
    const startedAt = Date.now();
    /** Nobody clicks, so that all commands are of reads. The clicks before have changed the ranking. */
    await view();
    const commands = await deployment.commandsDuring(() => readers('articles/day', 4, () => {}));
    const seconds = (Date.now() - startedAt) / 1000;
    const total = Object.values(commands).reduce((sum, calls) => sum + calls, 0);
    t.diagnostic(`${4 * READERS} reads in ${seconds.toFixed(1)} s cost ${total} commands`);
    assert.ok(total <= 9 + 6 * seconds, `${total} commands in ${seconds} s`);
  });

  test('notice nothing when Redis is killed and comes back', async () => {
    await deployment.top('articles/all');
    const outage = (async () => {
      await pause(1_000);
      await deployment.redis.kill();
      await pause(2_500);
      await deployment.redis.restart();
    })();
    await readers('articles/all', 5, () => {});
    await outage;
  });
});
