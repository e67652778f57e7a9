/**
 * A Redis that lost everything gets back what it would have kept, from the archive, and counts on meanwhile.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { KEPT } from './kept.mjs';
import { ADMIN_TOKEN, DAY_MS, many, MINUTE_MS, start } from './site.mjs';
import { WRITE_TOKEN } from '../../support/deployment.mjs';
import { killAtEachStep } from '../../support/killed.mjs';
import { until } from '../../support/until.mjs';
import { startWebhook } from '../../support/webhook.mjs';
import { readSummary, runImport, writeFiles } from '../../import/command.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Started */

const HOUR_MS = 60 * MINUTE_MS;
const WINDOWS = ['hour', 'day', 'week', 'month', 'year', 'all', 'last-7-days'];
/** The hour before is archived. */
const NOON = Date.parse('2026-12-02T12:10:00Z');
const LOST = NOON + 15 * MINUTE_MS;
const BOARD = 'eb:{demo:articles}';
const TASKS = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };

/** The scores of each period. @param {Started} to @returns {Promise<Record<string, Record<string, number>>>} */
async function periods(to) {
  /** @type {Record<string, Record<string, number>>} */
  const found = {};
  const keys = await to.deployment.redis.command('KEYS', `${BOARD}:*`);
  for (const key of keys.filter((/** @type {string} */ name) => /:(hour|day|week|month|season|year|all):\d+$/.test(name))) {
    const both = await to.deployment.redis.command('ZRANGE', key, '0', '-1', 'WITHSCORES');
    /** @type {Record<string, number>} */
    const scores = {};
    for (let i = 0; i < both.length; i += 2) if (!both[i].startsWith('\0')) scores[both[i]] = Number(both[i + 1]);
    if (Object.keys(scores).length > 0) found[key.slice(BOARD.length + 1)] = scores;
  }
  return found;
}

/** What ranks, the greatest id first among equals. @param {Record<string, number>} scores */
const sorted = (scores) => Object.fromEntries(Object.entries(scores).sort());

/** @param {Started} to @param {string} [query] */
const restore = (to, query = '') => to.deployment.fetch(`/v1/demo/admin/restore${query}`, { method: 'POST', ...TASKS });

/** Clicks of some weeks, each hour archived after it. @param {Started} to */
async function live(to) {
  for (let at = Date.parse('2026-11-16T08:20:00Z'), n = 0; at < NOON; at += 7 * HOUR_MS, n += 1) {
    to.setClocks(at);
    const clicks = Array.from({ length: 1 + (n % 5) }, (_, i) => ({ action: 'view', item: `i${(n * (i + 3)) % 11}` }));
    await to.send([...clicks, ...(n % 3 === 0 ? [{ action: 'like', item: `i${n % 7}`, actor: `u${n}` }] : [])]);
    if (n % 4 === 0) await to.archive();
  }
  to.setClocks(NOON);
  while ((await to.archive()) > 0);
}

/** Adds what was clicked to the periods that hold it. @param {Record<string, Record<string, number>>} to @param {RegExp} of @param {string} item */
function count(to, of, item) {
  for (const key of Object.keys(to).filter((name) => of.test(name))) {
    const scores = to[key] ?? assert.fail();
    scores[item] = (scores[item] ?? 0) + 1;
  }
}

/** Redis loses all, and counts on. @param {Started} to */
async function lose(to) {
  const before = await periods(to);
  to.setClocks(LOST - 5 * MINUTE_MS);
  await to.send([{ action: 'view', item: 'gone' }]);
  await to.deployment.redis.command('FLUSHALL');
  to.setClocks(LOST);
  await to.send([
    { action: 'view', item: 'i1' },
    { action: 'view', item: 'new' },
  ]);
  const hour = Math.floor(LOST / HOUR_MS);
  before[`hour:${hour}`] = {};
  for (const item of ['i1', 'new'])
    count(before, new RegExp(`^(hour:${hour}|day:${Math.floor(hour / 24)}|week:2970|month:24323|year:|all:)`), item);
  return before;
}

/** @param {Started} to @param {Record<string, Record<string, number>>} expected @param {string} [message] */
async function check(to, expected, message) {
  const found = await periods(to);
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort(), message);
  for (const [key, scores] of Object.entries(expected))
    assert.deepEqual(sorted(found[key] ?? {}), sorted(scores), `${key} ${message ?? ''}`);
}

