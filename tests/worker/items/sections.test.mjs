/**
 * Boards that are kept for each category of the items: made on demand, and then like any other board.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { ADMIN_TOKEN, edit as editOn, lines } from './site.mjs';
import { entriesOf, startDeployment } from '../../support/deployment.mjs';
import { untilReceived, viewers } from '../../support/viewers.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true }, comment: {} },
  boards: {
    stories: {
      weights: { view: 1, like: 2, comment: 3 },
      windows: ['hour', 'day', 'all', 'last-2-hours', { name: 'hot', kind: 'half-life', half_life: '6h' }],
      sections: 'category',
      max_sections: 3,
      history: 3,
      fresh: '1s',
    },
    people: { members: 'actors', weights: { view: 1 }, windows: ['day'], sections: 'category' },
    plain: { weights: { view: 1 }, windows: ['day'] },
  },
};
const NOW = Date.parse('2026-11-20T12:10:00Z');

describe('boards of sections', () => {
  /** @type {Deployment} */
  let deployment;
  beforeEach(async () => {
    deployment = await startDeployment({
      transport: 'redis://',
      sites: { demo: SITE, other: SITE },
      vars: { ADMIN_TOKEN },
      hasDatabase: true,
      relayed: true,
    });
    deployment.clock.set(NOW);
    deployment.edgeClock.set(NOW);
    assert.equal(
      (await edit('PUT', 'items', lines([item('/s/1', 'sports'), item('/s/2', 'sports'), item('/w/1', 'World News')]))).status,
      200,
    );
  });
  afterEach(() => deployment.stop());

  /** @param {string} id @param {string} category */
  const item = (id, category) => ({ id, title: id, category });
  /** @param {string} method @param {string} path @param {unknown} [body] */
  const edit = (method, path, body) => editOn(deployment, method, path, body);
  /** @param {...object} events */
  async function count(...events) {
    const { status, body } = await deployment.events({ events });
    assert.equal(status, 200);
    return body.rejected.map((/** @type {{ code: string }} */ { code }) => code);
  }
  /** @param {string} ranking */
  const shown = async (ranking) => entriesOf(await deployment.freshTop(ranking));
  const boards = async () =>
    (await deployment.fetch('/v1/demo/boards')).body.boards.map((/** @type {{ board: string }} */ { board }) => board);

  test('their rankings are told as they change', async () => {
    const viewing = viewers(() => deployment.worker);
    try {
      const received = await viewing.watch('/v1/demo/boards/stories.World%2520News/day/live');
      await count({ action: 'view', item: '/w/1' }, { action: 'view', item: '/s/1' });
      await untilReceived(received, '/w/1 1');
    } finally {
      viewing.leave();
    }
  });

  test('each event counts on the board and on that of its section', async () => {
    assert.equal(
      (
        await deployment.beacon({
          events: [
            { action: 'view', item: '/s/1' },
            { action: 'view', item: '/none' },
          ],
        })
      ).status,
      204,
    );
    await count({ action: 'like', item: '/w/1', actor: 'ann' }, { action: 'view', item: '/s/2' }, { action: 'comment', item: '/s/2' });
    assert.deepEqual(await shown('stories/day'), [
      ['/s/2', 4],
      ['/w/1', 2],
      ['/s/1', 1],
      ['/none', 1],
    ]);
    for (const window of ['hour', 'day', 'all', 'last-2-hours']) {
      assert.deepEqual(
        await shown(`stories.sports/${window}`),
        [
          ['/s/2', 4],
          ['/s/1', 1],
        ],
        window,
      );
      assert.deepEqual(await shown(`stories.World%20News/${window}`), [['/w/1', 2]], window);
    }
    assert.deepEqual(
      (await shown('stories.sports/hot')).map(([id]) => id),
      ['/s/2', '/s/1'],
    );
    assert.deepEqual(await shown('people.World%20News/day'), []);
    assert.deepEqual(await shown('plain/day'), [
      ['/s/2', 1],
      ['/s/1', 1],
      ['/none', 1],
    ]);
    assert.deepEqual(await boards(), [
      'people',
      'people.World%20News',
      'people.sports',
      'plain',
      'stories',
      'stories.World%20News',
      'stories.sports',
    ]);
    assert.equal((await deployment.fetch('/v1/demo/boards/stories.World%2520News/day')).status, 200, 'as it is listed');
    assert.equal((await deployment.fetch('/v1/demo/boards/stories.chess/day')).body.code, 'unknown-board');
    assert.equal((await deployment.fetch('/v1/other/boards/stories.sports/day')).body.code, 'unknown-board');
  });

  test('an undo goes to the section that took the action', async () => {
    const like = { action: 'like', item: '/s/1', actor: 'ann' };
    await count(like, { action: 'view', item: '/s/1' });
    assert.equal((await edit('PATCH', 'items/%2Fs%2F1', { category: 'World News' })).status, 200);
    await count({ ...like, actor: 'bob' }, { action: 'view', item: '/s/1' });
    assert.deepEqual(await shown('stories.sports/all'), [['/s/1', 3]]);
    assert.deepEqual(await shown('stories.World%20News/all'), [['/s/1', 3]]);
    assert.deepEqual(await count({ ...like, undo: true }, { ...like, actor: 'eve', undo: true }), ['not-done']);
    assert.deepEqual(await shown('stories.sports/all'), [['/s/1', 1]]);
    assert.deepEqual(await shown('stories.World%20News/all'), [['/s/1', 3]]);
    assert.deepEqual(await count({ ...like, actor: 'bob', undo: true }), []);
    assert.deepEqual(await shown('stories.World%20News/all'), [['/s/1', 1]]);
    assert.deepEqual(await shown('stories/all'), [['/s/1', 2]]);
  });

  test('what was done in one section is not done again in another', async () => {
    const like = { action: 'like', item: '/s/1', actor: 'ann' };
    await count(like);
    await edit('PATCH', 'items/%2Fs%2F1', { category: 'World News' });
    assert.deepEqual(await count(like), ['already-done']);
    assert.deepEqual(await shown('stories.World%20News/all'), []);
    assert.deepEqual(await count({ ...like, undo: true }, like), []);
    assert.deepEqual(await shown('stories.sports/all'), []);
    assert.deepEqual(await shown('stories.World%20News/all'), [['/s/1', 2]]);
  });

  test('whatever is done again elsewhere is asked for in one trip', async () => {
    const items = ['/s/1', '/s/2'];
    const likes = (/** @type {string[]} */ liked, /** @type {string} */ actor) => liked.map((id) => ({ action: 'like', item: id, actor }));
    await count(...likes(items, 'ann'));
    for (const id of items) await edit('PATCH', `items/${encodeURIComponent(id)}`, { category: 'World News' });
    assert.deepEqual(await count(...likes(items, 'ann'), ...likes(items, 'bob')), ['already-done', 'already-done']);
    const trips = async (/** @type {object[]} */ events) => {
      const before = deployment.link.roundTrips;
      assert.deepEqual(await count(...events), []);
      return deployment.link.roundTrips - before;
    };
    const [one, four] = [await trips(likes(['/s/1'], 'cid')), await trips([...likes(items, 'dan'), ...likes(items, 'eve')])];
    assert.equal(four, one);
  });

  test('there are as many as the board may have', async () => {
    assert.equal((await edit('PUT', 'items/c', { category: 'chess' })).status, 201);
    const refused = await edit('PUT', 'items/d', { category: 'dance' });
    assert.deepEqual([refused.status, refused.body.code], [409, 'too-many-sections']);
    assert.equal((await edit('PATCH', 'items/c', { category: 'dance' })).body.code, 'too-many-sections');
    assert.equal((await edit('POST', 'items', { category: 'dance' })).body.code, 'too-many-sections');
    const { body } = await edit('PUT', 'items', lines([item('e', 'sports'), item('f', 'dance')]));
    assert.deepEqual([body.accepted, body.rejected.map((/** @type {{ line: number }} */ { line }) => line)], [1, [2]]);
    assert.equal((await deployment.fetch('/v1/demo/items/d')).status, 404);
    assert.equal((await boards()).filter((/** @type {string} */ name) => name.startsWith('stories.')).length, 3);
  });

  test('upkeep keeps their windows, and freezes what is over', async () => {
    await count({ action: 'view', item: '/s/1' });
    for (let i = 0; i < 3; i++) {
      deployment.clock.advance(HOUR_MS);
      deployment.edgeClock.advance(HOUR_MS);
      await deployment.worker.scheduled();
      const { body } = await deployment.freshTop('stories.sports/last-2-hours');
      assert.equal(body.complete, true);
      assert.deepEqual(entriesOf({ body }), i === 0 ? [['/s/1', 1]] : []);
    }
    const { periods } = (await deployment.fetch('/v1/demo/boards/stories.sports/hour/periods')).body;
    const first = periods.find((/** @type {{ id: string }} */ { id }) => id === '2026-11-20T12Z');
    assert.deepEqual([first.total, first.winner?.id], [1, '/s/1'], JSON.stringify(periods));
  });

  test('they are curated, and what is deleted leaves them', async () => {
    await count({ action: 'view', item: '/s/1' }, { action: 'view', item: '/s/2' });
    assert.equal((await edit('PUT', 'admin/boards/stories.sports/hidden/%2Fs%2F2')).status, 204);
    assert.deepEqual(await shown('stories.sports/day'), [['/s/1', 1]]);
    await edit('PATCH', 'items/%2Fs%2F1', { category: 'World News' });
    assert.equal((await edit('DELETE', 'items/%2Fs%2F1')).status, 204);
    assert.deepEqual(await shown('stories.sports/day'), []);
    assert.deepEqual(await count({ action: 'view', item: '/s/1' }), ['item-gone']);
    assert.equal((await edit('PUT', 'items/%2Fs%2F1', { category: 'sports' })).status, 201);
    assert.deepEqual(await count({ action: 'view', item: '/s/1' }), []);
    assert.deepEqual(await shown('stories.sports/day'), [['/s/1', 1]]);
  });

  test('the scheduled run notes what Redis lost', async () => {
    await deployment.redis.command('FLUSHALL');
    deployment.edgeClock.advance(2 * MINUTE_MS);
    deployment.clock.advance(2 * MINUTE_MS);
    await deployment.worker.scheduled();
    await count({ action: 'view', item: '/s/1' });
    assert.deepEqual(await shown('stories.sports/day'), [['/s/1', 1]]);
  });

  const keys = async (/** @type {string} */ pattern) => deployment.redis.command('KEYS', pattern);
  const unconfigured = (/** @type {any} */ body) => body.unconfigured.map((/** @type {{ board: string }} */ { board }) => board).sort();

  test('one can be dropped, until an item of its category is written', async () => {
    await count({ action: 'view', item: '/s/1' }, { action: 'view', item: '/w/1' });
    assert.deepEqual((await edit('GET', 'admin/unconfigured')).body.unconfigured, []);
    const dry = await edit('DELETE', 'admin/unconfigured?board=stories.sports&dry_run=1');
    assert.deepEqual(unconfigured(dry.body), ['stories.sports']);
    assert.ok((await boards()).includes('stories.sports'));
    assert.equal((await edit('DELETE', 'admin/unconfigured?board=stories.sports')).status, 200);
    assert.deepEqual(await keys('eb:{demo:stories.sports}*'), []);
    assert.ok(!(await boards()).includes('stories.sports') && (await boards()).includes('people.sports'));
    assert.deepEqual(await count({ action: 'view', item: '/s/1' }), []);
    assert.deepEqual(
      [await keys('eb:{demo:stories.sports}*'), await shown('stories/day')],
      [
        [],
        [
          ['/s/1', 2],
          ['/w/1', 1],
        ],
      ],
    );
    assert.equal((await edit('PUT', 'items/%2Fs%2F1', { category: 'sports' })).status, 200);
    await count({ action: 'view', item: '/s/1' });
    assert.deepEqual(await shown('stories.sports/day'), [['/s/1', 1]]);
  });

  test('those of a board that is parted no more are no longer configured', async () => {
    await count({ action: 'view', item: '/s/1' }, { action: 'view', item: '/w/1' });
    const { stories, ...others } = SITE.boards;
    const { sections: _, max_sections: __, ...whole } = stories;
    const later = await startDeployment({
      transport: 'redis://',
      sites: { demo: { ...SITE, boards: { ...others, stories: whole } } },
      vars: { ADMIN_TOKEN, REDIS_URL: deployment.redis.url },
      hasDatabase: true,
    });
    try {
      later.clock.set(NOW);
      later.edgeClock.set(NOW);
      const { body } = await editOn(later, 'GET', 'admin/unconfigured');
      assert.deepEqual(unconfigured(body), ['stories.World%20News', 'stories.sports']);
      for (const board of unconfigured(body)) {
        assert.equal((await editOn(later, 'DELETE', `admin/unconfigured?board=${encodeURIComponent(board)}`)).status, 200);
      }
      assert.deepEqual(await keys('eb:{demo:stories.*'), []);
      assert.deepEqual((await deployment.redis.command('ZRANGE', 'eb:{demo}:sections', '0', '-1')).sort(), [
        'people.World%20News',
        'people.sports',
      ]);
      assert.deepEqual((await editOn(later, 'GET', 'admin/unconfigured')).body.unconfigured, []);
    } finally {
      await later.stop();
    }
  });
});
