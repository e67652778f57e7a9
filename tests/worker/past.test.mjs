/**
 * The past can be read and added to for as long as it is kept; the future cannot.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { countedKeys } from '../support/contents.mjs';
import { CALENDAR, entriesOf, startDeployment, RESP } from '../support/deployment.mjs';

const NOW = '2026-11-20T12:00:00Z';

/** Each calendar window on a board of its own, with an action of its own; and a board of all of them. */
const SITE = {
  origins: ['*'],
  actions: { ...Object.fromEntries(CALENDAR.map((window) => [window, {}])), view: { public: true } },
  boards: {
    ...Object.fromEntries(CALENDAR.map((window) => [window, { weights: { [window]: 1 }, windows: [window] }])),
    articles: { weights: { view: 1 }, windows: CALENDAR },
  },
};
const SITES = {
  demo: SITE,
  'new-york': { ...SITE, timezone: 'America/New_York', day_starts_at: '01:30' },
  kathmandu: { ...SITE, timezone: 'Asia/Kathmandu' },
};

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {import('../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: SITES })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    describe('an event at an instant', () => {
      /**
       * The period that the instant lands in, or the code that it is refused with, and then nothing is written.
       *
       * @param {string} window
       * @param {object} when
       * @param {{ period: string } | { code: string }} expected
       */
      async function check(window, when, expected) {
        const answer = await deployment.events({ events: [{ action: window, item: 'x', ...when }] });
        assert.equal(answer.status, 200);
        if ('code' in expected) {
          const [rejected] = answer.body.rejected;
          assert.deepEqual([answer.body.accepted, answer.body.duplicate, answer.body.rejected.length], [0, 0, 1]);
          assert.deepEqual([rejected.index, rejected.code], [0, expected.code]);
          assert.notEqual(rejected.detail, '');
          assert.deepEqual(await countedKeys(deployment.redis), [], 'nothing is counted');
          return;
        }
        assert.deepEqual(answer.body, { accepted: 1, duplicate: 0, rejected: [] });
        const shown = await deployment.top(`${window}/${window}`, `?period=${expected.period}`);
        assert.deepEqual([shown.body.period.id, entriesOf(shown)], [expected.period, [['x', 1]]]);
      }

      for (const [window, when, expected] of /** @type {[string, object, { period: string } | { code: string }][]} */ ([
        // an hour is kept for 3 days after its end, a day for 60, a week for 366, a month for 1,098
        ['hour', { at: '2026-11-20T11:59:59.999Z' }, { period: '2026-11-20T11Z' }],
        ['hour', { at: '2026-11-17T12:00:00Z' }, { period: '2026-11-17T12Z' }],
        ['hour', { at: '2026-11-17T11:59:59Z' }, { code: 'too-old' }],
        ['day', { at: '2026-09-21T00:00:00Z' }, { period: '2026-09-21' }],
        ['day', { at: '2026-09-20T23:59:59Z' }, { code: 'too-old' }],
        ['week', { at: '2025-11-17T00:00:00Z' }, { period: '2025-W47' }],
        ['week', { at: '2025-11-16T23:59:59Z' }, { code: 'too-old' }],
        ['month', { at: '2023-11-01T00:00:00Z' }, { period: '2023-11' }],
        ['month', { at: '2023-10-31T23:59:59Z' }, { code: 'too-old' }],
        ['year', { at: '1970-01-01T00:00:00Z' }, { period: '1970' }],
        ['all', { at: '1970-01-01T00:00:00Z' }, { period: 'all' }],
        ['day', { at: '2026-11-20T01:30:00+02:00' }, { period: '2026-11-19' }],
        ['day', { at: Date.UTC(2026, 10, 19, 23, 59, 59, 999) }, { period: '2026-11-19' }],
        ['day', { ago: 43_200_000 + 3_600_000 }, { period: '2026-11-19' }],
        ['week', { ago: 40 * 86_400_000 }, { period: '2026-W41' }],
        ['day', { at: '2026-11-20T12:05:00Z' }, { code: 'at-in-future' }],
        ['all', { at: '2199-12-31T00:00:00Z' }, { code: 'at-in-future' }],
        ['day', { at: '1969-12-31T23:59:59Z' }, { code: 'invalid-at' }],
        ['day', { at: '2026-11-20' }, { code: 'invalid-at' }],
        ['day', { at: 'yesterday' }, { code: 'invalid-at' }],
        ['day', { at: -1 }, { code: 'invalid-at' }],
        ['day', { at: 1e300 }, { code: 'invalid-at' }],
        ['day', { at: NOW, ago: 1 }, { code: 'invalid-at' }],
        ['day', { ago: -1 }, { code: 'invalid-ago' }],
        ['day', { ago: '5' }, { code: 'invalid-ago' }],
      ])) {
        const [result] = Object.values(expected);
        test(`${window} ${JSON.stringify(when)} → ${result}`, () => check(window, when, expected));
      }

      test('those that are refused leave the others of their batch', async () => {
        const at = ['2026-11-20T12:05:00Z', '2026-11-20T11:00:00Z', '2026-09-20T00:00:00Z', '2026-11-19T12:00:00Z'];
        const { body } = await deployment.events({
          events: at.map((instant) => ({ action: 'day', item: instant, at: instant })),
        });
        assert.deepEqual([body.accepted, body.duplicate], [2, 0]);
        assert.deepEqual(
          body.rejected.map((/** @type {any} */ { index, code }) => [index, code]),
          [
            [0, 'at-in-future'],
            [2, 'too-old'],
          ],
        );
        assert.deepEqual(entriesOf(await deployment.top('day/day')), [['2026-11-20T11:00:00Z', 1]]);
        assert.deepEqual(entriesOf(await deployment.top('day/day', '?period=2026-11-19')), [['2026-11-19T12:00:00Z', 1]]);
      });

      test('one that is too old for some windows lands in the rest', async () => {
        const { body } = await deployment.events({
          events: [{ action: 'view', item: 'x', at: '2026-11-10T12:30:00Z' }],
        });
        assert.deepEqual(body, { accepted: 1, duplicate: 0, rejected: [] });
        for (const [window, period] of [
          ['day', '2026-11-10'],
          ['week', '2026-W46'],
          ['month', '2026-11'],
          ['year', '2026'],
          ['all', 'all'],
        ]) {
          assert.deepEqual(entriesOf(await deployment.top(`articles/${window}`, `?period=${period}`)), [['x', 1]], window);
        }
        assert.deepEqual(entriesOf(await deployment.top('articles/day')), []);
        assert.equal((await countedKeys(deployment.redis)).length, 5, 'no hour');
      });

      test('of browsers: an ago of up to a day, never at', async () => {
        const send = async (/** @type {object} */ when) => {
          const { status, body } = await deployment.beacon({ action: 'view', item: 'x', ...when });
          return [status, body?.code];
        };
        assert.deepEqual(await send({ ago: 86_400_001 }), [400, 'invalid-ago']);
        assert.deepEqual(await send({ at: NOW }), [400, 'invalid-at']);
        assert.equal(await deployment.redis.command('DBSIZE'), 0);
        assert.deepEqual(await send({ ago: 86_400_000 }), [204, undefined]);
        assert.deepEqual(await send({ ago: 0 }), [204, undefined]);
        assert.deepEqual(entriesOf(await deployment.top('articles/day')), [['x', 1]]);
        assert.deepEqual(entriesOf(await deployment.top('articles/day', '?period=2026-11-19')), [['x', 1]]);
      });

      test('a clock that is set back does not bring the day before back', async () => {
        const at = {
          before: '2026-11-01T05:29:59Z',
          from: '2026-11-01T05:30:00Z',
          again: '2026-11-01T06:10:00Z',
          last: '2026-11-02T06:29:59Z',
        };
        const events = Object.entries(at).map(([item, instant]) => ({ action: 'day', item, at: instant }));
        assert.equal((await deployment.events({ events }, { site: 'new-york' })).body.accepted, 4);
        const read = async (/** @type {string} */ period) =>
          entriesOf(await deployment.top('day/day', `?period=${period}`, 'new-york'))
            .map(([id]) => id)
            .sort();
        assert.deepEqual(await read('2026-10-31'), ['before']);
        assert.deepEqual(await read('2026-11-01'), ['again', 'from', 'last']);
        assert.deepEqual(await read('2026-11-02'), []);
      });
    });

    describe('a period that is asked for', () => {
      /**
       * @param {string} window
       * @param {string} period
       * @param {200 | string} expected an empty ranking of that name, or the code
       * @param {string} [site]
       */
      async function check(window, period, expected, site) {
        const answer = await deployment.top(`${window}/${window}`, `?period=${encodeURIComponent(period)}`, site);
        if (expected === 200) {
          assert.equal(answer.status, 200, answer.text);
          assert.deepEqual([answer.body.period.id, entriesOf(answer)], [period, []]);
        } else {
          const status = expected === 'unknown-period' ? 404 : 400;
          assert.deepEqual([answer.status, answer.body.code], [status, expected], answer.text);
          assert.match(answer.headers.get('cache-control') ?? '', status === 404 ? /^public, max-age=[12]$/ : /^no-store$/);
        }
        assert.equal(await deployment.redis.command('DBSIZE'), 0, 'reading writes nothing');
      }

      for (const [window, periods] of /** @type {[string, Record<string, 200 | string>][]} */ ([
        [
          'hour',
          {
            '2026-11-20T12Z': 200,
            '2026-11-17T12Z': 200,
            '2026-11-20T13Z': 'unknown-period',
            '2026-11-17T11Z': 'unknown-period',
            '2026-11-20T24Z': 'invalid-period',
            '2026-11-20T12': 'invalid-period',
            '2026-11-20T12:00Z': 'invalid-period',
            '2026-11-20': 'invalid-period',
          },
        ],
        [
          'day',
          {
            '2026-11-20': 200,
            '2026-09-21': 200,
            '2026-11-21': 'unknown-period',
            '2026-09-20': 'unknown-period',
            '1970-01-01': 'unknown-period',
            '2026-02-29': 'invalid-period',
            '2026-1-1': 'invalid-period',
            '2026-W47': 'invalid-period',
            '': 'invalid-period',
            ' 2026-11-20': 'invalid-period',
          },
        ],
        [
          'week',
          {
            '2026-W47': 200,
            '2025-W47': 200,
            '2026-W48': 'unknown-period',
            '2026-W53': 'unknown-period',
            '2025-W46': 'unknown-period',
            '2025-W53': 'invalid-period',
            '2026-W00': 'invalid-period',
            '2026-W7': 'invalid-period',
          },
        ],
        [
          'month',
          {
            '2026-11': 200,
            '2023-11': 200,
            '2026-12': 'unknown-period',
            '2023-10': 'unknown-period',
            '2026-13': 'invalid-period',
            '2026-00': 'invalid-period',
          },
        ],
        [
          'year',
          {
            2026: 200,
            1970: 200,
            2027: 'unknown-period',
            2199: 'unknown-period',
            2200: 'invalid-period',
            1969: 'invalid-period',
            20260: 'invalid-period',
          },
        ],
        ['all', { all: 200, 2026: 'invalid-period', ALL: 'invalid-period' }],
      ])) {
        for (const [period, expected] of Object.entries(periods)) {
          test(`${window} ${JSON.stringify(period)} → ${expected}`, () => check(window, period, expected));
        }
      }

      // Hours are named by their starts; no other instant names one.
      for (const [period, expected] of Object.entries({
        '2026-11-20T11:15Z': 200,
        '2026-11-20T11Z': 'unknown-period',
        '2026-11-20T11:30Z': 'unknown-period',
        '2026-11-20T11:14Z': 'unknown-period',
      })) {
        test(`hour ${period} of Kathmandu → ${expected}`, () => check('hour', period, /** @type {any} */ (expected), 'kathmandu'));
      }
      test('hour 2026-11-20T10:30Z of UTC → unknown-period, also when the hour beside it is cached', async () => {
        await check('hour', '2026-11-20T11Z', 200);
        await check('hour', '2026-11-20T10:30Z', 'unknown-period');
        await check('hour', '2026-11-20T11Z', 200);
      });
    });
  });
}
