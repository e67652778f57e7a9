/**
 * Periods begin and end where the site's own clock says so, on Redis's time, however wrong the worker's is.
 *
 * The instants are written by hand, and each is held against this Node's own `Intl` before the worker is.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { CALENDAR, entriesOf, startDeployment, RESP } from '../support/deployment.mjs';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

/** @param {object} calendar */
const site = (calendar) => ({
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: CALENDAR } },
  ...calendar,
});
/** @type {Record<string, { timezone?: string, day_starts_at?: string, week_starts_on?: string }>} */
const CALENDARS = {
  utc: {},
  shanghai: { timezone: 'Asia/Shanghai' },
  'sao-paulo': { timezone: 'America/Sao_Paulo' },
  london: { timezone: 'Europe/London' },
  'london-at-four': { timezone: 'Europe/London', day_starts_at: '04:00' },
  'new-york-sundays': { timezone: 'America/New_York', week_starts_on: 'sunday' },
  'new-york-half-past-one': { timezone: 'America/New_York', day_starts_at: '01:30' },
  kathmandu: { timezone: 'Asia/Kathmandu' },
  'lord-howe': { timezone: 'Australia/Lord_Howe' },
  apia: { timezone: 'Pacific/Apia' },
};
const SITES = Object.fromEntries(Object.entries(CALENDARS).map(([name, calendar]) => [name, site(calendar)]));

/**
 * `[what happens, site, window, period before, period after, start of the one before, the boundary, end of the one after]`
 *
 * @typedef {[what: string, site: string, window: string, before: string, after: string, starts: string, boundary: string, ends: string]} Row
 * @type {Row[]}
 */
