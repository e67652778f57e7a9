/**
 * Periods that are over: frozen in the database, listed, and shown when Redis has forgotten them.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { MINUTE_MS, NOW, on, shown, start } from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const SCORES = { a: 4, b: 3, c: 2, d: 1 };
const MIDNIGHT = NOW + 30 * MINUTE_MS;

describe('history', () => {
  /** @type {Deployment} */
  let deployment;
  /** @type {ReturnType<typeof on>} */
  let to;
  beforeEach(async () => {
    deployment = await start();
    to = on(deployment);
    to.setClocks(NOW);
  });
  beforeEach(() => to.view(SCORES));
  // Each test has a database of its own.
  afterEach(() => deployment.stop());

  test('the best of a period stay, five minutes after its end', async () => {
    assert.equal(await to.freeze(), 0, 'nothing happened before');
    to.setClocks(MIDNIGHT + 4 * MINUTE_MS);
    assert.equal(await to.freeze(), 1, 'what pages held back may still come, but to the decaying window');
    to.setClocks(MIDNIGHT + 5 * MINUTE_MS);
    await to.view({ a: 1 }, { ago: 10 * MINUTE_MS });
    assert.equal(await to.freeze(), 4, 'an hour, two days, seven days');
    assert.equal(await to.freeze(), 0, 'each once');

    const { status, body } = await to.periods('articles/day');
    assert.equal(status, 200);
    assert.deepEqual(body, {
      site: 'demo',
      board: 'articles',
      window: 'day',
      periods: [
        {
          id: '2026-11-20',
          starts_at: '2026-11-20T00:00:00Z',
          ends_at: '2026-11-21T00:00:00Z',
          frozen_at: body.periods[0].frozen_at,
          revision: 1,
          total: 4,
          winner: { rank: 1, id: 'a', score: 5 },
        },
      ],
      next: null,
    });
    assert.match(body.periods[0].frozen_at, /^2026-11-21T00:05:0\d\.\d{3}Z$/);
  });

  test('a list reads winners from an index, also of periods that were frozen before there was one', async () => {
    to.setClocks(MIDNIGHT + 5 * MINUTE_MS);
    await to.freeze();
    const before = (await to.periods('articles/day')).body;
    assert.deepEqual(before.periods[0].winner, { rank: 1, id: 'a', score: 4 });
    const database = await deployment.worker.miniflare.getD1Database('DB');
    const run = async (/** @type {string} */ sql) => (await database.prepare(sql).all()).results;
    await run('DROP INDEX history_by_winner');
    await run('ALTER TABLE history DROP COLUMN winner');
    await run("DELETE FROM d1_migrations WHERE name >= '0011'");
    to.setClocks(MIDNIGHT + 10 * MINUTE_MS);
    assert.deepEqual((await to.periods('articles/day')).body, before);
    const where = "site = 'demo' AND board = 'articles' AND window_name = 'day' AND starts_at < 9e9";
    const [{ detail }] = await run(`EXPLAIN QUERY PLAN SELECT period, winner FROM history WHERE ${where} ORDER BY starts_at DESC`);
    assert.match(String(detail), /INDEX history_by_winner/);
    // An erasure of the winner leaves the next one.
    await run(`UPDATE history SET entries = json_remove(entries, '$[0]')`);
    to.setClocks(MIDNIGHT + 15 * MINUTE_MS);
    assert.equal((await to.periods('articles/day')).body.periods[0].winner.id, 'b');
  });

  test('winners stay as they were, and Redis tells what came late as long as it can', async () => {
    to.setClocks(MIDNIGHT + 5 * MINUTE_MS);
    await to.freeze();
    await to.view({ b: 9 }, { at: NOW });
    const query = '?period=2026-11-20';
    const kept = await deployment.freshTop('articles/day', query);
    assert.deepEqual(shown(kept.body).slice(0, 2), [
      [1, 'b', 12],
      [2, 'a', 4],
    ]);
    to.setClocks(MIDNIGHT + 5 * MINUTE_MS + HOUR_MS);
    await to.freeze();
    assert.equal((await to.periods('articles/day')).body.periods[0].winner.id, 'a');

    to.setClocks(MIDNIGHT + 70 * DAY_MS);
    const frozen = await deployment.freshTop('articles/day', query);
    assert.equal(frozen.status, 200, frozen.text);
    assert.deepEqual(shown(frozen.body), [
      [1, 'a', 4],
      [2, 'b', 3],
      [3, 'c', 2],
    ]);
    assert.deepEqual([frozen.body.total, frozen.body.period.id, frozen.body.complete], [4, '2026-11-20', true]);
    assert.match(frozen.body.generated_at, /^2026-11-21T00:05/);
    const page = await deployment.freshTop('articles/day', `${query}&limit=1&offset=1`);
    assert.deepEqual(shown(page.body), [[2, 'b', 3]]);

    const member = await deployment.fetch(`/v1/demo/boards/articles/day/members/b${query}&around=1`);
    assert.equal(member.status, 200, member.text);
    assert.deepEqual([member.body.rank, member.body.score, member.body.total, member.body.percentile], [2, 3, 4, 75]);
    assert.deepEqual(
      member.body.around.map((/** @type {any} */ { id }) => id),
      ['a', 'b', 'c'],
    );
    assert.equal((await deployment.fetch(`/v1/demo/boards/articles/day/members/d${query}`)).status, 404);
    assert.equal((await deployment.freshTop('articles/day', '?period=2026-10-01')).body.code, 'unknown-period');
  });

  test('periods that were missed are made up for, the oldest first', async () => {
    await to.freeze();
    for (let day = 1; day < 40; day += 1) {
      to.setClocks(NOW + day * DAY_MS);
      await to.view({ [`m${day}`]: day });
    }
    to.setClocks(NOW + 40 * DAY_MS);
    let frozen = 0;
    for (let more = 1; more > 0; frozen += more) more = await to.freeze();
    assert.ok(frozen > 60, `${frozen} periods`);
    /** @type {any[]} */
    const found = [];
    for (let query = '?limit=7'; query; ) {
      const { body } = await to.periods('articles/day', query);
      found.push(...body.periods);
      query = body.next ? `?limit=7&cursor=${body.next}` : '';
    }
    const ids = found.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'none twice');
    assert.deepEqual(ids, [...ids].sort().reverse());
    // All that Redis has since the first event, though more were missed than are of a month.
    assert.equal(found.length, 40);
    for (const { id, winner } of found.slice(0, 39)) {
      const day = (Date.parse(id) - Date.parse('2026-11-20')) / DAY_MS;
      assert.deepEqual(winner, { rank: 1, id: `m${day}`, score: day }, id);
    }
  });

  test('the scheduled run freezes, and asks for nothing while nothing is due', async () => {
    to.setClocks(MIDNIGHT + 6 * MINUTE_MS);
    await deployment.worker.scheduled();
    assert.equal((await to.periods('articles/day')).body.periods[0].winner.id, 'a');
    // Upkeep builds the seven days of before, which are frozen then.
    let calls = 1;
    for (let minute = 12; calls > 0; minute += 6) {
      assert.ok(minute < 55, 'it comes to rest within the hour');
      to.setClocks(MIDNIGHT + minute * MINUTE_MS);
      const commands = await deployment.commandsDuring(() => deployment.worker.scheduled());
      calls = commands.calls ?? 0;
    }
    assert.equal((await to.periods('articles/last-7-days')).body.periods[0].winner.id, 'a');
  });

  test('erasing an actor takes it out of what was frozen', async () => {
    to.setClocks(MIDNIGHT + 5 * MINUTE_MS);
    await to.freeze();
    assert.equal((await to.erase('a')).status, 204);
    assert.equal((await to.periods('people/day')).body.periods[0].winner.id, 'b');
    assert.equal((await to.periods('articles/day')).body.periods[0].winner.id, 'a', 'an item is nobody');
    to.setClocks(MIDNIGHT + 70 * DAY_MS);
    const { body } = await deployment.freshTop('people/day', '?period=2026-11-20');
    assert.deepEqual(shown(body), [
      [2, 'b', 3],
      [3, 'c', 2],
    ]);
  });

  test('what cannot be asked for', async () => {
    const of = async (/** @type {Promise<import('../../support/deployment.mjs').Answer>} */ answer) => {
      const { status, body } = await answer;
      return [status, body.code];
    };
    assert.deepEqual(await of(to.periods('forgetful/day')), [404, 'no-history']);
    assert.deepEqual(await of(to.periods('articles/dya')), [404, 'unknown-window']);
    assert.deepEqual(await of(to.periods('articles/day', '?cursor=x')), [400, 'invalid-parameter']);
    assert.deepEqual(await of(to.periods('articles/day', '?limit=0')), [400, 'invalid-parameter']);
    assert.deepEqual((await to.periods('articles/all')).body.periods, [], 'all time is never over');
    assert.deepEqual((await to.periods('articles/hot')).body.periods, []);
  });
});

