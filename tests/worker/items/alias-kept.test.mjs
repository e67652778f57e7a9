/**
 * What besides points is an item's when it becomes another one: what visitors did once, the order of what actors did, its place among hidden and
 * pinned ones, and what can be revoked.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { ADMIN_TOKEN, edit as editOn } from './site.mjs';
import { entriesOf, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOW = Date.parse('2026-11-20T12:10:00Z');
const SITE = {
  origins: ['*'],
  journal: '2d',
  actions: { view: { public: true }, like: { reversible: true } },
  boards: { articles: { weights: { view: 1, like: 10 }, once: { view: 'day' }, windows: ['day', 'last-7-days', 'all'], fresh: '1s' } },
};

describe('what an item keeps that becomes another one', () => {
  /** @type {Deployment} */
  let deployment;
  beforeEach(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN }, hasDatabase: true });
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
  });
  // Each test has a database of its own.
  afterEach(() => deployment.stop());

  /** @param {string} method @param {string} path @param {unknown} [body] */
  const edit = (method, path, body) => editOn(deployment, method, path, body);
  /** @param {string} old @param {string} to */
  async function alias(old, to) {
    const { status, body, text } = await edit('POST', `items/${encodeURIComponent(old)}/alias`, { to });
    assert.deepEqual([status, body.done], [200, true], text);
  }
  /** @param {string} [window] */
  const shown = async (window = 'all') => entriesOf(await deployment.freshTop(`articles/${window}`));
  /** Answers the codes of refusals. @param {...object} events */
  async function count(...events) {
    const { status, body, text } = await deployment.events({ events });
    assert.equal(status, 200, text);
    return body.rejected.map((/** @type {{ code: string }} */ { code }) => code);
  }

  test('a visitor counts once for both on a day', async () => {
    const view = (/** @type {string} */ item, /** @type {string} */ agent) => ({
      action: 'view',
      item,
      visitor: { address: '2001:db8::1', agent },
    });
    assert.deepEqual(await count(view('/a', 'one'), view('/b', 'two')), []);
    await alias('/a', '/b');
    const again = [view('/b', 'one'), view('/a', 'one'), view('/b', 'two'), view('/a', 'two')];
    assert.deepEqual(await count(...again), Array(4).fill('already-done'));
    assert.deepEqual(await count(view('/a', 'three')), []);
    assert.deepEqual(await shown(), [['/b', 3]]);
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(DAY_MS);
    assert.deepEqual(await count(view('/a', 'one')), []);
    assert.deepEqual(await shown(), [['/b', 4]]);
  });

  test('what came in another order than it was done is told by seq', async () => {
    const like = (/** @type {string} */ item, /** @type {number} */ seq, undo = false) => ({
      action: 'like',
      item,
      actor: 'ann',
      seq,
      undo,
    });
    assert.deepEqual(await count(like('/a', 5), like('/b', 3)), []);
    await alias('/a', '/b');
    assert.deepEqual(await shown(), [['/b', 10]]);
    assert.deepEqual(await count(like('/b', 4, true), like('/a', 5, true)), ['superseded', 'superseded']);
    assert.deepEqual(await count(like('/b', 6, true)), []);
    assert.deepEqual(await shown(), []);
    assert.deepEqual(await count(like('/a', 2)), ['superseded']);
    assert.deepEqual(await count(like('/a', 7)), []);
    assert.deepEqual(await shown(), [['/b', 10]]);
  });

  test('its place among hidden and pinned ones, unless the other one has its own', async () => {
    const put = async (/** @type {string} */ list, /** @type {string} */ id) =>
      assert.equal((await edit('PUT', `admin/boards/articles/${list}/${encodeURIComponent(id)}`)).status, 204);
    const listed = async (/** @type {string} */ list) => (await edit('GET', `admin/boards/articles/${list}`)).body.ids;
    await count(...['/a', '/b', '/c', '/d', '/e', '/f'].map((item) => ({ action: 'like', item, actor: 'ann' })));
    for (const id of ['/a', '/c']) await put('pinned', id);
    for (const id of ['/e', '/d']) await put('hidden', id);
    await alias('/a', '/b');
    assert.deepEqual(await listed('pinned'), ['/b', '/c']);
    await alias('/e', '/f');
    assert.deepEqual((await listed('hidden')).toSorted(), ['/d', '/f']);
    await alias('/c', '/d');
    assert.deepEqual([await listed('pinned'), (await listed('hidden')).toSorted()], [['/b'], ['/d', '/f']]);
    assert.deepEqual(await shown(), [['/b', 10]]);
  });

  test('where it stands is told of the other one', async () => {
    await count(...['/a', '/b', '/b', '/c', '/c', '/c', '/c'].map((item) => ({ action: 'view', item })));
    await alias('/a', '/b');
    for (const [action, score] of /** @type {const} */ ([
      ['view', 4],
      ['view', 5],
      ['like', 15],
    ])) {
      const { body, text } = await deployment.fetch('/v1/demo/events?standing=articles%2Fall', {
        method: 'POST',
        headers: { authorization: `Bearer ${WRITE_TOKEN}` },
        body: JSON.stringify({ events: [{ action, item: '/a', ...(action === 'like' && { actor: 'ann' }) }] }),
      });
      const [{ id, before, after }, ...more] = body.standing?.members ?? assert.fail(text);
      assert.deepEqual([id, before.score < score, after, more], ['/b', true, { rank: score > 4 ? 1 : 2, score }, []]);
    }
  });

  test('what it had is revoked from the other one', async () => {
    const like = (/** @type {string} */ item, /** @type {string} */ actor) => ({ action: 'like', item, actor });
    await count(like('/a', 'bot'), like('/a', 'ann'), { action: 'view', item: '/a', actor: 'bot' });
    await alias('/a', '/b');
    await count(like('/a', 'cyd'));
    assert.deepEqual(await shown('last-7-days'), [['/b', 31]]);
    const span = { from: new Date(NOW - MINUTE_MS).toISOString(), until: new Date(NOW + MINUTE_MS).toISOString() };
    const revoked = await edit('POST', 'admin/revoke', { actor: 'bot', ...span });
    assert.equal(revoked.status, 200, revoked.text);
    for (const window of ['day', 'last-7-days', 'all']) assert.deepEqual(await shown(window), [['/b', 20]]);
  });
});
