/**
 * The runbook tells the truth: its commands are run against a deployment with the symptom, and its answers are what comes back.
 */
import { tutorial } from '../support/tutorial.mjs';

/** @typedef {import('../support/tutorial.mjs').Place} Place */

const NOON = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BOARD = { weights: { view: 1, like: 2 }, windows: ['day', 'last-7-days'], breakdown: true };
const SITE = { origins: ['https://example.com'], actions: { view: { public: true }, like: {} } };

/** @param {Place} place @param {number} at */
function setClocks({ deployment }, at) {
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at);
}

/** Two days of views, and a like. @param {Place} place */
async function counted(place) {
  const { deployment } = place;
  for (const [at, count] of [
    [NOON - 24 * HOUR_MS, 3],
    [NOON, 4],
  ]) {
    setClocks(place, at);
    await deployment.events({ events: [{ action: 'view', item: '/posts/1', count }] });
  }
  await deployment.events({ events: [{ action: 'like', item: '/posts/1', actor: 'ann' }] });
  await deployment.worker.scheduled();
}

/** Hours that are archived, and then nothing is left. @param {Place} place */
async function lost(place) {
  const { deployment } = place;
  for (let hour = 0; hour < 3; hour += 1) {
    setClocks(place, NOON + hour * HOUR_MS);
    await deployment.events({ events: [{ action: 'view', item: '/posts/1', count: 5 }] });
    await deployment.worker.scheduled();
  }
  for (const minutes of [180, 186]) {
    setClocks(place, NOON + minutes * MINUTE_MS);
    await deployment.worker.scheduled();
  }
  await deployment.redis.command('FLUSHALL');
  await deployment.events({ events: [{ action: 'view', item: '/posts/1' }] });
  setClocks(place, NOON + 192 * MINUTE_MS);
  await deployment.worker.scheduled();
}

/** @type {Record<string, Parameters<typeof tutorial>[1]>} */
const PAGES = {
  'nothing-counts': {
    sites: { demo: { ...SITE, boards: { articles: BOARD } } },
    prepare: async (place) => setClocks(place, NOON),
  },
  rank: { sites: { demo: { ...SITE, boards: { articles: BOARD } } }, prepare: counted },
  late: { sites: { demo: { ...SITE, boards: { articles: BOARD } } }, prepare: counted },
  'redis-full': { sites: { demo: { ...SITE, boards: { articles: BOARD } } }, prepare: counted },
  restore: {
    sites: { demo: { ...SITE, boards: { articles: { weights: { view: 1 }, windows: ['hour', 'day', 'all'], archive: true } } } },
    hasBucket: true,
    prepare: lost,
  },
};

for (const [name, options] of Object.entries(PAGES)) tutorial(`docs/runbook/${name}.md`, options);
