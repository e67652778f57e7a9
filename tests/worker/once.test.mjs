/**
 * What counts once per period counts once: per actor, action, item and board, in the period of the event's own instant.
 * Visitors without an actor are told apart, and nothing that Redis holds tells who they are.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';

import { contentsOf, keysThatHold } from '../support/contents.mjs';
import { entriesOf, startDeployment, RESP } from '../support/deployment.mjs';
import { DAY_MS, HOUR_MS } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {'counted' | 'duplicate' | 'already-done' | 'already-undone' | 'not-done' | 'board-full'} Outcome */

const UNITS = ['hour', 'day', 'week', 'month', 'year', 'ever'];
/** Actions that count once per their unit. */
const PER_UNIT = Object.fromEntries(UNITS.map((unit) => [`per-${unit}`, unit]));
const ones = (/** @type {string[]} */ actions) => Object.fromEntries(actions.map((action) => [action, 1]));

const SITE = {
  origins: ['*'],
  timezone: 'Europe/London',
  day_starts_at: '04:00',
  actions: {
    ...Object.fromEntries(
      [...UNITS.map((unit) => `per-${unit}`), 'tap', 'mixed', 'glow', 'brief'].map((action) => [action, { public: true }]),
    ),
    like: { reversible: true },
    take: {},
  },
  boards: {
    articles: { weights: ones(Object.keys(PER_UNIT)), windows: ['day', 'all', 'last-2-days'], once: PER_UNIT },
    people: { members: 'actors', weights: { 'per-day': 1, tap: 1 }, windows: ['all'], once: { 'per-day': 'day' } },
    hourly: { weights: { mixed: 1 }, windows: ['all'], once: { mixed: 'hour' } },
    daily: { weights: { mixed: 1, tap: 10 }, windows: ['all'], once: { mixed: 'day' } },
    always: { weights: { mixed: 1 }, windows: ['all'] },
    loved: { weights: { like: 1 }, windows: ['all', 'day'], once: { like: 'ever' } },
    small: { weights: { take: 1 }, windows: ['hour'], once: { take: 'ever' }, max_members: 2 },
    warm: { weights: { glow: 8 }, windows: [{ name: 'hot', kind: 'half-life', half_life: '366d' }], once: { glow: 'day' } },
    short: { weights: { brief: 1 }, windows: ['all'], once: { brief: 'hour' }, replay_window: '10m' },
  },
};
const SITES = { demo: SITE, other: SITE };
/** Of the boards above. */
const REPLAY_MS = DAY_MS;

