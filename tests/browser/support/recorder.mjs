/** A page's origin and, on another port, an ingest origin that serves beacon.js and records what it is sent. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const BEACON_JS = new URL('../../../web/beacon.js', import.meta.url);
const GIF = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/**
 * @typedef {object} Recorded
 * @property {string} method
 * @property {URL} url
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {string} body
 */

/**
 * @returns {Promise<{
 *   show: (html: string) => string,
 *   ingestUrl: string,
 *   requests: Recorded[],
 *   dropPosts: boolean,
 *   stop: () => Promise<void>,
 * }>} `show` sets the page and gives its address; while `dropPosts`, a POST is recorded and its connection cut
 */
export async function startRecorder() {
  let html = '';
  const recorder = { requests: [], dropPosts: false };

  const pages = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html;charset=utf-8' }).end(html);
  });
  const ingest = await listen(async (request, response) => {
    const url = new URL(request.url, 'http://ingest.test');
    if (url.pathname === '/beacon.js') return serveBeacon(response);
    const { method, headers } = request;
    recorder.requests.push({ method, url, headers, body: await text(request) });
    if (method === 'POST' && recorder.dropPosts) return request.socket.destroy();
    if (method === 'GET') return response.writeHead(200, { 'content-type': 'image/gif' }).end(GIF);
    response.writeHead(204).end();
  });

  return Object.assign(recorder, {
    ingestUrl: ingest.url,
    show(page) {
      html = page;
      return pages.url;
    },
    async stop() {
      await Promise.all([pages.close(), ingest.close()]);
    },
  });
}

async function serveBeacon(response) {
  const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
  response.writeHead(200, headers).end(await readFile(BEACON_JS));
}

async function listen(handler) {
  const server = createServer((request, response) => {
    // A browser repeats by itself what is lost on a connection it had used before.
    response.setHeader('connection', 'close');
    return handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
      return once(server, 'close');
    },
  };
}
