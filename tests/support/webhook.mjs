/** A webhook of a test's own, which hears what is handed on. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** @typedef {{ headers: import('node:http').IncomingHttpHeaders, text: string, message: any }} Heard */

/**
 * @param {(n: number) => number | undefined} [statusOf] what the nth message is answered with, else what `answers` says; `undefined`:
 *   nothing
 */
export async function startWebhook(statusOf) {
  /** @type {Heard[]} */
  const heard = [];
  const answers = { status: 204 };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    heard.push({ headers: request.headers, text, message: JSON.parse(text) });
    const status = statusOf ? statusOf(heard.length) : answers.status;
    if (status) response.writeHead(status, { location: '/elsewhere' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { heard, answers, url: `http://127.0.0.1:${port}/heard`, stop };
}

/** That a message is signed with a secret; answers when, in Unix seconds. @param {Heard | undefined} heard @param {string} secret */
export function assertSigned(heard, secret) {
  assert.ok(heard, 'nothing was heard');
  const [, at, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(heard.headers['edgeboard-signature'])) ?? [];
  assert.equal(mac, createHmac('sha256', secret).update(`${at}.${heard.text}`).digest('hex'));
  return Number(at);
}