for (const kept of KEPT)
  describe(`from an archive in a ${kept}`, () => {
    test('every period is what it was, to the last member, and what lasts is put together', async () => {
      const to = await start({ kept, board: { windows: WINDOWS } });
      try {
        await live(to);
        const expected = await lose(to);
        // One that comes late is counted once, though upkeep adds it to the archive before anybody restores.
        const late = NOON - 2 * DAY_MS - 4 * HOUR_MS;
        await to.send([{ action: 'view', item: 'late', at: late }]);
        const hour = Math.floor(late / HOUR_MS);
        expected[`hour:${hour}`] ??= {};
        count(expected, new RegExp(`^(hour:${hour}|day:${Math.floor(hour / 24)}|week:2970|month:24322|year:|all:)`), 'late');
        to.setClocks(LOST + 5 * MINUTE_MS);
        await to.archive();

        const dry = await restore(to, '?dry_run=1');
        assert.deepEqual([dry.status, dry.body.done, dry.body.dry_run], [200, true, true], dry.text);
        assert.ok(dry.body.boards[0].periods > 20);
        assert.notDeepEqual(await periods(to), expected);
        const { status, body, text } = await restore(to);
        assert.deepEqual([status, body.done], [200, true], text);
        assert.equal(body.boards[0].periods, dry.body.boards[0].periods);
        assert.deepEqual(body.boards[0].filled, dry.body.boards[0].filled);
        const year = body.boards[0].filled.find((/** @type {any} */ { window }) => window === 'year');
        assert.equal(year.counted_since, new Date(LOST).toISOString().replace('.000', ''));
        assert.equal(year.covered.at(-1).until <= '2026-12-02T12:00:00Z', true);
        await check(to, expected);
        const again = await restore(to);
        assert.deepEqual([again.status, again.body.boards[0].periods], [200, 0]);
        await check(to, expected, 'again');

        // Rolling windows are made of what is there again.
        to.setClocks(LOST + 10 * MINUTE_MS);
        await to.archive();
        const top = await to.deployment.freshTop('articles/last-7-days', '?limit=100');
        assert.equal(top.body.complete, true);
        /** @type {Record<string, number>} */
        const sums = {};
        const today = Math.floor(LOST / DAY_MS);
        for (const [key, scores] of Object.entries(expected)) {
          const day = /^day:(\d+)$/.exec(key)?.[1];
          if (Number(day) > today - 7) for (const [id, score] of Object.entries(scores)) sums[id] = (sums[id] ?? 0) + score;
        }
        assert.deepEqual(sorted(Object.fromEntries(top.body.entries.map((/** @type {any} */ { id, score }) => [id, score]))), sorted(sums));
        // And they go on: to the archive, and out of Redis.
        to.setClocks(LOST + 500 * DAY_MS);
        for (let runs = 0; runs < 9; runs += 1) await to.archive();
        const day = await to.deployment.freshTop('articles/day', '?period=2026-11-30');
        const kept30 = expected[`day:${today - 2}`] ?? assert.fail();
        assert.deepEqual(
          sorted(Object.fromEntries(day.body.entries.map((/** @type {any} */ { id, score }) => [id, score]))),
          sorted(kept30),
        );
      } finally {
        await to.stop();
      }
    });

    test('a run that is killed at each step', async () => {
      const storage = await mkdtemp(join(tmpdir(), 'restore-'));
      const to = await start({ kept, storage, board: { windows: ['day', 'month', 'all', 'last-7-days'] } });
      try {
        to.setClocks(Date.parse('2026-11-20T23:30:00Z'));
        const scores = many(2_500);
        await to.fill(scores);
        await to.send([{ action: 'view', item: 'm1' }]);
        to.setClocks(NOON);
        await to.send([{ action: 'view', item: 'm2' }]);
        await to.archive();
        to.setClocks(NOON + DAY_MS);
        await to.archive();
        const expected = await periods(to);
        to.setClocks(LOST + DAY_MS);
        await to.deployment.redis.command('FLUSHALL');
        await to.send([{ action: 'view', item: 'm3' }]);
        // What `fill` wrote, it wrote to the day alone.
        Object.assign(expected, { 'day:20790': { m3: 1 }, 'month:24323': { m2: 1, m3: 1 }, 'all:0': { m1: 1, m2: 1, m3: 1 } });
        const lost = await to.snapshot();
        const steps = await killAtEachStep(to.deployment.link, {
          async before() {
            await to.restore(lost);
            to.setClocks(LOST + DAY_MS + MINUTE_MS);
          },
          run: () => restore(to),
          async after(killedAt) {
            to.setClocks(LOST + DAY_MS + 2 * MINUTE_MS);
            const { status, text } = await restore(to);
            assert.equal(status, 200, text);
            await check(to, expected, `killed at ${killedAt}`);
          },
        });
        assert.ok(steps > 12, `${steps} steps`);
      } finally {
        await to.stop();
        await rm(storage, { recursive: true, force: true });
      }
    });
  });

