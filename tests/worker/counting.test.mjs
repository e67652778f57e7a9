/**
 * A click is counted once: on every board that gives its action a weight, in every window, and in the activity log of what its
 * actor does, in one round trip, and nowhere else.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { CALENDAR, entriesOf, hashTags, startDeployment, ALL_TRANSPORTS, WRITE_TOKEN } from '../support/deployment.mjs';

const SITE = {
  origins: ['https://demo.example'],
  actions: {
    view: { public: true },
    half: { public: true },
    nothing: { public: true },
    like: {},
    comment: {},
    dislike: {},
  },
  boards: {
    articles: { weights: { view: 1, half: 0.5, like: 2, comment: 3, dislike: -1.25 }, windows: CALENDAR },
    people: { members: 'actors', weights: { view: 0.1, comment: 1 }, windows: ['day', 'all'] },
    loved: { weights: { like: 1 }, windows: ['week'] },
    small: { weights: { view: 1 }, windows: ['day'], max_members: 2, limit: 2 },
  },
};
const RANKINGS = Object.entries(SITE.boards).flatMap(([board, { windows }]) => windows.map((window) => [board, window]));

/** The activity log of 2026-11-20: an actor's day by action, "view 1 1". */
const ACTIVITY_LOG = 'eb:{demo}:day:20777:actions';

/** One round trip of Redis's commands besides those of the scripts: `n` scripts. @param {number} n */
const scripts = (n) => ({ evalsha: n });

