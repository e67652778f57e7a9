/**
 * A small RESP2 client for tests, written independently of the product's own so that neither hides the other's bugs.
 *
 * Commands go out in the order they are given and are answered in that order. A batch is one write, so no other
 * caller's command comes between its commands on this connection.
 *
 * # Out of scope
 *
 * RESP3, TLS, push messages and blocking commands.
 */
import { connect } from 'node:net';

/** A simple string such as `OK` or `QUEUED`, told apart from a value that happens to read the same. */
export class Status extends String {}

/** An error reply. */
export class ReplyError extends Error {
  name = 'ReplyError';
}

/** No reply: the server could not be reached, or went away. */
export class ConnectionError extends Error {
  name = 'ConnectionError';
}

/**
 * @typedef {string | number | bigint | Buffer} Argument
 * @typedef {null | number | bigint | Buffer | Status | ReplyError | Reply[]} Reply strings of data are Buffers;
 *   integers past 2^53 are BigInts
 * @typedef {{ value: Reply, raw: Buffer }} Answer a reply and the bytes it came as
 * @typedef {object} Connection
 * @property {(commands: Argument[][]) => Promise<Answer[]>} batch send commands in one write; error replies are values
 * @property {() => void} close
 */

/**
 * Connect lazily to a Redis server: at the first batch, and again at the next one after the connection broke.
 *
 * @param {{ host: string, port: number }} address
 * @returns {Connection}
 */
export function respConnection({ host, port }) {
  /** @type {{ send: Connection['batch'], destroy: () => void, broken: boolean } | undefined} */
  let link;
  return {
    batch(commands) {
      if (!link || link.broken) link = openLink(host, port);
      return link.send(commands);
    },
    close() {
      link?.destroy();
      link = undefined;
    },
  };
}

/**
 * @param {string} host
 * @param {number} port
 */
function openLink(host, port) {
  /** @type {{ resolve: (answer: Answer) => void, reject: (error: Error) => void }[]} */
  const waiting = [];
  /** @type {Buffer} */
  let unread = Buffer.alloc(0);
  const socket = connect({ host, port, noDelay: true });
  const link = {
    broken: false,
    destroy: () => void socket.destroy(),
    /**
     * @param {Argument[][]} commands
     * @returns {Promise<Answer[]>}
     */
    send(commands) {
      socket.ref();
      const answers = commands.map(() => new Promise((resolve, reject) => waiting.push({ resolve, reject })));
      socket.write(Buffer.concat(commands.map(encodeCommand)));
      return Promise.all(answers);
    },
  };
  const fail = (/** @type {string} */ reason) => {
    link.broken = true;
    for (const { reject } of waiting.splice(0)) reject(new ConnectionError(`redis at ${host}:${port}: ${reason}`));
  };
  socket.on('data', (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    let at = 0;
    for (let parsed; (parsed = parseReply(unread, at)); at = parsed.end) {
      waiting.shift()?.resolve({ value: parsed.value, raw: unread.subarray(at, parsed.end) });
    }
    unread = unread.subarray(at);
    if (waiting.length === 0) socket.unref(); // an idle connection keeps no test process alive
  });
  socket.on('error', (error) => fail(error.message));
  socket.on('close', () => fail('the connection closed'));
  return link;
}

/** @param {Argument[]} command */
function encodeCommand(command) {
  /** @type {Uint8Array[]} */
  const parts = [Buffer.from(`*${command.length}\r\n`)];
  for (const argument of command) {
    const bytes = Buffer.isBuffer(argument) ? argument : Buffer.from(String(argument));
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}

/**
 * Parse the reply that begins at `start`; undefined when it has not arrived in full.
 *
 * @param {Buffer} bytes
 * @param {number} start
 * @returns {{ value: Reply, end: number } | undefined}
 */
function parseReply(bytes, start) {
  const eol = bytes.indexOf('\r\n', start);
  if (eol < 0) return undefined;
  const line = bytes.toString('utf8', start + 1, eol);
  const end = eol + 2;
  switch (bytes[start]) {
    case 0x2b: // +
      return { value: new Status(line), end };
    case 0x2d: // -
      return { value: new ReplyError(line), end };
    case 0x3a: // :
      return { value: Number.isSafeInteger(Number(line)) ? Number(line) : BigInt(line), end };
    case 0x24: // $
      return parseBulk(bytes, end, Number(line));
    case 0x2a: // *
      return parseArray(bytes, end, Number(line));
    default:
      throw new Error(`not a RESP2 reply: ${line}`);
  }
}

/**
 * @param {Buffer} bytes
 * @param {number} start
 * @param {number} length
 */
function parseBulk(bytes, start, length) {
  if (length < 0) return { value: null, end: start };
  const end = start + length + 2;
  return end <= bytes.length ? { value: bytes.subarray(start, start + length), end } : undefined;
}

/**
 * @param {Buffer} bytes
 * @param {number} start
 * @param {number} length
 */
function parseArray(bytes, start, length) {
  if (length < 0) return { value: null, end: start };
  /** @type {Reply[]} */
  const value = [];
  let end = start;
  while (value.length < length) {
    const item = parseReply(bytes, end);
    if (!item) return undefined;
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}
