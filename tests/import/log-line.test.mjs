/** Log lines that parse and what they say; log lines that do not, and why. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MAX_LINE_BYTES, parseLogLine } from '../../packages/edgeboard/import/log-line.mjs';

const { raw } = String;

/** @type {Record<string, { line: string, at?: string } & Partial<import('../../packages/edgeboard/import/log-line.mjs').LogLine>>} */
const SOUND = {
  'Common Log Format': {
    line: '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326',
    at: '2000-10-10T20:55:36Z',
    method: 'GET',
    target: '/apache_pb.gif',
    status: 200,
    host: '127.0.0.1',
    agent: '',
  },
  'Combined Log Format': {
    line: '83.149.9.216 - - [17/May/2015:10:05:03 +0000] "HEAD /a?b=c HTTP/1.1" 304 - "http://x/" "Mozilla/5.0 (X11)"',
    at: '2015-05-17T10:05:03Z',
    method: 'HEAD',
    target: '/a?b=c',
    status: 304,
    host: '83.149.9.216',
    agent: 'Mozilla/5.0 (X11)',
  },
  'IPv6 and an empty referrer': {
    line: '2001:db8::ff00:42:8329 - - [01/Jan/2024:00:00:00 +0545] "GET / HTTP/2.0" 200 0 "" ""',
    at: '2023-12-31T18:15:00Z',
    target: '/',
  },
  'a user name with spaces and a bracket': {
    line: '::1 - Ada [the first] Lovelace [29/Feb/2024:23:59:59 +0000] "GET /x HTTP/1.1" 200 5',
    at: '2024-02-29T23:59:59Z',
    target: '/x',
  },
  'an empty user name': {
    line: '::1 - "" [17/May/2015:10:05:03 +0000] "GET /x HTTP/1.1" 401 5',
    status: 401,
  },
  'escapes in the user agent': {
    line: raw`::1 - - [17/May/2015:10:05:03 +0000] "GET /x HTTP/1.1" 200 5 "-" "say \"hi\" \\"`,
    target: '/x',
    host: '::1',
    agent: 'say "hi" \\',
  },
  'no user agent': {
    line: 'pc7.example.net - - [17/May/2015:10:05:03 +0000] "GET /x HTTP/1.1" 200 5 "-" "-"',
    host: 'pc7.example.net',
    agent: '',
  },
  'escapes in the target': {
    line: raw`::1 - - [17/May/2015:10:05:03 +0000] "GET /\"q\"\\\xC3\xa9\t\q HTTP/1.1" 200 5`,
    target: '/"q"\\\xc3\xa9\t\\q',
  },
  'bytes above ASCII in the target': {
    line: '::1 - - [17/May/2015:10:05:03 +0000] "GET /caf\xc3\xa9 HTTP/1.1" 200 5',
    target: '/caf\xc3\xa9',
  },
  'percent-encoding is left alone': {
    line: '::1 - - [17/May/2015:10:05:03 +0000] "GET /a%20b%2Fc HTTP/1.1" 200 5',
    target: '/a%20b%2Fc',
  },
  'a target with spaces': {
    line: '::1 - - [17/May/2015:10:05:03 +0000] "GET /a b HTTP/1.1 HTTP/1.1" 200 5',
    target: '/a b HTTP/1.1',
  },
  'HTTP/0.9': {
    line: '::1 - - [17/May/2015:10:05:03 +0000] "GET /old" 200 5',
    target: '/old',
  },
  'an absolute target': {
    line: '::1 - - [17/May/2015:10:05:03 +0000] "GET http://example.net/a HTTP/1.1" 200 5',
    target: 'http://example.net/a',
  },
  CONNECT: {
    line: '::1 - - [17/May/2015:10:05:03 +0000] "CONNECT example.net:443 HTTP/1.1" 405 5',
    method: 'CONNECT',
    target: 'example.net:443',
  },
  'OPTIONS *': {
    line: '::1 - - [17/May/2015:10:05:03 +0000] "OPTIONS * HTTP/1.0" 200 -',
    method: 'OPTIONS',
    target: '*',
  },
  'a leap second': {
    line: '::1 - - [30/Jun/2015:19:59:60 -0400] "GET / HTTP/1.1" 200 5',
    at: '2015-07-01T00:00:00Z',
  },
};

