/**
 * Two workers of different configurations on one Redis, as while a deployment is rolled out: what either counts is undone through the
 * other, on every window, and nothing is left of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { INGESTS } from '../../support/ingests.mjs';
import { until } from '../../support/until.mjs';
import { startWorker } from '../../support/worker.mjs';

const NEW = [
  'hour',
  'all',
  'last-2-hours',
  { name: 'hot', kind: 'half-life', half_life: '6h' },
  { name: 'fading', kind: 'step', every: 'hour', factor: 0.9 },
  { name: 'smooth', kind: 'linear', resets: 'week', beta: 2 },
  { name: 'sprint', kind: 'season', from: '2026-11-01', until: '2027-11-01', every: '2 weeks' },
];
const NOW = Date.parse('2026-11-20T12:10:00Z');
const TIMES = 3;

/** @param {string} ingest @param {(string | object)[]} windows */
const siteOf = (ingest, windows) => ({
  demo: {
    ingest,
    actions: { view: {}, like: { reversible: true } },
    boards: { articles: { weights: { view: 1, like: 2 }, windows }, people: { members: 'actors', weights: { like: 1 }, windows } },
  },
});

for (const ingest of INGESTS) {
  test(`${ingest}: likes on new windows are undone by a worker that lacks them, and the other way round`, async (t) => {
    const hasQueue = ingest === 'queue';
    const newer = await startDeployment({ transport: 'redis://', sites: /** @type {any} */ (siteOf(ingest, ['day', ...NEW])), hasQueue });
    t.after(newer.stop);
    newer.clock.set(NOW);
    newer.edgeClock.set(NOW);
    const vars = { REDIS_URL: newer.redis.url, WRITE_TOKEN, SITES: /** @type {any} */ (siteOf(ingest, ['day'])) };
    const older = await startWorker({ clock: newer.edgeClock, vars, hasQueue });
    t.after(older.stop);
    let seq = 0;
    const send = async (/** @type {boolean} */ isNewer, /** @type {object} */ event) => {
      const body = { ...event, seq: (seq += 1), id: `event-${seq}` };
      if (isNewer) return newer.events(body);
      const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
      return older.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify(body) });
    };
    const score = async (/** @type {string} */ item) =>
      Number((await newer.redis.command('ZSCORE', 'eb:{demo:articles}:day:20777', item)) ?? 0);
    for (const does of [true, false]) {
      const event = { action: 'like', item: '/posts/1', actor: 'ann' };
      for (let time = 0; time < TIMES; time += 1) {
        await send(does, event);
        await until('it counts', async () => (await score('/posts/1')) === 2);
        await send(!does, { ...event, undo: true });
        await until('it is undone', async () => (await score('/posts/1')) === 0);
      }
    }
    // What stays is counted by the newer one alone.
    await send(true, { action: 'like', item: '/posts/2', actor: 'bob' });
    await until('it counts', async () => (await score('/posts/2')) === 2);
    await newer.worker.scheduled();
    for (const window of ['day', 'hour', 'all', 'last-2-hours', 'hot', 'fading', 'smooth', 'sprint']) {
      for (const [board, member] of [
        ['articles', '/posts/2'],
        ['people', 'bob'],
      ]) {
        const { body } = await newer.freshTop(`${board}/${window}`);
        assert.deepEqual([body.complete, body.entries.map((/** @type {any} */ { id }) => id)], [true, [member]], `${board}/${window}`);
      }
    }
  });
}