for (const transport of ALL_TRANSPORTS) {
  describe(`over ${transport}`, () => {
    /** @type {import('../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => {
      deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE, other: SITE } });
    });
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set('2026-11-20T12:00:00Z'); // no period ends while a test runs
      await deployment.beacon({ action: 'view', item: '/warm' }, { site: 'other' }); // loads the script
      await deployment.redis.command('FLUSHALL');
    });
    after(() => deployment?.stop());

    /**
     * Sends what `send` sends to an empty deployment. Then the boards named in `expected` show these entries in each of
     * their windows, and every other board of every site is empty; and the activity log knows what these actors did, and of no
     * other.
     *
     * @param {object} expectation
     * @param {(to: import('../support/deployment.mjs').Deployment) => Promise<import('../support/deployment.mjs').Answer>} expectation.send
     * @param {[status: number, body?: object]} expectation.answer of the last request
     * @param {Record<string, [string, number][]>} expectation.boards
     * @param {Record<string, Record<string, number>>} [expectation.actors] how often each did what
     * @param {number} [expectation.roundTrips]
     * @param {Record<string, number>} [expectation.commands] evalsha and eval
     */
    async function check({ send, answer: [status, body], boards, actors = {}, roundTrips = 1, commands = {} }) {
      const before = deployment.link.roundTrips;
      /** @type {import('../support/deployment.mjs').Answer | undefined} */
      let answer;
      const { evalsha = 0, eval: sources = 0 } = await deployment.commandsDuring(async () => (answer = await send(deployment)));
      assert.equal(answer?.status, status, answer?.text);
      if (body) assert.deepEqual(answer?.body, body);
      else if (status === 204) assert.equal(answer?.text, '');
      assert.equal(deployment.link.roundTrips - before, roundTrips, 'round trips');
      if (commands.evalsha !== undefined) assert.deepEqual({ evalsha, eval: sources }, { eval: 0, ...commands });

      for (const [board, window] of RANKINGS) {
        const shown = await deployment.freshTop(`${board}/${window}`);
        assert.deepEqual(entriesOf(shown), boards[board] ?? [], `${board}/${window}`);
        assert.equal(shown.body.total, (boards[board] ?? []).length, `total of ${board}/${window}`);
      }
      for (const [actor, actions] of Object.entries(actors)) {
        const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
        const { body: log } = await deployment.fetch(`/v1/demo/actors/${encodeURIComponent(actor)}/activity`, { headers });
        assert.deepEqual(log, { site: 'demo', actor, days: [{ day: '2026-11-20', actions }] });
      }
      assert.deepEqual(
        (await deployment.redis.command('HKEYS', ACTIVITY_LOG)).sort(),
        Object.keys(actors).sort(),
        'actors in the activity log',
      );
      const tags = hashTags(await deployment.redis.command('KEYS', '*'));
      assert.deepEqual(
        tags.filter((tag) => tag !== 'demo' && !tag.startsWith('demo:')),
        [],
        'keys of nothing but the site',
      );
    }

    const view = { action: 'view', item: '/posts/1' };

    test('a click of an anonymous visitor', () =>
      check({
        send: (to) => to.beacon({ events: [view] }),
        answer: [204],
        boards: { articles: [['/posts/1', 1]], small: [['/posts/1', 1]] },
        commands: scripts(2),
      }));

    test('a bare event, as application/json, of a known actor', () =>
      check({
        send: (to) => to.beacon({ ...view, actor: 'u7' }, { headers: { 'content-type': 'application/json' } }),
        answer: [204],
        boards: { articles: [['/posts/1', 1]], people: [['u7', 0.1]], small: [['/posts/1', 1]] },
        actors: { u7: { view: 1 } },
        commands: scripts(4),
      }));

    test('a batch of a hundred events is one script for each board', () =>
      check({
        send: (to) => to.beacon({ events: Array.from({ length: 100 }, (_, i) => ({ action: 'half', item: `/${i % 3}` })) }),
        answer: [204],
        boards: {
          articles: [
            ['/0', 17],
            ['/2', 16.5],
            ['/1', 16.5],
          ],
        },
        commands: scripts(1),
      }));

    test('an action without a weight is accepted and costs Redis nothing', () =>
      check({
        send: (to) => to.beacon({ action: 'nothing', item: '/posts/1' }),
        answer: [204],
        boards: {},
        roundTrips: 0,
        commands: { evalsha: 0 },
      }));

    test('one of a known actor goes to the activity log alone', () =>
      check({
        send: (to) =>
          to.events({
            events: [
              { action: 'nothing', item: '/posts/1', actor: 'u7' },
              { action: 'nothing', item: '/posts/1' },
            ],
          }),
        answer: [200, { accepted: 2, duplicate: 0, rejected: [] }],
        boards: {},
        actors: { u7: { nothing: 1 } },
        commands: scripts(1),
      }));

    test('what an actor does is added up, whatever it is worth', () =>
      check({
        send: (to) =>
          to.events({
            events: ['view', 'half', 'dislike', 'view', 'nothing'].map((action) => ({ action, item: '/posts/1', actor: 'u7' })),
          }),
        answer: [200, { accepted: 5, duplicate: 0, rejected: [] }],
        boards: { articles: [['/posts/1', 1.25]], people: [['u7', 0.2]], small: [['/posts/1', 2]] },
        actors: { u7: { view: 2, half: 1, dislike: 1, nothing: 1 } },
        commands: scripts(4),
      }));

    test('a pixel', () =>
      check({
        async send(to) {
          const answer = await to.fetch('/v1/demo/beacon.gif?action=view&item=%2Fposts%2F1&actor=u7');
          assert.equal(answer.headers.get('content-type'), 'image/gif');
          assert.equal(answer.headers.get('cache-control'), 'no-store');
          assert.match(answer.text, /^GIF89a/);
          return answer;
        },
        answer: [200],
        boards: { articles: [['/posts/1', 1]], people: [['u7', 0.1]], small: [['/posts/1', 1]] },
        actors: { u7: { view: 1 } },
        commands: scripts(4),
      }));

    test('events of a server, fractional and negative weights; nobody is shown at or below zero', () =>
      check({
        send: (to) =>
          to.events({
            events: [
              { action: 'like', item: 'sunk' },
              { action: 'dislike', item: 'sunk' },
              { action: 'dislike', item: 'sunk' },
              { action: 'dislike', item: 'below' },
              { action: 'half', item: 'zero' },
              { action: 'half', item: 'zero' },
              { action: 'view', item: 'fraction' },
              { action: 'comment', item: 'fraction', actor: 'é "{}:\\' },
              { action: 'dislike', item: 'fraction' },
            ],
          }),
        answer: [200, { accepted: 9, duplicate: 0, rejected: [] }],
        boards: {
          articles: [
            ['fraction', 2.75],
            ['zero', 1],
          ],
          people: [['é "{}:\\', 1]],
          loved: [['sunk', 1]],
          small: [['fraction', 1]],
        },
        actors: { 'é "{}:\\': { comment: 1 } },
        commands: scripts(5),
      }));

    test('a member falls to exactly zero, and rises from below it', () =>
      check({
        async send(to) {
          const five = (/** @type {string} */ action, /** @type {string} */ item) => Array.from({ length: 5 }, () => ({ action, item }));
          await to.events({ events: [...five('dislike', 'a'), ...five('dislike', 'b')] });
          return to.events({
            events: [
              ...five('view', 'a'),
              { action: 'view', item: 'a' },
              { action: 'half', item: 'a' },
              ...five('view', 'b'),
              { action: 'dislike', item: 'b' },
              { action: 'view', item: 'b' },
              { action: 'view', item: 'b' },
              { action: 'half', item: 'b' },
            ],
          });
        },
        // a: −6.25 + 6.5; b: −7.5 + 7.5
        answer: [200, { accepted: 16, duplicate: 0, rejected: [] }],
        boards: {
          articles: [['a', 0.25]],
          small: [
            ['b', 7],
            ['a', 6],
          ],
        },
        roundTrips: 2,
      }));

    test('a full board refuses new members, says so, and keeps counting those it has', () =>
      check({
        async send(to) {
          await to.events({ events: ['a', 'b', 'b'].map((item) => ({ action: 'view', item })) });
          const refused = await to.events({
            events: [
              { action: 'view', item: 'c' },
              { action: 'view', item: 'a' },
            ],
          });
          const { body } = await to.top('small/day');
          assert.equal(body.refused, 1);
          return refused;
        },
        answer: [200, { accepted: 2, duplicate: 0, rejected: [] }], // c counts on articles
        boards: {
          articles: [
            ['b', 2],
            ['a', 2],
            ['c', 1],
          ],
          small: [
            ['b', 2],
            ['a', 2],
          ],
        },
        roundTrips: 3,
      }));

    describe('ids', () => {
      const batch = {
        id: 'b1946ac92492d234',
        events: [
          { ...view, actor: 'u7' },
          { action: 'half', item: '/posts/2' },
        ],
      };
      const counted = {
        articles: /** @type {[string, number][]} */ ([
          ['/posts/1', 1],
          ['/posts/2', 0.5],
        ]),
        people: /** @type {[string, number][]} */ ([['u7', 0.1]]),
        small: /** @type {[string, number][]} */ ([['/posts/1', 1]]),
      };
      const actors = { u7: { view: 1 } };

      test('a batch that is sent twice counts once, whoever sends it', () =>
        check({
          async send(to) {
            assert.equal((await to.beacon(batch)).status, 204);
            assert.equal((await to.beacon(batch)).status, 204);
            return to.events(batch);
          },
          answer: [200, { accepted: 0, duplicate: 2, rejected: [] }],
          boards: counted,
          actors,
          roundTrips: 3,
          commands: scripts(12),
        }));

      test('events with ids of their own count once, within a batch and between batches', () =>
        check({
          async send(to) {
            await to.beacon({
              events: [
                { ...view, id: 'one' },
                { ...view, id: 'one' },
                { ...view, id: 'two' },
              ],
            });
            return to.events({
              events: [
                { ...view, id: 'two' },
                { ...view, id: 'three' },
              ],
            });
          },
          answer: [200, { accepted: 1, duplicate: 1, rejected: [] }],
          boards: { articles: [['/posts/1', 3]], small: [['/posts/1', 3]] },
          roundTrips: 2,
          commands: scripts(4),
        }));

      test('a bare event and a pixel may carry one too', () =>
        check({
          async send(to) {
            await to.beacon({ ...view, id: 'one' });
            return to.fetch('/v1/demo/beacon.gif?action=view&item=%2Fposts%2F1&id=one');
          },
          answer: [200],
          boards: { articles: [['/posts/1', 1]], small: [['/posts/1', 1]] },
          roundTrips: 2,
        }));

      test('without ids, the same batch counts each time', () =>
        check({
          async send(to) {
            await to.beacon({ events: [view] });
            return to.beacon({ events: [view] });
          },
          answer: [204],
          boards: { articles: [['/posts/1', 2]], small: [['/posts/1', 2]] },
          roundTrips: 2,
        }));

      test('an id of one site means nothing on another', () =>
        check({
          async send(to) {
            await to.beacon(batch, { site: 'other' });
            const answer = await to.events(batch);
            await to.redis.command('DEL', ...(await to.redis.command('KEYS', 'eb:{other[:}]*')));
            return answer;
          },
          answer: [200, { accepted: 2, duplicate: 0, rejected: [] }],
          boards: counted,
          actors,
          roundTrips: 2,
        }));

      test('a batch whose reply was lost is sent again at once, and counts once', () =>
        check({
          send(to) {
            to.link.loseReplies(1);
            return to.beacon(batch);
          },
          answer: [204],
          boards: counted,
          actors,
          roundTrips: 2,
          commands: scripts(8),
        }));

      test('events with ids of their own likewise', () =>
        check({
          send(to) {
            to.link.loseReplies(1);
            return to.events({
              events: [
                { ...view, id: 'one' },
                { ...view, id: 'two' },
              ],
            });
          },
          answer: [200, { accepted: 0, duplicate: 2, rejected: [] }],
          boards: { articles: [['/posts/1', 2]], small: [['/posts/1', 2]] },
          roundTrips: 2,
        }));

      test('without ids a lost reply is not made up for: the client learns that nobody knows', () =>
        check({
          async send(to) {
            to.link.loseReplies(1);
            const answer = await to.beacon({ events: [view, { ...view, id: 'only-one-has-an-id' }] });
            assert.equal(answer.body.code, 'outcome-unknown');
            assert.equal(answer.headers.get('retry-after'), '1');
            return answer;
          },
          answer: [504],
          boards: { articles: [['/posts/1', 2]], small: [['/posts/1', 2]] },
          roundTrips: 1,
          commands: scripts(2),
        }));

      test('both replies lost: 504, and the client that sends it again learns that it was counted', () =>
        check({
          async send(to) {
            to.link.loseReplies(2);
            assert.equal((await to.beacon(batch)).status, 504);
            return to.events(batch);
          },
          answer: [200, { accepted: 0, duplicate: 2, rejected: [] }],
          boards: counted,
          actors,
          roundTrips: 3,
        }));
    });

    describe('a server that forgot the scripts', () => {
      test('gets them again, and every board and the activity log count exactly once', () =>
        check({
          async send(to) {
            await to.redis.command('SCRIPT', 'FLUSH');
            return to.beacon({ ...view, actor: 'u7' });
          },
          answer: [204],
          boards: { articles: [['/posts/1', 1]], people: [['u7', 0.1]], small: [['/posts/1', 1]] },
          actors: { u7: { view: 1 } },
          roundTrips: 2,
          commands: { evalsha: 4, eval: 4 },
        }));

      test('also when the reply to that is lost', () =>
        check({
          async send(to) {
            await to.redis.command('SCRIPT', 'FLUSH');
            to.link.loseReplies(1);
            return to.beacon({ id: 'again', events: [view] });
          },
          answer: [204],
          boards: { articles: [['/posts/1', 1]], small: [['/posts/1', 1]] },
          roundTrips: 3,
          commands: { evalsha: 4, eval: 2 },
        }));
    });

    test('two hundred clicks at once are two hundred clicks', () =>
      check({
        async send(to) {
          const answers = await Promise.all(Array.from({ length: 200 }, () => to.beacon({ events: [view] })));
          assert.deepEqual([...new Set(answers.map(({ status }) => status))], [204]);
          return answers[0];
        },
        answer: [204],
        boards: { articles: [['/posts/1', 200]], small: [['/posts/1', 200]] },
        roundTrips: 200,
        commands: scripts(400),
      }));
  });
}