/** A summer's day in London, which began at 03:00Z. */
const NOW = '2026-07-15T12:30:00Z';
const TODAY = Date.parse('2026-07-15T00:00:00Z') / DAY_MS;

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
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, relayed: true, sites: SITES })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /**
     * Sends a batch as a server does; each event must become what is expected of it.
     *
     * @param {object[]} events
     * @param {Outcome[]} outcomes
     * @param {{ site?: string, id?: string }} [init]
     */
    async function send(events, outcomes, { site, id } = {}) {
      const { status, body, text } = await deployment.events({ ...(id && { id }), events }, { site });
      assert.equal(status, 200, text);
      const rejected = body.rejected.map((/** @type {any} */ { index, code }) => [index, code]);
      const number = (/** @type {Outcome} */ outcome) => outcomes.filter((other) => other === outcome).length;
      assert.deepEqual(
        { ...body, rejected },
        {
          accepted: number('counted'),
          duplicate: number('duplicate'),
          rejected: outcomes.flatMap((outcome, index) => (outcome === 'counted' || outcome === 'duplicate' ? [] : [[index, outcome]])),
        },
      );
    }
    /** @param {string} ranking @param {[string, number][]} entries @param {string} [site] */
    async function check(ranking, entries, site) {
      assert.deepEqual(entriesOf(await deployment.freshTop(ranking, '?limit=100', site)), entries, ranking);
    }
    /** @param {string} key */
    const expiryOf = async (key) => Number(await deployment.redis.command('PEXPIRETIME', key));
    const marks = async (/** @type {string} */ board) => (await deployment.redis.command('KEYS', `eb:{demo:${board}}:once:*`)).sort();

    describe('an actor’s action on an item counts once per period, of the event’s own instant', () => {
      for (const [unit, starts, ends] of PERIODS) {
        test(`${unit} from ${starts} to ${ends}`, async () => {
          const [first, next] = [Date.parse(starts), Date.parse(ends)];
          deployment.clock.set(next + 30 * 60_000);
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
          deployment.clock.set(Date.parse(ends) - 20_000);
          await send([event], ['counted']);
          await send([event], ['already-done']);
          assert.equal((await deployment.beacon(event)).status, 204, 'browsers do not learn it');
          assert.equal((await deployment.fetch(`/v1/demo/beacon.gif?action=per-${unit}&item=x&actor=u1`)).status, 200);
          await check('articles/all', [['x', 1]]);
          deployment.clock.set(ends);
          assert.equal((await deployment.beacon(event)).status, 204);
          await send([event], ['already-done']);
          await check('articles/all', [['x', 2]]);
        });

        test(`${unit} from ${starts}: the mark lives for replay_window after the period’s end`, async () => {
          const next = Date.parse(ends);
          const event = { action: `per-${unit}`, item: 'x', actor: 'u1', at: next - 1 };
          deployment.clock.set(next - 1);
          await send([event], ['counted']);
          const [key, ...more] = await marks('articles');
          assert.deepEqual([more, await expiryOf(key)], [[], next + REPLAY_MS]);
          deployment.clock.set(next + REPLAY_MS - 20_000);
          await send([event], ['already-done']);
          deployment.clock.set(next + REPLAY_MS + 1);
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
          deployment.clock.set(Date.parse(NOW) + days * DAY_MS);
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
      assert.deepEqual(entriesOf(await deployment.freshTop('people/all', '?limit=100')).sort(), ids.map((id) => [id, ids.length]).sort());
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
      const [[, score]] = entriesOf(await deployment.freshTop('warm/hot'));
      assert.ok(Math.abs(score - 16) < 1e-3, String(score));
    });

    test('late events count in the period they belong to', async () => {
      deployment.clock.set('2026-07-16T03:30:00Z'); // 04:30 in London: half an hour into the day
      const event = { action: 'per-day', item: 'x', actor: 'u1' };
      const ago = (/** @type {number} */ minutes) => ({ ...event, ago: minutes * 60_000 });
      await send([event], ['counted']);
      for (const late of [ago(40), ago(40), ago(23 * 60), ago(20)]) assert.equal((await deployment.beacon(late)).status, 204);
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
      deployment.clock.set('2026-07-15T13:09:30Z');
      await send([event], ['already-done']);
      deployment.clock.set('2026-07-15T13:10:00.001Z');
      await send([event, event], ['counted', 'counted']);
      assert.deepEqual(await marks('short'), []);
    });

    describe('ids', () => {
      const event = (/** @type {string} */ id, /** @type {string} */ item = 'x') => ({ action: 'per-day', item, actor: 'u1', id });

      test('what was sent before is a duplicate, what was done before is done already', async () => {
        await send([event('one'), event('one'), event('two')], ['counted', 'duplicate', 'already-done']);
        await send(
          [event('one'), event('two'), event('three'), event('three', 'y')],
          ['duplicate', 'duplicate', 'already-done', 'duplicate'],
        );
        await send([event('four', 'y')], ['counted']);
        await check('articles/all', [
          ['y', 1],
          ['x', 1],
        ]);
      });

      test('a batch, sent again', async () => {
        const batch = [
          { action: 'per-day', item: 'x', actor: 'u1' },
          { action: 'per-day', item: 'x', actor: 'u1' },
          { action: 'tap', item: 'x', actor: 'u1' },
        ];
        await send(batch, ['counted', 'already-done', 'counted'], { id: 'batch' });
        await send(batch, ['duplicate', 'duplicate', 'duplicate'], { id: 'batch' });
        await send(batch, ['already-done', 'already-done', 'counted'], { id: 'another' });
        await check('people/all', [['u1', 3]]);
      });

      test('a reply that was lost: with an id it is sent again at once; without one, the action is done already', async () => {
        deployment.link.loseReplies(1);
        await send([event('one')], ['duplicate']);
        deployment.link.loseReplies(1);
        const tracked = { action: 'per-day', item: 'y', actor: 'u1' };
        assert.equal((await deployment.events({ events: [tracked] })).status, 504);
        await send([tracked], ['already-done']);
        await check('articles/all', [
          ['y', 1],
          ['x', 1],
        ]);
      });
    });

    test('the same action a hundred times in a batch, and in a hundred requests at once', async () => {
      const event = { action: 'per-day', item: 'x', actor: 'u1' };
      await send(Array(100).fill(event), ['counted', ...Array(99).fill('already-done')]);
      const other = { ...event, item: 'y' };
      const answers = await Promise.all(Array.from({ length: 100 }, () => deployment.events(other)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      assert.equal(
        answers.reduce((sum, { body }) => sum + body.accepted, 0),
        1,
      );
      await check('articles/all', [
        ['y', 1],
        ['x', 1],
      ]);
    });

    test('a like counts once ever, and again after it was taken back', async () => {
      const like = { action: 'like', item: 'x', actor: 'u1' };
      const undo = { ...like, undo: true };
      await send([undo, like, like], ['not-done', 'counted', 'already-done']);
      deployment.clock.set('2026-07-17T12:30:00Z');
      await send([like, { ...like, actor: 'u2' }], ['already-done', 'counted']);
      await check('loved/all', [['x', 2]]);
      await check('loved/day', [['x', 1]]);
      await send([undo, undo], ['counted', 'already-undone']);
      await check('loved/all', [['x', 1]]);
      await send([like], ['counted']);
      await send([like], ['already-done']);
      await check('loved/day', [['x', 2]]);
      await send([undo, like, undo, like, like], ['counted', 'counted', 'counted', 'counted', 'already-done']);
      await check('loved/all', [['x', 2]]);
    });

    test('an event that is refused for want of room leaves no mark', async () => {
      const take = (/** @type {string} */ item) => ({ action: 'take', item, actor: 'u1' });
      await send([take('a'), take('b'), take('c'), take('c')], ['counted', 'counted', 'board-full', 'board-full']);
      const [key, ...more] = await marks('small');
      assert.deepEqual([more, await deployment.redis.command('HLEN', key)], [[], 2]);
      await send(
        [
          { ...take('c'), actor: 'u2' },
          { ...take('a'), actor: 'u2' },
        ],
        ['board-full', 'counted'],
      );
      assert.equal((await marks('small')).length, 2);
      deployment.clock.advance(HOUR_MS);
      await send([take('c'), take('c'), take('a')], ['counted', 'already-done', 'already-done']);
      await check('small/hour', [['c', 1]]);
    });

    test('nor does one that is of the future, or too old for every window', async () => {
      const take = { action: 'take', item: 'a', actor: 'u1' };
      const { body } = await deployment.events({
        events: [
          { ...take, at: Date.parse(NOW) + HOUR_MS },
          { ...take, at: '2026-07-01T00:00:00Z' },
        ],
      });
      assert.deepEqual(
        body.rejected.map((/** @type {any} */ { code }) => code),
        ['at-in-future', 'too-old'],
      );
      assert.deepEqual(await marks('small'), []);
      await send([take], ['counted']);
    });

    describe('without an actor', () => {
      const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0';
      const from = (/** @type {string} */ address, agent = FIREFOX) => ({ headers: { 'cf-connecting-ip': address, 'user-agent': agent } });
      const click = { action: 'per-day', item: 'x' };
      /** @param {[visitor: ReturnType<typeof from>, counts: number][]} visits */
      async function visit(visits, event = click) {
        const seen = async () => entriesOf(await deployment.freshTop('articles/all')).find(([id]) => id === event.item)?.[1] ?? 0;
        let expected = await seen();
        for (const [visitor, counts] of visits) {
          assert.equal((await deployment.beacon(event, visitor)).status, 204);
          expected += counts;
          assert.equal(await seen(), expected, JSON.stringify(visitor.headers));
        }
      }

      test('a server’s events count each', async () => {
        await send([click, click], ['counted', 'counted']);
        await send([click], ['counted']);
        await check('articles/all', [['x', 3]]);
        assert.deepEqual(await deployment.redis.command('KEYS', '*:salt:*'), []);
      });

      test('a visitor is an address and a user agent', async () => {
        await visit([
          [from('192.0.2.1'), 1],
          [from('192.0.2.1'), 0],
          [from('::ffff:192.0.2.1'), 0],
          [from('192.0.2.2'), 1],
          [from('192.0.2.1', 'curl/8'), 1],
          [from('192.0.2.1', 'curl/8'), 0],
          [from('192.0.2.1'), 0],
        ]);
      });

      test('of IPv6 addresses, the first 64 bits', async () => {
        await visit([
          [from('2001:db8:1:2::1'), 1],
          [from('2001:db8:1:2::2'), 0],
          [from('2001:0DB8:0001:0002:ffff:ffff:ffff:ffff'), 0],
          [from('2001:db8:1:3::1'), 1],
          [from('2001:db8:1::'), 1],
          [from('2001:db8:1:2::1', 'curl/8'), 1],
        ]);
      });

      test('in a batch, in a pixel, with ids, and in a hundred requests at once', async () => {
        const { headers } = from('192.0.2.1');
        const ranking = 'articles/all';
        assert.equal((await deployment.beacon({ events: [click, click, { ...click, item: 'y' }] }, { headers })).status, 204);
        await check(ranking, [
          ['y', 1],
          ['x', 1],
        ]);
        assert.equal((await deployment.fetch('/v1/demo/beacon.gif?action=per-day&item=x', { headers })).status, 200);
        assert.equal(
          (
            await deployment.beacon(
              {
                events: [
                  { ...click, id: 'one' },
                  { ...click, id: 'two' },
                ],
              },
              { headers },
            )
          ).status,
          204,
        );
        await Promise.all(Array.from({ length: 100 }, () => deployment.beacon({ events: [{ ...click, item: 'z' }] }, { headers })));
        await check(ranking, [
          ['z', 1],
          ['y', 1],
          ['x', 1],
        ]);
      });

      test('an actor is nobody else, wherever it comes from', async () => {
        const by = (/** @type {string} */ actor) => ({ ...click, actor });
        for (const [event, visitor] of /** @type {const} */ ([
          [by('u1'), from('192.0.2.1')],
          [by('u1'), from('192.0.2.2')],
          [by('u2'), from('192.0.2.1')],
          [click, from('192.0.2.1')],
          [click, from('192.0.2.1')],
        ])) {
          assert.equal((await deployment.beacon(event, visitor)).status, 204);
        }
        await check('articles/all', [['x', 3]]);
        assert.deepEqual((await marks('articles')).map((/** @type {string} */ key) => key.split(':').at(-2)).sort(), [
          'actor',
          'actor',
          'visitor',
        ]);
      });

      test('whose address is not known, each counts', async () => {
        await visit([
          [from('unknown'), 1],
          [from('unknown'), 1],
          [from('192.0.2.1, 192.0.2.2'), 1],
          [from('192.0.2.1:80'), 1],
        ]);
        assert.deepEqual(await deployment.redis.command('KEYS', '*:salt:*'), []);
      });

      test('the next day they are others, also for what counts once per week or ever', async () => {
        for (const action of ['per-day', 'per-week', 'per-ever']) {
          const event = { action, item: action };
          deployment.clock.set('2026-07-16T02:30:00Z'); // 03:30 in London
          await visit(
            [
              [from('192.0.2.1'), 1],
              [from('192.0.2.1'), 0],
            ],
            event,
          );
          deployment.clock.set('2026-07-16T03:00:00Z');
          await visit(
            [
              [from('192.0.2.1'), 1],
              [from('192.0.2.1'), 0],
            ],
            event,
          );
          await visit([[from('192.0.2.1'), 0]], /** @type {any} */ ({ ...event, ago: HOUR_MS })); // yesterday's
        }
      });

      test('a late event of theirs is of the day it happened on', async () => {
        deployment.clock.set('2026-07-16T04:00:00Z');
        const late = { ...click, ago: 2 * HOUR_MS };
        await visit(
          [
            [from('192.0.2.1'), 1],
            [from('192.0.2.1'), 0],
          ],
          late,
        );
        await visit([
          [from('192.0.2.1'), 1],
          [from('192.0.2.1'), 0],
        ]);
        await check('articles/day', [['x', 1]]);
      });

      const saltKey = (/** @type {string} */ board, /** @type {number} */ day, site = 'demo') => `eb:{${site}:${board}}:salt:${day}`;

      test('the salt of a day is deleted a day after that day, and another one made the next', async () => {
        for (const [day, noon, ends] of /** @type {[number, string, string][]} */ ([
          [TODAY, NOW, '2026-07-16T03:00:00Z'],
          [TODAY + 1, '2026-07-16T12:30:00Z', '2026-07-17T03:00:00Z'],
          [Date.parse('2026-10-24') / DAY_MS, '2026-10-24T12:30:00Z', '2026-10-25T04:00:00Z'],
        ])) {
          deployment.clock.set(noon);
          await visit([[from('192.0.2.1'), 1]]);
          const key = saltKey('articles', day);
          assert.ok((await deployment.redis.command('GET', key)).length >= 32, 'a random text');
          assert.equal(await expiryOf(key), Date.parse(ends) + DAY_MS, noon);
          const contents = await contentsOf(deployment.redis);
          deployment.clock.set(Date.parse(ends) + DAY_MS + 1);
          assert.equal(await deployment.redis.command('EXISTS', key), 0);
          assert.deepEqual(await deployment.redis.command('KEYS', '*:salt:*'), []);
          assert.deepEqual(keysThatHold(await contentsOf(deployment.redis), contents.get(key)?.[0] ?? '?'), [], 'and stands nowhere else');
        }
      });

      test('two days, two boards and two sites never have the same salt', async () => {
        await visit([[from('192.0.2.1'), 1]]);
        await visit([[from('192.0.2.1'), 1]], /** @type {any} */ ({ ...click, ago: 12 * HOUR_MS }));
        await deployment.beacon({ action: 'mixed', item: 'x' }, from('192.0.2.1'));
        await deployment.beacon(click, { ...from('192.0.2.1'), site: 'other' });
        const keys = [
          saltKey('articles', TODAY),
          saltKey('articles', TODAY - 1),
          saltKey('hourly', TODAY),
          saltKey('daily', TODAY),
          saltKey('articles', TODAY, 'other'),
        ];
        assert.deepEqual((await deployment.redis.command('KEYS', '*:salt:*')).sort(), keys.sort());
        assert.equal(new Set(await deployment.redis.command('MGET', ...keys)).size, keys.length);
      });

      test('also when one batch makes several of them', async () => {
        await deployment.beacon({ events: [click, { ...click, ago: 12 * HOUR_MS }] }, from('192.0.2.1'));
        const salts = await deployment.redis.command('MGET', saltKey('articles', TODAY), saltKey('articles', TODAY - 1));
        assert.notEqual(salts[0], salts[1]);
      });

      test('so that nothing tells who was on two boards, or on two days', async () => {
        await deployment.beacon({ action: 'mixed', item: 'x' }, from('192.0.2.1'));
        await deployment.beacon({ events: [click, { ...click, ago: 12 * HOUR_MS }] }, from('192.0.2.1'));
        const visitors = (await deployment.redis.command('KEYS', '*:once:*:visitor:*')).map((/** @type {string} */ key) =>
          key.split(':').at(-1),
        );
        assert.equal(visitors.length, 4);
        assert.equal(new Set(visitors).size, 4);
      });

      test('what they did is forgotten with the salt at the latest, since nobody can be known by it any more', async () => {
        await deployment.beacon({ events: UNITS.map((unit) => ({ action: `per-${unit}`, item: 'x' })) }, from('192.0.2.1'));
        const marks = await deployment.redis.command('KEYS', '*:once:*:visitor:*');
        assert.equal(marks.length, UNITS.length);
        const [board] = marks[0].split(':once:');
        const salt = await deployment.redis.command('EXPIRETIME', `${board}:salt:${TODAY}`);
        for (const mark of marks) {
          const expires = await deployment.redis.command('EXPIRETIME', mark);
          assert.ok(expires > 0 && expires <= salt, `${mark}: ${expires} of ${salt}`);
        }
      });

      test('nothing in Redis, and nothing the worker writes, holds an address, a user agent or its plain fingerprint', async () => {
        const agent = 'a-user-agent-of-its-own/7.3';
        const addresses = [
          ['192.0.2.171', Buffer.from([192, 0, 2, 171])],
          ['2001:db8:aa:bb::171', Buffer.from('20010db800aa00bb', 'hex')],
        ];
        await deployment.redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '-1');
        for (const [address] of addresses) {
          for (const action of [...Object.keys(PER_UNIT), 'mixed', 'glow', 'brief', 'tap']) {
            const visitor = from(String(address), agent);
            assert.equal(
              (
                await deployment.beacon(
                  {
                    events: [
                      { action, item: 'x' },
                      { action, item: 'y', ago: 12 * HOUR_MS },
                    ],
                  },
                  visitor,
                )
              ).status,
              204,
            );
            assert.equal((await deployment.beacon({ action, item: 'x', actor: 'u1' }, visitor)).status, 204);
          }
        }
        const contents = await contentsOf(deployment.redis);
        assert.ok(
          [...contents.keys()].some((key) => key.includes(':visitor:')),
          'visitors are there',
        );
        const written = JSON.stringify(deployment.worker.log);
        for (const [address, octets] of addresses) {
          const print = createHash('sha1').update(octets).update(`\0demo\0${agent}`).digest('hex');
          const shapes = [String(address), 'user-agent-of-its-own', print, print.slice(0, 16), print.slice(-16)];
          for (const hash of ['sha1', 'sha256', 'md5']) shapes.push(createHash(hash).update(String(address)).digest('hex').slice(0, 16));
          for (const text of shapes) {
            assert.deepEqual(keysThatHold(contents, text), [], text);
            assert.ok(!written.includes(text), text);
          }
          // What is there is the fingerprint hashed with the day's salt.
          const salt = contents.get(saltKey('articles', TODAY))?.[0];
          const stored = createHash('sha1').update(`${salt}${print}`).digest('hex').slice(0, 16);
          assert.ok(contents.has(`eb:{demo:articles}:once:day:${TODAY}:visitor:${stored}`));
        }
      });
    });
  });
}