for (const [name, { line, at, ...expected }] of Object.entries(SOUND)) {
  test(`parses ${name}`, () => {
    const request = parseLogLine(line);
    assert.ok(!('fault' in request));
    const { time, ...parsed } = request;
    assert.deepEqual(parsed, { ...parsed, ...expected });
    if (at) assert.equal(new Date(time).toISOString(), at.replace('Z', '.000Z'));
  });
}

const FORMAT = 'neither Common nor Combined Log Format';
const TIME = 'no such time';
const REQUEST = 'malformed request line';
const at = (/** @type {string} */ time) => `::1 - - [${time}] "GET / HTTP/1.1" 200 5`;
const asking = (/** @type {string} */ request) => `::1 - - [17/May/2015:10:05:03 +0000] "${request}" 400 5`;

const UNSOUND = [
  ['', FORMAT],
  ['garbage', FORMAT],
  ['\x16\x03\x01\x00\xff', FORMAT],
  [at('17/May/2015:10:05:03'), FORMAT],
  [at('7/May/2015:10:05:03 +0000'), FORMAT],
  [at('2015-05-17T10:05:03Z'), FORMAT],
  ['::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" - 5', FORMAT],
  ['::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 20 5', FORMAT],
  ['::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200', FORMAT],
  ['::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 ', FORMAT],
  ['::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-"', FORMAT],
  ['::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "cut sho', FORMAT],
  [raw`::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "escaped end\"`, FORMAT],
  ['::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "-" extra', FORMAT],
  ['- [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5', FORMAT],
  [at('29/Feb/2015:10:05:03 +0000'), TIME],
  [at('31/Apr/2015:10:05:03 +0000'), TIME],
  [at('00/May/2015:10:05:03 +0000'), TIME],
  [at('17/may/2015:10:05:03 +0000'), TIME],
  [at('17/Mai/2015:10:05:03 +0000'), TIME],
  [at('17/May/1969:10:05:03 +0000'), TIME],
  [at('17/May/2015:24:00:00 +0000'), TIME],
  [at('17/May/2015:10:60:00 +0000'), TIME],
  [at('17/May/2015:10:05:60 +0000'), TIME],
  [at('17/May/2015:10:05:03 +2400'), TIME],
  [at('17/May/2015:10:05:03 +0060'), TIME],
  [asking('-'), REQUEST],
  [asking(''), REQUEST],
  [asking('GET'), REQUEST],
  [asking('GET /'.repeat(2)), REQUEST],
  [asking('GET  / HTTP/1.1'), REQUEST],
  [asking('GET index.html HTTP/1.1'), REQUEST],
  [asking('POST /'), REQUEST],
  [asking('GET / HTTP/1.1 '), REQUEST],
  [asking(raw`\x16\x03\x01\x02\x00\x01`), REQUEST],
  [asking('\x03\x00\x00/*\xe0\x00\x00'), REQUEST],
  [asking('SSH-2.0-Go'), REQUEST],
  [asking(`GET /${'a'.repeat(MAX_LINE_BYTES)} HTTP/1.1`), `longer than ${MAX_LINE_BYTES} bytes`],
];

for (const [line, fault] of UNSOUND) {
  test(`does not parse ${JSON.stringify(line.slice(0, 100))}`, () => {
    assert.deepEqual(parseLogLine(line), { fault });
  });
}

test('takes no longer over a hostile line than over any other of its length', () => {
  const hostile = [
    `::1 - - ${'[17/May/2015:10:05:03 +0000] "GET / '.repeat(1_700)}`,
    `::1 - - [17/May/2015:10:05:03 +0000] "GET ${'\\"'.repeat(32_000)}`,
    `::1 - - [17/May/2015:10:05:03 +0000] "GET /${' '.repeat(65_000)}" 200 5`,
  ];
  for (const line of hostile) {
    const started = performance.now();
    assert.ok('fault' in parseLogLine(line));
    assert.ok(performance.now() - started < 1_000);
  }
});