const ROWS = [
  [
    'midnight of Shanghai',
    'shanghai',
    'day',
    '2026-11-20',
    '2026-11-21',
    '2026-11-19T16:00:00Z',
    '2026-11-20T16:00:00Z',
    '2026-11-21T16:00:00Z',
  ],
  [
    'a month of Shanghai',
    'shanghai',
    'month',
    '2026-11',
    '2026-12',
    '2026-10-31T16:00:00Z',
    '2026-11-30T16:00:00Z',
    '2026-12-31T16:00:00Z',
  ],
  ['New Year of Shanghai', 'shanghai', 'year', '2026', '2027', '2025-12-31T16:00:00Z', '2026-12-31T16:00:00Z', '2027-12-31T16:00:00Z'],
  [
    'a Monday of Shanghai',
    'shanghai',
    'week',
    '2026-W47',
    '2026-W48',
    '2026-11-15T16:00:00Z',
    '2026-11-22T16:00:00Z',
    '2026-11-29T16:00:00Z',
  ],
  [
    'midnight that does not exist',
    'sao-paulo',
    'day',
    '2017-10-14',
    '2017-10-15',
    '2017-10-14T03:00:00Z',
    '2017-10-15T03:00:00Z',
    '2017-10-16T02:00:00Z',
  ],
  [
    'into a day of 23 hours',
    'london',
    'day',
    '2026-03-28',
    '2026-03-29',
    '2026-03-28T00:00:00Z',
    '2026-03-29T00:00:00Z',
    '2026-03-29T23:00:00Z',
  ],
  [
    'out of a day of 23 hours',
    'london',
    'day',
    '2026-03-29',
    '2026-03-30',
    '2026-03-29T00:00:00Z',
    '2026-03-29T23:00:00Z',
    '2026-03-30T23:00:00Z',
  ],
  [
    'into a day of 25 hours',
    'london',
    'day',
    '2026-10-24',
    '2026-10-25',
    '2026-10-23T23:00:00Z',
    '2026-10-24T23:00:00Z',
    '2026-10-26T00:00:00Z',
  ],
  [
    'out of a day of 25 hours',
    'london',
    'day',
    '2026-10-25',
    '2026-10-26',
    '2026-10-24T23:00:00Z',
    '2026-10-26T00:00:00Z',
    '2026-10-27T00:00:00Z',
  ],
  [
    'from the first to the second one o’clock',
    'london',
    'hour',
    '2026-10-25T00Z',
    '2026-10-25T01Z',
    '2026-10-25T00:00:00Z',
    '2026-10-25T01:00:00Z',
    '2026-10-25T02:00:00Z',
  ],
  [
    'over the hour that is left out',
    'london',
    'hour',
    '2026-03-29T00Z',
    '2026-03-29T01Z',
    '2026-03-29T00:00:00Z',
    '2026-03-29T01:00:00Z',
    '2026-03-29T02:00:00Z',
  ],
  [
    'a day that starts at four',
    'london-at-four',
    'day',
    '2026-11-19',
    '2026-11-20',
    '2026-11-19T04:00:00Z',
    '2026-11-20T04:00:00Z',
    '2026-11-21T04:00:00Z',
  ],
  [
    'a day that starts at four, in the night of the change',
    'london-at-four',
    'day',
    '2026-03-28',
    '2026-03-29',
    '2026-03-28T04:00:00Z',
    '2026-03-29T03:00:00Z',
    '2026-03-30T03:00:00Z',
  ],
  [
    'a week that starts at four',
    'london-at-four',
    'week',
    '2026-W13',
    '2026-W14',
    '2026-03-23T04:00:00Z',
    '2026-03-30T03:00:00Z',
    '2026-04-06T03:00:00Z',
  ],
  [
    'a month that starts at four',
    'london-at-four',
    'month',
    '2026-10',
    '2026-11',
    '2026-10-01T03:00:00Z',
    '2026-11-01T04:00:00Z',
    '2026-12-01T04:00:00Z',
  ],
  [
    'a year that starts at four',
    'london-at-four',
    'year',
    '2026',
    '2027',
    '2026-01-01T04:00:00Z',
    '2027-01-01T04:00:00Z',
    '2028-01-01T04:00:00Z',
  ],
  ['ISO week 53', 'utc', 'week', '2020-W53', '2021-W01', '2020-12-28T00:00:00Z', '2021-01-04T00:00:00Z', '2021-01-11T00:00:00Z'],
  ['into ISO week 53', 'utc', 'week', '2020-W52', '2020-W53', '2020-12-21T00:00:00Z', '2020-12-28T00:00:00Z', '2021-01-04T00:00:00Z'],
  ['a leap day', 'utc', 'day', '2028-02-29', '2028-03-01', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z', '2028-03-02T00:00:00Z'],
  [
    'a week that starts on Sunday',
    'new-york-sundays',
    'week',
    '2026-W46',
    '2026-W47',
    '2026-11-15T05:00:00Z',
    '2026-11-22T05:00:00Z',
    '2026-11-29T05:00:00Z',
  ],
  [
    'week 53 of Sundays',
    'new-york-sundays',
    'week',
    '2020-W53',
    '2021-W01',
    '2020-12-27T05:00:00Z',
    '2021-01-03T05:00:00Z',
    '2021-01-10T05:00:00Z',
  ],
  [
    'a day whose first half hour comes twice',
    'new-york-half-past-one',
    'day',
    '2026-10-31',
    '2026-11-01',
    '2026-10-31T05:30:00Z',
    '2026-11-01T05:30:00Z',
    '2026-11-02T06:30:00Z',
  ],
  [
    'a zone at three quarters of an hour',
    'kathmandu',
    'day',
    '2026-11-20',
    '2026-11-21',
    '2026-11-19T18:15:00Z',
    '2026-11-20T18:15:00Z',
    '2026-11-21T18:15:00Z',
  ],
  [
    'hours of such a zone',
    'kathmandu',
    'hour',
    '2026-11-20T11:15Z',
    '2026-11-20T12:15Z',
    '2026-11-20T11:15:00Z',
    '2026-11-20T12:15:00Z',
    '2026-11-20T13:15:00Z',
  ],
  [
    'summer time of half an hour',
    'lord-howe',
    'day',
    '2026-10-03',
    '2026-10-04',
    '2026-10-02T13:30:00Z',
    '2026-10-03T13:30:00Z',
    '2026-10-04T13:00:00Z',
  ],
  [
    'over a day that does not exist',
    'apia',
    'day',
    '2011-12-29',
    '2011-12-31',
    '2011-12-29T10:00:00Z',
    '2011-12-30T10:00:00Z',
    '2011-12-31T10:00:00Z',
  ],
];

/** The worker's clock minus Redis's. */
const WRONG = { 'a day ahead': DAY_MS, 'a day behind': -DAY_MS };

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {import('../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, relayed: true, sites: SITES })));
    after(() => deployment?.stop());

    /** Moves both clocks. @param {string | number} instant @param {number} wrongMs */
    function move(instant, wrongMs) {
      const at = new Date(instant).getTime();
      deployment.clock.set(at);
      deployment.edgeClock.set(at + wrongMs);
    }

    /**
     * One click a minute before the boundary and one right after it, then late events a second before it and at it.
     *
     * @param {Row} row
     * @param {number} wrongMs
     */
    async function check([, site, window, before, after, starts, boundary, ends], wrongMs) {
      const { redis, beacon, events, top, freshTop } = deployment;
      const ranking = `articles/${window}`;
      const instant = new Date(boundary).getTime();
      const periods = {
        before: { id: before, starts_at: starts, ends_at: boundary },
        after: { id: after, starts_at: boundary, ends_at: ends },
      };
      const view = (/** @type {string} */ item, more = {}) => ({ action: 'view', item, ...more });
      const shows = (
        /** @type {import('../support/deployment.mjs').Answer} */ answer,
        /** @type {object} */ period,
        /** @type {[string, number][]} */ entries,
      ) => {
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(answer.body.period, period);
        assert.deepEqual(entriesOf(answer).sort(), entries);
        assert.equal(answer.body.complete, true);
      };

      await redis.command('FLUSHALL');
      move(instant - MINUTE_MS, wrongMs);
      assert.equal((await beacon(view('last'), { site })).status, 204);
      shows(await top(ranking, '', site), periods.before, [['last', 1]]);
      assert.equal((await top(ranking, `?period=${after}`, site)).body.code, 'unknown-period', 'before it begins');

      move(instant, wrongMs); // the worker still holds the ranking of a minute ago
      shows(await top(ranking, '?limit=9', site), periods.after, []);
      assert.equal((await beacon(view('first'), { site })).status, 204);
      shows(await top(ranking, '', site), periods.after, [['first', 1]]);
      shows(await top(ranking, `?period=${before}`, site), periods.before, [['last', 1]]);

      move(instant + MINUTE_MS, wrongMs);
      const late = [
        view('second-before', { at: new Date(instant - 1000).toISOString() }),
        view('millisecond-before', { at: instant - 1 }),
        view('at', { at: boundary }),
        view('ago', { ago: 2 * MINUTE_MS + 5000 }),
      ];
      assert.deepEqual((await events({ events: late }, { site })).body, { accepted: 4, duplicate: 0, rejected: [] });
      shows(await freshTop(ranking, '', site), periods.after, [
        ['at', 1],
        ['first', 1],
      ]);
      shows(await freshTop(ranking, `?period=${after}`, site), periods.after, [
        ['at', 1],
        ['first', 1],
      ]);
      shows(await freshTop(ranking, `?period=${before}`, site), periods.before, [
        ['ago', 1],
        ['last', 1],
        ['millisecond-before', 1],
        ['second-before', 1],
      ]);
    }

    for (const row of ROWS) {
      for (const [how, wrongMs] of Object.entries(WRONG)) {
        test(`${row[0]}: ${row[2]} ${row[3]} → ${row[4]} at ${row[6]}, with a worker ${how}`, () => check(row, wrongMs));
      }
    }

    for (const [how, wrongMs] of /** @type {const} */ ([
      ['nine years behind', -9 * YEAR_MS],
      ['thirty years ahead', 30 * YEAR_MS],
    ])) {
      test(`a worker ${how} costs one more round trip and is never wrong`, async () => {
        for (const row of ROWS.filter(([, site]) => ['shanghai', 'sao-paulo', 'london'].includes(site))) {
          await check(row, wrongMs);
        }
        const click = async (/** @type {number} */ wrong) => {
          move('2026-11-20T12:00:00Z', wrong);
          const before = deployment.link.roundTrips;
          assert.equal((await deployment.beacon({ action: 'view', item: 'x' }, { site: 'london' })).status, 204);
          return deployment.link.roundTrips - before;
        };
        assert.deepEqual([await click(DAY_MS), await click(-DAY_MS), await click(wrongMs)], [1, 1, 2]);
      });
    }
  });
}

