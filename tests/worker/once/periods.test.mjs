/**
 * An actor's action on an item counts once per period, whoever sends it and whenever.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { entriesOf, RESP } from '../../support/deployment.mjs';
import { DAY_MS } from '../../support/windows.mjs';
import { NOW, serve } from './site.mjs';

/** @typedef {import('./site.mjs').Outcome} Outcome */

/** Of the boards above. */
const REPLAY_MS = DAY_MS;

/** `[unit, first instant of a period, that of the next one]`, by hand. */
const PERIODS = [
  ['hour', '2026-07-15T11:00:00Z', '2026-07-15T12:00:00Z'],
  ['hour', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z'], // then clocks show the same hour again
  ['hour', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00Z'],
  ['day', '2026-07-15T03:00:00Z', '2026-07-16T03:00:00Z'],
  ['day', '2026-03-28T04:00:00Z', '2026-03-29T03:00:00Z'], // 23 hours
  ['day', '2026-10-24T03:00:00Z', '2026-10-25T04:00:00Z'], // 25 hours
  ['week', '2026-07-13T03:00:00Z', '2026-07-20T03:00:00Z'],
  ['week', '2025-12-29T04:00:00Z', '2026-01-05T04:00:00Z'], // of both years
  ['month', '2026-07-01T03:00:00Z', '2026-08-01T03:00:00Z'],
  ['month', '2026-03-01T04:00:00Z', '2026-04-01T03:00:00Z'],
  ['month', '2028-02-01T04:00:00Z', '2028-03-01T04:00:00Z'],
  ['year', '2026-01-01T04:00:00Z', '2027-01-01T04:00:00Z'],
];

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { send, check, expiryOf, marks } = on;

    describe('an actor’s action on an item counts once per period, of the event’s own instant', () => {
      for (const [unit, starts, ends] of PERIODS) {
        test(`${unit} from ${starts} to ${ends}`, async () => {
          const [first, next] = [Date.parse(starts), Date.parse(ends)];
          on.deployment.clock.set(next + 30 * 60_000);
          const at = (/** @type {number} */ instant) => ({ action: `per-${unit}`, item: 'x', actor: 'u1', at: instant });
          const events = [at(first), at(next - 1), at((first + next) / 2), at(first - 1), at(next), { ...at(0), at: undefined }];
          await send(events, ['counted', 'already-done', 'already-done', 'counted', 'counted', 'already-done']);
          await check('articles/all', [['x', 3]]);
          // The period before is over for longer than marks are kept, unless it is an hour.
          const forgotten = first + REPLAY_MS <= next + 30 * 60_000;
          for (const event of events) {
            await send([event], [event.at === first - 1 && forgotten ? 'counted' : 'already-done']);
          }
          await check('articles/all', [['x', forgotten ? 4 : 3]]);
        });

        test(`${unit} from ${starts}: now, until it ends`, async () => {
          const event = { action: `per-${unit}`, item: 'x', actor: 'u1' };
          on.deployment.clock.set(Date.parse(ends) - 20_000);
          await send([event], ['counted']);
          await send([event], ['already-done']);
          assert.equal((await on.deployment.beacon(event)).status, 204, 'browsers do not learn it');
          assert.equal((await on.deployment.fetch(`/v1/demo/beacon.gif?action=per-${unit}&item=x&actor=u1`)).status, 200);
          await check('articles/all', [['x', 1]]);
          on.deployment.clock.set(ends);
          assert.equal((await on.deployment.beacon(event)).status, 204);
          await send([event], ['already-done']);
          await check('articles/all', [['x', 2]]);
        });

        test(`${unit} from ${starts}: the mark lives for replay_window after the period’s end`, async () => {
          const next = Date.parse(ends);
          const event = { action: `per-${unit}`, item: 'x', actor: 'u1', at: next - 1 };
          on.deployment.clock.set(next - 1);
          await send([event], ['counted']);
          const [key, ...more] = await marks('articles');
          assert.deepEqual([more, await expiryOf(key)], [[], next + REPLAY_MS]);
          on.deployment.clock.set(next + REPLAY_MS - 20_000);
          await send([event], ['already-done']);
          on.deployment.clock.set(next + REPLAY_MS + 1);
          assert.deepEqual(await marks('articles'), []);
          await send([event, event], ['counted', 'counted']);
          assert.deepEqual(await marks('articles'), [], 'none is made for a period that is over for so long');
          await check('articles/all', [['x', 3]]);
        });
      }

      test('ever: whenever', async () => {
        const event = { action: 'per-ever', item: 'x', actor: 'u1' };
        await send(
          [{ ...event, at: '2019-02-03T04:05:06Z' }, event, { ...event, at: '1970-01-01T00:00:00Z' }],
          ['counted', 'already-done', 'already-done'],
        );
        const [key] = await marks('articles');
        assert.equal(await expiryOf(key), -1);
        for (const days of [1, 40, 4_000]) {
          on.deployment.clock.set(Date.parse(NOW) + days * DAY_MS);
          await send([event], ['already-done']);
        }
        await check('articles/all', [['x', 1]]);
      });
    });

    test('every item, actor and action by itself', async () => {
      const of = (/** @type {string} */ actor, /** @type {string} */ item, action = 'per-day') => ({ action, item, actor });
      const all = [of('u1', 'x'), of('u1', 'y'), of('u2', 'x'), of('u1', 'x', 'per-hour'), of('u1', 'x', 'per-ever'), of('x', 'u1')];
      await send(
        all,
        all.map(() => 'counted'),
      );
      await send(
        all,
        all.map(() => 'already-done'),
      );
      await check('articles/all', [
        ['x', 4],
        ['y', 1],
        ['u1', 1],
      ]);
      await check('articles/day', [
        ['x', 4],
        ['y', 1],
        ['u1', 1],
      ]);
      await check('articles/last-2-days', [
        ['x', 4],
        ['y', 1],
        ['u1', 1],
      ]);
      await check('people/all', [
        ['u1', 2],
        ['x', 1],
        ['u2', 1],
      ]);
      await send(
        all,
        all.map(() => 'counted'),
        { site: 'other' },
      );
      await check(
        'articles/all',
        [
          ['x', 4],
          ['y', 1],
          ['u1', 1],
        ],
        'other',
      );
    });

    test('ids that look like something else are what they are', async () => {
      const ids = [
        ':',
        'u1:x',
        'actor:u1',
        'visitor:u1',
        '{',
        '}',
        'u1\u00a0',
        '%d',
        '-',
        'x'.repeat(256),
        'é"\'\\',
        'once:day:1:actor:u1',
      ];
      const events = ids.flatMap((actor) => ids.map((item) => ({ action: 'per-day', item, actor })));
      for (const outcome of /** @type {Outcome[]} */ (['counted', 'already-done'])) {
        for (let i = 0; i < events.length; i += 100) {
          const some = events.slice(i, i + 100);
          await send(
            some,
            some.map(() => outcome),
          );
        }
      }
      assert.deepEqual(
        entriesOf(await on.deployment.freshTop('people/all', '?limit=100')).sort(),
        ids.map((id) => [id, ids.length]).sort(),
      );
    });

    test('every board has its own period; an event that any board counts is accepted', async () => {
      const event = (/** @type {string} */ time) => ({ action: 'mixed', item: 'x', actor: 'u1', at: `2026-07-15T${time}Z` });
      await send([event('09:10:00'), event('09:50:00'), event('10:00:00')], ['counted', 'counted', 'counted']);
      await send([event('09:59:59'), event('11:00:00'), event('02:59:59')], ['counted', 'counted', 'counted']);
      await check('hourly/all', [['x', 4]]);
      await check('daily/all', [['x', 2]]);
      await check('always/all', [['x', 6]]);
    });

    test('what does not count once counts each time, beside what does', async () => {
      const event = (/** @type {string} */ action) => ({ action, item: 'x', actor: 'u1' });
      await send(['tap', 'mixed', 'tap', 'mixed', 'tap', 'tap'].map(event), Array(6).fill('counted'));
      await check('daily/all', [['x', 41]]);
      await check('hourly/all', [['x', 1]]);
      await check('always/all', [['x', 2]]);
      await check('people/all', [['u1', 4]]);
    });

    test('a window that decays takes it once as well', async () => {
      const event = { action: 'glow', item: 'x', actor: 'u1' };
      await send([event, event, { ...event, actor: 'u2' }], ['counted', 'already-done', 'counted']);
      await send([event], ['already-done']);
      const answer = await on.deployment.freshTop('warm/hot');
      const [[, score]] = entriesOf(answer);
      const worth = 16 * 2 ** ((on.deployment.clock.now() - Date.parse(answer.body.scored_at)) / (366 * DAY_MS));
      assert.ok(Math.abs(score - worth) < 1e-3, `${score} of ${worth}`);
    });

    test('late events count in the period they belong to', async () => {
      on.deployment.clock.set('2026-07-16T03:30:00Z'); // 04:30 in London: half an hour into the day
      const event = { action: 'per-day', item: 'x', actor: 'u1' };
      const ago = (/** @type {number} */ minutes) => ({ ...event, ago: minutes * 60_000 });
      await send([event], ['counted']);
      for (const late of [ago(40), ago(40), ago(23 * 60), ago(20)]) assert.equal((await on.deployment.beacon(late)).status, 204);
      await check('articles/all', [['x', 2]]);
      await check('articles/day', [['x', 1]]);
      await send([ago(31), ago(24 * 60 + 29), ago(24 * 60 + 31)], ['already-done', 'already-done', 'counted']);
      await check('articles/all', [['x', 3]]);
      // The day before yesterday ended more than a day ago.
      await send([ago(24 * 60 + 31), ago(24 * 60 + 31)], ['counted', 'counted']);
      await check('articles/all', [['x', 5]]);
    });

    test('a replay_window of ten minutes', async () => {
      const event = { action: 'brief', item: 'x', actor: 'u1', at: '2026-07-15T12:00:00Z' };
      await send([event, event], ['counted', 'already-done']);
      on.deployment.clock.set('2026-07-15T13:09:30Z');
      await send([event], ['already-done']);
      on.deployment.clock.set('2026-07-15T13:10:00.001Z');
      await send([event, event], ['counted', 'counted']);
      assert.deepEqual(await marks('short'), []);
    });
  });
}
