/**
 * Items that are deleted: off every board, also when Redis is out, and on the boards again when they are described again.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { edit as editOn, lines, start } from './site.mjs';
import { entriesOf } from '../../support/deployment.mjs';
import { killAtEachStep } from '../../support/killed.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const ITEM = 'items/%2Fposts%2F1';
/** The tests move the clocks by more than an hour, and look at a day. */
const NOON = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
/** More than upkeep rests while it has nothing to do. */
const REST_MS = 6 * MINUTE_MS;

describe('items that are deleted', () => {
  /** @type {Deployment} */
  let deployment;
  beforeEach(async () => {
    deployment = await start();
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOON);
    for (const item of ['/posts/1', '/posts/1', '/posts/2']) await view(item);
    await edit('PUT', ITEM, { title: 'One' });
  });
  // Each test has a database of its own.
  afterEach(() => deployment.stop());

  /** @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers] */
  const edit = (method, path, body, headers) => editOn(deployment, method, path, body, headers);

  /** Answers the code of a refusal. @param {string} item @param {string} [actor] */
  async function view(item, actor) {
    const { status, body } = await deployment.events({ events: [{ action: 'view', item, actor }] });
    assert.equal(status, 200);
    return body.rejected[0]?.code;
  }

  /** @param {string} ranking */
  const shown = async (ranking) => entriesOf(await deployment.freshTop(ranking));

  /** Lets the scheduled run end what is left. */
  async function keep() {
    deployment.edgeClock.advance(REST_MS);
    deployment.clock.advance(REST_MS);
    await deployment.worker.scheduled();
  }

  /** Whether Redis refuses to write, as it does without its replicas. @param {boolean} refuses */
  const refuseWrites = (refuses) => deployment.redis.command('CONFIG', 'SET', 'min-replicas-to-write', refuses ? '1' : '0');

  test('an item is off every board at once, and stays off', async () => {
    assert.equal((await edit('DELETE', `${ITEM}?by=eve`)).status, 204);
    for (const window of ['day', 'all']) assert.deepEqual(await shown(`articles/${window}`), [['/posts/2', 1]]);
    assert.equal((await deployment.fetch(`/v1/demo/${ITEM}`)).body.code, 'not-described');
    assert.equal(await view('/posts/1'), 'item-gone');
    assert.equal(await view('/posts/1', 'ann'), undefined);
    assert.deepEqual(await shown('people/day'), [['ann', 1]], 'who reads it reads');
    assert.deepEqual(await shown('articles/day'), [['/posts/2', 1]]);
    const { entries } = (await edit('GET', 'admin/audit')).body;
    assert.deepEqual([entries[0].did, entries[0].member, entries[0].by], ['delete-item', '/posts/1', 'eve']);
  });

  test('an item that is described again begins anew', async () => {
    for (const [method, path, body] of /** @type {const} */ ([
      ['PUT', ITEM, { title: 'Again' }],
      ['POST', 'items', { id: '/posts/1', title: 'Again' }],
      ['PUT', 'items', lines([{ id: '/posts/1', title: 'Again' }])],
    ])) {
      assert.equal((await edit('DELETE', ITEM)).status, 204);
      assert.equal((await edit(method, path, body)).status < 300, true, `${method} ${path}`);
      assert.equal(await view('/posts/1'), undefined);
      assert.deepEqual((await shown('articles/all'))[0], ['/posts/2', 1], `${method} ${path}`);
      assert.deepEqual((await shown('articles/all'))[1], ['/posts/1', 1], `${method} ${path}`);
    }
  });

  test('one that is not as expected is not touched', async () => {
    assert.equal((await edit('DELETE', ITEM, undefined, { 'if-match': '"0"' })).body.code, 'precondition-failed');
    assert.equal((await edit('DELETE', `${ITEM}?by=`)).body.code, 'invalid-parameter');
    await keep();
    assert.equal((await deployment.fetch(`/v1/demo/${ITEM}`)).body.details.title, 'One');
    assert.deepEqual((await shown('articles/all'))[0], ['/posts/1', 2]);
  });

  test('while Redis is out it is marked, and upkeep takes it off', async () => {
    await refuseWrites(true);
    assert.equal((await edit('DELETE', ITEM)).status, 202);
    assert.equal((await deployment.fetch(`/v1/demo/${ITEM}`)).body.code, 'not-described');
    await keep();
    await refuseWrites(false);
    assert.deepEqual((await shown('articles/all'))[0], ['/posts/1', 2], 'nothing could be done yet');
    await keep();
    assert.deepEqual(await shown('articles/all'), [['/posts/2', 1]]);
    assert.equal(await view('/posts/1'), 'item-gone');
  });

  test('a deletion that is killed at each step is ended by upkeep', async () => {
    let item = '';
    const steps = await killAtEachStep(deployment.link, {
      async before(killedAt) {
        item = `/posts/killed-${killedAt}`;
        await view(item);
        assert.equal((await edit('PUT', `items/${encodeURIComponent(item)}`, { title: 'Killed' })).status, 201);
      },
      run: () => edit('DELETE', `items/${encodeURIComponent(item)}`),
      async after(killedAt) {
        await keep();
        for (const window of ['day', 'all']) {
          assert.deepEqual(
            (await shown(`articles/${window}`)).sort(),
            [
              ['/posts/1', 2],
              ['/posts/2', 1],
            ],
            `killed at ${killedAt}`,
          );
        }
        assert.equal(await view(item), 'item-gone');
        assert.equal((await deployment.fetch(`/v1/demo/items/${encodeURIComponent(item)}`)).body.code, 'not-described');
      },
    });
    assert.ok(steps > 2, `${steps} steps`);
  });

  test('who describes it meanwhile has it on the boards', async () => {
    await refuseWrites(true);
    assert.equal((await edit('DELETE', ITEM)).status, 202);
    assert.equal((await edit('PUT', ITEM, { title: 'Again' })).status, 201);
    await refuseWrites(false);
    await keep();
    assert.equal((await deployment.fetch(`/v1/demo/${ITEM}`)).body.details.title, 'Again');
    assert.equal(await view('/posts/1'), undefined);
    assert.deepEqual((await shown('articles/all'))[0], ['/posts/1', 3], 'it was never taken off');
    await keep();
    assert.equal(await view('/posts/1'), undefined);
  });

  test('the scheduled run asks Redis for nothing while nothing is left', async () => {
    await keep();
    await keep();
    const commands = await deployment.commandsDuring(keep);
    assert.equal(commands.hset ?? 0, 0);
    const database = await deployment.worker.miniflare.getD1Database('DB');
    assert.deepEqual((await database.prepare('SELECT * FROM taken_down').all()).results, []);
  });
});