describe('the table itself', () => {
  for (const [what, name, window, before, after, starts, boundary, ends] of ROWS) {
    test(`${what}: ${window} ${before} → ${after}`, () => {
      const { timezone = 'UTC', day_starts_at: dayStartsAt = '00:00', week_starts_on: weekStartsOn = 'monday' } = CALENDARS[name];
      const local = localIn(timezone, dayStartsAt);
      for (const instant of [starts, boundary, ends].map((text) => new Date(text).getTime())) {
        const [earlier, now] = [local(instant - 1000), local(instant)];
        switch (window) {
          case 'hour':
            assert.equal(now.minute, 0);
            break;
          case 'week':
            assert.notEqual(earlier.day, now.day);
            assert.equal(now.weekday.toLowerCase(), weekStartsOn);
            break;
          default: {
            const digits = { day: 10, month: 7, year: 4 }[window];
            assert.notEqual(earlier.day.slice(0, digits), now.day.slice(0, digits));
          }
        }
      }
      const days = (/** @type {string} */ instant) => local(new Date(instant).getTime()).day;
      if (['day', 'month', 'year'].includes(window)) {
        assert.ok(days(starts).startsWith(before) && days(boundary).startsWith(after));
      }
      if (window === 'hour')
        assert.deepEqual(
          [starts, boundary].map((at) => at.replace(/(:00)+Z/, 'Z').replace(/(:\d\d):00Z/, '$1Z')),
          [before, after],
        );
    });
  }
});

/**
 * What a clock on the wall shows, set back by the time of day at which days start.
 *
 * @param {string} timeZone
 * @param {string} dayStartsAt
 * @returns {(instant: number) => { day: string, weekday: string, minute: number }}
 */
function localIn(timeZone, dayStartsAt) {
  const [hours, minutes] = dayStartsAt.split(':').map(Number);
  const wall = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (instant) => {
    const shown = new Date(`${wall.format(instant).replace(' ', 'T')}Z`);
    const shifted = new Date(shown.getTime() - (hours * 60 + minutes) * MINUTE_MS);
    const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: 'UTC' }).format(shifted);
    return { day: shifted.toISOString().slice(0, 10), weekday, minute: shown.getUTCMinutes() };
  };
}
