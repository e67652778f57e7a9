/**
 * Decaying windows that are configured wrongly are refused, with what is allowed.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { sampled } from '../../support/part.mjs';
import { startWorker } from '../../support/worker.mjs';
import { FADING, HOT, SMOOTH } from './site.mjs';

describe('a window that is configured wrongly', () => {
  const AT = 'SITES.demo.boards.articles.windows';
  const KINDS = '"season", "rolling", "half-life", "step" or "linear"';
  const NAME = '1 to 32 characters a-z, 0-9 and -, not beginning with -, and not the name of a calendar or rolling window';
  const WRITTEN =
    'hour, day, week, month, year, all, last-N-minutes (N from 2 to 744), last-N-hours (N from 2 to 744), last-N-days (N from 2 to 400), last-N-weeks (N from 2 to 366), last-N-months (N from 2 to 366), or a table with name and kind';
  const LIFE = 'a duration from "1m" to "366d", a whole number and s, m, h or d';
  const RESETS = '"hour", "day", "week" or "month"';
  const FACTOR = 'a number from 0.01 to 0.999999';
  const GRAINS = '"1 minute", "5 minutes" or "10 minutes"';
  const MINUTES = 'last-N-minutes (N from 2 to 744) that the grain divides, at least two of them';
  const LOCAL = 'a date or a date and time of the site\'s zone, like "2026-12-01" or "2026-12-01T18:00", from 1970 to 2199';
  const EVERY =
    'a number of hours, days, weeks, months or years up to 1000, like "2 weeks", or a cron expression of five fields, like "0 18 * * 5"';
  const UNTIL = 'a time after from, with at most 400 seasons before it, none longer than 730 days';
  const WINTER = { name: 's1', kind: 'season', from: '2026-12-01', until: '2027-03-01' };
  const TIME = 'a time of day from "00:00:00" to "23:59:59"';

  /** @type {[unknown, string, unknown, string][]} the window, the key below windows[1], its value, what is allowed */
  const ROWS = [
    ...['last-1-days', 'last-401-days', 'last-745-hours', 'last-745-minutes', 'last-07-days', 'last-2-years', 'last--days', 'hot'].map(
      (text) => /** @type {any} */ ([text, '', text, WRITTEN]),
    ),
    ['last-2-day', '', 'last-2-day', `${WRITTEN}; did you mean "last-2-days"?`],
    [7, '', 7, WRITTEN],
    [{ kind: 'half-life', half_life: '6h' }, '.name', undefined, NAME],
    ...['day', 'last-7-days', 'Hot', '', 'a:b', 'x'.repeat(33), 1].map(
      (name) => /** @type {any} */ ([{ ...HOT, name }, '.name', name, NAME]),
    ),
    [{ name: 'hot' }, '.kind', undefined, KINDS],
    [{ ...HOT, kind: 'halflife' }, '.kind', 'halflife', `${KINDS}; did you mean "half-life"?`],
    [{ name: 'hot', kind: 'half-life' }, '.half_life', undefined, LIFE],
    ...['59s', '367d', '6', '-6h', 6].map((half_life) => /** @type {any} */ ([{ ...HOT, half_life }, '.half_life', half_life, LIFE])),
    [{ ...HOT, factor: 0.5 }, '.factor', 0.5, 'the keys name, kind, half_life'],
    [
      { ...HOT, halflife: '6h' },
      '.halflife',
      '6h',
      'the keys name, kind, half_life, every, factor, resets, at, beta, grain, from, until; did you mean half_life?',
    ],
    [{ name: 'fading', kind: 'step', factor: 0.9 }, '.every', undefined, RESETS],
    [{ ...FADING, every: 'year' }, '.every', 'year', RESETS],
    ...[0, 1, -0.5, '0.9'].map((factor) => /** @type {any} */ ([{ ...FADING, factor }, '.factor', factor, FACTOR])),
    [{ name: 'fading', kind: 'step', every: 'hour' }, '.factor', undefined, FACTOR],
    [{ name: 'smooth', kind: 'linear' }, '.resets', undefined, RESETS],
    [{ ...SMOOTH, resets: 'daily' }, '.resets', 'daily', RESETS],
    ...['24:00:00', '2:01', '02:01:60', '02:01:00:00', 121].map((at) => /** @type {any} */ ([{ ...SMOOTH, at }, '.at', at, TIME])),
    ...[0, -1, 'much'].map((beta) => /** @type {any} */ ([{ ...SMOOTH, beta }, '.beta', beta, 'a number from 0.000001 to 1000000'])),
    [{ name: 'last-60-minutes', kind: 'rolling' }, '.grain', undefined, GRAINS],
    [{ name: 'last-60-minutes', kind: 'rolling', grain: '5m' }, '.grain', '5m', GRAINS],
    [{ kind: 'rolling', grain: '5 minutes' }, '.name', undefined, 'last-N-minutes (N from 2 to 744)'],
    ...['last-60-hours', 'last-62-minutes', 'last-5-minutes', 'hot', 60].map(
      (name) => /** @type {any} */ ([{ name, kind: 'rolling', grain: '5 minutes' }, '.name', name, MINUTES]),
    ),
    [{ ...WINTER, name: 'day' }, '.name', 'day', NAME],
    [{ name: 's1', kind: 'season', until: '2027-03-01' }, '.from', undefined, LOCAL],
    ...['2027-02-29', '1.12.2026', '2026-12-01T18:00Z', 20261201].map(
      (from) => /** @type {any} */ ([{ ...WINTER, from }, '.from', from, LOCAL]),
    ),
    [{ name: 's1', kind: 'season', from: '2026-12-01' }, '.until', undefined, LOCAL],
    [{ ...WINTER, until: '2026-12-01' }, '.until', '2026-12-01', UNTIL],
    [{ ...WINTER, until: '2029-12-01' }, '.until', '2029-12-01', UNTIL],
    [{ ...WINTER, until: '2028-03-01', every: '1 day' }, '.until', '2028-03-01', UNTIL],
    ...['weekly', '0 weeks', '60 * * * *', 14].map((every) => /** @type {any} */ ([{ ...WINTER, every }, '.every', every, EVERY])),
    ['day', '', 'day', 'each window once'],
  ];
  for (const [window, below, value, allowed] of sampled(ROWS)) {
    test(`${JSON.stringify(window)}`, async (t) => {
      const board = { weights: { view: 1 }, windows: ['day', window] };
      const sites = /** @type {any} */ ({ demo: { actions: { view: {} }, boards: { articles: board } } });
      const worker = await startWorker({ vars: { REDIS_URL: 'redis://127.0.0.1:1', SITES: sites } });
      t.after(worker.stop);
      const key = `${AT}[1]${below}`;
      const { status, code, detail } = /** @type {any} */ (await (await worker.fetch('/v1/demo/boards')).json());
      assert.deepEqual([status, code], [500, 'configuration-invalid']);
      assert.equal(
        detail,
        value === undefined
          ? `${key} is missing; allowed: ${allowed}`
          : `${key} = ${JSON.stringify(value)} is not allowed; allowed: ${allowed}`,
      );
    });
  }

  test('a time of day of what begins every hour', async (t) => {
    const board = { weights: { view: 1 }, windows: [{ ...SMOOTH, resets: 'hour', at: '02:01:00' }] };
    const sites = /** @type {any} */ ({ demo: { actions: { view: {} }, boards: { articles: board } } });
    const worker = await startWorker({ vars: { REDIS_URL: 'redis://127.0.0.1:1', SITES: sites } });
    t.after(worker.stop);
    const { detail } = /** @type {any} */ (await (await worker.fetch('/v1/demo/boards')).json());
    assert.equal(detail, `${AT}[0].at = "02:01:00" is not allowed where resets = "hour": every hour begins anew at its own start`);
  });

  test('two of one name', async (t) => {
    const board = { weights: { view: 1 }, windows: [HOT, { ...FADING, name: 'hot' }] };
    const sites = /** @type {any} */ ({ demo: { actions: { view: {} }, boards: { articles: board } } });
    const worker = await startWorker({ vars: { REDIS_URL: 'redis://127.0.0.1:1', SITES: sites } });
    t.after(worker.stop);
    const { detail } = /** @type {any} */ (await (await worker.fetch('/v1/demo/boards')).json());
    assert.match(detail, /^SITES\.demo\.boards\.articles\.windows\[1\] = .* is not allowed; allowed: each window once$/);
  });
});
