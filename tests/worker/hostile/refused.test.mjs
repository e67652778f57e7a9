/**
 * Whatever is sent: a precise refusal, nothing written, nothing of another site touched.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { entriesOf, RESP, WRITE_TOKEN } from '../../support/deployment.mjs';
import { startRedis } from '../../support/redis.mjs';
import { startWorker } from '../../support/worker.mjs';
import { bearer, events, MAX_BODY, ORIGIN, serve, SITES, view } from './site.mjs';

/** @typedef {import('./site.mjs').Refused} Refused */

/** @type {Refused[]} */
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
  // events, none of which can be understood
  ['a number', 'POST beacon', 400, 'invalid-event', { body: events(7) }],
  ['a list of events in place of one', 'POST beacon', 400, 'invalid-event', { body: events([view]) }],
  ['no action', 'POST beacon', 400, 'invalid-action', { body: events({ item: 'x' }) }],
  ['an action that is a number', 'POST beacon', 400, 'invalid-action', { body: events({ action: 1, item: 'x' }) }],
  ['an unknown action', 'POST beacon', 400, 'unknown-action', { body: events({ action: 'veiw', item: 'x' }) }],
  ['__proto__', 'POST beacon', 400, 'unknown-action', { body: events({ action: '__proto__', item: 'x' }) }],
  ['constructor', 'POST beacon', 400, 'unknown-action', { body: events({ action: 'constructor', item: 'x' }) }],
  ['an action in capitals', 'POST beacon', 400, 'unknown-action', { body: events({ action: 'VIEW', item: 'x' }) }],
  ['an action that only servers may send', 'POST beacon', 403, 'action-not-public', { body: events({ action: 'like', item: 'x' }) }],
  ['an undo', 'POST beacon', 400, 'undo-not-possible', { body: events({ ...view, undo: true }) }],
  ['an undo in disguise', 'POST beacon', 400, 'invalid-undo', { body: events({ ...view, undo: 'yes' }) }],
  ['no item', 'POST beacon', 400, 'invalid-item', { body: events({ action: 'view' }) }],
  ['an empty item', 'POST beacon', 400, 'invalid-item', { body: events({ ...view, item: '' }) }],
  ['an item that is a number', 'POST beacon', 400, 'invalid-item', { body: events({ ...view, item: 1 }) }],
  ['an item that is an object', 'POST beacon', 400, 'invalid-item', { body: events({ ...view, item: { toString: 'x' } }) }],
  ['an item of 257 bytes', 'POST beacon', 400, 'invalid-item', { body: events({ ...view, item: 'x'.repeat(257) }) }],
  ['an item of 129 letters of two bytes', 'POST beacon', 400, 'invalid-item', { body: events({ ...view, item: 'é'.repeat(129) }) }],
  ...['\0', '\n', '\r\n', '\t', '\x1b[31m', '\x7f', '\u0085', '\u009f'].map(
    (control) =>
      /** @type {Refused} */ ([
        `an item with ${JSON.stringify(control)}`,
        'POST beacon',
        400,
        'invalid-item',
        { body: events({ ...view, item: `a${control}b` }) },
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
    { body: events({ ...view, constructor: 1, weight: 1e9, score: 1e9, site: 'other' }) },
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
  // ids that no address can name
  ...['.', '..'].flatMap(
    (id) =>
      /** @type {Refused[]} */ ([
        [`an item named ${id}`, 'POST beacon', 400, 'invalid-item', { body: events({ ...view, item: id }) }],
        [`an actor named ${id}`, 'POST beacon', 400, 'invalid-actor', { body: events({ ...view, actor: id }) }],
        [`a pixel’s item named ${id}`, `GET beacon.gif?action=view&item=${id}`, 400, 'invalid-item'],
        [`a pixel’s actor named ${id}`, `GET beacon.gif?action=view&item=x&actor=${id}`, 400, 'invalid-actor'],
        [`a rank of ${id}`, 'POST boards/articles/day/ranks', 400, 'invalid-id', { body: JSON.stringify({ ids: [id] }) }],
      ]),
  ),
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

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { check } = on;

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
        { ...view, item: '..' },
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
        'invalid-item',
        'invalid-id',
        'invalid-at',
      ];
      const { status, body } = await on.deployment.events({ events: [...bad, view] }, { site: 'open' });
      assert.equal(status, 200);
      assert.deepEqual([body.accepted, body.duplicate], [1, 0]);
      assert.deepEqual(
        body.rejected.map((/** @type {any} */ { index, code }) => [index, code]),
        codes.map((code, index) => [index, code]),
      );
      assert.deepEqual(entriesOf(await on.deployment.freshTop('articles/day', '', 'open')), [['/posts/1', 1]]);
      const none = await on.deployment.events({ events: [] }, { site: 'open' });
      assert.deepEqual([none.status, none.body.code], [400, 'invalid-json']);
      for (const [i, event] of bad.entries()) {
        if (typeof event !== 'object' || event === null) continue;
        const alone = await on.deployment.events(event, { site: 'open' });
        assert.deepEqual([alone.status, alone.body.code], [400, codes[i]], 'a bare one is a problem');
      }
    });

    test('a browser’s bad events are left out, and the good ones counted', async () => {
      await on.deployment.reset();
      const bad = [7, { action: 'like', item: 'x' }, { action: 'veiw', item: 'x' }, { ...view, undo: true }, { action: 'veiw', item: 'y' }];
      const { status, headers } = await on.deployment.beacon({ events: [...bad, view] }, { site: 'open' });
      assert.equal(status, 204);
      assert.equal(headers.get('edgeboard-refused'), 'invalid-event, action-not-public, unknown-action, undo-not-possible');
      assert.deepEqual(entriesOf(await on.deployment.freshTop('articles/day', '', 'open')), [['/posts/1', 1]]);
      const nothing = await on.deployment.beacon({ events: bad }, { site: 'open' });
      assert.deepEqual([nothing.status, nothing.body.code, nothing.headers.get('edgeboard-refused')], [403, 'action-not-public', null]);
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