test('what no archive has comes back from files of the events that were handed on', async (t) => {
  const webhook = await startWebhook();
  t.after(webhook.stop);
  const to = await start({ board: { windows: WINDOWS }, site: { forward: { webhook: webhook.url } } });
  t.after(() => to.stop());
  await live(to);
  to.setClocks(LOST - 5 * MINUTE_MS);
  const like = (/** @type {string} */ item) => ({ action: 'like', item, actor: 'ann' });
  await to.send([{ action: 'view', item: 'i1', count: 40 }, like('i2'), like('i3')]);
  await to.send([{ ...like('i3'), undo: true }]);
  const expected = await periods(to);
  await to.deployment.redis.command('FLUSHALL');
  to.setClocks(LOST);
  await to.send([{ action: 'view', item: 'new' }]);
  for (const [key, scores] of Object.entries(await periods(to))) expected[key] = { ...expected[key], ...scores };
  await until('all was handed on', () => webhook.heard.some(({ text }) => text.includes('"new"')));

  const { body } = await restore(to);
  const { counted_since, covered } = body.boards[0].filled.find((/** @type {any} */ { window }) => window === 'year');
  const [file] = writeFiles(t, { 'events.ndjson': webhook.heard.map(({ text }) => `${text}\n`).join('') });
  const span = ['--from', covered.at(-1).until, '--until', counted_since];
  const argv = ['--site', 'demo', '--events', ...span, '--endpoint', to.deployment.worker.url, file];
  const imported = async () => {
    const { status, stdout, stderr } = await runImport(argv, { env: { WRITE_TOKEN } });
    assert.equal(status, 0, stderr);
    return readSummary(stdout).accepted;
  };
  assert.equal(await imported(), 4);
  await check(to, expected);
  assert.equal(await imported(), 0);
  await check(to, expected, 'again');
});

test('who reached a score first stands first again', async () => {
  const to = await start({ board: { ties: 'first', windows: ['day', 'all'] } });
  try {
    to.setClocks(NOON - DAY_MS);
    for (const item of ['c', 'a', 'b', 'd']) await to.send([{ action: 'view', item }]);
    await to.send([{ action: 'view', item: 'd' }]);
    to.setClocks(NOON);
    await to.archive();
    await to.deployment.redis.command('FLUSHALL');
    assert.equal((await restore(to)).status, 200);
    await to.send([{ action: 'view', item: 'e' }]);
    for (const item of ['e', 'a']) await to.send([{ action: 'view', item, at: NOON - DAY_MS }]);
    const day = await to.deployment.freshTop('articles/day', '?period=2026-12-01');
    assert.deepEqual(
      day.body.entries.map((/** @type {any} */ { id, score }) => [id, score]),
      [
        ['d', 2],
        ['a', 2],
        ['c', 1],
        ['b', 1],
        ['e', 1],
      ],
    );
  } finally {
    await to.stop();
  }
});

test('a season that is over is what it was, and the one that goes on is put together from its days', async () => {
  const cups = { name: 'cups', kind: 'season', from: '2026-11-01', until: '2026-12-21', every: '10 days' };
  const to = await start({ board: { windows: [cups, 'day'], keep: { season: '60d' }, ties: 'first' } });
  try {
    for (const [day, items] of Object.entries({ 12: 'ab', 20: 'bbc', 22: 'cd', 23: 'dda' })) {
      to.setClocks(Date.parse(`2026-11-${day}T12:00:00Z`));
      await to.send(Array.from(items, (item) => ({ action: 'view', item })));
    }
    to.setClocks(Date.parse('2026-11-24T12:00:00Z'));
    while ((await to.archive()) > 0);
    const expected = await periods(to);
    const [over, current] = ['2026-11-11', '2026-11-21'].map((start) => `season:${Date.parse(start) / 1000}`);
    assert.deepEqual(
      [expected[over ?? ''], expected[current ?? '']],
      [
        { a: 1, b: 3, c: 1 },
        { a: 1, c: 1, d: 3 },
      ],
      'two seasons',
    );
    to.setClocks(Date.parse('2026-11-24T12:05:00Z'));
    await to.deployment.redis.command('FLUSHALL');
    await to.send([{ action: 'view', item: 'e' }]);
    Object.assign(expected, { [`day:${Date.parse('2026-11-24') / DAY_MS}`]: { e: 1 }, [current ?? '']: { a: 1, c: 1, d: 3, e: 1 } });

    const { status, body, text } = await restore(to);
    assert.deepEqual([status, body.done], [200, true], text);
    const filled = body.boards[0].filled.find((/** @type {any} */ { window }) => window === 'season');
    assert.deepEqual([filled.period, filled.covered.at(-1).until], ['2026-11-21', '2026-11-24T00:00:00Z'], text);
    await check(to, expected);
    // Among equal scores whoever reached it first stands first, as it was.
    const top = await to.deployment.freshTop('articles/cups', '?period=2026-11-11');
    assert.deepEqual(
      top.body.entries.map((/** @type {any} */ { id }) => id),
      ['b', 'a', 'c'],
    );
    assert.equal((await restore(to)).body.boards[0].periods, 0, 'once');
    await check(to, expected);
  } finally {
    await to.stop();
  }
});

