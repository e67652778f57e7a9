/**
 * What was counted for an item in one section, and is sent again when the item is in another one: it counts once, and nobody else pays
 * for it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, edit, lines } from './site.mjs';
import { startDeployment } from '../../support/deployment.mjs';
import { INGESTS } from '../../support/ingests.mjs';
import { until } from '../../support/until.mjs';

const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-11-20T12:10:00Z');
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    stories: { weights: { view: 1, like: 2 }, windows: ['all'], sections: 'category' },
    people: { members: 'actors', weights: { view: 1 }, windows: ['all'], sections: 'category' },
    writers: { members: 'authors', weights: { view: 1 }, windows: ['all'], sections: 'category' },
    credits: { members: 'authors', weights: { view: 1 }, windows: ['all'] },
  },
};
const view = (/** @type {string} */ item) => ({ action: 'view', item, actor: 'ann' });

/** @param {import('node:test').TestContext} t @param {string} ingest */
async function start(t, ingest) {
  const sites = { demo: { ...SITE, ingest } };
  const deployment = await startDeployment({
    transport: 'redis://',
    sites: /** @type {any} */ (sites),
    vars: { ADMIN_TOKEN },
    hasDatabase: true,
    hasQueue: ingest === 'queue',
  });
  t.after(deployment.stop);
  deployment.clock.set(NOW);
  deployment.edgeClock.set(NOW);
  /** Describes items, and lets every isolate forget what it knew. @param {...[string, string, string]} items */
  const describe = async (...items) => {
    const described = lines(items.map(([id, category, author]) => ({ id, title: id, category, author })));
    assert.equal((await edit(deployment, 'PUT', 'items', described)).status, 200);
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(2 * MINUTE_MS);
  };
  /** @param {string} board */
  const scores = async (board) => {
    const key = `eb:{demo:${board}}:all:0`;
    const members = (await deployment.redis.command('ZRANGE', key, '0', '-1')).filter((/** @type {string} */ id) => !id.startsWith('\0'));
    const each = members.map(async (/** @type {string} */ id) => [id, Number(await deployment.redis.command('ZSCORE', key, id))]);
    return Object.fromEntries(await Promise.all(each));
  };
  let fences = 0;
  /** Everything that was sent before is counted when this is: a queue keeps its order. */
  const settle = async () => {
    fences += 1;
    await deployment.events({ id: `fence-${fences}`, events: [view('/fence')] });
    await until('all is counted', async () => (await scores('stories'))['/fence'] === fences);
  };
  return { ...deployment, describe, scores, settle };
}

for (const ingest of INGESTS) {
  test(`${ingest}: a batch that is sent again after its items moved counts in no new section`, async (t) => {
    const { describe, scores, settle, events, beacon } = await start(t, ingest);
    await describe(['/a', 'sports', 'ida'], ['/b', 'sports', 'ida'], ['/c', 'news', 'eve'], ['/d', 'sports', 'ida'], ['/e', '', '']);
    const batches = [
      { id: 'batch-1', events: [view('/a'), view('/b'), view('/c'), view('/a')] },
      { id: 'batch-2', events: [view('/a')] },
      {
        events: [
          { ...view('/a'), id: 'own-1' },
          { ...view('/c'), id: 'own-2' },
        ],
      },
      { ...view('/b'), id: 'batch-3/1' },
    ];
    const page = { id: 'page-1', events: [{ action: 'view', item: '/a' }] };
    const send = async () => {
      for (const batch of batches) assert.ok([200, 202].includes((await events(batch)).status));
      assert.equal((await beacon(page)).status, 204);
      await settle();
    };
    await send();
    const expected = {
      'stories.sports': { '/a': 5, '/b': 2 },
      'people.sports': { ann: 6 },
      'writers.sports': { ida: 7 },
      credits: { eve: 2, ida: 7 },
    };
    for (const [board, members] of Object.entries(expected)) assert.deepEqual(await scores(board), members, board);
    const news = { '/c': 2 };
    assert.deepEqual(await scores('stories.news'), news);
    // One moves to a section that is there, one to a new one, and twice; and their author changes.
    await describe(['/a', 'news', 'eve'], ['/b', 'chess', 'ida']);
    await send();
    await describe(['/a', 'chess', 'eve']);
    await send();
    // What comes anew counts where its item is now.
    await events({ id: 'batch-4', events: [view('/a'), view('/d'), view('/b')] });
    await settle();
    assert.deepEqual(await scores('stories.sports'), { '/a': 5, '/b': 2, '/d': 1 });
    assert.deepEqual(await scores('stories.news'), news);
    assert.deepEqual(await scores('stories.chess'), { '/a': 1, '/b': 1 });
    assert.deepEqual([await scores('people.sports'), await scores('people.chess')], [{ ann: 7 }, { ann: 2 }]);
    assert.deepEqual([await scores('writers.sports'), await scores('writers.chess')], [{ ida: 8 }, { eve: 1, ida: 1 }]);
    // On one board of authors the ids are known whoever the author is.
    assert.deepEqual(await scores('credits'), { eve: 3, ida: 9 });
  });
}

test('a like that was undone and is sent again after its item moved counts nowhere', async (t) => {
  const { describe, scores, events } = await start(t, 'direct');
  await describe(['/a', 'sports', 'ida'], ['/b', 'news', 'ida']);
  await events({ id: 'before', events: [view('/b')] });
  const like = { action: 'like', item: '/a', actor: 'ann' };
  const [does, undoes] = [
    { id: 'batch-1', events: [like] },
    { id: 'batch-2', events: [{ ...like, undo: true }] },
  ];
  await events(does);
  await events(undoes);
  await describe(['/a', 'news', 'ida']);
  for (const batch of [does, undoes, does]) {
    await events(batch);
    assert.deepEqual(
      [await scores('stories.sports'), await scores('stories.news'), await scores('stories')],
      [{}, { '/b': 1 }, { '/b': 1 }],
    );
  }
});

test('items that never moved, and those that moved long ago, cost nothing more', async (t) => {
  const { describe, events, commandsDuring, clock, edgeClock } = await start(t, 'direct');
  await describe(['/a', 'sports', 'ida'], ['/b', 'sports', 'ida'], ['/c', 'news', 'ida']);
  let batches = 0;
  const cost = async (/** @type {string} */ item) => {
    const send = async () => {
      batches += 1;
      const { body } = await events({ id: `batch-${batches}`, events: [view(item)] });
      assert.equal(body.accepted, 1);
    };
    // The first ones make keys and plans, and read what is known of the item. One call of 64 looks how many ids are remembered.
    await send();
    await send();
    const counts = [];
    for (let time = 0; time < 5; time += 1) counts.push(await commandsDuring(send));
    return counts.reduce((least, each) => (sum(each) < sum(least) ? each : least));
  };
  const sum = (/** @type {Record<string, number>} */ counts) => Object.values(counts).reduce((all, count) => all + count, 0);
  for (const item of ['/c', '/b']) await cost(item);
  const before = await cost('/b');
  await describe(['/a', 'news', 'ida']);
  const unmoved = await cost('/b');
  const moved = await cost('/a');
  assert.deepEqual(unmoved, before);
  assert.equal(moved.calls - (await cost('/c')).calls, 3, 'one call for each board of the section in which it was');
  for (const each of [clock, edgeClock]) each.advance(12 * 86_400_000);
  await cost('/a');
  assert.deepEqual((await cost('/a')).calls, (await cost('/c')).calls);
});
