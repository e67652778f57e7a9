/**
 * A Redis that lost what it had, or is an earlier one, is noticed, and nothing is copied from it until it was restored or that was accepted.
 */
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';

import { KEPT } from './kept.mjs';
import { start } from './site.mjs';
import { until } from '../../support/until.mjs';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOON = Date.parse('2026-11-20T12:10:00Z');
const instant = (/** @type {number} */ ms) => new Date(ms).toISOString().replace('.000', '');
const views = (/** @type {Record<string, number>} */ counts) =>
  Object.entries(counts).map(([item, count]) => ({ action: 'view', item, count }));

/** @type {Awaited<ReturnType<typeof start>> | undefined} */
let to;
afterEach(() => to?.stop());

/** Clicks of three hours, each copied after it. @param {NonNullable<typeof to>} on */
async function live(on) {
  for (let hour = 3; hour >= 0; hour -= 1) {
    on.setClocks(NOON - hour * HOUR_MS);
    await on.send(views({ a: 5, b: 3, c: 1 }));
    await on.run();
  }
}

for (const kept of KEPT)
  describe(`with marks in ${kept === 'database' ? 'the database' : `an archive in a ${kept}`}`, () => {
    test('what was never there was not lost', async () => {
      to = await start({ kept });
      await live(to);
      assert.deepEqual(await to.reported(0), []);
      assert.deepEqual((await to.readiness()).body, { status: 'ready' });
      assert.equal((await to.loss()).loss, null);
      assert.deepEqual(await to.metrics(), { redis_lost: 0, redis_behind: 0 });
      const { body } = await to.deployment.freshTop('articles/all');
      assert.deepEqual([body.counted_since, body.entries[0]], [undefined, { rank: 1, id: 'a', score: 20 }]);
    });

    test('a Redis without a mark is reported once an hour, and nothing follows it until that is accepted', async () => {
      to = await start({ kept });
      await live(to);
      const copies = await to.copies();
      await to.deployment.redis.command('FLUSHALL');
      to.setClocks(NOON + 7 * MINUTE_MS);
      await to.send(views({ a: 1 }));
      for (let minute = 8; minute < 80; minute += 1) {
        to.setClocks(NOON + minute * MINUTE_MS);
        await to.run();
      }
      const reported = await to.reported(2);
      assert.deepEqual(
        reported.map(({ code, site, since, noticed_at }) => [code, site, since, noticed_at]),
        Array.from(reported, () => ['redis-lost', 'demo', null, instant(NOON + 8 * MINUTE_MS)]),
      );
      assert.equal(reported.length, 2, JSON.stringify(reported));
      assert.match(reported[0]?.detail ?? '', /POST \/v1\/demo\/admin\/restore .*\{"accept": true\}/);
      const loss = { code: 'redis-lost', since: null, noticed_at: instant(NOON + 8 * MINUTE_MS) };
      assert.deepEqual((await to.readiness()).body, { status: 'redis-lost', losses: [{ site: 'demo', ...loss }] });
      assert.deepEqual((await to.loss()).loss, loss);
      assert.deepEqual((await to.upkeep()).loss, loss);
      assert.deepEqual(await to.metrics(), { redis_lost: 1, redis_behind: 0 });
      assert.deepEqual(await to.copies(), copies);

      // Rankings say since when they count, but for those of periods that began after it.
      to.setClocks(NOON + 80 * MINUTE_MS);
      await to.send(views({ a: 1 }));
      for (const [window, since] of Object.entries({ hour: undefined, day: 7, all: 7, 'last-7-days': 7, hot: 7 })) {
        const { body } = await to.deployment.freshTop(`articles/${window}`);
        assert.equal(body.counted_since, since && instant(NOON + since * MINUTE_MS), window);
      }
      const { body: member } = await to.deployment.fetch('/v1/demo/boards/articles/all/members/a');
      assert.equal(member.counted_since, instant(NOON + 7 * MINUTE_MS));

      for (const wrong of ['{"accept": 1}', '{"acept": true}', '[]', 'x']) assert.equal((await to.restore(wrong)).status, 400, wrong);
      assert.deepEqual(await to.copies(), copies);
      const { status, body } = await to.restore('{"accept": true}');
      assert.deepEqual([status, body.done, body.loss, body.boards], [200, true, null, []]);
      assert.deepEqual((await to.readiness()).body, { status: 'ready' });
      assert.equal((await to.deployment.freshTop('articles/all')).body.counted_since, undefined);
      for (let run = 0; run < 3; run += 1) {
        to.setClocks(NOON + (80 + 6 * run) * MINUTE_MS);
        await to.run();
      }
      assert.notDeepEqual(await to.copies(), copies);
      assert.equal((await to.reported(2)).length, 2);
    });

    test('an earlier Redis is behind, since its mark was raised', async () => {
      to = await start({ kept });
      await live(to);
      const backup = await to.snapshot();
      for (const minute of [30, 65, 95, 130]) {
        to.setClocks(NOON + minute * MINUTE_MS);
        await to.send(views({ b: 2 }));
        await to.run();
      }
      const copies = await to.copies();
      await to.restoreBackup(backup);
      to.setClocks(NOON + 140 * MINUTE_MS);
      await to.send(views({ c: 9 }));
      await to.run();
      const reported = await to.reported(1);
      assert.deepEqual(
        reported.map(({ code, since }) => [code, since]),
        [['redis-behind', instant(NOON)]],
      );
      assert.deepEqual(await to.metrics(), { redis_lost: 0, redis_behind: 1, redis_behind_since_timestamp_seconds: NOON / 1000 });
      assert.deepEqual((await to.readiness()).body.status, 'redis-behind');
      assert.equal((await to.deployment.freshTop('articles/all')).body.counted_since, instant(NOON + 140 * MINUTE_MS));
      assert.deepEqual(await to.copies(), copies);
      assert.deepEqual([(await to.restore('{"accept":true}')).status, (await to.loss()).loss], [200, null]);
      // It is noticed once more.
      await to.deployment.redis.command('FLUSHALL');
      to.setClocks(NOON + 150 * MINUTE_MS);
      await to.run();
      assert.deepEqual((await to.reported(2)).at(-1)?.code, 'redis-lost');
    });

    test('marks that are lost beside Redis are no loss of Redis, and are there again', async () => {
      to = await start({ kept });
      await live(to);
      await to.forgetMarks();
      to.setClocks(NOON + 6 * MINUTE_MS);
      await to.run();
      assert.deepEqual(await to.reported(0), []);
      await to.deployment.redis.command('FLUSHALL');
      to.setClocks(NOON + 12 * MINUTE_MS);
      await to.run();
      assert.deepEqual(
        (await to.reported(1)).map(({ code }) => code),
        ['redis-lost'],
      );
    });

    test('clocks that go wrong are no loss', async () => {
      to = await start({ kept });
      await live(to);
      for (const days of [20, 0, -1, 0, 1]) {
        to.setClocks(NOON + HOUR_MS + days * DAY_MS);
        await to.send(views({ a: 1 }));
        await to.run();
      }
      assert.deepEqual(await to.reported(0), []);
    });
  });

