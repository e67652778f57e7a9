/**
 * An operator's night: what goes wrong with a deployment, what it says of that, and what brings it back, with the lines of docs/operations/loss.md.
 */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { curlLines, requestOf } from '../../support/curl.mjs';
import { entriesOf, startDeployment } from '../../support/deployment.mjs';
import { until } from '../../support/until.mjs';

const ADMIN_TOKEN = 'a-token-for-owners';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const EVENING = Date.parse('2026-11-20T20:10:00Z');
const BOARD = { weights: { view: 1 }, windows: ['hour', 'day', 'all'], archive: true, history: 10 };
const SITES = { demo: { origins: ['*'], actions: { view: { public: true } }, boards: { articles: BOARD } } };
const [RESTORE, ACCEPT] = curlLines('docs/operations/loss.md', '# When Redis lost something');

describe("an operator's night", { concurrency: 1 }, () => {
  /** @type {import('../../support/deployment.mjs').Deployment} */
  let deployment;
  let storage = '';
  let now = EVENING;
  before(async () => {
    storage = await mkdtemp(join(tmpdir(), 'edgeboard-night-'));
    deployment = await startDeployment({
      transport: 'redis://',
      sites: SITES,
      vars: { ADMIN_TOKEN },
      hasDatabase: true,
      hasBucket: true,
      storage,
    });
  });
  after(async () => {
    await deployment?.stop();
    await rm(storage, { recursive: true, force: true });
  });

  /** Both clocks move on, and upkeep runs as cron has it. @param {number} ms */
  async function pass(ms) {
    now += ms;
    deployment.clock.set(now);
    deployment.edgeClock.set(now);
    await deployment.worker.scheduled();
  }

  /** @param {Record<string, number>} counts */
  const view = (counts) => deployment.events({ events: Object.entries(counts).map(([item, count]) => ({ action: 'view', item, count })) });
  const shown = async (/** @type {string} */ window) => Object.fromEntries(entriesOf(await deployment.freshTop(`articles/${window}`)));

  /** Whether Redis serves, as a monitor asks. @param {number} status @param {string} word */
  async function isReady(status, word) {
    const ready = await deployment.fetch('/readyz');
    assert.deepEqual([ready.status, ready.body.code ?? ready.body.status], [status, word], ready.text);
  }

  /** The lines of the log with a code, since this many entries. @param {string} code @param {number} since */
  const logged = (code, since) =>
    until(`the log says ${code}`, () => {
      const lines = deployment.worker.log.slice(since).filter(({ message }) => message.includes(`"code":"${code}"`));
      return lines.length > 0 && lines.map(({ message }) => message);
    });
  const logEnd = () => deployment.worker.log.length;

  /** What a document has one type. @param {string} line */
  async function type(line) {
    const { path, init } = requestOf(line, { ADMIN_TOKEN });
    return deployment.fetch(path, init);
  }

  test('in the evening all is well', async () => {
    for (let hour = 0; hour < 3; hour += 1) {
      await pass(hour === 0 ? 0 : HOUR_MS);
      assert.equal((await view({ '/a': 5, '/b': 3 })).status, 200);
      await pass(1_000);
    }
    await pass(HOUR_MS);
    // The last hour is archived a while after it was frozen.
    await pass(6 * MINUTE_MS);
    assert.deepEqual(await shown('all'), { '/a': 15, '/b': 9 });
    await isReady(200, 'ready');
  });

  test('Redis is full: events are refused and can be sent again, rankings stay', async () => {
    const since = logEnd();
    await deployment.redis.command('CONFIG', 'SET', 'maxmemory', '1');
    const refused = await view({ '/a': 1 });
    assert.deepEqual([refused.status, Number(refused.headers.get('retry-after')) > 0], [503, true], refused.text);
    assert.match(refused.body.detail, /nothing was written; try again/);
    assert.deepEqual(await shown('all'), { '/a': 15, '/b': 9 });
    assert.ok((await logged(refused.body.code, since)).some((line) => /OOM|memory/.test(line)));
    await deployment.redis.command('CONFIG', 'SET', 'maxmemory', '0');
    assert.equal((await view({ '/a': 1 })).status, 200);
    assert.deepEqual(await shown('all'), { '/a': 16, '/b': 9 });
  });

  test('Redis is lost: it is noticed, and a line of the docs brings back what was archived', async () => {
    const since = logEnd();
    await deployment.redis.command('FLUSHALL');
    await view({ '/a': 1 });
    await pass(6 * MINUTE_MS);
    assert.match((await logged('redis-lost', since))[0], /POST \/v1\/demo\/admin\/restore/);
    await isReady(200, 'redis-lost');
    const { headers } = requestOf(RESTORE, { ADMIN_TOKEN }).init;
    assert.match((await deployment.fetch('/v1/demo/admin/metrics', { headers })).text, /^edgeboard_redis_lost\{site="demo"\} 1$/m);
    const { status, body, text } = await type(RESTORE);
    assert.deepEqual([status, body.done, body.loss], [200, true, null], text);
    await isReady(200, 'ready');
    // All of the hours that were over; the click of the last hour, with the full Redis, was not archived.
    assert.deepEqual(await shown('all'), { '/a': 16, '/b': 9 });
  });

  test('an old backup is brought back: that is noticed, and may be accepted', async () => {
    const [, dir] = await deployment.redis.command('CONFIG', 'GET', 'dir');
    await pass(HOUR_MS);
    await deployment.redis.command('SAVE');
    await copyFile(join(dir, 'dump.rdb'), join(storage, 'dump.rdb'));
    await view({ '/b': 4 });
    await pass(2 * HOUR_MS);
    await view({ '/b': 1 });
    await pass(MINUTE_MS);
    assert.deepEqual(await shown('all'), { '/a': 16, '/b': 14 });

    const since = logEnd();
    await deployment.redis.kill();
    assert.equal((await view({ '/b': 1 })).status, 503);
    await isReady(503, 'redis-unavailable');
    await copyFile(join(storage, 'dump.rdb'), join(dir, 'dump.rdb'));
    await deployment.redis.restart();
    await pass(6 * MINUTE_MS);
    assert.match((await logged('redis-behind', since))[0], /accept/);
    await isReady(200, 'redis-behind');
    const { status, body, text } = await type(ACCEPT);
    assert.deepEqual([status, body.loss], [200, null], text);
    await isReady(200, 'ready');
    assert.deepEqual(await shown('all'), { '/a': 16, '/b': 9 });
    // The same line as after a loss gives back the hour that was archived meanwhile.
    const restored = await type(RESTORE);
    assert.deepEqual([restored.status, restored.body.done], [200, true], restored.text);
    const { body: hour } = await deployment.fetch('/v1/demo/boards/articles/hour?period=2026-11-21T00Z');
    assert.deepEqual([hour.entries[0].id, hour.entries[0].score], ['/b', 4]);
  });

  test('the clock of the edge is wrong: nothing is frozen until it is right', async () => {
    const since = logEnd();
    deployment.edgeClock.set(now + 20 * 24 * HOUR_MS);
    await deployment.worker.scheduled();
    assert.ok((await logged('clock-differs', since)).length > 0);
    deployment.edgeClock.set(now);
    assert.equal((await view({ '/a': 1 })).status, 200);
    const { body } = await deployment.fetch('/v1/demo/boards/articles/day/periods');
    assert.ok(
      body.periods.every((/** @type {any} */ { id }) => id < '2026-11-21'),
      JSON.stringify(body),
    );
  });

  test('a deployment lost the binding of its bucket: it counts on, says so, and the archive goes on when it is back', async () => {
    await deployment.restartWorker({}, { hasBucket: false });
    const lost = await deployment.fetch('/readyz');
    assert.deepEqual([lost.status, lost.body.code], [503, 'binding-missing'], lost.text);
    assert.match(lost.text, /articles.archive = true needs the R2 bucket binding ARCHIVE/);
    assert.ok((await logged('binding-missing', 0)).length > 0);
    const before = (await shown('all'))['/a'] ?? 0;
    assert.equal((await view({ '/a': 1 })).status, 200);
    assert.equal((await shown('all'))['/a'], before + 1);
    await deployment.restartWorker({}, { hasBucket: true });
    await isReady(200, 'ready');
    await pass(HOUR_MS);
    const { status, text } = await deployment.fetch('/v1/demo/admin/upkeep', {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    assert.equal(status, 200, text);
    assert.equal((await shown('all'))['/a'], before + 1);
  });

  test('a bad deployment says what is wrong, and the next one loses nothing', async () => {
    const before = await shown('all');
    await deployment.restartWorker({ SITES: { demo: { ...SITES.demo, boards: { articles: { ...BOARD, windows: ['dya'] } } } } });
    const bad = await deployment.fetch('/readyz');
    assert.deepEqual([bad.status, bad.body.code], [500, 'configuration-invalid'], bad.text);
    assert.match(bad.text, /dya.*day/);
    assert.equal((await view({ '/a': 1 })).status, 500);
    await deployment.restartWorker({ SITES });
    await isReady(200, 'ready');
    assert.deepEqual(await shown('all'), before);
  });
});
