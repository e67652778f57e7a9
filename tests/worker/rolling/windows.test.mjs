/**
 * Rolling windows are always current and exact, at any boundary, whether upkeep ran or not; a ranking that is not exact
 * yet says so.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { countedKeys } from '../../support/contents.mjs';
import { entriesOf, startDeployment, RESP } from '../../support/deployment.mjs';
import { longTest, sampled } from '../../support/part.mjs';
import { assertShows, boundsOf, createRandom, DAY_MS, HOUR_MS, readComplete, sumsBetween } from '../../support/windows.mjs';
import { NOW, SITES, TODAY, WINDOWS } from './site.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../../support/windows.mjs').Change} Change */

/** Where the sites' windows stand, by hand: `[site, window, now, id, start, end]`. */
const ROWS = [
  ['demo', 'last-2-hours', NOW, '2026-11-20T12Z', '2026-11-20T11:00:00Z', '2026-11-20T13:00:00Z'],
  ['demo', 'last-7-days', NOW, '2026-11-20', '2026-11-14T00:00:00Z', '2026-11-21T00:00:00Z'],
  ['demo', 'last-366-days', NOW, '2026-11-20', '2025-11-20T00:00:00Z', '2026-11-21T00:00:00Z'],
  ['demo', 'last-3-weeks', NOW, '2026-W47', '2026-11-02T00:00:00Z', '2026-11-23T00:00:00Z'],
  ['demo', 'last-12-months', NOW, '2026-11', '2025-12-01T00:00:00Z', '2026-12-01T00:00:00Z'],
  ['kathmandu', 'last-2-hours', NOW, '2026-11-20T12:15Z', '2026-11-20T11:15:00Z', '2026-11-20T13:15:00Z'],
  ['london', 'last-2-days', '2026-03-29T12:00:00Z', '2026-03-29', '2026-03-28T00:00:00Z', '2026-03-29T23:00:00Z'],
  ['new-york', 'last-2-days', '2026-11-01T12:00:00Z', '2026-11-01', '2026-10-31T05:30:00Z', '2026-11-02T06:30:00Z'],
  ['new-york', 'last-7-days', '2026-11-03T12:00:00Z', '2026-11-03', '2026-10-28T05:30:00Z', '2026-11-04T06:30:00Z'],
  ['new-york', 'last-3-weeks', '2026-11-03T12:00:00Z', '2026-W44', '2026-10-18T05:30:00Z', '2026-11-08T06:30:00Z'],
];

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, relayed: true, sites: SITES })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** @param {string} ranking @param {string} [query] */
    const read = async (ranking, query) => (await readComplete(deployment, ranking, query)).answer;

    /** @param {object[]} events */
    async function send(events) {
      const { status, body } = await deployment.events({ events });
      assert.deepEqual([status, body], [200, { accepted: events.length, duplicate: 0, rejected: [] }]);
    }

    describe('a window holds what happened from its start to its end', () => {
      for (const [site, window, now, id, starts, ends] of ROWS) {
        test(`${window} of ${site} at ${now}`, async () => {
          deployment.clock.set(now);
          const first = Date.parse(starts);
          const events = [{ item: 'before', at: first - 1 }, { item: 'first', at: first }, { item: 'now' }];
          const { body } = await deployment.events({ events: events.map((event) => ({ action: 'view', ...event })) }, { site });
          assert.equal(body.accepted, 3, JSON.stringify(body));
          /** @param {string} instant @param {string[]} items @param {object} [period] */
          const check = async (instant, items, period) => {
            deployment.clock.set(instant);
            const { answer: shown } = await readComplete(deployment, `articles/${window}`, '', site);
            assert.deepEqual(
              entriesOf(shown)
                .map(([item]) => item)
                .sort(),
              items,
              instant,
            );
            if (period) assert.deepEqual(shown.body.period, period);
          };
          await check(now, ['first', 'now'], { id, starts_at: starts, ends_at: ends });
          await check(ends, ['now']);
        });
      }
    });

    test('events, beacons and late ones count on every window that holds them, and what is taken back on none', async () => {
      const now = Date.parse(NOW);
      const event = (/** @type {string} */ item, /** @type {number} */ ago) => ({ action: 'view', item, at: now - ago });
      await send([event('hours', 90 * 60_000), event('days', 5 * DAY_MS), event('weeks', 12 * DAY_MS), event('months', 300 * DAY_MS)]);
      await send([event('undone', 5 * DAY_MS), { ...event('low', 5 * DAY_MS) }]);
      await send([...'abc'].map(() => event('undone', 5 * DAY_MS)));
      // Four times 1 is 4; the boards know -3 and 1.
      await send([
        { ...event('undone', 5 * DAY_MS), action: 'down' },
        { ...event('low', 5 * DAY_MS), action: 'down' },
      ]);
      assert.equal((await deployment.beacon({ action: 'view', item: 'beacon' })).status, 204);
      assert.equal((await deployment.beacon({ action: 'view', item: 'ago', ago: 20 * HOUR_MS })).status, 204);
      const expected = {
        'last-2-hours': ['beacon', 'hours'],
        'last-2-days': ['ago', 'beacon', 'hours'],
        'last-7-days': ['ago', 'beacon', 'days', 'hours', 'undone'],
        'last-3-weeks': ['ago', 'beacon', 'days', 'hours', 'undone', 'weeks'],
        'last-12-months': ['ago', 'beacon', 'days', 'hours', 'months', 'undone', 'weeks'],
        'last-366-days': ['ago', 'beacon', 'days', 'hours', 'months', 'undone', 'weeks'],
      };
      for (const [window, items] of Object.entries(expected)) {
        const shown = await read(`articles/${window}`);
        assert.deepEqual(
          entriesOf(shown).sort(),
          items.map((item) => [item, 1]),
          window,
        );
        assert.equal(shown.body.total, items.length, `${window}: whoever is below zero is not shown`);
      }
      const low = await deployment.redis.command('ZSCORE', `eb:{demo:articles}:window:last-7-days:${TODAY}`, 'low');
      assert.equal(Number(low), -2, 'a sum below zero is kept');
      await send([event('undone', 0), { action: 'down', item: 'undone' }, event('undone', DAY_MS)]);
      assert.equal(await deployment.redis.command('ZSCORE', `eb:{demo:articles}:window:last-7-days:${TODAY}`, 'undone'), null);
    });

    test('days without traffic, more of them than the window is long', async () => {
      await send([{ action: 'view', item: 'x' }]);
      for (const days of [1, 6, 7, 400]) {
        deployment.clock.set(Date.parse('2026-11-20T00:00:00Z') + days * DAY_MS);
        const shown = await read('articles/last-7-days');
        assert.deepEqual(entriesOf(shown), days < 7 ? [['x', 1]] : [], `${days}`);
      }
    });

    longTest('two weeks with events whenever, upkeep sometimes and readers now and then', async () => {
      const random = createRandom(3);
      const pick = (/** @type {number} */ below) => Math.floor(random() * below);
      /** @type {Change[]} */
      const changes = [];
      let now = Date.parse(NOW);
      for (let step = 0; step < 60; step += 1) {
        now += pick(12 * HOUR_MS);
        deployment.clock.set(now);
        const made = Array.from({ length: 1 + pick(6) }, () => {
          const down = random() < 0.25;
          const at = random() < 0.5 ? now - pick(9 * DAY_MS) : now - 1;
          return { at, item: `/posts/${pick(30)}`, action: down ? 'down' : 'view' };
        });
        await send(made);
        changes.push(...made.map(({ at, item, action }) => ({ at, item, delta: action === 'down' ? -3 : 1 })));
        if (random() < 0.3) await deployment.worker.scheduled();
        const window = WINDOWS[pick(WINDOWS.length)];
        const shown = await read(`articles/${window}`, '?limit=1000');
        const bounds = boundsOf(window, Date.parse(shown.body.generated_at));
        assertShows(shown, sumsBetween(changes, ...bounds), `${window} at step ${step}`);
      }
    });

    describe('a period that has passed', () => {
      for (const [window, period, starts, ends] of sampled([
        ['last-7-days', '2026-11-18', '2026-11-12T00:00:00Z', '2026-11-19T00:00:00Z'],
        ['last-2-hours', '2026-11-20T10Z', '2026-11-20T09:00:00Z', '2026-11-20T11:00:00Z'],
        ['last-3-weeks', '2026-W46', '2026-10-26T00:00:00Z', '2026-11-16T00:00:00Z'],
        ['last-12-months', '2026-10', '2025-11-01T00:00:00Z', '2026-11-01T00:00:00Z'],
      ])) {
        test(`${window} ${period} is named by its last period, exact, built once, and again when an event came late`, async () => {
          const [first, end] = [Date.parse(starts), Date.parse(ends)];
          const at = { before: first - 1, first, last: end - 1, after: end };
          const kept = Object.entries(at).filter(([item]) => window !== 'last-12-months' || item !== 'before');
          await send(kept.map(([item, instant]) => ({ action: 'view', item, at: instant })));
          await send([
            { action: 'view', item: 'last', at: at.last },
            { action: 'view', item: 'now' },
          ]);
          const ranking = `articles/${window}`;
          const shown = await read(ranking, `?period=${period}`);
          assert.deepEqual(entriesOf(shown), [
            ['last', 2],
            ['first', 1],
          ]);
          assert.deepEqual(shown.body.period, { id: period, starts_at: starts, ends_at: ends });
          assert.deepEqual([shown.body.complete, shown.body.total], [true, 2]);

          await send([{ action: 'view', item: 'first' }]);
          const commands = await deployment.commandsDuring(() => deployment.freshTop(ranking, `?period=${period}`));
          assert.deepEqual([commands.calls, commands.zscan, commands.zadd], [1, undefined, undefined], 'it is not built again');

          await send([
            { action: 'view', item: 'first', at: first },
            { action: 'view', item: 'first', at: end - 1 },
          ]);
          assert.deepEqual(entriesOf(await read(ranking, `?period=${period}`)), [
            ['first', 3],
            ['last', 2],
          ]);

          deployment.clock.advance(2 * HOUR_MS);
          assert.deepEqual(
            entriesOf(await read(ranking, `?period=${period}`)),
            [
              ['first', 3],
              ['last', 2],
            ],
            'when what was kept is gone',
          );
          deployment.clock.advance(2 * HOUR_MS);
          assert.deepEqual(await deployment.redis.command('KEYS', '*:past:*'), [], 'nothing of it stays');
        });
      }

      test('whoever lost everything by a late event is gone from it', async () => {
        const at = '2026-11-17T00:00:00Z';
        await send([...'abc'].map(() => ({ action: 'view', item: 'x', at })).concat({ action: 'view', item: 'y', at }));
        assert.deepEqual(entriesOf(await read('articles/last-7-days', '?period=2026-11-18')), [
          ['x', 3],
          ['y', 1],
        ]);
        await send([{ action: 'down', item: 'x', at }]);
        assert.deepEqual(entriesOf(await read('articles/last-7-days', '?period=2026-11-18')), [['y', 1]]);
      });

      test('the current one can be asked for by its name, and is healed by that', async () => {
        await send([{ action: 'view', item: 'x' }]);
        const shown = await read('articles/last-7-days', '?period=2026-11-20');
        assert.deepEqual([entriesOf(shown), shown.body.period.id], [[['x', 1]], '2026-11-20']);
        deployment.clock.set('2026-11-21T00:00:00Z');
        for (const [period, entries] of /** @type {[string, [string, number][]][]} */ ([
          ['2026-11-21', [['x', 1]]],
          ['2026-11-20', [['x', 1]]],
          ['2026-11-19', []],
        ])) {
          assert.deepEqual(entriesOf(await read('articles/last-7-days', `?period=${period}`)), entries, period);
        }
      });

      for (const [window, period, expected, board = 'articles'] of [
        ['last-7-days', '2026-11-21', 'unknown-period'],
        ['last-7-days', '2026-09-28', 200, 'old'], // begins on the 22nd; a day is kept for 60
        ['last-7-days', '2026-09-26', 'unknown-period', 'old'],
        ['last-7-days', '2026-09-26', 200], // on this board another window needs the days for longer
        ['last-2-hours', '2026-11-20T13Z', 'unknown-period'],
        ['last-2-hours', '2026-11-20T11:30Z', 'unknown-period'],
        ['last-2-hours', '2026-11-17T15Z', 200],
        ['last-2-hours', '2026-11-17T11Z', 'unknown-period'],
        ['last-3-weeks', '2026-W48', 'unknown-period'],
        ['last-12-months', '2026-12', 'unknown-period'],
        ['last-12-months', '2026-09', 200],
        ['last-7-days', '2026-W47', 'invalid-period'],
        ['last-7-days', '2026-11-31', 'invalid-period'],
        ['last-12-months', '2026-11-20', 'invalid-period'],
        ['last-7-days', '', 'invalid-period'],
      ]) {
        test(`${window} ${JSON.stringify(period)} of ${board} → ${expected}`, async () => {
          const { status, body, headers } = await deployment.freshTop(
            `${board}/${window}`,
            `?period=${encodeURIComponent(String(period))}`,
          );
          if (expected === 200) return assert.deepEqual([status, body.period.id, body.entries], [200, period, []]);
          assert.deepEqual([status, body.code], [expected === 'unknown-period' ? 404 : 400, expected]);
          assert.match(headers.get('cache-control') ?? '', expected === 'unknown-period' ? /^public, max-age=[12]$/ : /^no-store$/);
        });
      }
    });

    test('an event that no window keeps any more is refused and leaves nothing; one that some keep lands there', async () => {
      const { body } = await deployment.events({
        events: [
          { action: 'old', item: 'x', at: '2026-09-20T23:59:59Z' },
          { action: 'old', item: 'x', at: Date.parse(NOW) + HOUR_MS },
        ],
      });
      assert.equal(body.accepted, 0);
      assert.deepEqual(
        body.rejected.map((/** @type {any} */ { index, code }) => [index, code]),
        [
          [0, 'too-old'],
          [1, 'at-in-future'],
        ],
      );
      assert.deepEqual(await countedKeys(deployment.redis), []);
      await send([{ action: 'old', item: 'x', at: '2026-11-16T12:00:00Z' }]);
      assert.deepEqual(entriesOf(await read('old/last-7-days')), [['x', 1]]);
      assert.deepEqual(entriesOf(await read('old/last-3-hours')), []);
      assert.deepEqual(await deployment.redis.command('KEYS', '*:hour:*'), []);
    });

    test('an event costs the same commands whatever the window’s length, in one round trip for all windows', async () => {
      /** @param {string} board @param {string} window @param {number} events */
      const cost = async (board, window, events) => {
        const batch = { events: Array.from({ length: events }, (_, i) => ({ action: board, item: `${i}` })) };
        await deployment.events(batch); // makes the keys
        await read(`${board}/${window}`);
        return deployment.commandsDuring(() => deployment.events(batch));
      };
      for (const events of [1, 10]) {
        const [plain, short, long] = [
          await cost('plain', 'day', events),
          await cost('short', 'last-2-days', events),
          await cost('long', 'last-366-days', events),
        ];
        assert.deepEqual(short, long);
        assert.equal(short.calls, 1);
        const total = (/** @type {Record<string, number>} */ counts) => Object.values(counts).reduce((sum, calls) => sum + calls, 0);
        assert.ok(total(short) - total(plain) <= 5, `${JSON.stringify(plain)} and ${JSON.stringify(short)}`);
      }
      const trips = deployment.link.roundTrips;
      await deployment.events({ events: [{ action: 'view', item: 'x' }] });
      assert.equal(deployment.link.roundTrips - trips, 1);
    });

    test('what a window needs is kept until it leaves every window, and nothing for longer than that', async () => {
      await send([
        { action: 'short', item: 'x' },
        { action: 'long', item: 'x' },
        { action: 'view', item: 'x' },
      ]);
      await deployment.worker.scheduled();
      const keys = await deployment.redis.command('KEYS', '*');
      const forever = [];
      for (const key of keys) if ((await deployment.redis.command('TTL', key)) < 0) forever.push(key);
      // In the first hour of a day upkeep notes which library is used, which is of no window.
      assert.deepEqual(
        forever.filter((key) => !key.endsWith(':state') && key !== 'edgeboard:libraries'),
        [],
      );
      const ttl = async (/** @type {string} */ key) => (await deployment.redis.command('TTL', key)) * 1000;
      assert.ok((await ttl(`eb:{demo:long}:day:${TODAY}`)) > 367 * DAY_MS);
      assert.ok((await ttl(`eb:{demo:short}:day:${TODAY}`)) > 3 * DAY_MS);
      for (const ahead of [0, 1]) {
        const remaining = await ttl(`eb:{demo:long}:window:last-366-days:${TODAY + ahead}`);
        assert.ok(remaining > ahead * DAY_MS && remaining <= (ahead + 2) * DAY_MS, `${ahead}: ${remaining}`);
      }
    });
  });
}
