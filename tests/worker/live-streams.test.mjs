/** Event streams of live rankings: what is encoded, and what is held for who does not read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { Streams } from '../../src/edge/streams.js';

const READERS = 40;
const VERSIONS = 100;
const BYTES = 100_000;

const version = (/** @type {number} */ n) => `id: ${n}\ndata: ${'x'.repeat(BYTES)}\n\n`;
const textOf = (/** @type {Uint8Array | undefined} */ bytes) => new TextDecoder().decode(bytes);

/** Encodings and their bytes from now on. @param {import('node:test').TestContext} t */
function encoded(t) {
  const { mock } = t.mock.method(TextEncoder.prototype, 'encode');
  return () => ({ times: mock.callCount(), bytes: mock.calls.reduce((bytes, { result }) => bytes + (result?.byteLength ?? 0), 0) });
}

test(`${READERS} streams that nobody reads hold one version together, and go on with the newest`, async (t) => {
  const streams = new Streams();
  const spent = encoded(t);
  const readers = Array.from({ length: READERS }, () => streams.open('', []).getReader());
  streams.tell('ranking', version(0));
  const first = await Promise.all(readers.map((reader) => reader.read()));
  assert.deepEqual(new Set(first.map(({ value }) => textOf(value))), new Set([version(0)]));
  assert.equal(new Set(first.map(({ value }) => value)).size, 1, 'the same bytes');

  for (let n = 1; n <= VERSIONS; n += 1) {
    streams.tell('ranking', version(n));
    await setImmediate(); // who could take it does
  }
  streams.beat();
  assert.equal(spent().times, 1, 'nothing is encoded that nobody reads');

  const next = await Promise.all(readers.map((reader) => reader.read()));
  assert.deepEqual(new Set(next.map(({ value }) => textOf(value))), new Set([version(VERSIONS)]), 'nothing between');
  assert.deepEqual(spent(), { times: 2, bytes: version(0).length + version(VERSIONS).length });
});

test('each kind of event has its newest, in order; who has one is not told it again', async () => {
  const streams = new Streams();
  streams.tell('ranking', 'one');
  const [reader, knowing] = [streams.open('', []).getReader(), streams.open('', ['ranking']).getReader()];
  streams.tell('readers', '1');
  streams.tell('readers', '2');
  const read = async (/** @type {typeof reader} */ from) => textOf((await from.read()).value);
  assert.deepEqual([await read(reader), await read(reader), await read(knowing)], ['one', '2', '2']);

  const waiting = read(reader);
  streams.tell('readers', '2');
  streams.beat();
  assert.equal(await waiting, ':\n\n', 'the same is no news');
  streams.tell('ranking', 'two');
  assert.deepEqual([await read(reader), await read(knowing)], ['two', 'two']);
});

test('streams count for their addresses until they end', async () => {
  const streams = new Streams();
  const [one] = [streams.open('a', []), streams.open('a', []), streams.open('b', [])];
  assert.deepEqual([streams.size, streams.countOf('a'), streams.countOf('b'), streams.countOf('c')], [3, 2, 1, 0]);
  await one.cancel();
  assert.deepEqual([streams.size, streams.countOf('a')], [2, 1]);
});