test('a Redis that lost nothing gets nothing', async () => {
  const to = await start({ board: { windows: WINDOWS } });
  try {
    await live(to);
    const before = await periods(to);
    const { body } = await restore(to);
    assert.deepEqual([body.done, body.boards[0].periods], [true, 0]);
    await check(to, before);
  } finally {
    await to.stop();
  }
});

test('what a reset took is not put back', async () => {
  const to = await start({ board: { windows: ['day', 'month', 'all', 'last-7-days'] } });
  const view = (/** @type {string} */ item) => to.send([{ action: 'view', item }]);
  try {
    to.setClocks(NOON - 2 * DAY_MS);
    await view('month before');
    to.setClocks(NOON - DAY_MS);
    await view('closed');
    to.setClocks(NOON);
    await view('current');
    await to.archive();
    assert.equal((await to.deployment.fetch('/v1/demo/admin/boards/articles/reset', { method: 'POST', ...TASKS })).status, 200);
    await view('after');
    to.setClocks(NOON + DAY_MS);
    await to.archive();
    const before = await periods(to);
    to.setClocks(NOON + DAY_MS + MINUTE_MS);
    await to.deployment.redis.command('FLUSHALL');
    await view('new');
    assert.deepEqual((await restore(to, '?dry_run=1')).body.done, true);
    const { status, body, text } = await restore(to);
    assert.deepEqual([status, body.done], [200, true], text);
    const last = { after: 1, new: 1 };
    assert.deepEqual(before, {
      'day:20789': { after: 1 },
      'month:24323': { after: 1 },
      'month:24322': { 'month before': 1 },
      'all:0': { after: 1 },
    });
    await check(to, { ...before, 'day:20790': { new: 1 }, 'month:24323': last, 'all:0': last });
    to.setClocks(NOON + DAY_MS + 10 * MINUTE_MS);
    await to.archive();
    const top = await to.deployment.freshTop('articles/last-7-days');
    assert.deepEqual(top.body.entries.map((/** @type {any} */ { id }) => id).sort(), ['after', 'new']);
    const closed = await to.deployment.freshTop('articles/day', '?period=2026-12-01');
    assert.deepEqual(
      closed.body.entries.map((/** @type {any} */ { id }) => id),
      ['closed'],
      'it stays readable from the archive',
    );
  } finally {
    await to.stop();
  }
});

test('erasing an actor reaches what is being restored', async () => {
  const to = await start({ board: { members: 'actors', windows: ['day', 'all'] } });
  try {
    to.setClocks(NOON - DAY_MS);
    for (const actor of ['ann', 'ben']) await to.send([{ action: 'view', item: 'x', actor }]);
    to.setClocks(NOON);
    await to.archive();
    await to.deployment.redis.command('FLUSHALL');
    // The run ends when it added what it is to put in its place.
    for (let killedAt = 1, added = []; added.length === 0; killedAt += 1) {
      await to.deployment.redis.command('FLUSHALL');
      let passed = 0;
      to.deployment.link.loseRepliesWhen(() => {
        passed += 1;
        return passed > killedAt;
      });
      await restore(to);
      assert.ok(passed > killedAt, 'something lies aside');
      to.deployment.link.loseRepliesWhen(() => false);
      added = await to.deployment.redis.command('KEYS', '*:restored');
    }
    to.setClocks(NOON + MINUTE_MS);
    assert.equal((await to.erase('ben')).status, 204);
    assert.equal((await restore(to)).status, 200);
    for (const [key, scores] of Object.entries(await periods(to))) assert.deepEqual(scores, { ann: 1 }, key);
    const keys = await to.deployment.redis.command('KEYS', '*:restored*');
    assert.deepEqual(keys, []);
  } finally {
    await to.stop();
  }
});
