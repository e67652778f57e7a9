/**
 * What merely looks hostile but is allowed is counted as what it is; bodies without an end; pages of other origins.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { beforeEach, describe, test } from 'node:test';

import { entriesOf, hashTags, RESP } from '../../support/deployment.mjs';
import { bearer, events, MAX_BODY, ORIGIN, serve, view } from './site.mjs';

/**
 * What the worker answers to bytes on a socket, before they end.
 *
 * @param {string} url
 * @param {string} bytes
 * @returns {Promise<{ status: number, code?: string }>}
 */
function answerTo(url, bytes) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
  let received = '';
  return new Promise((resolve, reject) => {
    socket.setEncoding('latin1').on('error', reject);
    socket.on('close', () => reject(new Error(`no whole answer: ${received}`)));
    socket.on('data', (text) => {
      received += text;
      const [head, body] = received.split(/\r\n\r\n(.*)/s);
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      resolve({ status, ...(length > 0 && { code: JSON.parse(body).code }) });
      socket.destroy();
    });
  });
}
const HEAD = 'POST /v1/demo/beacon HTTP/1.1\r\nhost: demo.example\r\n';
const chunk = (/** @type {string} */ text) => `${text.length.toString(16)}\r\n${text}\r\n`;

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);

    describe('allowed', () => {
      beforeEach(async () => {
        await on.deployment.reset();
        on.deployment.clock.set('2026-11-20T12:00:00Z');
      });

      const STRANGE = [
        ':',
        '{',
        '}',
        '{other:articles}',
        'eb:{other:articles}:day:20777',
        ' ',
        '  two  spaces  ',
        '/posts/1?a=b&c#d',
        '"\'`\\',
        '__proto__',
        'constructor',
        '...',
        './x',
        'null',
        'NaN',
        '-inf',
        '+1',
        '0x10',
        '1e3',
        '%00%2F',
        'é',
        'e\u0301',
        '日本語',
        '🏳️‍🌈',
        '\u200b',
        '\u2028',
        '\u00a0',
        '\ufeff',
        '\ufffd',
        '<script>alert(1)</script>',
        "';DROP TABLE boards;--",
        'redis.call("FLUSHALL")',
        '*1',
        '$5',
        'x'.repeat(256),
        'é'.repeat(128),
      ];
      test('ids that look like something else are what they are', async () => {
        const batch = { events: STRANGE.map((id) => ({ action: 'view', item: id, actor: id })) };
        assert.equal((await on.deployment.beacon(batch)).status, 204);
        for (const ranking of ['articles/day', 'people/day']) {
          const shown = await on.deployment.top(ranking, '?limit=100');
          assert.deepEqual(entriesOf(shown).sort(), STRANGE.map((id) => [id, 1]).sort());
          assert.equal(shown.body.total, STRANGE.length);
        }
        assert.deepEqual(hashTags(await on.deployment.redis.command('KEYS', '*')), ['demo', 'demo:articles', 'demo:people']);
        for (const id of STRANGE) {
          const { status, body } = await on.deployment.fetch(`/v1/demo/actors/${encodeURIComponent(id)}/activity`, { headers: bearer });
          assert.deepEqual([status, body?.actor, body?.days], [200, id, [{ day: '2026-11-20', actions: { view: 1 } }]], id);
        }
      });

      test('the same through the pixel', async () => {
        for (const id of STRANGE) {
          const query = new URLSearchParams({ action: 'view', item: id });
          assert.equal((await on.deployment.fetch(`/v1/demo/beacon.gif?${query}`)).status, 200, id);
        }
        assert.deepEqual(entriesOf(await on.deployment.top('articles/day', '?limit=100')).sort(), STRANGE.map((id) => [id, 1]).sort());
      });

      test('a content type of anything, exactly 64 KiB, exactly 100 events', async () => {
        const { fetch } = on.deployment;
        const post = async (/** @type {RequestInit} */ init) => (await fetch('/v1/demo/beacon', { method: 'POST', ...init })).status;
        assert.equal(await post({ body: events(view), headers: { 'content-type': 'multipart/form-data; boundary=x' } }), 204);
        assert.equal(await post({ body: events(view).padEnd(MAX_BODY) }), 204);
        assert.equal(await post({ body: events(...Array(100).fill(view)) }), 204);
        assert.equal(await post({ body: events() }), 204);
        assert.deepEqual(entriesOf(await on.deployment.top('articles/day')), [['/posts/1', 102]]);
        assert.deepEqual(hashTags(await on.deployment.redis.command('KEYS', '*')), ['demo:articles']);
      });

      test('chunks, up to 64 KiB', async () => {
        const body = events(view).padEnd(MAX_BODY);
        const chunks = [body.slice(0, 7), body.slice(7, 40_000), body.slice(40_000), ''].map(chunk).join('');
        assert.deepEqual(await answerTo(on.deployment.worker.url, `${HEAD}transfer-encoding: chunked\r\n\r\n${chunks}`), {
          status: 204,
        });
        assert.deepEqual(entriesOf(await on.deployment.top('articles/day')), [['/posts/1', 1]]);
      });
    });

    describe('a body that does not end', () => {
      for (const [how, head, body] of [
        ['in chunks', 'transfer-encoding: chunked', chunk('x'.repeat(5 * MAX_BODY))],
        ['of ten megabytes', 'content-length: 10485760', 'x'.repeat(5 * MAX_BODY)],
      ]) {
        test(`${how} is refused before its end`, async () => {
          await on.deployment.reset();
          const answer = await answerTo(on.deployment.worker.url, `${HEAD}${head}\r\n\r\n${body}`);
          assert.deepEqual(answer, { status: 413, code: 'body-too-large' });
          assert.equal(await on.deployment.redis.command('DBSIZE'), 0);
        });
      }

      test('and that is broken off counts nothing', async () => {
        await on.deployment.reset();
        const { port } = new URL(on.deployment.worker.url);
        const body = events(view);
        await new Promise((resolve) => {
          const socket = connect(Number(port), '127.0.0.1', () => {
            socket.end(`${HEAD}content-length: ${body.length + 5}\r\n\r\n${body}`);
          });
          socket.on('close', resolve).on('error', resolve).resume();
        });
        assert.equal((await on.deployment.fetch('/healthz')).status, 200, 'the worker lives on');
        assert.equal(await on.deployment.redis.command('DBSIZE'), 0);
      });
    });

    describe('pages of other origins', () => {
      /**
       * @param {string} site
       * @param {string} origin
       * @param {boolean} allowed
       */
      async function checkOrigin(site, origin, allowed) {
        for (const [method, status] of /** @type {const} */ ([
          ['OPTIONS', 204],
          ['POST', 204],
        ])) {
          const headers = { origin, 'content-type': 'application/json', 'access-control-request-method': 'POST' };
          const answer = await on.deployment.fetch(`/v1/${site}/beacon`, {
            method,
            headers,
            body: method === 'POST' ? events(view) : undefined,
          });
          assert.equal(answer.status, allowed ? status : 403);
          assert.equal(
            answer.headers.get('access-control-allow-origin'),
            allowed ? origin : null,
            'never *: browsers send beacons with credentials',
          );
          assert.equal(answer.headers.get('access-control-allow-credentials'), allowed ? 'true' : null);
          assert.equal(answer.headers.get('vary'), allowed ? 'Origin' : null);
          if (method === 'OPTIONS' && allowed) {
            assert.equal(answer.headers.get('access-control-allow-methods'), 'POST');
            assert.equal(answer.headers.get('access-control-allow-headers'), 'content-type');
          }
        }
      }
      for (const [site, origin, allowed] of /** @type {[string, string, boolean][]} */ ([
        ['demo', ORIGIN, true],
        ['demo', 'https://evil.example', false],
        ['demo', 'null', false],
        ['open', 'https://evil.example', true],
        ['open', 'null', true],
        ['sandboxed', 'null', true],
        ['sandboxed', ORIGIN, false],
      ])) {
        test(`${site} ${allowed ? 'listens to' : 'refuses'} ${origin}`, () => checkOrigin(site, origin, allowed));
      }
      test('demo listens to the worker’s own pages', () => checkOrigin('demo', on.deployment.worker.url, true));

      test('they may read what went wrong with their own beacon', async () => {
        const answer = await on.deployment.beacon({ action: 'veiw', item: 'x' }, { headers: { origin: ORIGIN } });
        assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [400, ORIGIN]);
      });

      test('every page may read rankings, and no page the answers to servers', async () => {
        const headers = { origin: 'https://evil.example' };
        const ranking = await on.deployment.fetch('/v1/demo/boards/articles/day', { headers });
        assert.equal(ranking.headers.get('access-control-allow-origin'), '*');
        assert.match(ranking.headers.get('access-control-expose-headers') ?? '', /ETag.*Cache-Status/);
        assert.equal((await on.deployment.fetch('/v1/demo/boards', { headers })).headers.get('access-control-allow-origin'), '*');
        const answer = await on.deployment.events({ events: [JSON.parse(JSON.stringify(view))] }, { headers });
        assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, null]);
      });
    });
  });
}
