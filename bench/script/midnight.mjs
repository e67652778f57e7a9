/**
 * A rolling window crosses midnight under load and nobody prepared it: how soon it is complete again, and what readers
 * and writers notice.
 */
import { unlimited } from '../../tests/support/deployment.mjs';
import { createClock } from '../../tests/support/clock.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { repeat } from './cpu.mjs';

const BOARD = 'eb:{bench:articles}';
const READ = '/v1/bench/boards/articles/last-7-days';
/** Days of the window on which a member had events. */
const DAYS_PER_MEMBER = 3;

/** @param {import('../options.mjs').Effort} effort */
export async function benchMidnight({ midnightMembers }) {
  const clock = createClock();
  clock.set('2026-11-20T23:59:50Z');
  const redis = await startRedis({ clock });
  const site = {
    origins: ['*'],
    actions: { view: { public: true } },
    boards: { articles: { weights: { view: 1 }, windows: ['day', 'last-7-days'] } },
  };
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES: unlimited({ bench: site }) } });
  try {
    const today = Math.floor(clock.now() / 86_400_000);
    for (let first = 0; first < midnightMembers; first += 1000) {
      for (let day = 0; day < 7; day += 1) {
        const there = repeat(1000, (i) => first + i).filter((member) => (member + 7 - day) % 7 < DAYS_PER_MEMBER);
        const scored = there.flatMap((member) => ['1', `/posts/${member}`]);
        await redis.command('ZADD', `${BOARD}:day:${today - day}`, ...scored);
      }
    }
    // Until midnight the window is as it should be.
    while (!(await (await worker.fetch(READ)).json()).complete);

    clock.set('2026-11-21T00:00:00Z');
    let done = false;
    let failures = 0;
    let writes = 0;
    const write = async () => {
      while (!done) {
        const body = JSON.stringify({ action: 'view', item: `/posts/${(writes * 7919) % midnightMembers}` });
        const response = await worker.fetch('/v1/bench/beacon', { method: 'POST', body });
        await response.arrayBuffer();
        writes += 1;
        if (response.status !== 204) failures += 1;
      }
    };
    const writers = [write(), write()];
    const started = performance.now();
    let reads = 0;
    for (let complete = false; !complete; reads += 1) {
      const response = await worker.fetch(READ);
      if (response.status !== 200) failures += 1;
      const ranking = await response.json();
      // What was cached before midnight tells its own period.
      complete = ranking.complete && ranking.period?.id === '2026-11-21';
    }
    const seconds = (performance.now() - started) / 1000;
    done = true;
    await Promise.all(writers);
    return { members: midnightMembers, seconds, reads, writes, failures };
  } finally {
    await worker.stop();
    await redis.stop();
    clock.close();
  }
}
