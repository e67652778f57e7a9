/**
 * What is known of items and actors, in a real D1: made, read, changed, listed, deleted.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { ADMIN_TOKEN, edit as editOn, lines, SITE, start } from './site.mjs';
import { inProject } from '../../../scripts/project.mjs';
import { startDeployment } from '../../support/deployment.mjs';
import { longTest } from '../../support/part.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

describe('items', () => {
  /** @type {Deployment} */
  let deployment;
  before(async () => {
    deployment = await start();
  });
  after(() => deployment?.stop());

  /** @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers] */
  const edit = (method, path, body, headers) => editOn(deployment, method, path, body, headers);

  test('requests that come at once make the tables', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => edit('PUT', `items/first-${i}`, { title: `${i}` })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 201),
    );
    const database = await deployment.worker.miniflare.getD1Database('DB');
    const { results } = await database.prepare('SELECT name FROM d1_migrations').all();
    const files = readdirSync(inProject('migrations')).sort();
    assert.deepEqual(
      results,
      files.map((name) => ({ name })),
    );
  });

  test('an item is made, read, replaced, changed and deleted', async () => {
    const made = await edit('PUT', 'items/%2Fposts%2F1', { title: 'One', tags: ['a'], published_at: '2026-11-20T09:00:00+01:00' });
    assert.equal(made.status, 201);
    const { id, details, created_at, updated_at } = made.body;
    assert.deepEqual([id, details], ['/posts/1', { title: 'One', tags: ['a'], published_at: '2026-11-20T08:00:00Z' }]);
    assert.equal(created_at, updated_at);

    const read = await deployment.fetch('/v1/demo/items/%2Fposts%2F1');
    assert.deepEqual([read.status, read.body], [200, made.body]);
    const tag = read.headers.get('etag') ?? '';
    assert.equal(tag, made.headers.get('etag'));
    const again = await deployment.fetch('/v1/demo/items/%2Fposts%2F1', { headers: { 'if-none-match': tag } });
    assert.deepEqual([again.status, again.text], [304, '']);

    const changed = await edit('PATCH', 'items/%2Fposts%2F1', { category: 'news', tags: null, data: { a: 1, b: null } });
    assert.deepEqual(changed.body.details, { category: 'news', data: { a: 1 }, published_at: '2026-11-20T08:00:00Z', title: 'One' });
    assert.notEqual(changed.headers.get('etag'), tag);
    assert.equal(changed.body.created_at, created_at);

    const replaced = await edit('PUT', 'items/%2Fposts%2F1', { title: 'Two' });
    assert.deepEqual([replaced.status, replaced.body.details], [200, { title: 'Two' }]);
    const same = await edit('PUT', 'items/%2Fposts%2F1', { title: 'Two' });
    assert.deepEqual(same.body, replaced.body, 'the same again changes nothing');

    assert.equal((await deployment.fetch('/v1/other/items/%2Fposts%2F1')).body.code, 'not-described', 'another site has its own');
    for (let i = 0; i < 2; i += 1) assert.equal((await edit('DELETE', 'items/%2Fposts%2F1')).status, 204);
    assert.equal((await deployment.fetch('/v1/demo/items/%2Fposts%2F1')).body.code, 'not-described');
    assert.equal((await edit('PATCH', 'items/%2Fposts%2F1', { title: 'x' })).body.code, 'not-described');
  });

  test('POST makes an item, and an id where there is none', async () => {
    const made = await edit('POST', 'items', { title: 'A' });
    assert.equal(made.status, 201);
    assert.match(made.body.id, /^[0-9a-f-]{36}$/);
    assert.equal((await deployment.fetch(made.headers.get('location') ?? '')).body.details.title, 'A');
    const named = await edit('POST', 'items', { id: 'a b/c', title: 'B' });
    assert.deepEqual([named.status, named.headers.get('location')], [201, '/v1/demo/items/a%20b%2Fc']);
    const taken = await edit('POST', 'items', { id: 'a b/c', title: 'C' });
    assert.deepEqual([taken.status, taken.body.code], [409, 'already-described']);
    assert.equal((await deployment.fetch('/v1/demo/items/a%20b%2Fc')).body.details.title, 'B');
  });

  test('a write says what it replaces', async () => {
    const first = await edit('PUT', 'items/expected', { title: '1' }, { 'if-none-match': '*' });
    assert.equal(first.status, 201);
    const tag = first.headers.get('etag') ?? '';
    /** @type {[method: string, body: unknown, headers: Record<string, string>, status: number][]} */
    const cases = [
      ['PUT', { title: '2' }, { 'if-none-match': '*' }, 412],
      ['PUT', { title: '2' }, { 'if-match': '"0"' }, 412],
      ['PATCH', { title: '2' }, { 'if-match': '"0"' }, 412],
      ['PATCH', { title: '2' }, { 'if-match': `W/${tag}` }, 412],
      ['DELETE', undefined, { 'if-match': '"0"' }, 412],
      ['PATCH', { title: '2' }, { 'if-match': `"0", ${tag}` }, 200],
      ['PATCH', { title: '3' }, { 'if-match': tag }, 412],
      ['PUT', { title: '4' }, { 'if-match': '*' }, 200],
      ['DELETE', undefined, { 'if-match': '*' }, 204],
      ['DELETE', undefined, { 'if-match': '*' }, 412],
      ['PUT', { title: '5' }, { 'if-match': '*' }, 412],
    ];
    for (const [method, body, headers, status] of cases) {
      const answer = await edit(method, 'items/expected', body, headers);
      assert.equal(answer.status, status, `${method} ${JSON.stringify(headers)}: ${answer.text}`);
      if (status === 412) assert.equal(answer.body.code, 'precondition-failed');
    }
    assert.equal((await deployment.fetch('/v1/demo/items/expected')).status, 404);
  });

  test('editors who write at once lose nothing', async () => {
    const { headers } = await edit('PUT', 'items/shared', { title: 'start' });
    const tag = headers.get('etag') ?? '';
    const races = await Promise.all(['a', 'b', 'c'].map((title) => edit('PATCH', 'items/shared', { title }, { 'if-match': tag })));
    assert.deepEqual(races.map(({ status }) => status).sort(), [200, 412, 412]);

    const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
    await Promise.all(
      keys.map(async (key) => {
        let answer;
        do answer = await edit('PATCH', 'items/shared', { data: { [key]: true } });
        while (answer.status === 409);
        assert.equal(answer.status, 200, answer.text);
      }),
    );
    const { data } = (await deployment.fetch('/v1/demo/items/shared')).body.details;
    assert.deepEqual(Object.keys(data).sort(), [...keys].sort());
  });

  test('what is not allowed is refused', async () => {
    /** @type {[method: string, path: string, body: unknown, status: number, code: string, detail: RegExp][]} */
    const cases = [
      ['PUT', 'items/x', { titel: 'A' }, 400, 'invalid-details', /"titel" is not a field of an item; allowed: title, url/],
      ['PUT', 'items/x', { url: 'javascript:alert(1)' }, 400, 'invalid-details', /url = "javascript:alert\(1\)" is not allowed/],
      ['PUT', 'items/x', '[]', 400, 'invalid-json', /not an object/],
      ['PUT', 'items/x', '{', 400, 'invalid-json', /not JSON/],
      ['PUT', 'items/%00', {}, 400, 'invalid-id', /not allowed/],
      ['POST', 'items', { id: 7 }, 400, 'invalid-id', /id = 7/],
      ['PUT', 'items/x', `{"title":"${'x'.repeat(70_000)}"}`, 413, 'body-too-large', /65536/],
      ['PUT', 'items', 'x'.repeat((1 << 20) + 1), 413, 'body-too-large', /1048576/],
      ['PUT', 'items', '\n'.repeat(5_001), 400, 'invalid-details', /5001 lines/],
      ['PUT', 'actors/x', { title: 'A' }, 400, 'invalid-details', /not a field of an actor; allowed: name, avatar/],
      ['GET', 'items?cursor=x', undefined, 400, 'invalid-parameter', /cursor/],
      ['GET', 'items?limit=101', undefined, 400, 'invalid-parameter', /from 1 to 100/],
    ];
    for (const [method, path, body, status, code, detail] of cases) {
      const answer = await edit(method, path, body);
      assert.deepEqual([answer.status, answer.body.code], [status, code], `${method} ${path}`);
      assert.match(answer.body.detail, detail);
    }
    assert.equal((await deployment.fetch('/v1/demo/items/x', { method: 'PUT', body: '{}' })).status, 401);
    assert.equal((await deployment.fetch('/v1/demo/items/x')).status, 404);
  });

  test('many at once, of which some are not allowed', async () => {
    const body = [lines([{ id: 'm1', title: 'One' }, { id: 'm2' }]), 'no JSON', '', '{"title":"no id"}', '{"id":"m1","title":"last"}'].join(
      '\n',
    );
    const answer = await edit('PUT', 'items', body);
    assert.deepEqual([answer.status, answer.body.accepted], [200, 3]);
    assert.deepEqual(
      answer.body.rejected.map((/** @type {{ line: number, code: string }} */ { line, code }) => [line, code]),
      [
        [3, 'invalid-details'],
        [5, 'invalid-details'],
      ],
    );
    assert.equal((await deployment.fetch('/v1/demo/items/m1')).body.details.title, 'last');
    const again = await edit(
      'PUT',
      'items',
      lines([
        { id: 'm1', title: 'last' },
        { id: 'm2', title: 'new' },
      ]),
    );
    assert.deepEqual(again.body, { accepted: 2, changed: 1, rejected: [] });
  });

  longTest('10,000 items are listed while others are made and deleted', async (t) => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `old-${i}`);
    for (let i = 0; i < ids.length; i += 5_000) {
      const answer = await edit(
        'PUT',
        'items',
        lines(ids.slice(i, i + 5_000).map((id) => ({ id, title: id, category: 'c', data: { a: 1 } }))),
      );
      assert.deepEqual(answer.body, { accepted: 5_000, changed: 5_000, rejected: [] });
    }
    const deleted = new Set(ids.filter((_, i) => i % 97 === 5));
    const seen = [];
    let next = '';
    let pages = 0;
    do {
      const { body } = await deployment.fetch(`/v1/demo/items?limit=100${next && `&cursor=${next}`}`);
      seen.push(...body.items);
      next = body.next;
      await edit('PUT', `items/new-${pages}`, {});
      const [removed] = [...deleted].slice(pages);
      if (removed) await edit('DELETE', `items/${removed}`);
      pages += 1;
    } while (next);
    t.diagnostic(`${pages} pages`);
    const found = seen.map(({ id }) => id);
    assert.equal(new Set(found).size, found.length, 'nobody twice');
    const missed = ids.filter((id) => !deleted.has(id) && !found.includes(id));
    assert.deepEqual(missed, []);
    assert.deepEqual(Object.keys(seen.find(({ id }) => id === 'old-7')), ['id', 'title', 'category', 'updated_at']);
    const times = seen.map(({ updated_at }) => updated_at);
    assert.deepEqual(times, [...times].sort().reverse(), 'the latest first');
  });

  test('the last page of a list says that there is no next one', async () => {
    const ids = ['last-1', 'last-2'];
    await edit('PUT', 'items', lines(ids.map((id) => ({ id }))));
    assert.equal(typeof (await deployment.fetch('/v1/demo/items?limit=1')).body.next, 'string');
    for (let query = ''; ; ) {
      const { body } = await deployment.fetch(`/v1/demo/items?limit=100${query}`);
      if (typeof body.next !== 'string') {
        assert.ok('next' in body && body.next === null, JSON.stringify(Object.keys(body)));
        break;
      }
      query = `&cursor=${body.next}`;
    }
    const empty = await deployment.fetch('/v1/other/items');
    assert.deepEqual(empty.body, { site: 'other', items: [], next: null });
  });

  for (const kind of ['items', 'actors']) {
    test(`${kind}: editors who change one at once all succeed, and lose nothing`, async () => {
      const path = `${kind}/crowded`;
      await edit('PUT', path, { data: {} });
      for (let round = 0; round < 4; round += 1) {
        const names = Array.from({ length: 12 }, (_, i) => `r${round}-${i}`);
        const answers = await Promise.all(names.map((name) => edit('PATCH', path, { data: { [name]: 1 } })));
        assert.deepEqual(
          answers.map(({ status }) => status),
          names.map(() => 200),
        );
        const known = Object.keys((await deployment.fetch(`/v1/demo/${path}`)).body.details.data);
        assert.deepEqual(
          names.filter((name) => !known.includes(name)),
          [],
        );
      }
      const puts = await Promise.all(names12().map((name) => edit('PUT', path, { data: { [name]: 1 } })));
      assert.deepEqual(
        puts.map(({ status }) => status),
        puts.map(() => 200),
      );
    });

    test(`${kind}: of editors who name the same revision one succeeds`, async () => {
      const path = `${kind}/named`;
      const made = await edit('PUT', path, { data: {} });
      const tag = made.headers.get('etag') ?? '';
      const answers = await Promise.all(names12().map((name) => edit('PATCH', path, { data: { [name]: 1 } }, { 'if-match': tag })));
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, ...Array.from({ length: 11 }, () => 412)]);
    });
  }

  test('an actor is described, and forgotten when it is erased', async () => {
    const made = await edit('PUT', 'actors/ann', { name: 'Ann', avatar: '/ann.png' });
    assert.deepEqual([made.status, made.body.details], [201, { name: 'Ann', avatar: '/ann.png' }]);
    assert.equal((await edit('PATCH', 'actors/ann', { name: 'Anne' })).body.details.name, 'Anne');
    assert.deepEqual((await edit('PUT', 'actors', lines([{ id: 'ben', name: 'Ben' }]))).body.accepted, 1);
    const headers = { authorization: 'Bearer a-token-for-writing' };
    assert.equal((await deployment.fetch('/v1/demo/actors/ann', { method: 'DELETE', headers })).status, 204);
    assert.equal((await deployment.fetch('/v1/demo/actors/ann')).body.code, 'not-described');
    assert.equal((await deployment.fetch('/v1/demo/actors/ben')).body.details.name, 'Ben');
  });
});

function names12() {
  return Array.from({ length: 12 }, (_, i) => `n${i}`);
}

test('without a database all else works', async (t) => {
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN }, hasDatabase: false });
  t.after(() => deployment.stop());
  for (const [method, path] of [
    ['GET', 'items'],
    ['GET', 'items/x'],
    ['PUT', 'items/x'],
    ['PUT', 'actors'],
  ]) {
    const answer = await editOn(deployment, method, path, method === 'PUT' ? {} : undefined);
    assert.deepEqual([answer.status, answer.body.code], [404, 'no-database'], `${method} ${path}`);
  }
  await deployment.beacon({ action: 'view', item: 'a', actor: 'ann' });
  assert.equal((await deployment.top('articles/day')).body.total, 1);
  const headers = { authorization: 'Bearer a-token-for-writing' };
  assert.equal((await deployment.fetch('/v1/demo/actors/ann', { method: 'DELETE', headers })).status, 204);
});
