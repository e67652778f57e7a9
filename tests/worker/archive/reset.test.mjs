/**
 * A reset of a board with an archive: what is over is archived first, and stays readable. What it takes of current periods is archived apart.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { KEPT } from './kept.mjs';
import { ADMIN_TOKEN, COPIED, DAY_MS, many, MINUTE_MS, NOW, ranked, shown, start } from './site.mjs';
import { killAtEachStep } from '../../support/killed.mjs';
import { longTest } from '../../support/part.mjs';

const board = { windows: ['day', 'last-2-days'] };

const BOARD = '/v1/demo/admin/boards/articles';

const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** @typedef {Awaited<ReturnType<typeof start>>} To */

/** @param {To} to */
const reset = (to, query = '?window=last-2-days') =>
  to.deployment.fetch(`${BOARD}/reset${query}`, {
    method: 'POST',
    headers,
  });

for (const kept of KEPT)
  test(`days that a rolling window takes with it are in the archive in a ${kept}`, async () => {
    const to = await start({ kept, board });
    try {
      to.setClocks(NOW);
      await to.send([{ action: 'view', item: 'a' }]);
      to.setClocks(COPIED);
      await to.send([{ action: 'view', item: 'b' }]);
      const { status, body, text } = await reset(to);
      assert.deepEqual([status, body.entries], [200, 2], text);
      assert.deepEqual(await to.stored(), [0, 0], 'Redis has it no more');
      assert.deepEqual(shown((await to.day()).body), [['a', 1]]);
      for (const window of board.windows) assert.deepEqual(shown((await to.deployment.freshTop(`articles/${window}`)).body), [], window);
    } finally {
      await to.stop();
    }
  });

/** What resets took, as it is listed. @param {To} to */
async function listed(to) {
  const resets = [];
  for (let cursor = ''; ; ) {
    const { status, body, text } = await to.deployment.fetch(`${BOARD}/reset?${new URLSearchParams({ cursor })}`, { headers });
    assert.equal(status, 200, text);
    if (body.cursor === null) return resets;
    resets.push(...body.resets);
    cursor = body.cursor;
  }
}

/** What resets took, as it is exported, by window and period. @param {To} to */
async function taken(to) {
  /** @type {Record<string, [string, number][]>} */
  const found = {};
  for (const { window, period, reset_at } of await listed(to)) {
    const query = new URLSearchParams({ period, reset_at });
    const response = await to.deployment.worker.fetch(`${BOARD}/export/${window}.ndjson?${query}`, { headers });
    assert.equal(response.status, 200);
    const lines = (await response.text()).split('\n').filter(Boolean);
    assert.equal(found[`${window} ${period}`], undefined, 'it is taken once');
    found[`${window} ${period}`] = lines.map((line) => JSON.parse(line)).map(({ id, score }) => [id, score]);
  }
  return found;
}

const view = (/** @type {string} */ item) => ({ action: 'view', item });

for (const kept of KEPT)
  test(`what is taken of current periods is in the archive by itself, in a ${kept}`, async () => {
    const to = await start({ kept, board: { windows: ['day', 'all', 'last-2-days'] } });
    try {
      to.setClocks(NOW);
      await to.send([view('a'), view('b'), view('b')]);
      const { status, body, text } = await reset(to, '');
      assert.equal(status, 200, text);
      const both = [
        ['b', 2],
        ['a', 1],
      ];
      const all = { 'all all': both, 'day 2026-11-20': both };
      assert.deepEqual(await taken(to), all);
      for (const { reset_at } of await listed(to)) assert.equal(reset_at, body.reset_at);
      assert.deepEqual(await to.deployment.redis.command('KEYS', '*:reset:*'), [], 'Redis has it no more');

      await to.send([view('c')]);
      to.setClocks(COPIED);
      assert.equal(await to.archive(), 1);
      assert.deepEqual(shown((await to.day()).body), [['c', 1]], 'the period has what came after the reset');
      const own = 'eb/demo/articles/manifests/day/2026-11-20.json';
      assert.equal(JSON.parse(await to.objects.read(own)).total, 1);

      // What no manifest names is taken away, beside it as well.
      const named = await to.objects.names();
      const part = named.find((name) => name.includes('/members/resets/')) ?? assert.fail();
      await to.objects.put(`${part}.old`, 'eb/demo/articles/members/resets/try');
      to.setClocks(COPIED + 8 * DAY_MS);
      await to.archive();
      assert.deepEqual(await to.objects.names(), named);
      assert.deepEqual(await taken(to), all);
    } finally {
      await to.stop();
    }
  });

test('erasure and removals reach what resets took', async () => {
  const to = await start({ board: { members: 'actors', windows: ['day', 'all'] } });
  try {
    to.setClocks(NOW);
    await to.send(['ann', 'ben', 'junk1', 'junk2', 'zoe'].map((actor) => ({ ...view('x'), actor })));
    assert.equal((await reset(to, '')).status, 200);
    assert.equal((await to.erase('ann')).status, 204);
    assert.equal((await to.remove('ben')).status, 200);
    assert.equal((await to.removePrefix('junk')).status, 200);
    assert.deepEqual(await taken(to), { 'all all': [['zoe', 1]], 'day 2026-11-20': [['zoe', 1]] });
    for (const name of await to.objects.names()) assert.doesNotMatch(await to.objects.read(name), /ann|ben|junk/);
  } finally {
    await to.stop();
  }
});

