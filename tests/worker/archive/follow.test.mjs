/**
 * An archived period that Redis still has: what changes in it there follows in its archive, so that nothing of it is lost with Redis.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { KEPT } from './kept.mjs';
import { ADMIN_TOKEN, COPIED, many, MINUTE_MS, NOW, ranked, shown, start } from './site.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Started */
/** @typedef {import('./site.mjs').Scores} Scores */

const ADMIN = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };
/** Enough for a run that rests between two looks at what is due. */
const RESTS_MS = 6 * MINUTE_MS;

for (const kept of KEPT)
  describe(`an archived period that Redis still has, over a ${kept}`, () => {
    /** @type {Started} */
    let to;
    let at = NOW;
    beforeEach(async () => {
      to = await start({ kept, site: { journal: '30d', timezone: 'UTC' }, board: { breakdown: true } });
      pass(0, NOW);
    });
    afterEach(() => to.stop());

    /** @param {number} ms @param {number} [from] */
    function pass(ms, from = at) {
      at = from + ms;
      to.setClocks(at);
    }

    const accept = () =>
      to.deployment.fetch('/v1/demo/admin/restore', {
        method: 'POST',
        headers: { ...ADMIN.headers, 'content-type': 'application/json' },
        body: '{"accept": true}',
      });
    const restore = () => to.deployment.fetch('/v1/demo/admin/restore', { method: 'POST', ...ADMIN });

    /** Brings back what Redis had before, as if it had lost nothing. @param {Awaited<ReturnType<Started['snapshot']>>} before */
    async function goBack(before) {
      await to.restore(before);
      // It is noticed first.
      await to.upkeep();
      const { status, text } = await accept();
      assert.equal(status, 200, text);
    }

    /** Loses everything, and asks the archive. @param {Scores} scores */
    async function checkArchive(scores) {
      const before = await to.snapshot();
      await to.deployment.redis.command('FLUSHALL');
      await check(scores, 'from the archive');
      const { status, body, text } = await restore();
      assert.deepEqual([status, body.done], [200, true], text);
      await check(scores, 'restored');
      await goBack(before);
    }

    /** @param {Scores} scores @param {string} message */
    async function check(scores, message) {
      pass(MINUTE_MS);
      const { body, text } = await to.day('&limit=1000');
      assert.deepEqual(shown(body), ranked(scores).slice(0, 1000), `${message} ${text.slice(0, 500)}`);
      assert.equal(body.total, ranked(scores).length, message);
    }

    const like = (/** @type {string} */ actor, /** @type {string} */ item, more = {}) => ({ action: 'like', item, actor, ...more });
    const late = (/** @type {string} */ item, more = {}) => ({ action: 'view', item, at: NOW, ...more });

    test('nobody, when the last one went, and who came after', async () => {
      await to.send([like('ann', 'a')]);
      pass(0, COPIED);
      assert.equal(await to.archive(), 1);
      await to.send([like('ann', 'a', { undo: true })]);
      pass(RESTS_MS);
      await to.upkeep();
      await check({}, 'in Redis');
      await checkArchive({});
      await to.send([late('b')]);
      pass(RESTS_MS);
      await to.upkeep();
      await checkArchive({ b: 1 });
    });

    test('late events and undos', async () => {
      await to.send([like('ann', 'a'), like('ben', 'b'), late('b'), like('cas', 'c')]);
      pass(0, COPIED);
      assert.equal(await to.archive(), 1, JSON.stringify(to.deployment.worker.log));
      await checkArchive({ a: 2, b: 3, c: 2 });
      await to.send([late('new'), late('new'), late('a'), like('cas', 'c', { undo: true }), like('ben', 'b', { undo: true })]);
      pass(RESTS_MS);
      assert.equal(await to.archive(), 1, 'it follows');
      await checkArchive({ a: 3, b: 1, new: 2 });
      assert.equal(await to.archive(), 0, 'once');
      // Nothing is left, and something comes again.
      await to.send([like('ann', 'a', { undo: true })]);
      pass(RESTS_MS);
      await to.archive();
      await checkArchive({ a: 1, b: 1, new: 2 });
      assert.equal((await to.objects.names()).length, 2, 'a manifest and a part');
    });

    test('what was revoked, and who was removed or erased', async () => {
      await to.send([
        late('a'),
        late('b', { actor: 'eve' }),
        late('c'),
        ...Array.from({ length: 9 }, () => late('flood', { actor: 'eve' })),
      ]);
      pass(0, COPIED);
      await to.archive();
      const revoked = await to.deployment.fetch('/v1/demo/admin/revoke', {
        method: 'POST',
        headers: { ...ADMIN.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ actor: 'eve', from: new Date(NOW - MINUTE_MS).toISOString(), until: new Date(COPIED).toISOString() }),
      });
      assert.equal(revoked.status, 200, revoked.text);
      pass(RESTS_MS);
      await to.archive();
      await checkArchive({ a: 1, c: 1 });
      await to.send([late('c'), late('d')]);
      assert.equal((await to.remove('c')).status, 200);
      pass(RESTS_MS);
      await to.archive();
      await checkArchive({ a: 1, d: 1 });
    });

    test('what comes while a day of many parts is copied', async () => {
      const scores = many(12_000);
      await to.fill(scores);
      pass(0, COPIED);
      let sent = false;
      to.deployment.link.loseRepliesWhen(() => false);
      const run = to.archive();
      while (!sent) {
        await to.send([late('m5'), late('between'), late('m11999')]);
        sent = true;
      }
      await run;
      pass(RESTS_MS);
      await to.archive();
      await checkArchive({ ...scores, m5: (scores.m5 ?? 0) + 1, between: 1, m11999: (scores.m11999 ?? 0) + 1 });
    });
  });

