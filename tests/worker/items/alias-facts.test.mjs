/**
 * Items that become others where boards are kept by category, and where authors are ranked by what is done to their items.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { ADMIN_TOKEN, edit } from './site.mjs';
import { entriesOf, startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    stories: { weights: { view: 1, like: 10 }, windows: ['day', 'all'], sections: 'category', fresh: '1s' },
    authors: { members: 'authors', weights: { view: 1, like: 10 }, windows: ['day'], fresh: '1s' },
  },
};
const NOW = Date.parse('2026-11-20T12:10:00Z');

describe('items of sections and authors that become others', () => {
  /** @type {Deployment} */
  let deployment;
  beforeEach(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN }, hasDatabase: true });
    deployment.clock.set(NOW);
    deployment.edgeClock.set(NOW);
    await describeItem('/a', 'sports', 'ann');
    await describeItem('/b', 'news', 'bob');
  });
  // Each test has a database of its own.
  afterEach(() => deployment.stop());

  /** @param {string} id @param {string} category @param {string} author */
  async function describeItem(id, category, author) {
    const { status } = await edit(deployment, 'PUT', `items/${encodeURIComponent(id)}`, { title: id, category, author });
    assert.equal(status < 300, true);
  }
  /** @param {string} ranking */
  const shown = async (ranking) => entriesOf(await deployment.freshTop(ranking));
  /** @param {string} item @param {string} actor @param {object} [more] */
  const like = (item, actor, more) => ({ action: 'like', item, actor, ...more });

  /** Answers the codes of refusals. @param {...object} events */
  async function count(...events) {
    const { status, body } = await deployment.events({ events });
    assert.equal(status, 200);
    return body.rejected.map((/** @type {{ code: string }} */ { code }) => code);
  }

  test('what was counted stays in its section and with its author, and counts once', async () => {
    await count(like('/a', 'u1'), like('/b', 'u2'), { action: 'view', item: '/a' });
    assert.equal((await edit(deployment, 'POST', 'items/%2Fa/alias', { to: '/b' })).status, 200);
    assert.deepEqual(await shown('stories/all'), [['/b', 21]]);
    assert.deepEqual(await shown('stories.sports/all'), [['/b', 11]]);
    assert.deepEqual(await shown('stories.news/all'), [['/b', 10]]);
    assert.deepEqual(await shown('authors/day'), [
      ['ann', 11],
      ['bob', 10],
    ]);
    await count(like('/b', 'u1'), like('/b', 'u2'));
    assert.deepEqual([await shown('stories/all'), await shown('stories.news/all')], [[['/b', 21]], [['/b', 10]]]);
    assert.deepEqual(await shown('authors/day'), [
      ['ann', 11],
      ['bob', 10],
    ]);
    await count(like('/a', 'u3'), like('/b', 'u1', { undo: true }));
    assert.deepEqual(await shown('stories/all'), [['/b', 21]]);
    assert.deepEqual(await shown('stories.sports/all'), [['/b', 1]]);
    assert.deepEqual(await shown('stories.news/all'), [['/b', 20]]);
    assert.deepEqual(await shown('authors/day'), [
      ['bob', 20],
      ['ann', 1],
    ]);
  });

  test('what comes with an old address counts where its item is now, wherever that moves', async () => {
    await describeItem('/c', 'news', 'bob');
    for (const [old, to] of [
      ['/a', '/b'],
      ['/b', '/c'],
    ])
      assert.equal((await edit(deployment, 'POST', `items/${encodeURIComponent(old)}/alias`, { to })).status, 200);
    const views = ['/a', '/b', '/c'].map((item) => ({ action: 'view', item }));
    const sent = { id: 'before', events: views };
    await deployment.events(sent);
    assert.deepEqual(await shown('stories.news/all'), [['/c', 3]]);
    // Nothing was in this section before, so nobody there knows what became what.
    await describeItem('/c', 'chess', 'eve');
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(2 * 60_000);
    await deployment.events(sent);
    await count(...views, like('/a', 'u1'));
    await deployment.worker.scheduled();
    await count(...views, like('/b', 'u2'), like('/a', 'u2'));
    assert.deepEqual([await shown('stories.news/all'), await shown('stories.chess/all')], [[['/c', 3]], [['/c', 26]]]);
    assert.deepEqual(await shown('authors/day'), [
      ['eve', 26],
      ['bob', 3],
    ]);
    await count(like('/c', 'u1', { undo: true }), like('/c', 'u2', { undo: true }));
    assert.deepEqual([await shown('stories.chess/all'), await shown('stories/all')], [[['/c', 6]], [['/c', 9]]]);
  });

  test('the scheduled run notes of old addresses what Redis lost', async () => {
    assert.equal((await edit(deployment, 'POST', 'items/%2Fa/alias', { to: '/b' })).status, 200);
    await deployment.redis.command('DEL', 'eb:{demo}:facts');
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(2 * 60_000);
    await deployment.worker.scheduled();
    await count({ action: 'view', item: '/a' });
    assert.deepEqual(await shown('stories.news/all'), [['/b', 1]]);
  });
});
