/**
 * The archive under other options of the board: ranks, ties, seasons, what comes late; and a deployment without one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { COPIED, DAY_MS, FORGOTTEN, many, MINUTE_MS, NOW, ranked, shown, start } from './site.mjs';

const FEW = { a: 4, b: 3, c: 2, d: 1 };

test('ranks of a competition, over parts', async () => {
  const to = await start({ board: { ranking: 'competition' } });
  try {
    to.setClocks(NOW);
    const scores = many(11_000);
    await to.fill(scores);
    to.setClocks(FORGOTTEN);
    await to.archive();
    const expected = ranked(scores);
    for (let i = 0; i < expected.length; i += 611) {
      const [id, score] = expected[i] ?? assert.fail();
      const higher = expected.filter(([, other]) => other > score).length;
      assert.equal((await to.member(id)).body.rank, higher + 1, id);
    }
  } finally {
    await to.stop();
  }
});

test('who reached a score first stands first there, too', async () => {
  const to = await start({ board: { ties: 'first', windows: ['day', 'last-7-days'] } });
  try {
    to.setClocks(NOW);
    for (const item of ['c', 'a', 'b', 'd']) await to.send([{ action: 'view', item }]);
    await to.send([{ action: 'view', item: 'd' }]);
    to.setClocks(COPIED);
    await to.archive();
    to.setClocks(FORGOTTEN);
    for (let runs = 0; runs < 2; runs += 1) {
      assert.deepEqual(shown((await to.day()).body), [
        ['d', 2],
        ['c', 1],
        ['a', 1],
        ['b', 1],
      ]);
      await to.archive();
    }
    assert.deepEqual(await to.deployment.redis.command('KEYS', '*:day:20777*'), []);
  } finally {
    await to.stop();
  }
});

test('a season is archived at its end, and answered from there', async () => {
  const seasons = { name: 'cups', kind: 'season', from: '2026-11-01', until: '2026-12-01', every: '10 days' };
  const to = await start({ board: { windows: [seasons], keep: { season: '60d' }, breakdown: true } });
  try {
    const end = Date.parse('2026-11-21T00:00:00Z');
    to.setClocks(NOW);
    await to.send([
      { action: 'view', item: 'a' },
      { action: 'like', item: 'b', actor: 'ben' },
    ]);
    to.setClocks(end + 2 * MINUTE_MS);
    assert.equal(await to.archive(), 0);
    to.setClocks(end + 7 * MINUTE_MS);
    assert.equal(await to.archive(), 1);
    assert.deepEqual((await to.objects.names())[0], 'eb/demo/articles/manifests/season/2026-11-11.json');
    const season = async () => shown((await to.deployment.freshTop('articles/cups', '?period=2026-11-11')).body);
    for (const days of [1, 61, 62]) {
      to.setClocks(end + days * DAY_MS);
      assert.deepEqual(await season(), ranked({ a: 1, b: 2 }), `${days} days after its end`);
      await to.archive();
    }
    assert.deepEqual(await to.deployment.redis.command('KEYS', '*:season:*'), []);
    await to.send([{ action: 'view', item: 'c', at: NOW }]);
    assert.equal(await to.archive(), 1);
    assert.deepEqual(await season(), ranked({ a: 1, b: 2, c: 1 }), 'what came late');
    const { body } = await to.deployment.fetch('/v1/demo/boards/articles/cups/members/c?period=2026-11-11');
    assert.equal(body.score, 1);
  } finally {
    await to.stop();
  }
});

test('objects that nothing names are taken away, a run after the other', async () => {
  const to = await start();
  try {
    to.setClocks(NOW);
    await to.fill(FEW);
    to.setClocks(COPIED);
    for (let runs = 0; runs < 2; runs += 1) await to.archive();
    const named = await to.objects.names();
    const orphans = Array.from({ length: 30 }, (_, i) => `eb/demo/articles/members/day/2026-10-${String(i + 1).padStart(2, '0')}/x.gz`);
    const [part] = named.filter((name) => name.includes('/members/'));
    await to.objects.put(...orphans, `${part}.old`);
    to.setClocks(COPIED + 8 * DAY_MS);
    await to.archive();
    assert.ok((await to.objects.names()).length > named.length, 'a bounded number at a time');
    for (let runs = 0; runs < 3; runs += 1) await to.archive();
    assert.deepEqual(await to.objects.names(), named);
    assert.deepEqual(shown((await to.day()).body), ranked(FEW));
  } finally {
    await to.stop();
  }
});

test('what comes late for an archived period may be refused', async () => {
  const to = await start({ board: { late: 'refuse' } });
  try {
    to.setClocks(NOW);
    await to.send([
      { action: 'view', item: 'a' },
      { action: 'like', item: 'b', actor: 'ben' },
    ]);
    to.setClocks(FORGOTTEN - 2 * DAY_MS);
    await to.archive();
    await to.send([{ action: 'view', item: 'a', at: NOW }]);
    to.setClocks(FORGOTTEN);
    await to.archive();
    const late = [
      { action: 'view', item: 'a', at: NOW },
      { action: 'like', item: 'b', actor: 'ben', undo: true },
    ];
    const { body } = await to.deployment.events({ events: late });
    assert.deepEqual(
      body.rejected.map((/** @type {any} */ { index, code }) => [index, code]),
      [[0, 'too-old']],
      'an undo takes nothing back there',
    );
    assert.equal(await to.archive(), 0);
    assert.deepEqual(shown((await to.day()).body), [
      ['b', 2],
      ['a', 2],
    ]);
  } finally {
    await to.stop();
  }
});

test('without a bucket Redis keeps what it has, and says why', async () => {
  const to = await start({ kept: 'nowhere' });
  try {
    to.setClocks(NOW);
    await to.fill(FEW);
    to.setClocks(FORGOTTEN);
    assert.equal(await to.archive(), 0);
    assert.deepEqual(await to.stored(), [4, 0]);
    assert.deepEqual(await to.counted(), { runs: 0, members: 0, failed: 1 });
    assert.ok(to.deployment.worker.log.some(({ message }) => /archive = true needs the R2 bucket binding ARCHIVE/.test(message)));
    assert.equal((await to.day()).body.code, 'binding-missing');
  } finally {
    await to.stop();
  }
});
