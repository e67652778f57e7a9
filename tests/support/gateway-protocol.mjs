/**
 * The Upstash REST protocol as data: an HTTP request to Redis commands, Redis replies to an HTTP response.
 *
 * After https://upstash.com/docs/redis/features/restapi. Where that page is silent, this is what was chosen.
 * A boolean argument is its text: the official client sends them so. `null` and objects are refused. A status other than
 * `OK` is base64 like any string. A `resp2` answer carries the status that the JSON one would.
 */
import { ReplyError, Status } from './resp.mjs';

/** Commands that need a connection of their own, which REST has not. */
const UNAVAILABLE = new Set(
  [
    'AUTH CLIENT HELLO QUIT RESET SELECT DISCARD EXEC MULTI UNWATCH WATCH',
    'BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN WAIT',
    'MONITOR PSUBSCRIBE PSYNC PUNSUBSCRIBE SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE SYNC UNSUBSCRIBE',
  ].flatMap((names) => names.split(' ')),
);

/**
 * @typedef {import('./resp.mjs').Argument} Argument
 * @typedef {import('./resp.mjs').Reply} Reply
 * @typedef {import('./resp.mjs').Answer} Answer
 * @typedef {'single' | 'pipeline' | 'transaction'} Kind
 * @typedef {'text' | 'base64' | 'resp2'} Encoding
 * @typedef {{ kind: Kind, commands: Argument[][], encoding: Encoding }} Call
 * @typedef {{ status: number, type: string, body: string | Buffer }} HttpAnswer
 */

/** A request that is refused before anything is applied. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {{ url: URL, headers: import('node:http').IncomingHttpHeaders, body: Buffer }} request
 * @returns {Call}
 */
export function parseCall({ url, headers, body }) {
  const kind = kindOf(url.pathname);
  const encoding = encodingOf(headers, kind);
  if (kind !== 'single') {
    const rows = parseJson(body);
    if (!Array.isArray(rows) || rows.length === 0) throw new Refusal(400, 'ERR expected an array of commands');
    return { kind, encoding, commands: rows.map(parseCommand) };
  }
  const command = url.pathname === '/' ? parseCommand(parseJson(body)) : commandOfPath(url, body);
  return { kind, encoding, commands: [command] };
}

/**
 * The error for a command that REST cannot carry, or undefined.
 *
 * @param {Argument[]} command
 */
export function unavailable([name]) {
  if (!UNAVAILABLE.has(String(name).toUpperCase())) return undefined;
  return new ReplyError(`ERR Command is not available: '${name}'`);
}

/**
 * @param {Call} call
 * @param {Answer[] | ReplyError} outcome one answer per command, or why a transaction was discarded
 * @returns {HttpAnswer}
 */
export function renderAnswers({ kind, encoding }, outcome) {
  if (outcome instanceof ReplyError) return json(400, { error: outcome.message });
  const status = kind === 'single' && outcome[0].value instanceof ReplyError ? 400 : 200;
  if (encoding === 'resp2') {
    return { status, type: 'application/octet-stream', body: Buffer.concat(outcome.map(({ raw }) => raw)) };
  }
  const items = outcome.map(({ value }) => (value instanceof ReplyError ? { error: value.message } : { result: render(value, encoding) }));
  return json(status, kind === 'single' ? items[0] : items);
}

/**
 * @param {number} status
 * @param {unknown} body
 * @returns {HttpAnswer}
 */
export function json(status, body) {
  // Integers past 2^53 are written digit by digit, as Upstash does.
  const { rawJSON } = /** @type {JSON & { rawJSON(text: string): unknown }} */ (JSON);
  return {
    status,
    type: 'application/json',
    body: JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? rawJSON(String(value)) : value)),
  };
}

/** @param {string} path */
function kindOf(path) {
  if (path === '/pipeline') return 'pipeline';
  return path === '/multi-exec' ? 'transaction' : 'single';
}

/**
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {Kind} kind
 * @returns {Encoding}
 */
function encodingOf(headers, kind) {
  const base64 = headers['upstash-encoding'] === 'base64';
  const format = headers['upstash-response-format'] ?? 'json';
  if (format !== 'json' && format !== 'resp2') throw new Refusal(400, `ERR unsupported response format: ${format}`);
  if (format === 'resp2' && base64) throw new Refusal(400, 'ERR base64 encoding is not permitted with resp2');
  if (format === 'resp2' && kind !== 'transaction') return 'resp2';
  return base64 ? 'base64' : 'text';
}

/**
 * `/set/key?EX=100` with the value in the body is `SET key value EX 100`.
 *
 * @param {URL} url
 * @param {Buffer} body
 * @returns {Argument[]}
 */
function commandOfPath(url, body) {
  let path;
  try {
    path = url.pathname.slice(1).split('/').map(decodeURIComponent);
  } catch {
    throw new Refusal(400, 'ERR malformed path');
  }
  const options = [...url.searchParams].filter(([name]) => name !== '_token').flat();
  return [...path, ...(body.length > 0 ? [body] : []), ...options.filter((part) => part !== '')]; // ?NX has no value
}

/** @param {unknown} row */
function parseCommand(row) {
  if (!Array.isArray(row) || row.length === 0) throw new Refusal(400, 'ERR expected a command as a JSON array');
  return row.map((argument) => {
    if (argument === null || typeof argument === 'object') throw new Refusal(400, 'ERR unsupported argument type');
    return String(argument);
  });
}

/**
 * Parse a body, keeping numbers as they were written: `1e3` and integers past 2^53 stay what they are.
 *
 * @typedef {(key: string, value: unknown, context: { source: string }) => unknown} SourceReviver
 *
 * @param {Buffer} body
 * @returns {unknown}
 */
function parseJson(body) {
  const { parse } = /** @type {{ parse(text: string, reviver: SourceReviver): unknown }} */ (JSON);
  try {
    return parse(body.toString(), (_, value, { source }) => (typeof value === 'number' ? source : value));
  } catch {
    throw new Refusal(400, 'ERR failed to parse the request body');
  }
}

/**
 * A reply as JSON. Bytes that are not UTF-8 become U+FFFD unless base64 was asked for; `OK` is never encoded.
 *
 * @param {Reply} reply
 * @param {Encoding} encoding
 * @returns {unknown}
 */
function render(reply, encoding) {
  if (reply instanceof Status && reply.toString() === 'OK') return 'OK';
  return renderData(reply, encoding);
}

/**
 * @param {Reply} reply
 * @param {Encoding} encoding
 * @returns {unknown}
 */
function renderData(reply, encoding) {
  if (Array.isArray(reply)) return reply.map((item) => renderData(item, encoding));
  if (reply instanceof ReplyError) return reply.message;
  if (!Buffer.isBuffer(reply) && !(reply instanceof Status)) return reply;
  const bytes = Buffer.isBuffer(reply) ? reply : Buffer.from(reply.toString());
  return bytes.toString(encoding === 'base64' ? 'base64' : 'utf8');
}