for (const kept of KEPT)
  describe(`a Redis that lost something, with an archive in a ${kept}`, () => {
    /** @type {Started} */
    let to;
    let at = NOW;
    beforeEach(async () => {
      to = await start({
        kept,
        site: { journal: '30d', timezone: 'UTC' },
        board: { breakdown: true, windows: ['day', 'last-7-days', 'all'] },
      });
      pass(0, NOW);
    });
    afterEach(() => to.stop());

    /** @param {number} ms @param {number} [from] */
    function pass(ms, from = at) {
      at = from + ms;
      to.setClocks(at);
    }

    /** @param {string} path @param {object} body */
    async function ask(path, body) {
      const headers = { ...ADMIN.headers, 'content-type': 'application/json' };
      const answer = await to.deployment.fetch(`/v1/demo/admin/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    }

    /** What each window shows. */
    async function windows() {
      pass(MINUTE_MS);
      const shownOf = async (/** @type {string} */ window, query = '') =>
        shown((await to.deployment.freshTop(`articles/${window}`, query)).body);
      return { day: await shownOf('day', '?period=2026-11-20'), week: await shownOf('last-7-days'), all: await shownOf('all') };
    }

    const late = (/** @type {string} */ item, more = {}) => ({ action: 'view', item, at: NOW, ...more });
    const state = async () => (await to.deployment.fetch('/v1/demo/admin/restore', ADMIN)).body.archive;

    /** A day that was archived, and that changed since: an undo, late events and a flood that was revoked. */
    async function change() {
      await to.send([late('a'), late('b'), { action: 'like', item: 'b', actor: 'ben' }]);
      pass(0, COPIED);
      await to.archive();
      const flood = Array.from({ length: 9 }, () => late('flood', { actor: 'eve' }));
      await to.send([
        late('a'),
        late('late'),
        late('late'),
        late('late'),
        { action: 'like', item: 'b', actor: 'ben', undo: true },
        ...flood,
      ]);
      await ask('revoke', {
        actor: 'eve',
        from: new Date(NOW - MINUTE_MS).toISOString(),
        until: new Date(COPIED + MINUTE_MS).toISOString(),
      });
    }
    const CHANGED = [
      ['late', 3],
      ['a', 2],
      ['b', 1],
    ];

    test('gets back what it had, of every window, and says until when', async () => {
      await change();
      pass(RESTS_MS);
      const from = at;
      await to.archive();
      assert.deepEqual(await windows(), { day: CHANGED, week: CHANGED, all: CHANGED });
      const { until, behind } = await state();
      assert.deepEqual(behind, []);
      assert.ok(Date.parse(until) >= from, `${until} ${from}`);
      await to.deployment.redis.command('FLUSHALL');
      pass(MINUTE_MS);
      await to.send([{ action: 'view', item: 'now' }]);
      await to.upkeep();
      const { boards } = await ask('restore', {});
      const [{ window, period, until: wholeUntil }] = boards[0].archived;
      assert.deepEqual([window, period, boards[0].archived.length], ['day', '2026-11-20', 1]);
      assert.ok(Date.parse(wholeUntil) >= from && Date.parse(wholeUntil) <= Date.parse(until), `${wholeUntil} ${until}`);
      await to.upkeep();
      const since = [...CHANGED.slice(0, 2), ['now', 1], ...CHANGED.slice(2)];
      assert.deepEqual(await windows(), { day: CHANGED, week: since, all: since });
    });

    test('takes nothing out of the archive when it is an earlier one', async () => {
      await to.send([late('a'), late('b')]);
      pass(0, COPIED);
      await to.archive();
      const earlier = await to.snapshot();
      await to.send([late('c'), late('c'), late('a')]);
      pass(RESTS_MS);
      await to.archive();
      // A backup, or a replica that was behind: it has none of that, and counts on.
      await to.restore(earlier);
      pass(MINUTE_MS);
      await to.send([late('b'), late('d')]);
      await to.upkeep();
      await ask('restore', {});
      await to.upkeep();
      const day = [
        ['c', 2],
        ['b', 2],
        ['a', 2],
        ['d', 1],
      ];
      assert.deepEqual((await windows()).day, day);
      await to.deployment.redis.command('FLUSHALL');
      pass(RESTS_MS);
      assert.deepEqual((await windows()).day, day, 'the archive has it');
    });
  });