test('hours are named by their start, also where clocks stand at three quarters', async () => {
  const deployment = await start({ site: { timezone: 'Asia/Kathmandu' } });
  try {
    const to = on(deployment);
    to.setClocks(NOW);
    await to.view(SCORES);
    to.setClocks(NOW + HOUR_MS);
    await to.freeze();
    const { body } = await to.periods('articles/hour');
    assert.equal(body.periods[0].id, '2026-11-20T23:15Z');
    to.setClocks(NOW + 10 * DAY_MS);
    const { body: page, text } = await deployment.freshTop('articles/hour', '?period=2026-11-20T23:15Z');
    assert.equal(page.entries?.[0]?.id, 'a', text);
    assert.equal((await deployment.freshTop('articles/hour', '?period=2026-11-20T23Z')).body.code, 'unknown-period');
  } finally {
    await deployment.stop();
  }
});

test('without its database nothing is frozen, what needs that says so, and all else goes on', async () => {
  const deployment = await start({ hasDatabase: false });
  try {
    const to = on(deployment);
    to.setClocks(NOW);
    await to.view(SCORES);
    to.setClocks(MIDNIGHT + 6 * MINUTE_MS);
    assert.equal(await to.freeze(), 0);
    assert.deepEqual((await to.periods('articles/day')).body.code, 'binding-missing');
    assert.equal((await deployment.freshTop('articles/day', '?period=2026-11-20')).body.entries.length, 4);
    assert.equal((await deployment.freshTop('articles/day', '?period=2026-01-01')).body.code, 'binding-missing');
  } finally {
    await deployment.stop();
  }
});
