/**
 * A click that is sent again with its id is counted once.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { TRANSPORTS } from '../../support/transports.mjs';
import { scripts, serve } from './site.mjs';

for (const transport of TRANSPORTS) {
  describe(`over ${transport}`, () => {
    const { check, view } = serve(transport);

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

      test('a batch that is sent twice counts once', () =>
        check({
          async send(to) {
            assert.equal((await to.events(batch)).status, 200);
            return to.events(batch);
          },
          answer: [200, { accepted: 0, duplicate: 2, rejected: [] }],
          boards: counted,
          actors,
          roundTrips: 2,
          commands: scripts(8),
        }));

      test('an id that a browser guessed does not keep the server from counting', () =>
        check({
          async send(to) {
            await to.beacon({ id: batch.id, events: [{ action: 'half', item: '/posts/2' }] });
            await to.beacon({ id: batch.id, events: [{ action: 'half', item: '/posts/2' }] });
            return to.events(batch);
          },
          answer: [200, { accepted: 2, duplicate: 0, rejected: [] }],
          boards: {
            articles: [
              ['/posts/2', 1],
              ['/posts/1', 1],
            ],
            people: [['u7', 0.1]],
            small: [['/posts/1', 1]],
          },
          actors,
          roundTrips: 3,
        }));

      test('an event of a batch that is sent alone counts once', () =>
        check({
          async send(to) {
            await to.fetch(`/v1/demo/beacon.gif?action=view&item=%2Fposts%2F1&id=${batch.id}%2F0`);
            await to.beacon({ ...view, id: `${batch.id}/0` });
            await to.beacon({ id: batch.id, events: [view, view] });
            return to.fetch(`/v1/demo/beacon.gif?action=view&item=%2Fposts%2F1&id=${batch.id}%2F1`);
          },
          answer: [200],
          boards: { articles: [['/posts/1', 2]], small: [['/posts/1', 2]] },
          roundTrips: 4,
        }));

      test('events with ids of their own count once, within a batch and between batches', () =>
        check({
          async send(to) {
            await to.events({
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
            await to.events(batch, { site: 'other' });
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
            assert.equal((await to.events(batch)).status, 504);
            return to.events(batch);
          },
          answer: [200, { accepted: 0, duplicate: 2, rejected: [] }],
          boards: counted,
          actors,
          roundTrips: 3,
        }));
    });
  });
}
