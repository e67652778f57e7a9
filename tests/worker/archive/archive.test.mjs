/**
 * The archive, in a bucket and in another Redis: a period is in it when Redis forgets it, whole, and is answered from it.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { KEPT } from './kept.mjs';
import { COPIED, DAY_MS, FORGOTTEN, many, MINUTE_MS, NOW, ranked, shown, start } from './site.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Started */
/** @typedef {import('./site.mjs').Scores} Scores */

const FEW = { a: 4, b: 3, c: 2, d: 1 };
const HALF_YEAR_MS = 180 * DAY_MS;

for (const kept of KEPT)
  describe(`an archive in a ${kept}`, () => {
    /** @type {Started} */
    let to;
    beforeEach(async () => {
      to = await start({ kept });
      to.setClocks(NOW);
    });
    afterEach(() => to.stop());

    /** Compares the day with a model, through every answer about it. @param {Scores} scores */
    async function check(scores, { sample = Object.keys(scores).length } = {}) {
      const expected = ranked(scores);
      const { status, body, text } = await to.day('&limit=1000');
      assert.equal(status, 200, text);
      assert.deepEqual(shown(body), expected.slice(0, 1000));
      assert.equal(body.total, expected.length);
      const step = Math.max(1, Math.floor(expected.length / sample));
      for (let i = 0; i < expected.length; i += step) {
        const [id, score] = expected[i] ?? assert.fail();
        const found = await to.member(id, '&around=1');
        assert.deepEqual([found.body.rank, found.body.score, found.body.total], [i + 1, score, expected.length], id);
        const near = found.body.around.map((/** @type {any} */ entry) => entry.id);
        assert.deepEqual(
          near,
          expected.slice(Math.max(0, i - 1), i + 2).map(([member]) => member),
        );
      }
    }

    test('a period is archived after its end, and Redis forgets it when it is no longer kept', async () => {
      await to.fill(FEW);
      to.setClocks(COPIED - 2 * MINUTE_MS);
      assert.equal(await to.archive(), 0, 'what pages held back may still come');
      to.setClocks(COPIED);
      assert.equal(await to.archive(), 1);
      assert.deepEqual(await to.counted(), { runs: 2, members: 4, failed: 0 }, 'the metrics tell it');
      assert.deepEqual(await to.stored(), [4, 0], 'Redis answers for as long as it is kept');
      assert.equal(await to.archive(), 0, 'once');

      to.setClocks(FORGOTTEN);
      await check(FEW); // before upkeep came by
      assert.equal(await to.archive(), 1);
      assert.deepEqual(await to.stored(), [0, 0]);
      assert.equal(await to.archive(), 0);
      await check(FEW);
      to.setClocks(FORGOTTEN + HALF_YEAR_MS);
      await check(FEW);
      assert.equal((await to.member('z')).body.code, 'not-on-board');
      assert.equal((await to.deployment.freshTop('articles/day', '?period=2026-11-19')).body.code, 'unknown-period');
      const ranks = await to.deployment.fetch('/v1/demo/boards/articles/day/ranks?period=2026-11-20', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ids: ['d', 'z', 'a'] }),
      });
      assert.deepEqual(
        ranks.body.ranks.map((/** @type {any} */ { rank }) => rank),
        [4, null, 1],
      );
    });

    test('members are lines of JSON', async () => {
      await to.fill({ ...FEW, 'ä"\\/': 0.1 + 0.2 });
      to.setClocks(COPIED);
      await to.archive();
      const names = await to.objects.names();
      assert.deepEqual(
        names.map((name) => name.replace(/[^/]+\.gz$/, 'X.gz')),
        ['eb/demo/articles/manifests/day/2026-11-20.json', 'eb/demo/articles/members/day/2026-11-20/X.gz'],
      );
      const lines = (await to.objects.read(names.find((name) => name.endsWith('.gz')) ?? '')).trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        [...Object.entries(FEW), ['ä"\\/', 0.1 + 0.2]].map(([id, score]) => ({ id, score })),
      );
    });

    test('a period of many parts', async () => {
      const scores = many(32_000);
      await to.fill(scores);
      to.setClocks(COPIED);
      assert.equal(await to.archive(), 1);
      to.setClocks(FORGOTTEN);
      assert.equal(await to.archive(), 1);
      assert.deepEqual(await to.stored(), [0, 0]);
      assert.equal((await to.objects.names()).length, 1 + 7 + 1, 'a manifest, parts and an index, and nothing that is no longer named');
      await check(scores, { sample: 40 });

      // Into the first part, the last one, and from one to another; one that is new, and one that goes.
      await to.send([
        ...Array.from({ length: 50 }, () => ({ action: 'view', item: 'm17', at: NOW })),
        ...Array.from({ length: 3 }, () => ({ action: 'view', item: 'new', at: NOW })),
      ]);
      scores.m17 = (scores.m17 ?? 0) + 50;
      scores.new = 3;
      assert.equal(await to.archive(), 1);
      assert.deepEqual(await to.stored(), [0, 0]);
      await check(scores, { sample: 40 });
      for (const id of ['m17', 'new']) assert.equal((await to.member(id)).body.score, scores[id]);
    });

    test('upkeep that comes late says for how long Redis has a period', async () => {
      await to.fill(FEW);
      to.setClocks(COPIED);
      await to.archive();
      to.setClocks(FORGOTTEN + 15 * DAY_MS);
      assert.equal(await to.archive(), 1);
      const logged = to.deployment.worker.log.map(({ message }) => message);
      assert.ok(
        logged.some((message) => /demo.articles: archive: Redis forgets the day 20777 in 14 days/.test(message)),
        logged.join('\n'),
      );
      await check(FEW);
    });

    test('late events and undos of a period that is archived', async () => {
      await to.send([
        { action: 'like', item: 'a', actor: 'ann' },
        { action: 'like', item: 'b', actor: 'ben' },
        { action: 'view', item: 'b' },
        { action: 'like', item: 'c', actor: 'cas' },
      ]);
      to.setClocks(COPIED);
      await to.archive();
      // Redis still keeps it.
      await to.send([{ action: 'view', item: 'late', at: NOW }]);
      to.setClocks(FORGOTTEN);
      assert.equal(await to.archive(), 1);
      await check({ a: 2, b: 3, c: 2, late: 1 });
      // Redis forgot it.
      await to.send([
        { action: 'view', item: 'a', at: NOW },
        { action: 'view', item: 'a', at: NOW },
        { action: 'like', item: 'b', actor: 'ben', undo: true },
        { action: 'like', item: 'c', actor: 'cas', undo: true },
        { action: 'view', item: 'later', at: NOW },
      ]);
      await check({ a: 2, b: 3, c: 2, late: 1 });
      assert.equal(await to.archive(), 1);
      await check({ a: 4, b: 1, late: 1, later: 1 });
      assert.deepEqual(await to.stored(), [0, 0]);
      await to.send([{ action: 'view', item: 'later', at: NOW }]);
      assert.equal(await to.archive(), 1);
      await check({ a: 4, b: 1, late: 1, later: 2 });
      assert.equal((await to.objects.names()).length, 2, 'what was written before is gone');
    });

    test('a Redis that lost everything replaces nothing', async () => {
      await to.fill(FEW);
      to.setClocks(COPIED);
      await to.archive();
      await to.deployment.redis.command('FLUSHALL');
      await check(FEW);
      await to.send([{ action: 'view', item: 'b', at: NOW }]);
      await to.archive();
      await check({ ...FEW, b: 4 });
      await to.send([{ action: 'view', item: 'a', at: NOW }]);
      to.setClocks(FORGOTTEN);
      await to.archive();
      await check({ ...FEW, a: 5, b: 4 });
      assert.deepEqual(await to.stored(), [0, 0]);
    });

    test('an export has all members, wherever they are', async () => {
      const scores = many(11_000);
      const expected = ranked(scores);
      await to.fill({ ...scores, '=1+"1"': 1000, lost: -3 });
      const all = [['=1+"1"', 1000], ...expected, ['lost', -3]];
      for (const at of [NOW, COPIED, FORGOTTEN]) {
        to.setClocks(at);
        const lines = await to.download('ndjson', at === NOW ? '' : '?period=2026-11-20');
        assert.equal(lines.status, 200, lines.text);
        assert.match(lines.headers.get('content-disposition') ?? '', /"articles-day-2026-11-20\.ndjson"/);
        const members = lines.text.trimEnd().split('\n');
        assert.deepEqual(
          members.map((line) => Object.values(JSON.parse(line))),
          all,
        );
        await to.archive();
      }
      const table = await to.download('csv', '?period=2026-11-20');
      const rows = table.text.split('\r\n');
      assert.deepEqual(rows.slice(0, 3), ['id,score', '"\'=1+""1""",1000', `"${expected[0]?.[0]}",97`]);
      assert.equal(rows.length, all.length + 2);
      assert.equal((await to.download('csv', '?period=2026-11-19')).status, 404);
      assert.equal((await to.download('csv', '?period=2030-01-01')).status, 404);
      // Nobody takes a part for the whole.
      const [, , part] = await to.objects.names();
      await to.objects.remove(part ?? '');
      await assert.rejects(to.download('csv', '?period=2026-11-20'));
    });

    test('hidden members are not shown', async () => {
      await to.fill({ ...FEW, e: 3, f: -1 });
      to.setClocks(FORGOTTEN);
      assert.equal(await to.archive(), 1, 'one that was never copied');
      await to.hide('c');
      await to.hide('e');
      await check({ a: 4, b: 3, d: 1 });
      assert.equal((await to.member('e')).status, 404);
      assert.equal((await to.member('f')).status, 404);
    });

    test('a part that is not what was written is not answered', async () => {
      await to.fill(FEW);
      to.setClocks(FORGOTTEN);
      await to.archive();
      const [, part] = await to.objects.names();
      await to.objects.remove(part ?? '');
      const { status, body } = await to.day();
      assert.deepEqual([status, body.code], [503, 'database-unavailable']);
    });
  });
