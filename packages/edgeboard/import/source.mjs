/**
 * Where lines come from: a file or standard input, plain or gzip. Gzip is known by its first bytes, whatever the name.
 * Input is streamed, so no more than a chunk of it is ever in memory.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import { MAX_LINE_BYTES } from './log-line.mjs';

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * @typedef {AsyncIterable<Buffer>} Bytes
 *
 * @typedef {object} Source
 * @property {string} name for messages
 * @property {number | undefined} bytes its size as stored, when that is known beforehand
 * @property {(signal: AbortSignal, onBytes: (count: number) => void) => AsyncGenerator<string[]>} lines
 *   its lines without line ends, one character per byte, some at a time; `onBytes` hears of the stored bytes read
 */

/**
 * Looks at every file before the first is read, so that a misspelt name stops the import while nothing is sent.
 *
 * @param {string[]} names file names, `-` for standard input
 * @param {Readable} stdin
 * @returns {Promise<Source[]>}
 */
export function openSources(names, stdin) {
  return Promise.all(names.map((name) => (name === '-' ? source('stdin', undefined, () => stdin) : openFile(name))));
}

/** @param {string} name */
async function openFile(name) {
  const stats = await stat(name).catch((error) => {
    throw error.code === 'ENOENT' ? new Error(`there is no file ${name}`, { cause: error }) : error;
  });
  if (stats.isDirectory()) throw new Error(`${name} is a directory`);
  return source(name, stats.isFile() ? stats.size : undefined, () => createReadStream(name));
}

/**
 * @param {string} name
 * @param {number | undefined} bytes
 * @param {() => Readable} open
 * @returns {Source}
 */
function source(name, bytes, open) {
  /** @type {Source['lines']} */
  async function* lines(signal, onBytes) {
    const stored = metered(addAbortSignal(signal, open()), onBytes);
    try {
      yield* splitLines(await decompressed(stored));
    } catch (error) {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    }
  }
  return { name, bytes, lines };
}

/**
 * @param {Bytes} chunks
 * @param {(count: number) => void} onBytes
 */
async function* metered(chunks, onBytes) {
  for await (const chunk of chunks) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/**
 * The same bytes, or what they are the gzip of; several gzip members in a row count as one stream.
 *
 * @param {AsyncGenerator<Buffer>} chunks
 * @returns {Promise<Bytes>}
 */
async function decompressed(chunks) {
  /** @type {Buffer} */
  let head = Buffer.alloc(0);
  while (head.length < GZIP_MAGIC.length) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }

  const whole = prepend(head, chunks);
  if (!head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) return whole;
  // The reader of the result meets its errors, so the callback has nothing to do.
  return pipeline(Readable.from(whole), createGunzip(), () => {});
}

/**
 * @param {Buffer} head
 * @param {AsyncGenerator<Buffer>} chunks
 */
async function* prepend(head, chunks) {
  yield head;
  yield* chunks;
}

/** Splits at LF and CRLF. The last line needs no line end. @param {Bytes} chunks */
async function* splitLines(chunks) {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    // What the parser refuses for its length need not be kept, so a file without line ends stays small in memory.
    rest = String(lines.pop()).slice(0, MAX_LINE_BYTES + 1);
    yield lines.map(withoutCr);
  }
  if (rest !== '') yield [withoutCr(rest)];
}

/** @param {string} line */
function withoutCr(line) {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
