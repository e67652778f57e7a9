/**
 * From a log file to rankings through the real worker and a real Redis: every calendar board must show what the log
 * says, and importing again must change nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { createClock } from '../support/clock.mjs';
import { startRedis } from '../support/redis.mjs';
import { startRelay } from '../support/relay.mjs';
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

test('what Logpush writes becomes the same boards', async (t) => {
  const log = generateLog({ seed: 20150519, lines: 2_000 });
  const views = log.requests.map(({ time, path }) => ({ day: new Date(time).toISOString().slice(0, 10), path }));
  const lines = log.requests.map(({ time, path }, i) => ({
    EdgeStartTimestamp: new Date(time).toISOString(),
    ClientRequestMethod: 'GET',
    ClientRequestURI: `${path}?n=${i}`,
    EdgeResponseStatus: 200,
    ClientIP: '192.0.2.1',
    ClientRequestUserAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  }));
  const [file] = writeFiles(t, { 'logpush.json.gz': gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join('')) });
  const worker = await startService(t, SITES);
  const { status, stdout, stderr } = await startImport(t, ['--site', 'demo', '--action', 'view', '--endpoint', worker.url, file]).ended;
  assert.equal(status, 0, stderr);
  assert.equal(readSummary(stdout).accepted, views.length);
  await checkBoards(worker, views);
});

test("another system's counts become the same boards", async (t) => {
  const worker = await startService(t, SITES);
  const counts = [
    ['/a', '2015-05-18', 1_000_000],
    ['/a', '2015-05-19', 4_294_967_295],
    ['/b', '2015-05-19', 7],
  ];
  const lines = counts.map(([item, day, count]) => ({ action: 'view', item, at: `${day}T12:00:00Z`, count }));
  const wrong = { ...lines[0], count: 4_294_967_296 };
  const [file] = writeFiles(t, { 'counts.ndjson.gz': gzipSync([...lines, wrong].map((line) => `${JSON.stringify(line)}\n`).join('')) });
  for (const accepted of [3, 0]) {
    const { status, stdout, stderr } = await startImport(t, ['--site', 'demo', '--events', '--endpoint', worker.url, file]).ended;
    assert.equal(status, 0, stderr);
    assert.deepEqual([readSummary(stdout).accepted, readSummary(stdout).refused], [accepted, 1]);
    assert.match(stdout, /1 invalid-count \(the first: count = 4294967296 is not allowed; allowed: whole numbers from 1 to 4294967295\)/);
    for (const [ranking, expected] of /** @type {const} */ ([
      ['day?period=2015-05-18', { '/a': 1_000_000 }],
      ['month?period=2015-05', { '/a': 4_295_967_295, '/b': 7 }],
    ])) {
      const response = await worker.fetch(`/v1/demo/boards/articles/${ranking}`);
      /** @type {{ entries: { id: string, score: number }[] }} */
      const { entries } = await response.json();
      assert.deepEqual(Object.fromEntries(entries.map(({ id, score }) => [id, score])), expected);
    }
  }
});

test('where ingest is grouped, requests at a time become one call', async (t) => {
  const log = generateLog({ seed: 20150518, lines: 10_000 });
  const views = log.requests.map(({ time, path }) => ({ day: new Date(time).toISOString().slice(0, 10), path }));
  const [file] = writeFiles(t, { 'access.log': log.text });
  // Redis is so far away that requests come while others are under way.
  const worker = await startService(t, { demo: { ...SITES.demo, ingest: 'grouped' } }, { delayMs: 20 });
  await worker.redis.command('CONFIG', 'RESETSTAT');
  const argv = ['--site', 'demo', '--action', 'view', '--endpoint', worker.url, '--concurrency', '32', file];
  const { status, stdout, stderr } = await startImport(t, argv).ended;
  assert.equal(status, 0, stderr);
  assert.equal(readSummary(stdout).accepted, views.length);
  const calls = Number(/^cmdstat_fcall:calls=(\d+)/m.exec(await worker.redis.command('INFO', 'commandstats'))?.[1]);
  t.diagnostic(`${calls} calls for ${Math.ceil(views.length / 100)} requests`);
  assert.ok(calls < (0.7 * views.length) / 100, `${calls} calls`);
  await checkBoards(worker, views);
});

test('where views count once, visitors are told apart', async (t) => {
  const articles = { weights: { view: 1 }, windows: ['day'], once: { view: 'day' } };
  const worker = await startService(t, { demo: { actions: { view: {} }, boards: { articles } } });
  const view = (/** @type {string} */ host, /** @type {string} */ path, agent = 'Mozilla/5.0 (X11; Linux x86_64)') =>
    `${host} - - [20/May/2015:21:00:00 +0000] "GET ${path} HTTP/1.1" 200 5 "-" "${agent}"\n`;
  const lines = [
    view('192.0.2.1', '/a'),
    view('192.0.2.1', '/a?again'),
    view('192.0.2.1', '/b'),
    view('192.0.2.1', '/a', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15)'),
    view('192.0.2.2', '/a'),
    view('2001:db8::1', '/a', '-'),
    view('2001:db8::2', '/a?same-network', '-'),
    view('name.example', '/a'),
    view('name.example', '/a?same-name'),
  ];
  const [file] = writeFiles(t, { 'access.log': lines.join('') });
  const argv = ['--site', 'demo', '--action', 'view', '--endpoint', worker.url];

  const { status, stdout, stderr } = await startImport(t, [...argv, file]).ended;
  assert.equal(status, 0, stderr);
  assert.deepEqual([readSummary(stdout).accepted, readSummary(stdout).refused], [7, 2]);
  assert.match(stdout, /^ +2 already-done /m);
  assert.deepEqual(await scores(), { '/a': 6, '/b': 1 });

  async function scores() {
    const response = await worker.fetch('/v1/demo/boards/articles/day');
    /** @type {{ entries: { id: string, score: number }[] }} */
    const { entries } = await response.json();
    return Object.fromEntries(entries.map(({ id, score }) => [id, score]));
  }
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

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, object>} [sites]
 */
async function startService(t, sites = SITES, { delayMs = 0 } = {}) {
  const clock = createClock();
  t.after(() => clock.close());
  clock.set(NOW);
  const redis = await startRedis({ clock });
  t.after(() => redis.stop());
  const relay = await startRelay({ redis });
  t.after(() => relay.close());
  relay.delayBy(delayMs);
  const worker = await startWorker({ vars: { REDIS_URL: `redis://127.0.0.1:${relay.port}`, WRITE_TOKEN: TOKEN, SITES: sites } });
  t.after(() => worker.stop());
  return { ...worker, redis };
}

/**
 * @param {Pick<import('../support/worker.mjs').Worker, 'fetch'>} worker
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
