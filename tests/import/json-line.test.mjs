/** Lines of JSON that parse and what they say; those that do not, and why. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseJsonLine } from '../../packages/edgeboard/import/json-line.mjs';
import { MAX_LINE_BYTES } from '../../packages/edgeboard/import/log-line.mjs';

/** One character per byte, as files are read. @param {unknown} json */
const lineOf = (json) => Buffer.from(JSON.stringify(json)).toString('latin1');

const LOGPUSH = {
  ClientIP: '192.0.2.7',
  ClientRequestHost: 'example.com',
  ClientRequestMethod: 'GET',
  ClientRequestURI: '/posts/1?from=feed',
  ClientRequestUserAgent: 'Mozilla/5.0 (X11)',
  EdgeResponseStatus: 200,
  EdgeStartTimestamp: '2026-11-20T12:00:01Z',
};
const REQUEST = { method: 'GET', target: '/posts/1?from=feed', status: 200, host: '192.0.2.7', agent: 'Mozilla/5.0 (X11)' };

/** @type {Record<string, { json: object, at: string, expected?: object }>} */
const SOUND = {
  Logpush: { json: LOGPUSH, at: '2026-11-20T12:00:01.000Z', expected: REQUEST },
  'Logpush, in nanoseconds': { json: { ...LOGPUSH, EdgeStartTimestamp: 1_795_176_001_250_000_000 }, at: '2026-11-20T12:00:01.250Z' },
  'Logpush, in seconds': { json: { ...LOGPUSH, EdgeStartTimestamp: 1_795_176_001 }, at: '2026-11-20T12:00:01.000Z' },
  'Logpush without the query': {
    json: { ...LOGPUSH, ClientRequestURI: undefined, ClientRequestPath: '/posts/1' },
    at: '2026-11-20T12:00:01.000Z',
    expected: { ...REQUEST, target: '/posts/1' },
  },
  Caddy: {
    json: {
      level: 'info',
      ts: 1_795_176_001.5,
      request: {
        remote_ip: '192.0.2.7',
        method: 'GET',
        host: 'example.com',
        uri: '/posts/1?from=feed',
        headers: { 'User-Agent': ['Mozilla/5.0 (X11)'] },
      },
      status: 200,
    },
    at: '2026-11-20T12:00:01.500Z',
    expected: REQUEST,
  },
  nginx: {
    json: {
      time_iso8601: '2026-11-20T14:00:01+02:00',
      request_method: 'GET',
      request_uri: '/posts/1?from=feed',
      status: '200',
      remote_addr: '192.0.2.7',
      http_user_agent: 'Mozilla/5.0 (X11)',
    },
    at: '2026-11-20T12:00:01.000Z',
    expected: REQUEST,
  },
  'no user agent, and bytes above ASCII': {
    json: { msec: '1795176001.000', method: 'HEAD', path: '/café', status: 304, http_user_agent: '-' },
    at: '2026-11-20T12:00:01.000Z',
    expected: { method: 'HEAD', target: '/caf\xc3\xa9', status: 304, host: '', agent: '' },
  },
};

for (const [name, { json, at, expected }] of Object.entries(SOUND)) {
  test(`reads ${name}`, () => {
    const request = parseJsonLine(lineOf(json));
    assert.ok(!('fault' in request), JSON.stringify(request));
    const { time, ...parsed } = request;
    assert.equal(new Date(time).toISOString(), at);
    if (expected) assert.deepEqual(parsed, expected);
  });
}

/** @type {[line: string, fault: RegExp][]} */
const UNSOUND = [
  ['{', /^not JSON$/],
  ['{"ClientIP":"\xff"}', /^not JSON$/],
  ['{}', /^no time: none of EdgeStartTimestamp, ts, /],
  [lineOf({ ...LOGPUSH, EdgeStartTimestamp: 'yesterday' }), /^no time/],
  [lineOf({ ...LOGPUSH, EdgeStartTimestamp: -1 }), /^no time/],
  [lineOf({ ...LOGPUSH, EdgeStartTimestamp: '2026-13-20T12:00:01Z' }), /^no time/],
  [lineOf({ ...LOGPUSH, ClientRequestMethod: 'GET /' }), /^no method/],
  [lineOf({ ...LOGPUSH, ClientRequestURI: 'posts' }), /^no path/],
  [lineOf({ ...LOGPUSH, EdgeResponseStatus: 0 }), /^no status/],
  [lineOf({ ...LOGPUSH, more: 'x'.repeat(MAX_LINE_BYTES) }), /^longer than 131072 bytes$/],
];

for (const [line, fault] of UNSOUND) {
  test(`does not read ${line.slice(0, 100)}`, () => {
    const request = parseJsonLine(line);
    assert.match('fault' in request ? request.fault : 'it was read', fault);
  });
}
