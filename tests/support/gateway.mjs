/**
 * Upstash on loopback: its REST protocol in front of a real redis-server, with faults on demand.
 *
 * 1. Count the request; `hang` and `failBefore` end it here, as a broken network or proxy in front of Upstash would.
 * 2. 401 unless the token fits, whatever the route.
 * 3. 405 for a method other than HEAD, GET, POST, PUT; 400 for what cannot be parsed.
 * 4. Apply the commands on one connection to Redis; 503 when Redis cannot be reached.
 * 5. Lose the reply, delay it, or send it.
 *
 * # Out of scope
 *
 * Server-sent events (`/subscribe`, `/monitor`), read-only tokens, rate and storage quotas, TLS.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { createFaults } from './gateway-faults.mjs';
import { createLint } from './gateway-lint.mjs';
import { createLocks } from './gateway-locks.mjs';
import { json, parseCall, Refusal, renderAnswers, unavailable } from './gateway-protocol.mjs';
import { ConnectionError, ReplyError, respConnection } from './resp.mjs';

const METHODS = new Set(['HEAD', 'GET', 'POST', 'PUT']);
const MAX_BODY_BYTES = 10 * 1024 * 1024; // Upstash's smallest plan
const UNREACHABLE = { status: 503, type: 'text/html', body: '<html><h1>503 Service Unavailable</h1></html>' };

/**
 * @typedef {import('./resp.mjs').Argument} Argument
 * @typedef {import('./resp.mjs').Answer} Answer
 * @typedef {object} Gateway
 * @property {string} url `http://127.0.0.1:<port>`
 * @property {string} token the bearer token it wants
 * @property {number} requests HTTP requests seen, failed ones too
 * @property {number} commands Redis commands asked for in requests that were applied
 * @property {import('./gateway-faults.mjs').Faults} faults
 * @property {Map<string, import('./gateway-lint.mjs').ScriptCount>} scripts with `lint`: what scripts ran inside
 *   Redis, by SHA-1
 * @property {import('./gateway-locks.mjs').Locked} [locked] with `locks`: how calls of functions locked
 * @property {() => Promise<void>} close
 */

/**
 * @param {object} options
 * @param {{ port: number }} options.redis the server to stand in front of
 * @param {string} [options.token] a random one by default
 * @param {number} [options.port] a free one by default
 * @param {boolean} [options.lint] count the commands that scripts run
 * @param {boolean} [options.forgets] keep nothing between calls of functions, as a server does that makes them anew for each
 * @param {boolean} [options.locks] let functions lock by key, and refuse them other keys
 * @returns {Promise<Gateway>}
 */
export async function startGateway({
  redis,
  token = randomBytes(16).toString('hex'),
  port = 0,
  lint = false,
  forgets = false,
  locks = false,
}) {
  const connection = respConnection({ host: '127.0.0.1', port: redis.port });
  const faults = createFaults();
  const counter = createLint();
  const locking = locks ? createLocks() : undefined;
  const closing = new AbortController();
  let requests = 0;
  let commands = 0;

  const server = createServer((request, response) => {
    requests += 1;
    answer(request).then(
      (reply) => {
        if (!reply) return;
        response.writeHead(reply.status, { 'content-type': reply.type, 'upstash-sync-token': `1:${requests}` });
        response.end(reply.body);
      },
      (error) => response.writeHead(500).end(error.stack), // unheard when the client is gone or the gateway closes
    );
  });

  /**
   * The response, or undefined when there will be none.
   *
   * @param {import('node:http').IncomingMessage} request
   */
  async function answer(request) {
    const body = await readBody(request);
    if (faults.hangs()) return undefined;
    if (faults.fails()) return UNREACHABLE;
    let call;
    try {
      call = admit(request, body, token);
    } catch (error) {
      if (error instanceof Refusal) return json(error.status, { error: error.message });
      throw error;
    }
    let outcome;
    try {
      if (forgets) await forget();
      outcome = await apply(call);
    } catch (error) {
      if (error instanceof ConnectionError) return UNREACHABLE;
      throw error;
    }
    commands += call.commands.length;
    if (faults.loses(call.commands.map((command) => command.map(String)))) {
      request.socket.destroy();
      return undefined;
    }
    if (faults.delayMs() > 0) await pause(faults.delayMs(), undefined, { signal: closing.signal });
    return renderAnswers(call, outcome);
  }

  /**
   * @param {import('./gateway-protocol.mjs').Call} call
   * @returns {Promise<Answer[] | ReplyError>}
   */
  async function apply({ kind, commands: asked }) {
    const refused = asked.map(unavailable);
    const refusal = refused.find(Boolean);
    if (kind === 'transaction' && refusal) return refusal;
    const passed = asked.filter((_, index) => !refused[index]);
    const allowed = locking?.withoutFlag(passed) ?? passed;
    const run = kind === 'transaction' ? runTransaction : connection.batch;
    const outcome = await run(lint ? counter.withProbes(allowed) : allowed);
    if (outcome instanceof ReplyError) return outcome;
    const answers = [...(lint ? counter.count(allowed, outcome) : outcome)];
    locking?.count(allowed, answers);
    return refused.map((error) => {
      const answer = error ? { value: error, raw: Buffer.from(`-${error.message}\r\n`) } : answers.shift();
      return /** @type {Answer} */ (answer); // there is one for each that was allowed
    });
  }

  /** Makes all functions anew. */
  async function forget() {
    const [{ value: dump }] = await connection.batch([['FUNCTION', 'DUMP']]);
    if (Buffer.isBuffer(dump)) await connection.batch([['FUNCTION', 'RESTORE', dump, 'REPLACE']]);
  }

  /**
   * @param {Argument[][]} queued
   * @returns {Promise<Answer[] | ReplyError>}
   */
  async function runTransaction(queued) {
    const answers = await connection.batch([['MULTI'], ...queued, ['EXEC']]);
    const { value, raw } = answers[answers.length - 1];
    if (value instanceof ReplyError) return value;
    return /** @type {import('./resp.mjs').Reply[]} */ (value).map((item) => ({ value: item, raw }));
  }

  // Else it closes what was idle for 5 s, just when a worker sends over it.
  server.keepAliveTimeout = 0;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`,
    token,
    faults: faults.controls,
    scripts: counter.scripts,
    locked: locking?.locked,
    get requests() {
      return requests;
    },
    get commands() {
      return commands;
    },
    async close() {
      closing.abort();
      connection.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {Buffer} body
 * @param {string} token
 */
function admit(request, body, token) {
  const url = new URL(`http://gateway${request.url}`);
  const given = request.headers.authorization?.replace(/^Bearer /i, '') ?? url.searchParams.get('_token');
  if (given !== token) throw new Refusal(401, 'Unauthorized');
  if (!METHODS.has(request.method ?? '')) throw new Refusal(405, `ERR method not allowed: ${request.method}`);
  if (body.length > MAX_BODY_BYTES) {
    throw new Refusal(400, `ERR max request size exceeded. Limit: ${MAX_BODY_BYTES} bytes`);
  }
  return parseCall({ url, headers: request.headers, body });
}

/**
 * The request's body, of which at most one chunk past the limit is kept.
 *
 * @param {import('node:http').IncomingMessage} request
 */
async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks);
}
