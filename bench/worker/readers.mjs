/**
 * Two hundred readers and fifty clicks a second on one board: what reads cost Redis, and how old what is shown may be.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { startRedis } from '../../tests/support/redis.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { BEACON_PATH, SITES, TOP_PATH } from '../site.mjs';
import { expectStatus } from './contenders.mjs';

const READERS = 200;
const CLICKS_PER_S = 50;
const ITEM = '/posts/1';
/** Clicks alone, for what one costs. */
const ALONE = 200;

/** @param {import('../options.mjs').Effort} effort */
export async function benchReaders({ readSeconds }) {
  const redis = await startRedis();
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES } });
  try {
    const body = JSON.stringify({ action: 'view', item: ITEM });
    const click = async () => expectStatus(await worker.fetch(BEACON_PATH, { method: 'POST', body }), 204);
    const commands = async () => {
      const info = await redis.command('INFO', 'commandstats');
      return [...info.matchAll(/^cmdstat_(?!info)[^:]+:calls=(\d+)/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0);
    };
    await click();
    const beforeAlone = await commands();
    for (let i = 0; i < ALONE; i += 1) await click();
    const perClick = ((await commands()) - beforeAlone) / ALONE;

    /** When the views were acknowledged, by the score that they make. @type {number[]} */
    const acknowledged = Array.from({ length: ALONE + 1 }, () => 0);
    let [clicks, reads, longestMs, backwards] = [0, 0, 0, 0];
    const from = await commands();
    const end = Date.now() + readSeconds * 1_000;
    const clicking = async () => {
      while (Date.now() < end) {
        const next = pause(1_000 / CLICKS_PER_S);
        await click();
        clicks += 1;
        acknowledged.push(Date.now());
        await next;
      }
    };
    const reading = async (/** @type {number} */ i) => {
      await pause((i / READERS) * 1_000);
      let last = 0;
      while (Date.now() < end) {
        const next = pause(1_000);
        const sentAt = Date.now();
        const { entries } = JSON.parse(await expectStatus(await worker.fetch(TOP_PATH), 200));
        const score = entries[0].score;
        // The first view that is not shown: how long it was there when this was asked for.
        const missed = acknowledged[score];
        if (missed !== undefined) longestMs = Math.max(longestMs, sentAt - missed);
        if (score < last) backwards += 1;
        last = score;
        reads += 1;
        await next;
      }
    };
    await Promise.all([clicking(), ...Array.from({ length: READERS }, (_, i) => reading(i))]);
    const commandsPerS = ((await commands()) - from - clicks * perClick) / readSeconds;
    return { seconds: readSeconds, reads, clicks, commandsPerS, longestMs, backwards };
  } finally {
    await worker.stop();
    await redis.stop();
  }
}
