/**
 * Whatever is sent: a precise refusal, nothing written, nothing of another site touched. And what merely looks hostile but
 * is allowed is counted as what it is.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';

import { CALENDAR, entriesOf, hashTags, startDeployment, RESP, WRITE_TOKEN } from '../support/deployment.mjs';
import { startRedis } from '../support/redis.mjs';
import { startWorker } from '../support/worker.mjs';

const ORIGIN = 'https://demo.example';
const SITE = {
  origins: [ORIGIN],
  actions: { view: { public: true }, like: {} },
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: CALENDAR },
    people: { members: 'actors', weights: { view: 1 }, windows: ['day'] },
  },
};
const SITES = { demo: SITE, other: SITE, open: { ...SITE, origins: ['*'] }, sandboxed: { ...SITE, origins: ['null'] } };
const MAX_BODY = 64 * 1024;
const view = { action: 'view', item: '/posts/1' };
const events = (/** @type {unknown[]} */ ...list) => JSON.stringify({ events: list });
const bearer = { authorization: `Bearer ${WRITE_TOKEN}` };

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
  let said = '';
  return new Promise((resolve, reject) => {
    socket.setEncoding('latin1').on('error', reject);
    socket.on('close', () => reject(new Error(`no whole answer: ${said}`)));
    socket.on('data', (text) => {
      said += text;
      const [head, body] = said.split(/\r\n\r\n(.*)/s);
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

/**
 * `[what, method and path, status, code, init]`; a POST without a body sends `view`.
 *
 * @typedef {[what: string, request: string, status: number, code: string, init?: RequestInit]} Refused
 * @type {Refused[]}
 */
const REFUSED = [
  // bodies
  ['64 KiB and a byte', 'POST beacon', 413, 'body-too-large', { body: ' '.repeat(MAX_BODY + 1) }],
  ['64 KiB and a byte of a server', 'POST events', 413, 'body-too-large', { headers: bearer, body: events(view).padEnd(MAX_BODY + 1) }],
  ['no body', 'POST beacon', 400, 'invalid-json', { body: '' }],
  ['half a body', 'POST beacon', 400, 'invalid-json', { body: '{"events":[' }],
  ['two bodies', 'POST beacon', 400, 'invalid-json', { body: `${events(view)}${events(view)}` }],
  ['not JSON', 'POST beacon', 400, 'invalid-json', { body: 'action=view&item=x' }],
  ['a list', 'POST beacon', 400, 'invalid-json', { body: '[]' }],
  ['a string', 'POST beacon', 400, 'invalid-json', { body: '"view"' }],
  ['null', 'POST beacon', 400, 'invalid-json', { body: 'null' }],
  ['ten thousand brackets', 'POST beacon', 400, 'invalid-json', { body: '['.repeat(10_000) }],
  ['ten thousand nested events', 'POST beacon', 400, 'invalid-json', { body: `${'{"events":['.repeat(2_000)}${']}'.repeat(2_000)}` }],
  ['a NUL between', 'POST beacon', 400, 'invalid-json', { body: `${events(view)}\0` }],
  ['a raw NUL in an id', 'POST beacon', 400, 'invalid-json', { body: '{"action":"view","item":"a\0b"}' }],
  ['invalid UTF-8', 'POST beacon', 400, 'invalid-json', { body: Buffer.from('{"action":"view","item":"\xff\xfe"}', 'latin1') }],
  ['overlong UTF-8', 'POST beacon', 400, 'invalid-json', { body: Buffer.from('{"action":"view","item":"\xc0\xaf"}', 'latin1') }],
  ['a lone surrogate', 'POST beacon', 400, 'invalid-json', { body: '{"action":"view","item":"\\ud800"}' }],
  ['UTF-16', 'POST beacon', 400, 'invalid-json', { body: Buffer.from(events(view), 'utf16le') }],
  ['a number past all doubles', 'POST beacon', 400, 'invalid-json', { body: '{"action":"view","item":"x","ago":1e999}' }],
  ['events that are no list', 'POST beacon', 400, 'invalid-json', { body: '{"events":{"0":{}}}' }],
  ['101 events', 'POST beacon', 413, 'too-many-events', { body: events(...Array(101).fill(view)) }],
  ['10,000 events', 'POST beacon', 413, 'too-many-events', { body: `{"events":[${Array(10_000).fill('{}')}]}` }],
  [
    '10,000 events of a server',
    'POST events',
    413,
    'too-many-events',
    { headers: bearer, body: `{"events":[${Array(10_000).fill('{}')}]}` },
  ],
  // events; one bad one refuses a beacon whole
  ['a good event and a number', 'POST beacon', 400, 'invalid-event', { body: events(view, 7) }],
  ['a good event and a list', 'POST beacon', 400, 'invalid-event', { body: events(view, [view]) }],
  ['no action', 'POST beacon', 400, 'invalid-action', { body: events(view, { item: 'x' }) }],
  ['an action that is a number', 'POST beacon', 400, 'invalid-action', { body: events(view, { action: 1, item: 'x' }) }],
  ['an unknown action', 'POST beacon', 400, 'unknown-action', { body: events(view, { action: 'veiw', item: 'x' }) }],
  ['__proto__', 'POST beacon', 400, 'unknown-action', { body: events(view, { action: '__proto__', item: 'x' }) }],
  ['constructor', 'POST beacon', 400, 'unknown-action', { body: events({ action: 'constructor', item: 'x' }) }],
  ['an action in capitals', 'POST beacon', 400, 'unknown-action', { body: events({ action: 'VIEW', item: 'x' }) }],
  ['an action that only servers may send', 'POST beacon', 403, 'action-not-public', { body: events(view, { action: 'like', item: 'x' }) }],
  ['an undo', 'POST beacon', 400, 'undo-not-possible', { body: events(view, { ...view, undo: true }) }],
  ['an undo in disguise', 'POST beacon', 400, 'invalid-undo', { body: events({ ...view, undo: 'yes' }) }],
  ['no item', 'POST beacon', 400, 'invalid-item', { body: events(view, { action: 'view' }) }],
  ['an empty item', 'POST beacon', 400, 'invalid-item', { body: events(view, { ...view, item: '' }) }],
  ['an item that is a number', 'POST beacon', 400, 'invalid-item', { body: events({ ...view, item: 1 }) }],
  ['an item that is an object', 'POST beacon', 400, 'invalid-item', { body: events({ ...view, item: { toString: 'x' } }) }],
  ['an item of 257 bytes', 'POST beacon', 400, 'invalid-item', { body: events(view, { ...view, item: 'x'.repeat(257) }) }],
  ['an item of 129 letters of two bytes', 'POST beacon', 400, 'invalid-item', { body: events({ ...view, item: 'é'.repeat(129) }) }],
  ...['\0', '\n', '\r\n', '\t', '\x1b[31m', '\x7f', '\u0085', '\u009f'].map(
    (control) =>
      /** @type {Refused} */ ([
        `an item with ${JSON.stringify(control)}`,
        'POST beacon',
        400,
        'invalid-item',
        { body: events(view, { ...view, item: `a${control}b` }) },
      ]),
  ),
  ['an actor with a newline', 'POST beacon', 400, 'invalid-actor', { body: events({ ...view, actor: 'a\r\nFLUSHALL\r\n' }) }],
  ['an actor of 257 bytes', 'POST beacon', 400, 'invalid-actor', { body: events({ ...view, actor: 'x'.repeat(257) }) }],
  ['a batch id with a space', 'POST beacon', 400, 'invalid-id', { body: JSON.stringify({ id: 'a b', events: [view] }) }],
  ['a batch id of 65 characters', 'POST beacon', 400, 'invalid-id', { body: JSON.stringify({ id: 'x'.repeat(65), events: [view] }) }],
  ['an empty batch id', 'POST beacon', 400, 'invalid-id', { body: JSON.stringify({ id: '', events: [view] }) }],
  ['a batch id that is a number', 'POST beacon', 400, 'invalid-id', { body: JSON.stringify({ id: 7, events: [view] }) }],
  ['an event id beyond ASCII', 'POST beacon', 400, 'invalid-id', { body: events({ ...view, id: 'é' }) }],
  [
    'fields that do not exist',
    'POST beacon',
    400,
    'unknown-field',
    { body: events(view, { ...view, constructor: 1, weight: 1e9, score: 1e9, site: 'other' }) },
  ],
  [
    'a field of a batch that does not exist',
    'POST beacon',
    400,
    'unknown-field',
    { body: JSON.stringify({ events: [view], actor: 'u7' }) },
  ],
  ['a visitor of a browser', 'POST beacon', 400, 'invalid-visitor', { body: events({ ...view, visitor: { address: '192.0.2.1' } }) }],
  ['an ago before the beginning', 'POST beacon', 400, 'invalid-ago', { body: events({ ...view, ago: -1 }) }],
  ['an ago that is text', 'POST beacon', 400, 'invalid-ago', { body: events({ ...view, ago: '1; FLUSHALL' }) }],
  ['an at of a browser', 'POST beacon', 400, 'invalid-at', { body: events({ ...view, at: 0 }) }],
  // the pixel
  ['a pixel without anything', 'GET beacon.gif', 400, 'invalid-action'],
  ['a pixel of an unknown action', 'GET beacon.gif?action=veiw&item=x', 400, 'unknown-action'],
  ['a pixel of a server’s action', 'GET beacon.gif?action=like&item=x', 403, 'action-not-public'],
  ['a pixel with more', 'GET beacon.gif?action=view&item=x&ago=1', 400, 'unknown-parameter'],
  ['a pixel with an item twice', 'GET beacon.gif?action=view&item=x&item=y', 400, 'repeated-parameter'],
  ['a pixel with invalid UTF-8', 'GET beacon.gif?action=view&item=%FF', 400, 'invalid-encoding'],
  ['a pixel with a NUL', 'GET beacon.gif?action=view&item=%00', 400, 'invalid-item'],
  ['a pixel with an empty item', 'GET beacon.gif?action=view&item=', 400, 'invalid-item'],
  // origins
  ['a foreign page', 'POST beacon', 403, 'origin-not-allowed', { headers: { origin: 'https://evil.example' } }],
  ['a page whose name only begins so', 'POST beacon', 403, 'origin-not-allowed', { headers: { origin: `${ORIGIN}.evil.example` } }],
  ['the right host on another port', 'POST beacon', 403, 'origin-not-allowed', { headers: { origin: `${ORIGIN}:8443` } }],
  ['the right host without TLS', 'POST beacon', 403, 'origin-not-allowed', { headers: { origin: 'http://demo.example' } }],
  ['a sandboxed page', 'POST beacon', 403, 'origin-not-allowed', { headers: { origin: 'null' } }],
  ['a foreign page’s preflight', 'OPTIONS beacon', 403, 'origin-not-allowed', { headers: { origin: 'https://evil.example' } }],
  [
    'a foreign page’s pixel',
    'GET beacon.gif?action=view&item=x',
    403,
    'origin-not-allowed',
    { headers: { referer: 'https://evil.example/a' } },
  ],
  [
    'a foreign page that hides its origin',
    'GET beacon.gif?action=view&item=x',
    403,
    'origin-not-allowed',
    { headers: { 'sec-fetch-site': 'cross-site' } },
  ],
  // tokens
  ['no token', 'POST events', 401, 'unauthorized'],
  ['an empty token', 'POST events', 401, 'unauthorized', { headers: { authorization: 'Bearer ' } }],
  ['a wrong token', 'POST events', 401, 'unauthorized', { headers: { authorization: 'Bearer wrong' } }],
  ['half the token', 'POST events', 401, 'unauthorized', { headers: { authorization: `Bearer ${WRITE_TOKEN.slice(0, -1)}` } }],
  ['more than the token', 'POST events', 401, 'unauthorized', { headers: { authorization: `Bearer ${WRITE_TOKEN}x` } }],
  ['the token as another scheme', 'POST events', 401, 'unauthorized', { headers: { authorization: `Basic ${WRITE_TOKEN}` } }],
  ['the token in the URL', `POST events?token=${WRITE_TOKEN}`, 401, 'unauthorized'],
  ['a wrong token and nonsense', 'POST events', 401, 'unauthorized', { body: '{', headers: { authorization: 'Bearer wrong' } }],
  // methods
  ['GET', 'GET beacon', 405, 'method-not-allowed'],
  ['PUT', 'PUT beacon', 405, 'method-not-allowed'],
  ['DELETE', 'DELETE boards/articles/day', 405, 'method-not-allowed'],
  ['PATCH', 'PATCH events', 405, 'method-not-allowed', { headers: bearer }],
  ['POST to the pixel', 'POST beacon.gif?action=view&item=x', 405, 'method-not-allowed'],
  ['POST to a ranking', 'POST boards/articles/day', 405, 'method-not-allowed'],
  ['POST to the boards', 'POST boards', 405, 'method-not-allowed'],
  ['POST to healthz', 'POST /healthz', 405, 'method-not-allowed'],
  ['POST to the page', 'POST /', 405, 'method-not-allowed'],
  // paths
  ['an unknown site', 'POST /v1/nobody/beacon', 404, 'unknown-site'],
  ['a site named __proto__', 'POST /v1/__proto__/beacon', 404, 'unknown-site'],
  ['a site with a colon', 'POST /v1/demo:articles/beacon', 404, 'unknown-site'],
  ['no site', 'POST /v1//beacon', 404, 'unknown-site'],
  ['a slash in a site', 'POST /v1/demo%2Fbeacon/beacon', 404, 'unknown-site'],
  ['dots in a site', 'POST /v1/..%2Fdemo/beacon', 404, 'unknown-site'],
  ['a NUL in a site', 'POST /v1/demo%00/beacon', 404, 'unknown-site'],
  ['a path that is not UTF-8', 'POST /v1/%FF/beacon', 400, 'invalid-encoding'],
  ['a slash too many', 'POST beacon/', 404, 'not-found'],
  ['a slash within a name', 'POST /v1/demo%2Fbeacon', 404, 'not-found'],
  ['another version', 'POST /v2/demo/beacon', 404, 'not-found'],
  ['an unknown board', 'GET boards/artikel/day', 404, 'unknown-board'],
  ['an unknown window', 'GET boards/articles/decade', 404, 'unknown-window'],
  ['a window of another board', 'GET boards/people/week', 404, 'unknown-window'],
  ['a board with a brace', 'GET boards/articles%7D/day', 404, 'unknown-board'],
  ['a parameter more', 'GET boards/articles/day?site=other', 400, 'unknown-parameter'],
  ['a parameter of the boards', 'GET boards?x=1', 400, 'unknown-parameter'],
  ['a parameter of healthz', 'GET /healthz?x', 400, 'unknown-parameter'],
  ['a board list of nobody', 'GET /v1/nobody/boards', 404, 'unknown-site'],
];
/** What `Allow` names, by path. */
const ALLOW = { beacon: 'POST', events: 'POST' };

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {import('../support/deployment.mjs').Deployment} */
    let deployment;
    /** @type {string} */
    let dump;
    /** Everything in Redis. */
    const everything = async () => {
      const keys = (await deployment.redis.command('KEYS', '*')).sort();
      return JSON.stringify(
        await Promise.all(
          keys.map(async (/** @type {string} */ key) => [key, (await deployment.redis.commandBuffers('DUMP', key)).toString('hex')]),
        ),
      );
    };
    before(async () => {
      deployment = await startDeployment({ transport, sites: SITES });
      deployment.clock.set('2026-11-20T12:00:00Z');
      for (const site of ['demo', 'other']) await deployment.beacon({ ...view, actor: 'u1', id: 'first' }, { site });
      dump = await everything();
    });
    after(() => deployment?.stop());

    /** @param {Refused} refused */
    async function check([, request, status, code, init]) {
      const [method, path] = request.split(' ');
      const body = method === 'POST' && init?.body === undefined ? events(view) : undefined;
      const url = path.startsWith('/') ? path : `/v1/demo/${path}`;
      /** @type {import('../support/deployment.mjs').Answer | undefined} */
      let answer;
      const { evalsha = 0, eval: sources = 0 } = await deployment.commandsDuring(async () => {
        answer = await deployment.fetch(url, { method, ...(body && { body }), ...init });
      });
      assert.deepEqual([answer?.status, answer?.body?.code], [status, code], answer?.text.slice(0, 500));
      assert.equal(answer?.headers.get('content-type'), 'application/problem+json');
      assert.equal(answer?.headers.get('cache-control'), 'no-store');
      assert.equal(answer?.body.status, status);
      assert.ok(answer?.body.title && answer?.body.detail);
      assert.ok(answer.text.length < 1_000, 'what was sent is not sent back');
      assert.equal(evalsha + sources, 0, 'Redis is not asked');
      assert.equal(await everything(), dump, 'nothing is written');
      const allow = answer?.headers.get('allow');
      if (status === 405) assert.equal(allow, ALLOW[/** @type {'beacon'} */ (path)] ?? 'GET');
      else assert.equal(allow, null);
      assert.equal(answer?.headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
      if (status === 403) assert.equal(answer?.headers.get('access-control-allow-origin'), null);
    }

    for (const refused of REFUSED) test(`${refused[0]}: ${refused[1]} → ${refused[2]} ${refused[3]}`, () => check(refused));

    test('a server’s bad events are reported one by one, and the good ones counted', async () => {
      const bad = [
        7,
        null,
        {},
        { ...view, item: '' },
        { ...view, item: 'a\nb' },
        { action: 'veiw', item: 'x' },
        { ...view, undo: true },
        { ...view, actor: '' },
        { ...view, id: 'a b' },
        { ...view, at: 'now' },
      ];
      const codes = [
        'invalid-event',
        'invalid-event',
        'invalid-action',
        'invalid-item',
        'invalid-item',
        'unknown-action',
        'undo-not-possible',
        'invalid-actor',
        'invalid-id',
        'invalid-at',
      ];
      const { status, body } = await deployment.events({ events: [...bad, view] }, { site: 'open' });
      assert.equal(status, 200);
      assert.deepEqual([body.accepted, body.duplicate], [1, 0]);
      assert.deepEqual(
        body.rejected.map((/** @type {any} */ { index, code }) => [index, code]),
        codes.map((code, index) => [index, code]),
      );
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/day', '', 'open')), [['/posts/1', 1]]);
      assert.deepEqual((await deployment.events({ events: [] }, { site: 'open' })).body, {
        accepted: 0,
        duplicate: 0,
        rejected: [],
      });
    });

    describe('allowed', () => {
      beforeEach(async () => {
        await deployment.reset();
        deployment.clock.set('2026-11-20T12:00:00Z');
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
        assert.equal((await deployment.beacon(batch)).status, 204);
        for (const ranking of ['articles/day', 'people/day']) {
          const shown = await deployment.top(ranking, '?limit=100');
          assert.deepEqual(entriesOf(shown).sort(), STRANGE.map((id) => [id, 1]).sort());
          assert.equal(shown.body.total, STRANGE.length);
        }
        assert.deepEqual(hashTags(await deployment.redis.command('KEYS', '*')), ['demo', 'demo:articles', 'demo:people']);
        for (const id of STRANGE) {
          const { status, body } = await deployment.fetch(`/v1/demo/actors/${encodeURIComponent(id)}/activity`, { headers: bearer });
          assert.deepEqual([status, body?.actor, body?.days], [200, id, [{ day: '2026-11-20', actions: { view: 1 } }]], id);
        }
      });

      test('the same through the pixel', async () => {
        for (const id of STRANGE) {
          const query = new URLSearchParams({ action: 'view', item: id });
          assert.equal((await deployment.fetch(`/v1/demo/beacon.gif?${query}`)).status, 200, id);
        }
        assert.deepEqual(entriesOf(await deployment.top('articles/day', '?limit=100')).sort(), STRANGE.map((id) => [id, 1]).sort());
      });

      test('a content type of anything, exactly 64 KiB, exactly 100 events', async () => {
        const { fetch } = deployment;
        const post = async (/** @type {RequestInit} */ init) => (await fetch('/v1/demo/beacon', { method: 'POST', ...init })).status;
        assert.equal(await post({ body: events(view), headers: { 'content-type': 'multipart/form-data; boundary=x' } }), 204);
        assert.equal(await post({ body: events(view).padEnd(MAX_BODY) }), 204);
        assert.equal(await post({ body: events(...Array(100).fill(view)) }), 204);
        assert.equal(await post({ body: events() }), 204);
        assert.deepEqual(entriesOf(await deployment.top('articles/day')), [['/posts/1', 102]]);
        assert.deepEqual(hashTags(await deployment.redis.command('KEYS', '*')), ['demo:articles']);
      });

      test('chunks, up to 64 KiB', async () => {
        const body = events(view).padEnd(MAX_BODY);
        const chunks = [body.slice(0, 7), body.slice(7, 40_000), body.slice(40_000), ''].map(chunk).join('');
        assert.deepEqual(await answerTo(deployment.worker.url, `${HEAD}transfer-encoding: chunked\r\n\r\n${chunks}`), {
          status: 204,
        });
        assert.deepEqual(entriesOf(await deployment.top('articles/day')), [['/posts/1', 1]]);
      });
    });

    describe('a body that does not end', () => {
      for (const [how, head, body] of [
        ['in chunks', 'transfer-encoding: chunked', chunk('x'.repeat(5 * MAX_BODY))],
        ['of ten megabytes', 'content-length: 10485760', 'x'.repeat(5 * MAX_BODY)],
      ]) {
        test(`${how} is refused before its end`, async () => {
          await deployment.reset();
          const answer = await answerTo(deployment.worker.url, `${HEAD}${head}\r\n\r\n${body}`);
          assert.deepEqual(answer, { status: 413, code: 'body-too-large' });
          assert.equal(await deployment.redis.command('DBSIZE'), 0);
        });
      }

      test('and that is broken off counts nothing', async () => {
        await deployment.reset();
        const { port } = new URL(deployment.worker.url);
        const body = events(view);
        await new Promise((resolve) => {
          const socket = connect(Number(port), '127.0.0.1', () => {
            socket.end(`${HEAD}content-length: ${body.length + 5}\r\n\r\n${body}`);
          });
          socket.on('close', resolve).on('error', resolve).resume();
        });
        assert.equal((await deployment.fetch('/healthz')).status, 200, 'the worker lives on');
        assert.equal(await deployment.redis.command('DBSIZE'), 0);
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
          const answer = await deployment.fetch(`/v1/${site}/beacon`, {
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
      test('demo listens to the worker’s own pages', () => checkOrigin('demo', deployment.worker.url, true));

      test('they may read what went wrong with their own beacon', async () => {
        const answer = await deployment.beacon({ action: 'veiw', item: 'x' }, { headers: { origin: ORIGIN } });
        assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [400, ORIGIN]);
      });

      test('every page may read rankings, and no page the answers to servers', async () => {
        const headers = { origin: 'https://evil.example' };
        const ranking = await deployment.fetch('/v1/demo/boards/articles/day', { headers });
        assert.equal(ranking.headers.get('access-control-allow-origin'), '*');
        assert.match(ranking.headers.get('access-control-expose-headers') ?? '', /ETag.*Cache-Status/);
        assert.equal((await deployment.fetch('/v1/demo/boards', { headers })).headers.get('access-control-allow-origin'), '*');
        const answer = await deployment.events({ events: [] }, { headers });
        assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, null]);
      });
    });
  });
}

test('a deployment without WRITE_TOKEN refuses every token', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  for (const WRITE_TOKEN of [undefined, '']) {
    const worker = await startWorker({
      vars: { REDIS_URL: redis.url, SITES, ...(WRITE_TOKEN !== undefined && { WRITE_TOKEN }) },
    });
    try {
      for (const authorization of [undefined, 'Bearer', 'Bearer ', 'Bearer undefined', 'Bearer null']) {
        const headers = authorization === undefined ? undefined : { authorization };
        const response = await worker.fetch('/v1/demo/events', { method: 'POST', body: events(view), headers });
        assert.equal(response.status, 401, authorization);
        assert.equal((await response.json()).code, 'unauthorized');
      }
    } finally {
      await worker.stop();
    }
  }
  assert.equal(await redis.command('DBSIZE'), 0);
});
