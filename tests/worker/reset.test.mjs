/**
 * A board, or a window of it, is emptied by hand, at one instant: what came before counts no more, and what comes after counts as ever.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment } from '../support/deployment.mjs';
import { TRANSPORTS } from '../support/transports.mjs';
import { DAY_MS, readComplete } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

const ADMIN_TOKEN = 'a-token-for-resets';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const SITE = {
  origins: ['*'],
  activity: false,
  actions: { view: { public: true }, like: { reversible: true }, vote: {}, see: {}, finish: {} },
  boards: {
    articles: {
      weights: { view: 1, like: 2, vote: 5 },
      windows: ['hour', 'day', 'all', 'last-2-days', 'last-7-days', { name: 'hot', kind: 'half-life', half_life: '6h' }],
      once: { vote: 'day' },
      breakdown: true,
    },
    ordered: { weights: { see: 1 }, windows: ['day', 'all'], ties: 'first', ranking: 'dense' },
    laps: { members: 'actors', score: 'min', order: 'ascending', actions: ['finish'], windows: ['day', 'last-2-days'], max_members: 100 },
    league: {
      weights: { see: 1 },
      windows: [{ name: 's', kind: 'season', from: '2026-11-01', until: '2026-11-29', every: '1 week' }, 'all'],
    },
  },
};
const WINDOWS = ['hour', 'day', 'all', 'last-2-days', 'last-7-days', 'hot'];
const NOW = Date.parse('2026-11-20T12:10:00Z');

for (const transport of TRANSPORTS) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: { demo: SITE }, vars: { ADMIN_TOKEN } })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** @param {string} board */
    const reset = async (board, query = '') => {
      const { status, body, text } = await deployment.fetch(`/v1/demo/admin/boards/${board}/reset${query}`, { method: 'POST', headers });
      assert.equal(status, 200, text);
      return body;
    };
    /** @param {object[]} events */
    async function send(...events) {
      const { status, body, text } = await deployment.events({ events });
      assert.equal(status, 200, text);
      return body.rejected.map((/** @type {any} */ { index, code }) => [index, code]);
    }
    /** @param {string} ranking */
    const entries = async (ranking, query = '') => entriesOf(await deployment.freshTop(ranking, query));
    /** @param {string} board @param {string[]} windows */
    const all = async (board, windows) =>
      Object.fromEntries(
        await Promise.all(windows.map(async (window) => [window, (await entries(`${board}/${window}`)).map(([id]) => id)])),
      );
    const view = (/** @type {string} */ item, ago = 0) => ({ action: 'view', item, ...(ago && { ago }) });

    test('an undo of what was reset, sent again, undoes nothing that was done since', async () => {
      const like = { action: 'like', item: 'a', actor: 'ann' };
      await send(like);
      await reset('articles');
      deployment.clock.advance(1_000);
      const undo = { ...like, undo: true };
      for (const batch of [{ id: 'batch', events: [undo] }, { events: [{ ...undo, actor: 'bob', id: 'own' }] }])
        assert.equal((await deployment.events(batch)).body.rejected.length, 1);
      assert.deepEqual(await send(like), []);
      for (const batch of [{ id: 'batch', events: [undo] }, { events: [{ ...undo, id: 'batch/0' }] }])
        assert.deepEqual((await deployment.events(batch)).body, { accepted: 0, duplicate: 1, rejected: [] });
      assert.deepEqual(await entries('articles/all'), [['a', 2]]);
    });

    test('a whole board is empty at once, in every window, and counts on', async () => {
      await send(view('a'), view('b', 86_400_000), view('b', 3 * 86_400_000));
      const { reset_at: none, ...dry } = await reset('articles', '?dry_run=1');
      assert.deepEqual([none, dry.dry_run, dry.window], [null, true, null]);
      const held = new Map(dry.periods.map((/** @type {any} */ of) => [of.unit, [of.from, of.to, of.held, of.entries]]));
      assert.deepEqual(held.get('day'), ['2026-11-14', '2026-11-20', 3, 3]);
      assert.deepEqual(held.get('all'), ['all', 'all', 1, 2]);
      assert.deepEqual(held.get('hour'), ['2026-11-20T12Z', '2026-11-20T12Z', 1, 1]);
      assert.equal((await entries('articles/all')).length, 2, 'a dry run does nothing');
      const done = await reset('articles');
      assert.deepEqual([done.entries, done.rebuilt], [dry.entries, []]);
      for (const window of WINDOWS) {
        const { body } = await deployment.freshTop(`articles/${window}`);
        assert.deepEqual([body.entries, body.total, body.complete], [[], 0, true], window);
      }
      assert.deepEqual(await send(view('c'), view('d', 600_000)), [[1, 'reset']]);
      for (const window of WINDOWS)
        assert.deepEqual(
          (await entries(`articles/${window}`)).map(([id]) => id),
          ['c'],
          window,
        );
      deployment.clock.advance(DAY_MS);
      assert.deepEqual((await readComplete(deployment, 'articles/last-2-days')).answer.body.entries.length, 1);
    });

    test('a window takes the periods that it is made of, and others keep theirs', async () => {
      await send(view('a'), view('b', DAY_MS));
      const done = await reset('articles', '?window=day');
      assert.deepEqual(
        [done.periods, done.rebuilt],
        [[{ unit: 'day', from: '2026-11-20', to: '2026-11-20', held: 1, entries: 1 }], ['last-2-days', 'last-7-days']],
      );
      assert.deepEqual(await all('articles', ['hour', 'day', 'all', 'hot']), { hour: ['a'], day: [], all: ['b', 'a'], hot: ['a', 'b'] });
      assert.deepEqual(await entries('articles/day', '?period=2026-11-19'), [['b', 1]]);
      for (const window of ['last-2-days', 'last-7-days'])
        assert.deepEqual(entriesOf((await readComplete(deployment, `articles/${window}`)).answer), [['b', 1]], window);
      assert.deepEqual(await send(view('c'), view('d', 60_000)), []);
      assert.deepEqual(await all('articles', ['day', 'last-2-days']), { day: ['c'], 'last-2-days': ['c', 'b'] });
      await reset('articles', '?window=last-2-days');
      assert.deepEqual(await entries('articles/day', '?period=2026-11-19'), []);
      await reset('articles', '?window=hot');
      assert.deepEqual(await all('articles', ['last-2-days', 'hot', 'all']), { 'last-2-days': [], hot: [], all: ['d', 'c', 'b', 'a'] });
    });

    test('an undo of what was reset takes nothing away, and what counts once counts again', async () => {
      const like = { action: 'like', item: 'a', actor: 'u1' };
      const vote = { action: 'vote', item: 'b', actor: 'u1' };
      await send(like, vote);
      await reset('articles');
      assert.deepEqual(await send(like, vote), [[0, 'already-done']]);
      assert.deepEqual(await send({ ...like, undo: true }), [[0, 'reset']]);
      assert.deepEqual(await all('articles', ['all', 'last-2-days']), { all: ['b'], 'last-2-days': ['b'] });
      assert.deepEqual(await send(like, like), [[1, 'already-done']]);
      assert.deepEqual(await entries('articles/all'), [
        ['b', 5],
        ['a', 2],
      ]);
      await reset('articles', '?window=all');
      assert.deepEqual(await send({ ...like, undo: true }, vote), [[1, 'already-done']]);
      assert.deepEqual(await entries('articles/day'), [['b', 5]]);
      assert.deepEqual(await entries('articles/all'), []);
    });

    test('indexes, best values and seasons begin anew', async () => {
      const finish = (/** @type {string} */ actor, /** @type {number} */ value, ago = 0) => ({
        action: 'finish',
        actor,
        value,
        ...(ago && { ago }),
      });
      const see = (/** @type {string} */ item, ago = 0) => ({ action: 'see', item, ...(ago && { ago }) });
      await send(see('a'), see('b'), see('c'), see('c'), finish('ann', 5, DAY_MS), finish('bob', 3), see('a', 6 * DAY_MS));
      await reset('ordered');
      await send(see('b'), see('a'));
      assert.deepEqual(await entries('ordered/all'), [
        ['b', 1],
        ['a', 1],
      ]);
      const ranks = await deployment.fetch('/v1/demo/boards/ordered/day/members/a');
      assert.deepEqual([ranks.body.rank, ranks.body.total], [1, 2]);
      await reset('laps', '?window=day');
      assert.deepEqual(await entries('laps/last-2-days'), [['ann', 5]]);
      await send(finish('bob', 4), finish('bob', 1, 600_000));
      assert.deepEqual(await entries('laps/last-2-days'), [
        ['bob', 4],
        ['ann', 5],
      ]);
      await reset('league', '?window=s');
      assert.deepEqual(await all('league', ['s', 'all']), { s: [], all: ['a', 'c', 'b'] });
      const before = await deployment.freshTop('league/s', '?period=2026-11-08');
      assert.deepEqual(entriesOf(before), [['a', 1]]);
    });

    test('it is in the audit log, and only administrators do it', async () => {
      await reset('articles', '?window=day&by=ann');
      const audit = await deployment.fetch('/v1/demo/admin/audit?limit=1', { headers });
      const { at: _, address: __, ...entry } = audit.body.entries[0];
      assert.deepEqual(entry, { by: 'ann', did: 'reset', board: 'articles', window: 'day' });
      const unknown = await deployment.fetch('/v1/demo/admin/boards/articles/reset?window=week', { method: 'POST', headers });
      assert.deepEqual([unknown.status, unknown.body.code], [404, 'unknown-window']);
      assert.equal((await deployment.fetch('/v1/demo/admin/boards/articles/reset', { method: 'POST' })).status, 401);
    });
  });
}
