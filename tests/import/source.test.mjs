/** How bytes become lines: whatever the compression, the chunks and the line ends. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { MAX_LINE_BYTES } from '../../packages/edgeboard/import/log-line.mjs';
import { openSources } from '../../packages/edgeboard/import/source.mjs';
import { writeFiles } from './command.mjs';

/** The lines of standard input that comes in the given chunks. @param {Buffer[]} chunks */
async function linesOf(chunks) {
  const [source] = await openSources(['-'], Readable.from(chunks));
  return readAll(source);
}

/** @param {import('../../packages/edgeboard/import/source.mjs').Source} source */
async function readAll(source) {
  /** @type {string[]} */
  const lines = [];
  for await (const some of source.lines(new AbortController().signal, () => {})) lines.push(...some);
  return lines;
}

const bytewise = (/** @type {Buffer} */ buffer) => Array.from(buffer, (byte) => Buffer.from([byte]));
const text = Buffer.from('one\ntwo\r\n\nthr\xe9e', 'latin1');
const lines = ['one', 'two', '', 'thr\xe9e'];

/** @type {Record<string, [chunks: Buffer[], lines: string[]]>} */
const INPUTS = {
  'in one chunk': [[text], lines],
  'byte by byte': [bytewise(text), lines],
  'as gzip': [[gzipSync(text)], lines],
  'as gzip, byte by byte': [bytewise(gzipSync(text)), lines],
  'as two gzip members': [
    [gzipSync('one\ntw'), gzipSync('o\n')],
    ['one', 'two'],
  ],
  'with a line end at its end': [[Buffer.from('one\n')], ['one']],
  empty: [[], []],
  'of one byte': [[Buffer.from([0x1f])], ['\x1f']],
  'of an empty gzip': [[gzipSync('')], []],
};

for (const [name, [chunks, expected]] of Object.entries(INPUTS)) {
  test(`reads input ${name}`, async () => {
    assert.deepEqual(await linesOf(chunks), expected);
  });
}

test('a line without end is cut, so that it cannot fill the memory, and stays too long to parse', async () => {
  const chunks = Array.from({ length: 50 }, () => Buffer.alloc(MAX_LINE_BYTES, 'a'));
  const [long, next] = await linesOf([...chunks, Buffer.from('\nnext\n')]);
  assert.ok(long.length > MAX_LINE_BYTES && long.length < 3 * MAX_LINE_BYTES);
  assert.equal(next, 'next');
});

test('a file tells its size beforehand and its bytes as they are read', async (t) => {
  const stored = gzipSync(text);
  const [source] = await openSources(writeFiles(t, { 'not-called-gz.log': stored }), process.stdin);
  let bytes = 0;
  for await (const _ of source.lines(new AbortController().signal, (count) => (bytes += count)));
  assert.equal(source.bytes, stored.length);
  assert.equal(bytes, stored.length);
});

test('a gzip that ends early fails under its name, after the lines it had', async () => {
  const whole = gzipSync(Buffer.alloc(100_000, 'line\n'));
  await assert.rejects(linesOf([whole.subarray(0, whole.length - 20)]), { message: 'stdin: unexpected end of file' });
});

test('a missing file and a directory are found out before anything is read', async () => {
  await assert.rejects(openSources(['/no/such/file'], process.stdin), { message: 'there is no file /no/such/file' });
  await assert.rejects(openSources(['/'], process.stdin), { message: '/ is a directory' });
});

test('an aborted source stops although its input goes on', async () => {
  const abort = new AbortController();
  const endless = new Readable({ read() {} });
  endless.push('first\n');
  const [source] = await openSources(['-'], endless);
  const reading = source.lines(abort.signal, () => {});
  assert.deepEqual((await reading.next()).value, ['first']);
  const next = reading.next();
  abort.abort();
  await assert.rejects(next, /aborted/);
});