test('prefixes of one Redis are apart, and so are sites', async () => {
  to = await start({ kept: 'database', sites: ['demo', 'other'] });
  await live(to);
  for (const key of await to.deployment.redis.command('KEYS', 'eb:{other:*')) await to.deployment.redis.command('DEL', key);
  await to.deployment.redis.command('SET', 'staging:{demo:articles}:state', 'of another deployment');
  to.setClocks(NOON + 6 * MINUTE_MS);
  await to.run();
  assert.deepEqual(
    (await to.reported(1)).map(({ code, site }) => [code, site]),
    [['redis-lost', 'other']],
  );
  assert.equal((await to.loss()).loss, null);
});

describe('a node of a cluster', () => {
  const board = { weights: { view: 1 }, windows: ['hour', 'day', 'all'], archive: true };

  /** The first board is on the first of three masters, and `a` on the second. */
  async function begin() {
    to = await start({ kept: 'database', isCluster: true, board: { windows: board.windows }, boards: { a: board } });
    const { nodes, nodeOf } = /** @type {import('../../support/cluster.mjs').Cluster} */ (to.deployment.redis);
    for (const [at, name] of ['articles', 'a'].entries()) assert.equal(await nodeOf(`eb:{demo:${name}}`), nodes[at]);
    await live(to);
    return { on: to, node: nodes[1], other: nodes[0] };
  }

  /** Since when the boards count all time, and the score of one who is on both. @param {NonNullable<typeof to>} on */
  async function shown(on) {
    const found = [];
    for (const name of ['articles', 'a']) {
      const { body, text } = await on.deployment.freshTop(`${name}/all`);
      found.push([name, body.counted_since, body.entries?.find((/** @type {any} */ { id }) => id === 'a')?.score ?? text]);
    }
    return found;
  }

  test('that comes back empty lost its boards alone, and they are restored', async () => {
    const { on, node } = await begin();
    await node.kill();
    on.setClocks(NOON + 7 * MINUTE_MS);
    await on.run();
    assert.deepEqual([await on.reported(0), (await on.loss()).loss], [[], null], 'what cannot be asked is not lost');

    await node.restart();
    await until('all slots count', async () => (await on.readiness()).status === 200);
    on.setClocks(NOON + 14 * MINUTE_MS);
    await on.run();
    const noticed = instant(NOON + 14 * MINUTE_MS);
    assert.deepEqual((await on.loss()).loss, { code: 'redis-lost', since: null, noticed_at: noticed });
    await on.send(views({ a: 1 }));
    assert.deepEqual(await shown(on), [
      ['articles', undefined, 21],
      ['a', noticed, 1],
    ]);

    const { status, body, text } = await on.restore();
    assert.deepEqual([status, body.done, body.loss], [200, true, null], text);
    const restored = body.boards.map((/** @type {any} */ each) => [each.board, each.archived.length]);
    assert.deepEqual(
      restored,
      [
        ['a', 3],
        ['articles', 0],
      ],
      'three hours are over',
    );
    assert.deepEqual(await shown(on), [
      ['articles', undefined, 21],
      ['a', undefined, 16],
    ]);
  });

  test('that is an earlier one leaves boards of others as they are, until their node is lost as well', async () => {
    const { on, node, other } = await begin();
    const keys = await node.command('KEYS', '*');
    const dumped = await Promise.all(keys.map((/** @type {string} */ key) => node.commandBuffers('DUMP', key)));
    on.setClocks(NOON + 65 * MINUTE_MS);
    await on.send(views({ a: 1 }));
    await on.run();
    await node.command('FLUSHALL');
    for (const [at, key] of keys.entries()) await node.command('RESTORE', key, '0', dumped[at]);
    on.setClocks(NOON + 72 * MINUTE_MS);
    await on.run();
    const noticed = instant(NOON + 72 * MINUTE_MS);
    assert.deepEqual((await on.loss()).loss, { code: 'redis-behind', since: instant(NOON), noticed_at: noticed });
    assert.deepEqual(await shown(on), [
      ['articles', undefined, 21],
      ['a', noticed, 20],
    ]);

    // The first loss is not settled when the second node is gone, and comes back empty.
    await other.kill();
    on.setClocks(NOON + 79 * MINUTE_MS);
    await on.run();
    assert.equal((await on.loss()).loss.code, 'redis-behind');
    await other.restart();
    await until('all slots count', async () => (await on.readiness()).status === 200);
    for (const minute of [86, 93]) {
      on.setClocks(NOON + minute * MINUTE_MS);
      await on.run();
    }
    const later = instant(NOON + 86 * MINUTE_MS);
    const loss = { code: 'redis-lost', since: null, noticed_at: later };
    assert.deepEqual((await on.loss()).loss, loss);
    assert.deepEqual(await on.metrics(), { redis_lost: 1, redis_behind: 0 });
    const reported = await on.reported(2);
    assert.deepEqual(
      reported.map(({ code, since, noticed_at }) => ({ code, since, noticed_at })),
      [{ code: 'redis-behind', since: instant(NOON), noticed_at: noticed }, loss],
    );
    await on.send(views({ a: 1 }));
    assert.deepEqual(await shown(on), [
      ['articles', later, 1],
      ['a', noticed, 21],
    ]);

    const { status, body, text } = await on.restore();
    assert.deepEqual([status, body.done, body.loss], [200, true, null], text);
    // The click of the hour that was not over is in no archive.
    assert.deepEqual(await shown(on), [
      ['articles', undefined, 21],
      ['a', undefined, 21],
    ]);
    for (const minute of [100, 107]) {
      on.setClocks(NOON + minute * MINUTE_MS);
      await on.run();
    }
    assert.equal((await on.reported(2)).length, 2);
  });

  test('that is gone keeps nobody from noticing that another one is lost', async () => {
    const { on, node, other } = await begin();
    await other.kill();
    await node.command('FLUSHALL');
    // On a busy machine a run may not come to it.
    let loss = null;
    for (let minute = 7; loss === null && minute < 12; minute += 1) {
      on.setClocks(NOON + minute * MINUTE_MS);
      await on.run();
      ({ loss } = await on.loss());
    }
    assert.equal(loss?.code, 'redis-lost');
    await on.deployment.events({ events: views({ a: 1 }) });
    const { body, text } = await on.deployment.freshTop('a/all');
    assert.deepEqual([body.counted_since, body.entries?.[0].score], [loss.noticed_at, 1], text);
  });
});
