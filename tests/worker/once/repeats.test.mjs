/**
 * What counts once, sent again: with ids, at once, taken back, and refused.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RESP } from '../../support/deployment.mjs';
import { HOUR_MS } from '../../support/windows.mjs';
import { NOW, serve } from './site.mjs';

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { send, check, marks, digests } = on;

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
        on.deployment.link.loseReplies(1);
        await send([event('one')], ['duplicate']);
        on.deployment.link.loseReplies(1);
        const tracked = { action: 'per-day', item: 'y', actor: 'u1' };
        assert.equal((await on.deployment.events({ events: [tracked] })).status, 504);
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
      const answers = await Promise.all(Array.from({ length: 100 }, () => on.deployment.events(other)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400]));
      assert.equal(
        answers.reduce((sum, { body }) => sum + (body.accepted ?? 0), 0),
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
      on.deployment.clock.set('2026-07-17T12:30:00Z');
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
      assert.deepEqual([more, (await digests([key])).length], [[], 2]);
      await send(
        [
          { ...take('c'), actor: 'u2' },
          { ...take('a'), actor: 'u2' },
        ],
        ['board-full', 'counted'],
      );
      assert.equal((await digests(await marks('small'))).length, 3);
      on.deployment.clock.advance(HOUR_MS);
      await send([take('c'), take('c'), take('a')], ['counted', 'already-done', 'already-done']);
      await check('small/hour', [['c', 1]]);
    });

    test('what counts once for ever, without an end, is remembered of as many as a period has members', async () => {
      const keep = (/** @type {string} */ actor) => ({ action: 'keep', item: 'a', actor });
      await send([keep('u1')], ['counted']);
      await send([keep('u2')], ['counted']);
      await send([keep('u3'), keep('u2')], ['board-full', 'already-done']);
      assert.equal((await digests(await marks('few'))).length, 2);
      await check('few/hour', [['a', 2]]);
    });

    test('nor does one that is of the future, or too old for every window', async () => {
      const take = { action: 'take', item: 'a', actor: 'u1' };
      const { body } = await on.deployment.events({
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
  });
}
