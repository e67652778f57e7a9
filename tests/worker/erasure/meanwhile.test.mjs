/**
 * Erasure while events come in between, over midnight, in several requests, and with lost replies.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { contentsOf, keysThatHold } from '../../support/contents.mjs';
import { entriesOf, RESP } from '../../support/deployment.mjs';
import { DAY_MS, HOUR_MS, readComplete } from '../../support/windows.mjs';
import {
  assertExpiring,
  assertErased,
  assertRollingRight,
  assertSame,
  erase,
  makeEvents,
  MIDNIGHT,
  NOW,
  ofOthers,
  prepare,
  read,
  rollingOf,
  send,
  serve,
  TODAY,
  VICTIM,
} from './site.mjs';

/** @typedef {import('./site.mjs').Answer} Answer */
/** @typedef {import('./site.mjs').Event} Event */
/** @typedef {import('./site.mjs').Rolling} Rolling */

/** @param {number} day @returns {Rolling[]} */
const rollingOfLone = (day) => [
  ['lone:plain', 'last-2-days', 'day', 2, day],
  ['lone:plain', 'last-366-days', 'day', 366, day],
];

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);

    describe('while events come in between', () => {
      /**
       * Erases. `meanwhile` gets the number of each round trip from then on, its own ones included, once it has been
       * applied and before its reply is sent on.
       *
       * @param {string} site
       * @param {(trip: number) => void} meanwhile
       */
      async function eraseWhile(site, meanwhile) {
        let trips = 0;
        on.deployment.link.loseRepliesWhen(() => {
          meanwhile((trips += 1));
          return false;
        });
        const { status } = await erase(on.deployment, VICTIM, site);
        on.deployment.link.loseRepliesWhen(() => false);
        assert.equal(status, 204);
      }
      /** Lets Redis wait until what is sent now has arrived, too. */
      const hold = () => void on.deployment.redis.command('CLIENT', 'PAUSE', '60');

      test('of others and of itself: rolling windows are the sums of their base boards', async () => {
        const events = makeEvents(13, 500, Date.parse(NOW), 60);
        await Promise.all([send(on.deployment, events), send(on.without, ofOthers(events))]);
        /** @type {Event[]} */
        const sent = [];
        /** @type {Promise<unknown>[]} */
        const begun = [];
        await eraseWhile('demo', (trip) => {
          if (trip % 2 !== 1) return;
          const now = Date.parse(NOW);
          const more = /** @type {Event[]} */ ([
            { action: 'view', actor: VICTIM, item: `/m/${trip}`, at: now - (trip % 5) * DAY_MS },
            { action: 'view', actor: 'u1', item: `/m/${trip}`, at: now - (trip % 7) * DAY_MS },
            { action: 'view', actor: 'new', item: `/m/${trip}`, at: now - 60_000 },
          ]);
          sent.push(...more);
          hold();
          begun.push(on.deployment.events({ events: more }));
        });
        await Promise.all(begun);
        assert.ok(sent.length > 15, `${sent.length} events meanwhile`);
        await prepare(on.deployment);
        await assertRollingRight(on.deployment, rollingOf(TODAY), { prepared: true });
        assert.equal((await erase(on.deployment)).status, 204, 'what came meanwhile stays, until it is erased, too');
        await assertErased(on.deployment);
        await send(on.without, ofOthers(sent));
        for (let day = 0; day < 3; day += 1) {
          await assertRollingRight(on.deployment, rollingOf(TODAY + day), { prepared: true });
          for (const of of [on.deployment, on.without]) of.clock.set(MIDNIGHT + day * DAY_MS);
          for (const [board, window] of [
            ['people', 'last-7-days'],
            ['plain', 'last-366-days'],
            ['plain', 'last-2-days'],
          ]) {
            const [a, b] = await Promise.all([on.deployment, on.without].map((of) => read(of, `${board}/${window}`)));
            const scores = (/** @type {Answer} */ answer) => entriesOf(answer).sort();
            assert.deepEqual(scores(a), scores(b), `${board}/${window} ${day}`);
          }
          await prepare(on.deployment);
        }
      });

      for (const own of [false, true]) {
        for (const at of [1, 3, 5]) {
          test(`midnight after chunk ${at}${own ? ', and an event of its own just before' : ''}`, async () => {
            on.deployment.clock.set(MIDNIGHT - 600_000);
            const events = makeEvents(14, 200, MIDNIGHT - 600_000, 300).filter(({ action }) => action === 'view' || action === 'down');
            for (let i = 0; i < events.length; i += 100) await on.deployment.events({ events: events.slice(i, i + 100) }, { site: 'lone' });
            await prepare(on.deployment);
            const trips = on.deployment.link.roundTrips;
            /** @type {Promise<unknown> | undefined} */
            let event;
            await eraseWhile('lone', (trip) => {
              if (own && trip === at) {
                hold();
                event = on.deployment.events({ events: [{ action: 'view', actor: VICTIM, item: '/meanwhile' }] }, { site: 'lone' });
              }
              if (trip === at + (own ? 1 : 0)) on.deployment.clock.set(MIDNIGHT);
            });
            await event;
            assert.ok(on.deployment.link.roundTrips - trips >= 5, 'several chunks');
            if (!own) await assertErased(on.deployment);
            for (const ranking of ['plain/last-2-days', 'plain/last-366-days']) await readComplete(on.deployment, ranking, '', 'lone');
            await prepare(on.deployment);
            await assertRollingRight(on.deployment, rollingOfLone(TODAY + 1), { prepared: true });
            await assertExpiring(on.deployment, await on.deployment.redis.command('KEYS', '*'));
            assert.equal((await erase(on.deployment, VICTIM, 'lone')).status, 204);
            await assertErased(on.deployment);
            await assertRollingRight(on.deployment, rollingOfLone(TODAY + 1), { prepared: true });
          });
        }
      }
    });

    test('what takes too long is reported, and done when it is asked for again', async () => {
      const events = makeEvents(15, 100, Date.parse(NOW), 60).map((event) => ({ ...event, actor: VICTIM }));
      await send(on.deployment, events);
      let trips = 0;
      on.deployment.link.loseRepliesWhen(() => {
        trips += 1;
        if (trips === 2) on.deployment.edgeClock.advance(30_000);
        return false;
      });
      const { status, text, headers } = await erase(on.deployment);
      on.deployment.link.loseRepliesWhen(() => false);
      assert.deepEqual(
        [status, JSON.parse(text), headers.get('cache-control')],
        [202, { site: 'demo', done: false, cursor: null }, 'no-store'],
      );
      assert.ok(keysThatHold(await contentsOf(on.deployment.redis), VICTIM).length > 0, 'not all of it is gone');
      assert.equal((await erase(on.deployment)).status, 204);
      await assertErased(on.deployment);
    });

    test('a reply that is lost: nobody knows, and asking again is safe', async () => {
      await send(on.deployment, [{ action: 'view', item: 'x', actor: VICTIM }]);
      for (const replies of [1, 5]) {
        let chunks = 0;
        on.deployment.link.loseRepliesWhen(() => (chunks += 1) === replies);
        const { status, body } = await erase(on.deployment);
        on.deployment.link.loseRepliesWhen(() => false);
        assert.deepEqual([status, body.code], [504, 'outcome-unknown']);
      }
      assert.equal((await erase(on.deployment)).status, 204);
      await assertErased(on.deployment);
    });

    test('an actor of every hour and day of two months, in windows of a year', async (t) => {
      const now = Date.parse(NOW);
      /** @type {Event[]} */
      const events = [];
      for (let hour = 0; hour < 60 * 24; hour += 1) {
        events.push({ action: 'view', item: `/posts/${hour % 10}`, actor: VICTIM, at: now - hour * HOUR_MS });
        if (hour % 6 === 0) events.push({ action: 'like', item: `/posts/${hour}`, actor: VICTIM, at: now - hour * HOUR_MS });
        if (hour % 12 === 0) events.push({ action: 'view', item: '/posts/1', actor: `u${hour % 36}`, at: now - hour * HOUR_MS });
      }
      await Promise.all([send(on.deployment, events), send(on.without, ofOthers(events))]);
      await on.deployment.redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '1000', 'slowlog-max-len', '1000');
      await on.deployment.redis.command('SLOWLOG', 'RESET');
      const began = performance.now();
      const trips = on.deployment.link.roundTrips;
      assert.equal((await erase(on.deployment)).status, 204);
      const took = performance.now() - began;
      const slow = (await on.deployment.redis.command('SLOWLOG', 'GET', '-1')).filter((/** @type {any} */ [, , , [command]]) =>
        /^eval/i.test(command),
      );
      const slowest = Math.max(0, ...slow.map((/** @type {any} */ [, , micros]) => micros));
      t.diagnostic(
        `erasing took ${took.toFixed(0)} ms in ${on.deployment.link.roundTrips - trips} round trips; ${slow.length} scripts took 1 ms or more, the slowest ${slowest / 1000} ms`,
      );
      await assertErased(on.deployment);
      await assertSame(on.deployment, on.without, 'at once');
      for (const of of [on.deployment, on.without]) of.clock.set(MIDNIGHT);
      await assertSame(on.deployment, on.without, 'at midnight');
    });
  });
}
