/**
 * From a log file to rankings through the real worker and a real Redis: every calendar board must show what the log
 * says, and importing again must change nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { createClock } from '../support/clock.mjs';
import { startRedis } from '../support/redis.mjs';
import { startWorker } from '../support/worker.mjs';
import { readSummary, startImport, TOKEN, writeFiles } from './command.mjs';
import { countBy, generateLog } from './generator.mjs';

/** An hour after the last line of the log. */
const NOW = '2015-05-20T22:00:00Z';

const SITES = {
  demo: {
    timezone: 'UTC',
    actions: { view: {} },
    boards: { articles: { members: 'items', weights: { view: 1 }, windows: ['day', 'week', 'month', 'all'] } },
  },
};

/** 2015-05-17 is a Sunday, so it ends a week. */
/** @type {[window: string, period: string, days: string[]][]} */
const PERIODS = [
  ['day', '2015-05-17', ['2015-05-17']],
  ['day', '2015-05-18', ['2015-05-18']],
  ['day', '2015-05-19', ['2015-05-19']],
  ['day', '2015-05-20', ['2015-05-20']],
  ['week', '2015-W20', ['2015-05-17']],
  ['week', '2015-W21', ['2015-05-18', '2015-05-19', '2015-05-20']],
  ['month', '2015-05', ['2015-05-17', '2015-05-18', '2015-05-19', '2015-05-20']],
  ['all', 'all', ['2015-05-17', '2015-05-18', '2015-05-19', '2015-05-20']],
];

test('a generated log becomes the boards that its requests make, once', async (t) => {
  const log = generateLog({ seed: 20150517, lines: 10_000 });
  const views = log.requests.map(({ time, path }) => ({ day: new Date(time).toISOString().slice(0, 10), path }));
  const [file] = writeFiles(t, { 'access.log': gzipSync(log.text) });
  await checkImport(t, file, { views, log, lines: 10_000 });
});

/**
 * Imports a file twice into a service of its own, and looks at the boards after each time.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} file
 * @param {{ views: { day: string, path: string }[], log: import('./generator.mjs').Log, lines: number }} expected
 */
async function checkImport(t, file, { views, log, lines }) {
  const worker = await startService(t);
  const importFile = async () => {
    const argv = ['--site', 'demo', '--action', 'view', '--endpoint', worker.url, file];
    const { status, stdout, stderr } = await startImport(t, argv).ended;
    assert.equal(status, 0, stderr);
    return readSummary(stdout);
  };
  const summary = {
    'lines read': lines,
    unparsable: log.unparsable,
    'filtered out': 0,
    'assets left out': log.assets.length,
    'of bots left out': log.bots.length,
    sent: views.length,
    refused: 0,
  };

  assert.deepEqual(await importFile(), { ...summary, accepted: views.length, duplicate: 0 });
  await checkBoards(worker, views);
  assert.deepEqual(await importFile(), { ...summary, accepted: 0, duplicate: views.length });
  await checkBoards(worker, views);
}

/** @param {import('node:test').TestContext} t */
async function startService(t) {
  const clock = createClock();
  t.after(() => clock.close());
  clock.set(NOW);
  const redis = await startRedis({ clock });
  t.after(() => redis.stop());
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, WRITE_TOKEN: TOKEN, SITES } });
  t.after(() => worker.stop());
  return worker;
}

/**
 * @param {import('../support/worker.mjs').Worker} worker
 * @param {{ day: string, path: string }[]} views
 */
async function checkBoards(worker, views) {
  for (const [window, period, days] of PERIODS) {
    const counts = countBy(
      views.filter(({ day }) => days.includes(day)),
      ({ path }) => path,
    );
    const response = await worker.fetch(`/v1/demo/boards/articles/${window}?limit=100&period=${period}`);
    assert.equal(response.status, 200);
    /** @type {{ total: number, entries: { id: string, score: number }[] }} */
    const { total, entries } = await response.json();
    assert.equal(total, counts.size, period);
    // Equal scores may stand in any order here, so the scores are compared by rank and then by id.
    const best = [...counts.values()].sort((a, b) => b - a).slice(0, 100);
    assert.deepEqual(
      entries.map(({ score }) => score),
      best,
      period,
    );
    for (const { id, score } of entries) assert.equal(score, counts.get(id), `${period} ${id}`);
  }
}
