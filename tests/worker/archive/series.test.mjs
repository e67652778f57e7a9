/**
 * A member's scores over time, from Redis and from the archive.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { COPIED, DAY_MS, FORGOTTEN, MINUTE_MS, NOW, start } from './site.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Started */

describe('a series', () => {
  /** @type {Started} */
  let to;
  beforeEach(async () => {
    to = await start({ board: { windows: ['hour', 'day', 'last-7-days', 'all'], breakdown: true } });
    to.setClocks(NOW);
  });
  afterEach(() => to.stop());

  /** @param {string} query @param {string} [path] */
  async function series(query, path = 'day/members/a') {
    const { status, body, text } = await to.deployment.fetch(`/v1/demo/boards/articles/${path}/series${query}`);
    return { status, body, text };
  }

  /** Of many. @param {string[]} ids @param {string} query @param {string} [window] */
  async function seriesOf(ids, query, window = 'day') {
    const request = { method: 'POST', body: JSON.stringify({ ids }) };
    const { status, body, text } = await to.deployment.fetch(`/v1/demo/boards/articles/${window}/series${query}`, request);
    return { status, body, text };
  }

  /** `[period, score]` or `[period, score, rank]`. @param {any} body @returns {any[][]} */
  const points = (body) =>
    body.points.map((/** @type {any} */ { period, score, rank }) => (rank === undefined ? [period, score] : [period, score, rank]));

  test('days that Redis keeps', async () => {
    await to.send([
      ...Array.from({ length: 3 }, () => ({ action: 'view', item: 'a' })),
      { action: 'view', item: 'b' },
      { action: 'view', item: 'a', at: NOW - 2 * DAY_MS },
      { action: 'like', item: 'b', actor: 'ben', at: NOW - 2 * DAY_MS },
    ]);
    const { body, text } = await series('?from=2026-11-17&rank=1');
    assert.deepEqual(
      points(body),
      [
        ['2026-11-17', 0, null],
        ['2026-11-18', 1, 2],
        ['2026-11-19', 0, null],
        ['2026-11-20', 3, 1],
      ],
      text,
    );
    assert.deepEqual([body.id, body.window, body.complete, body.points[1].starts_at], ['a', 'day', true, '2026-11-18T00:00:00Z']);
    const usual = points((await series('')).body);
    assert.deepEqual([usual.length, usual[0], usual.at(-1)], [30, ['2026-10-22', 0], ['2026-11-20', 3]]);
    assert.deepEqual(points((await series('?from=2026-11-18&to=2026-11-18')).body), [['2026-11-18', 1]]);
    assert.deepEqual(points((await series('?from=2026-11-20&to=2026-12-24')).body), [['2026-11-20', 3]], 'what has not begun is left out');
    const hours = points((await series('?from=2026-11-20T22Z', 'hour/members/a')).body);
    assert.deepEqual(hours, [
      ['2026-11-20T22Z', 0],
      ['2026-11-20T23Z', 3],
    ]);
    assert.deepEqual(points((await series('', 'all/members/a')).body), [['all', 4]]);
  });

  test('it costs one round trip a page', async () => {
    await to.send([{ action: 'view', item: 'a' }]);
    await series('?from=2025-10-01');
    const days = [];
    for (let from = '2025-10-02'; from; ) {
      const before = to.deployment.link.roundTrips;
      const { body } = await series(`?from=${from}`);
      assert.equal(to.deployment.link.roundTrips - before, 1);
      assert.ok(body.points.length <= 122, String(body.points.length));
      days.push(...points(body));
      from = body.next;
    }
    // Nothing is known of what is no longer kept.
    assert.deepEqual([days.length, days[0], days.at(-1)], [415, ['2025-10-02', null], ['2026-11-20', 1]]);
    assert.equal(new Set(days.map(([day]) => day)).size, 415);
  });

  test('periods of another unit, of any window', async () => {
    await to.send([
      { action: 'view', item: 'a', at: NOW - 26 * 60 * MINUTE_MS },
      { action: 'like', item: 'a', actor: 'ben' },
    ]);
    const days = [
      ['2026-11-19', 1],
      ['2026-11-20', 2],
    ];
    for (const window of ['last-7-days', 'hour', 'all']) {
      const { body } = await series('?by=day&from=2026-11-19', `${window}/members/a`);
      assert.deepEqual([body.window, body.by, points(body)], [window, 'day', days]);
    }
    const hours = (await series('?by=hour&from=2026-11-19T20Z&to=2026-11-19T22Z')).body;
    assert.deepEqual([hours.by, points(hours).map(([, score]) => score)], ['hour', [0, 1, 0]]);
    const { status, body } = await series('?by=week');
    assert.deepEqual(
      [status, body.code, body.detail],
      [400, 'invalid-parameter', 'by = "week" is not allowed; the board articles counts these periods: hour, day, all'],
    );
  });

  test('many members cost one round trip, and so many points at most', async () => {
    const members = Array.from({ length: 100 }, (_, i) => `m${i}`);
    await to.send([
      ...members.slice(0, 50).map((item) => ({ action: 'view', item })),
      { action: 'like', item: 'm7', actor: 'ben' },
      { action: 'like', item: 'm7', actor: 'ann', at: NOW - DAY_MS },
    ]);
    await to.hide('m8');
    await seriesOf(members, '');
    const before = to.deployment.link.roundTrips;
    const { body, text } = await seriesOf(members, '?actions=1');
    assert.equal(to.deployment.link.roundTrips - before, 1);
    assert.deepEqual([body.by, body.complete, body.series.length, body.series[0].points.length], ['day', true, 100, 30], text);
    const last = body.series.map((/** @type {any} */ { id, points }) => [id, points.at(-1).score, points.at(-1).actions]);
    assert.deepEqual(last[7], ['m7', 3, { view: 1, like: 1 }]);
    assert.deepEqual(last[8], ['m8', null, null]);
    assert.deepEqual(last[9], ['m9', 1, { view: 1 }]);
    assert.deepEqual(last[99], ['m99', 0, {}]);
    assert.deepEqual([body.series[7].points.at(-2).score, body.series[7].points.at(-2).actions], [2, { like: 1 }]);
    // Each rank is a command.
    const ranked = (await seriesOf(members, '?rank=1')).body;
    assert.deepEqual([ranked.series[0].points.length, points(ranked.series[9]).at(-1)], [2, ['2026-11-20', 1, 3 - 1]]);
    const paged = await seriesOf(members, '?from=2026-10-01');
    assert.deepEqual([paged.body.series[0].points.length, paged.body.next], [32, '2026-11-02']);
    assert.equal((await seriesOf(members, '?from=2026-11-02')).body.next, null);
    assert.deepEqual(
      [(await seriesOf([], '')).body.code, (await seriesOf(members, '', 'week')).body.code],
      ['invalid-ids', 'unknown-window'],
    );
  });

  test('days that are archived', async () => {
    const days = 25;
    for (let day = 0; day < days; day += 1) {
      to.setClocks(NOW + day * DAY_MS);
      await to.send(Array.from({ length: 1 + (day % 3) }, () => ({ action: 'view', item: 'a' })));
      await to.send([{ action: 'like', item: 'b', actor: `u${day}` }]);
    }
    to.setClocks(NOW + days * DAY_MS + 10 * MINUTE_MS);
    for (let more = 1; more > 0; ) more = await to.archive();
    to.setClocks(FORGOTTEN + days * DAY_MS);
    for (let more = 1; more > 0; ) more = await to.archive();
    const { body } = await series('?from=2026-11-19&to=2026-12-14&rank=1');
    const expected = Array.from({ length: days }, (_, day) => {
      const date = new Date(NOW + day * DAY_MS).toISOString().slice(0, 10);
      return [date, 1 + (day % 3), day % 3 === 0 ? 2 : 1];
    });
    // As many as one request looks up, the latest first.
    assert.equal(body.complete, false);
    assert.deepEqual(points(body).slice(-22), expected.slice(-22));
    assert.deepEqual(points(body)[0], ['2026-11-19', null, null]);
    const both = (await seriesOf(['a', 'nobody', 'b'], '?from=2026-12-12&to=2026-12-14&rank=1')).body;
    const likes = [1, 2, 1].map((rank, i) => [expected[22 + i]?.[0], 2, rank]);
    assert.deepEqual([both.complete, points(both.series[0]), points(both.series[2])], [true, expected.slice(-3), likes]);
    assert.deepEqual(points(both.series[1])[0], ['2026-12-12', 0, null]);
    const first = await series('?from=2026-11-19&to=2026-11-25');
    assert.deepEqual(
      [first.body.complete, points(first.body)],
      [true, [['2026-11-19', null], ...expected.slice(0, 6).map((point) => point.slice(0, 2))]],
    );
  });

  test('what cannot be asked for', async () => {
    const of = async (/** @type {Promise<{ status: number, body: any }>} */ answer) => {
      const { status, body } = await answer;
      return [status, body.code];
    };
    await to.fill({ a: 1 });
    assert.deepEqual(await of(series('?from=yesterday')), [400, 'invalid-period']);
    assert.deepEqual(await of(series('?rank=2')), [400, 'invalid-parameter']);
    assert.deepEqual(await of(series('', 'last-7-days/members/a')), [404, 'unknown-window']);
    await to.hide('a');
    to.setClocks(COPIED);
    assert.deepEqual(await of(series('')), [404, 'not-on-board']);
  });
});
