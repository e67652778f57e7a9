/**
 * Boards of authors: events on items count for who wrote them.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { ADMIN_TOKEN, edit as editOn, lines } from './site.mjs';
import { entriesOf, startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const SITE = {
  origins: ['*'],
  journal: '1d',
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    authors: { members: 'authors', weights: { view: 1, like: 2 }, windows: ['day', 'all', 'last-2-days'], details: true, fresh: '1s' },
    stories: { weights: { view: 1, like: 2 }, windows: ['all'], fresh: '1s' },
  },
};

describe('boards of authors', () => {
  /** @type {Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN }, hasDatabase: true });
  });
  after(() => deployment.stop());
  /** Each test has items of its own. */
  let item = '';
  let tests = 0;
  beforeEach(async () => {
    await deployment.reset();
    item = `/posts/${++tests}`;
    const posts = [
      { id: item, author: 'ann' },
      { id: `${item}/b`, author: 'ann' },
      { id: `${item}/c`, author: 'bob' },
    ];
    assert.equal((await edit('PUT', 'items', lines(posts))).body.accepted, 3);
  });

  /** @param {string} method @param {string} path @param {unknown} [body] */
  const edit = (method, path, body) => editOn(deployment, method, path, body);
  const change = (/** @type {string} */ author) => edit('PATCH', `items/${encodeURIComponent(item)}`, { author });
  /** @param {...object} events */
  async function count(...events) {
    const { status, body } = await deployment.events({ events });
    assert.equal(status, 200);
    return body.rejected.map((/** @type {{ code: string }} */ { code }) => code);
  }
  /** @param {string} ranking */
  const shown = async (ranking) => entriesOf(await deployment.freshTop(ranking));

  test('an event counts for the author of its item', async () => {
    const view = (/** @type {string} */ of) => ({ action: 'view', item: of });
    assert.equal((await deployment.beacon({ events: [view(item), view(`${item}/b`), view(`${item}/c`), view('/nobody')] })).status, 204);
    for (const window of ['day', 'all', 'last-2-days']) {
      assert.deepEqual(
        await shown(`authors/${window}`),
        [
          ['ann', 2],
          ['bob', 1],
        ],
        window,
      );
    }
    await edit('PUT', 'actors/ann', { name: 'Ann' });
    const { entries } = (await deployment.freshTop('authors/all')).body;
    assert.deepEqual([entries[0].details?.name, entries[1].details], ['Ann', undefined]);
  });

  test('an undo goes to the author for whom it counted', async () => {
    const like = { action: 'like', item, actor: 'eve' };
    await count(like, { action: 'view', item });
    assert.equal((await change('bob')).status, 200);
    assert.deepEqual(await count(like), ['already-done']);
    await count({ ...like, actor: 'sue' });
    assert.deepEqual(await shown('authors/all'), [
      ['ann', 3],
      ['bob', 2],
    ]);
    assert.deepEqual(await count({ ...like, undo: true }), []);
    assert.deepEqual(await shown('authors/all'), [
      ['bob', 2],
      ['ann', 1],
    ]);
    assert.deepEqual(await count({ ...like, actor: 'sue', undo: true }, like), []);
    assert.deepEqual(await shown('authors/all'), [
      ['bob', 2],
      ['ann', 1],
    ]);
    await change('ann');
    assert.deepEqual(await count({ ...like, undo: true }), []);
    assert.deepEqual(await shown('authors/all'), [['ann', 1]]);
    assert.deepEqual(await shown('stories/all'), [[item, 1]]);
  });

  test('what is revoked of an item is taken from its authors', async () => {
    await count({ action: 'view', item }, { action: 'view', item: `${item}/b` });
    await change('bob');
    await count({ action: 'view', item }, { action: 'like', item, actor: 'eve' });
    assert.deepEqual(await shown('authors/all'), [
      ['bob', 3],
      ['ann', 2],
    ]);
    const { status, body } = await edit('POST', 'admin/revoke', { item, from: '2020-01-01T00:00:00Z' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(await shown('authors/all'), [['ann', 1]]);
  });
});
