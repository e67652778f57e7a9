/**
 * A click is counted on every board that gives its action a weight, in every window. It is also counted in the activity log
 * of what its actor does, and nowhere else. All of it takes one round trip.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { TRANSPORTS } from '../../support/transports.mjs';
import { scripts, serve } from './site.mjs';

for (const transport of TRANSPORTS) {
  describe(`over ${transport}`, () => {
    const { check, view } = serve(transport);

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
        commands: { calls: 0 },
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

    describe('a server that lost the library', () => {
      test('gets it again, and every board and the activity log count exactly once', () =>
        check({
          async send(to) {
            await to.redis.command('FUNCTION', 'FLUSH');
            return to.beacon({ ...view, actor: 'u7' });
          },
          answer: [204],
          boards: { articles: [['/posts/1', 1]], people: [['u7', 0.1]], small: [['/posts/1', 1]] },
          actors: { u7: { view: 1 } },
          roundTrips: 3,
          commands: { calls: 8 },
        }));

      test('also when the reply to that is lost', () =>
        check({
          async send(to) {
            await to.redis.command('FUNCTION', 'FLUSH');
            to.link.loseReplies(1);
            return to.beacon({ id: 'again', events: [view] });
          },
          answer: [204],
          boards: { articles: [['/posts/1', 1]], small: [['/posts/1', 1]] },
          roundTrips: 4,
          commands: { calls: 6 },
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
