/**
 * Tracked actions count once, also when many requests do and undo the same at once.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';
import { sampled } from '../../support/part.mjs';
import { TRANSPORTS } from '../../support/transports.mjs';
import { createRandom } from '../../support/windows.mjs';
import { assertBecame, readActivity, readKeys } from './outcome.mjs';
import { like, SITE, START, undo } from './site.mjs';

/**
 * @typedef {import('../../support/deployment.mjs').Deployment} Deployment
 * @typedef {import('./site.mjs').Event} Event
 */

/** Of years of the zone that a like of now does not need. A target that asked for them would count after the others. */
const LONG_AGO = { action: 'view', item: '/long-ago', at: Date.parse('2010-02-28T12:00:00Z') };
/**
 * `lost` is the share of Redis's replies that are lost. With `ids` what failed is sent again until it is acknowledged. What stands
 * in `alongside` is sent in one batch with each like. With `forgets` Redis loses the library now and then.
 *
 * @type {{ what: string, rounds: number, lost?: number, ids?: boolean, alongside?: Event[], forgets?: boolean }[]}
 */
const RACES = [
  { what: 'on a quiet way to Redis', rounds: 20 },
  { what: 'each like after an event of years ago', rounds: 10, alongside: [LONG_AGO] },
  { what: 'while Redis loses the library', rounds: 10, forgets: true },
  { what: 'on a way that loses one reply in five', rounds: 10, lost: 1 / 5 },
  { what: 'on such a way, sent again with ids until acknowledged', rounds: 10, lost: 1 / 5, ids: true },
];
const LIKES = 25;
/** Boards of articles, of people and ordered ones, but those that fade otherwise than by half; activity, and a ranking that is shown. */
const PLACES_OF_A_LIKE = 7 + 5 + 3 + 2;
const MAX_TRIES = 30;

