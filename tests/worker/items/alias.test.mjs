/**
 * Items that become others: their points, their details and what actors did to them, also when Redis is out meanwhile.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { ADMIN_TOKEN, edit as editOn } from './site.mjs';
import { entriesOf, startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const MINUTE_MS = 60_000;
/** More than upkeep rests while it has nothing to do. */
const REST_MS = 6 * MINUTE_MS;
const NOW = Date.parse('2026-11-20T12:10:00Z');
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true }, share: {} },
  boards: {
    articles: {
      weights: { view: 1, like: 10, share: 100 },
      once: { share: 'day' },
      windows: ['day', 'all', 'last-7-days', { name: 'hot', kind: 'half-life', half_life: '6h' }],
      breakdown: true,
      fresh: '1s',
    },
    people: { members: 'actors', weights: { view: 1, like: 10 }, windows: ['day'] },
    news: { weights: { view: 1 }, windows: ['day'], items: '/news/*' },
  },
};

describe('items that become others', () => {
  /** @type {Deployment} */
  let deployment;
  beforeEach(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN }, hasDatabase: true });
    deployment.clock.set(NOW);
    deployment.edgeClock.set(NOW);
  });
  // Each test has a database of its own.
  afterEach(() => deployment.stop());

  /** @param {string} method @param {string} item @param {unknown} [body] @param {string} [more] */
  const edit = (method, item, body, more = '') => editOn(deployment, method, `items/${encodeURIComponent(item)}${more}`, body);
  /** @param {string} old @param {string} to @param {string} [query] */
  const alias = (old, to, query = '') => edit('POST', old, { to }, `/alias${query}`);
  /** Those of equal scores by their ids. @param {string} ranking */
  async function shown(ranking) {
    const entries = entriesOf(await deployment.freshTop(ranking));
    return entries.sort((one, other) => Number(other[1]) - Number(one[1]) || String(one[0]).localeCompare(String(other[0])));
  }

  /** Answers the codes of refusals. @param {...object} events */
  async function count(...events) {
    const { status, body } = await deployment.events({ events });
    assert.equal(status, 200);
    return body.rejected.map((/** @type {{ code: string }} */ { code }) => code);
  }

  /** Lets the scheduled run end what is left. */
  async function keep() {
    deployment.edgeClock.advance(REST_MS);
    deployment.clock.advance(REST_MS);
    await deployment.worker.scheduled();
  }

  /** Whether Redis refuses to write, as it does without its replicas. @param {boolean} refuses */
  const refuseWrites = (refuses) => deployment.redis.command('CONFIG', 'SET', 'min-replicas-to-write', refuses ? '1' : '0');

  test('its points, details and clicks are those of the other one', async () => {
    await edit('PUT', '/a', { title: 'A' });
    await count(
      { action: 'view', item: '/a' },
      { action: 'view', item: '/a' },
      { action: 'view', item: '/b' },
      { action: 'view', item: '/c' },
    );
    const dry = await alias('/a', '/b', '?dry_run=1');
    assert.deepEqual([dry.status, dry.body.done, dry.body.entries > 3], [200, false, true]);
    assert.deepEqual((await shown('articles/day'))[0], ['/a', 2], 'nothing was done');
    const done = await alias('/a', '/b', '?by=eve');
    assert.deepEqual([done.status, done.body.to, done.body.done], [200, '/b', true]);
    for (const window of ['day', 'all', 'last-7-days', 'hot']) {
      const entries = await shown(`articles/${window}`);
      assert.deepEqual([entries.map(([id]) => id), Math.round(Number(entries[0]?.[1]))], [['/b', '/c'], 3], window);
    }
    assert.deepEqual(await count({ action: 'view', item: '/a' }), []);
    assert.deepEqual((await shown('articles/day'))[0], ['/b', 4]);
    assert.equal((await edit('GET', '/b')).body.details.title, 'A');
    const moved = await deployment.fetch('/v1/demo/items/%2Fa', { redirect: 'manual' });
    assert.deepEqual([moved.status, moved.headers.get('location')], [308, '/v1/demo/items/%2Fb']);
    assert.deepEqual((await edit('GET', '/a', undefined, '/alias')).body, { site: 'demo', id: '/a', to: '/b', done: true });
    const { entries } = (await editOn(deployment, 'GET', 'admin/audit')).body;
    assert.deepEqual([entries[0].did, entries[0].member, entries[0].to, entries[0].by], ['alias', '/a', '/b', 'eve']);
    assert.deepEqual([(await alias('/a', '/b')).status, (await shown('articles/day'))[0]], [200, ['/b', 4]], 'once more changes nothing');
  });

  test('what an actor did to both is one action, which is undone by either', async () => {
    /** @param {string} item @param {string} actor @param {object} [more] */
    const like = (item, actor, more) => ({ action: 'like', item, actor, ...more });
    await count(like('/a', 'ann'), like('/b', 'ann'), like('/a', 'bob'), like('/b', 'cyd'));
    assert.deepEqual(await shown('people/day'), [
      ['ann', 20],
      ['bob', 10],
      ['cyd', 10],
    ]);
    assert.equal((await alias('/a', '/b')).status, 200);
    assert.deepEqual(await shown('articles/day'), [['/b', 30]]);
    assert.deepEqual(await shown('people/day'), [
      ['ann', 10],
      ['bob', 10],
      ['cyd', 10],
    ]);
    assert.deepEqual(await count(like('/a', 'bob'), like('/b', 'bob'), like('/a', 'cyd')), [
      'already-done',
      'already-done',
      'already-done',
    ]);
    assert.deepEqual(
      await count(like('/b', 'bob', { undo: true }), like('/a', 'ann', { undo: true }), like('/a', 'cyd', { undo: true })),
      [],
    );
    assert.deepEqual([await shown('articles/all'), await shown('people/day')], [[], []]);
    assert.deepEqual(await count(like('/b', 'ann', { undo: true })), ['already-undone']);
  });

  test('what counts once counts once for both', async () => {
    const share = (/** @type {string} */ item, /** @type {string} */ actor) => ({ action: 'share', item, actor });
    await count(share('/a', 'ann'), share('/b', 'bob'));
    assert.equal((await alias('/a', '/b')).status, 200);
    assert.deepEqual(await count(share('/a', 'ann'), share('/b', 'ann'), share('/a', 'bob')), [
      'already-done',
      'already-done',
      'already-done',
    ]);
    assert.deepEqual(await count(share('/a', 'cyd')), []);
    assert.deepEqual(await shown('articles/day'), [['/b', 300]]);
  });

  test('while Redis is out it is marked, and upkeep ends it', async () => {
    await count({ action: 'view', item: '/a' }, { action: 'view', item: '/b' });
    await refuseWrites(true);
    const { status, body } = await alias('/a', '/b');
    assert.deepEqual([status, body.done], [202, false]);
    await keep();
    await refuseWrites(false);
    assert.deepEqual(
      await shown('articles/all'),
      [
        ['/a', 1],
        ['/b', 1],
      ],
      'nothing could be done yet',
    );
    assert.equal((await edit('GET', '/a', undefined, '/alias')).body.done, false);
    await keep();
    assert.deepEqual(await shown('articles/all'), [['/b', 2]]);
    assert.equal((await edit('GET', '/a', undefined, '/alias')).body.done, true);
  });

  test('one of one goes to the end', async () => {
    await count({ action: 'view', item: '/a' }, { action: 'view', item: '/b' }, { action: 'view', item: '/c' });
    assert.equal((await alias('/b', '/c')).status, 200);
    assert.equal((await alias('/a', '/b')).body.to, '/c');
    assert.equal((await alias('/c', '/d')).status, 200);
    await count({ action: 'view', item: '/a' }, { action: 'view', item: '/b' }, { action: 'view', item: '/c' });
    assert.deepEqual(await shown('articles/all'), [['/d', 6]]);
    assert.equal((await alias('/a', '/d')).status, 200);
  });

  test('what cannot become another one', async () => {
    await count({ action: 'view', item: '/a' }, { action: 'view', item: '/b' });
    await edit('DELETE', '/gone');
    await alias('/was', '/is');
    await editOn(deployment, 'DELETE', 'admin/boards/articles/members/%2Foff');
    for (const [old, to, detail] of /** @type {const} */ ([
      ['/a', '/a', /itself/],
      ['/is', '/was', /itself/],
      ['/was', '/b', /before/],
      ['/a', '/gone', /deleted/],
      ['/gone', '/a', /deleted/],
      ['/a', '/off', /removed from the board articles/],
      ['/a', '/news/1', /the board news counts one/],
    ])) {
      const { status, body } = await alias(old, to);
      assert.deepEqual([status, body.code], [409, 'alias-not-possible'], `${old} ${to}`);
      assert.match(body.detail, detail);
    }
    assert.equal((await edit('POST', '/a', {}, '/alias')).body.code, 'invalid-id');
    assert.equal((await edit('GET', '/a', undefined, '/alias')).body.code, 'no-alias');
    assert.deepEqual(await shown('articles/all'), [
      ['/a', 1],
      ['/b', 1],
    ]);
  });

  test('one that is deleted is the other one no more', async () => {
    await alias('/a', '/b');
    assert.equal((await edit('DELETE', '/a')).status, 204);
    assert.deepEqual(await count({ action: 'view', item: '/a' }), ['item-gone']);
    assert.equal((await edit('GET', '/a', undefined, '/alias')).body.code, 'no-alias');
    await edit('PUT', '/a', { title: 'A' });
    await count({ action: 'view', item: '/a' }, { action: 'view', item: '/b' });
    assert.deepEqual(await shown('articles/all'), [
      ['/a', 1],
      ['/b', 1],
    ]);
  });
});