const seasons = { name: 'cups', kind: 'season', from: '2026-11-01', until: '2026-12-01', every: '10 days' };
test('a season, in the order of ties', async () => {
  const to = await start({ board: { windows: [seasons], ties: 'first' } });
  try {
    to.setClocks(NOW);
    for (const id of ['c', 'a', 'b']) await to.send([view(id)]);
    const { status, body, text } = await reset(to, '?window=cups');
    assert.deepEqual([status, body.entries], [200, 3], text);
    assert.deepEqual(await taken(to), { 'cups 2026-11-11': ['c', 'a', 'b'].map((id) => [id, 1]) });
    assert.deepEqual(shown((await to.deployment.freshTop('articles/cups')).body), []);
  } finally {
    await to.stop();
  }
});

test('counts by action go with it', async () => {
  const to = await start({ board: { breakdown: true } });
  try {
    to.setClocks(NOW);
    await to.send([view('a'), { action: 'like', item: 'a', actor: 'ann' }]);
    assert.equal((await reset(to, '')).status, 200);
    const part = (await to.objects.names()).find((name) => name.includes('/members/resets/day/')) ?? assert.fail();
    assert.deepEqual(JSON.parse(await to.objects.read(part)), { id: 'a', score: 3, actions: { view: [1, 1], like: [1, 2] } });
    assert.deepEqual(await to.deployment.redis.command('KEYS', '*:reset:*'), []);
  } finally {
    await to.stop();
  }
});

/** A reset that ends after any of its round trips to Redis is done or not, and nothing that was counted is in neither. */
for (const kept of KEPT)
  longTest(`a reset that is killed at each step, over a ${kept}`, async () => {
    const storage = await mkdtemp(join(tmpdir(), 'reset-'));
    const to = await start({ kept, storage, board });
    const scores = many(6_000);
    const done = new Set();
    // Another time for each, so that no cache has what the one before left.
    const at = (/** @type {number} */ killedAt) => NOW - 6 * 60 * MINUTE_MS + killedAt * 5 * MINUTE_MS;
    try {
      const steps = await killAtEachStep(to.deployment.link, {
        async before(killedAt) {
          await to.deployment.reset();
          await to.objects.remove(...(await to.objects.names()));
          to.setClocks(at(killedAt));
          await to.send([view('m1')]);
          await to.fill(scores);
        },
        run: () => reset(to, ''),
        async after(killedAt) {
          to.setClocks(at(killedAt) + MINUTE_MS);
          await to.send([view('new')]);
          await to.archive();
          const all = await taken(to);
          const isDone = Object.keys(all).length > 0;
          done.add(isDone);
          const { body } = await to.deployment.freshTop('articles/day', '?limit=1000');
          assert.equal(body.total, isDone ? 1 : 6_001, `killed at ${killedAt}`);
          if (isDone) assert.deepEqual(all, { 'day 2026-11-20': ranked(scores) }, `killed at ${killedAt}`);
          const remaining = await to.deployment.redis.command('KEYS', '*:reset:*');
          assert.deepEqual(remaining, [], `killed at ${killedAt}`);
        },
      });
      assert.ok(steps > 6 && done.size === 2, `${steps} steps`);
    } finally {
      await to.stop();
      await rm(storage, { recursive: true, force: true });
    }
  });

test('where there is no archive nothing is reset', async () => {
  const to = await start({ kept: 'nowhere', board });
  try {
    to.setClocks(NOW);
    await to.send([{ action: 'view', item: 'a' }]);
    const { status, body } = await reset(to);
    assert.deepEqual([status, body.code], [500, 'binding-missing']);
    assert.deepEqual(shown((await to.deployment.freshTop('articles/day')).body), [['a', 1]]);
  } finally {
    await to.stop();
  }
});

test('where the archive takes nothing nothing is reset', async () => {
  const to = await start({ kept: 'redis', board });
  try {
    to.setClocks(NOW);
    await to.send([view('a')]);
    await to.objects.refuseAll();
    const { status, body } = await reset(to);
    assert.deepEqual([status, body.code], [503, 'database-unavailable']);
    assert.deepEqual(shown((await to.deployment.freshTop('articles/day')).body), [['a', 1]]);
  } finally {
    await to.stop();
  }
});

test('what cannot be exported', async () => {
  const at = '2026-11-20T23:30:00Z';
  const to = await start({ board });
  try {
    to.setClocks(NOW);
    const cases = [
      ['reset_at=today&period=2026-11-20', 400, 'invalid-parameter'],
      [`reset_at=${at}`, 400, 'invalid-parameter'],
      [`reset_at=${at}&period=2026-11-20`, 404, 'unknown-period'],
    ];
    for (const [query, status, code] of cases) {
      const { status: found, text } = await to.download('ndjson', `?${query}`);
      assert.deepEqual([found, JSON.parse(text).code], [status, code], text);
    }
  } finally {
    await to.stop();
  }
});