for (const transport of TRANSPORTS) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => {
      deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE } });
      // From here it goes on by some months, so that the worker's guess of the year is right.
      deployment.edgeClock.set(START);
    });
    after(() => deployment?.stop());

    for (const [what, event, commands] of /** @type {const} */ ([
      ['a tracked action', like, { calls: 4, multi: 1, exec: 1 }],
      ['an undo', undo(like), { calls: 4, multi: 1, exec: 1 }],
      ['a like of nobody in particular, which is not tracked', { action: 'like', item: '/new' }, { calls: 2, multi: 0, exec: 0 }],
    ])) {
      test(`${what} reaches all boards and the activity log in one round trip${commands.exec ? ', as one transaction' : ''}`, async () => {
        await deployment.reset();
        deployment.clock.set(START);
        // Loads the scripts: those of tracked actions, and of others.
        for (const actor of ['u9', undefined]) await deployment.events({ action: 'like', item: '/warm', actor });
        const trips = deployment.link.roundTrips;
        const { calls, multi = 0, exec = 0 } = await deployment.commandsDuring(() => deployment.events(event));
        assert.deepEqual([deployment.link.roundTrips - trips, { calls, multi, exec }], [1, commands]);
      });
    }

    describe(`${LIKES} likes and as many unlikes of one actor at once`, () => {
      beforeEach(async () => {
        await deployment.reset();
        deployment.clock.set(START);
      });

      for (const [i, { what, rounds, lost = 0, ids = false, alongside = [], forgets = false }] of sampled([...RACES.entries()])) {
        test(`${what}, ${rounds} times: all boards and the activity log know of the same like, or of none`, async (t) => {
          const random = createRandom(i + 1);
          const became = { standing: 0, undone: 0, requests: 0, lost: 0 };
          const loses = () => {
            const yes = random() < lost;
            if (yes) became.lost += 1;
            return yes;
          };
          for (let round = 0; round < rounds; round += 1) {
            const tracked = { action: 'like', item: `/race-${round}`, actor: `racer-${round}` };
            // What one like is worth in a fading window at this time.
            const standard = { action: 'like', item: `/standard-${round}`, actor: `standard-${round}` };
            assertBecame(await deployment.events(standard), ['accepted']);

            deployment.link.loseRepliesWhen(loses);
            /** @type {Event[]} */
            const sends = shuffled(
              random,
              Array.from({ length: 2 * LIKES }, (_, n) => (n % 2 === 0 ? tracked : undo(tracked))),
            );
            const codes = await Promise.all(
              sends.map(async (event, n) => {
                if (forgets && n % 10 === 9) await deployment.redis.command('FUNCTION', 'FLUSH');
                for (let tries = 1; ; tries += 1) {
                  const events = event.undo ? [event] : [...alongside, event];
                  const { status, body, text } = await deployment.events({ id: ids ? `${round}-${n}` : undefined, events });
                  became.requests += 1;
                  if (status === 200) return body.rejected[0]?.code ?? (body.duplicate > 0 ? 'duplicate' : event.undo ? 'undone' : 'done');
                  assert.ok(lost > 0 && (status === 503 || status === 504) && tries < MAX_TRIES, `${status}: ${text}`);
                  if (!ids) return 'unknown';
                }
              }),
            );
            deployment.link.loseRepliesWhen(() => false);

            const unclear = lost === 0 ? [] : [ids ? 'duplicate' : 'unknown'];
            const allowed = ['done', 'undone', 'already-done', 'already-undone', 'not-done', ...unclear];
            assert.deepEqual(
              codes.filter((code) => !allowed.includes(code)),
              [],
            );
            const stands = await countEverywhere(tracked, standard);
            const [done, undone] = ['done', 'undone'].map((which) => codes.filter((code) => code === which).length);
            if (lost === 0) assert.equal(done - undone, stands);
            became[stands === 1 ? 'standing' : 'undone'] += 1;

            assertBecame(await deployment.events({ events: [tracked] }), [stands === 1 ? 'already-done' : 'accepted']);
            assert.equal(await countEverywhere(tracked, standard), 1, 'a last like');
            assertBecame(await deployment.events(undo(tracked)), ['accepted']);
            assert.equal(await countEverywhere(tracked, standard), 0, 'a last undo');
          }
          t.diagnostic(JSON.stringify(became));
        });
      }

      /**
       * How often a like counts, 0 or 1, on which all boards agree, in each of their windows, and the activity log.
       *
       * @param {Event} tracked
       * @param {Event} standard a like that counts once
       * @returns {Promise<number>}
       */
      async function countEverywhere(tracked, standard) {
        const { redis, clock } = deployment;
        /** @type {Map<string, number>} */
        const counts = new Map();
        for (const [name, { members }] of Object.entries(await readKeys(redis, clock.now()))) {
          const [own, one] = [tracked, standard].map(({ item, actor = '' }) =>
            members.get(name.startsWith('eb:{demo:people}') ? actor : item),
          );
          if (typeof one === 'number') counts.set(name, Math.round((1e3 * Number(own ?? 0)) / one) / 1e3);
        }
        const { actor = '' } = tracked;
        const { [actor]: days } = await readActivity(deployment, [actor]);
        counts.set('activity', days.length === 0 ? 0 : days[0].actions.like);
        const shown = entriesOf(await deployment.freshTop('articles/day', '?limit=1000'));
        counts.set('shown', shown.some(([id]) => id === tracked.item) ? 1 : 0);

        const names = [...counts.keys()].sort();
        const [never, once] = [0, 1].map((count) => names.filter((name) => counts.get(name) === count));
        assert.equal(names.length, PLACES_OF_A_LIKE, names.join(' '));
        assert.equal(never.length + once.length, names.length, JSON.stringify([...counts]));
        assert.ok(never.length === 0 || once.length === 0, `it counts on ${once.join(' ')}, and not on ${never.join(' ')}`);
        return once.length > 0 ? 1 : 0;
      }
    });
  });
}

/** @template T @param {() => number} random @param {T[]} list @returns {T[]} */
function shuffled(random, list) {
  return list
    .map((entry) => ({ entry, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ entry }) => entry);
}
