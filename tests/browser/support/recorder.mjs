/** A page's origin and, on another port, an ingest origin that serves beacon.js and records what it is sent. */

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import { listen } from './listen.mjs';

const BEACON_JS = new URL('../../../web/beacon.js', import.meta.url);
const GIF = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/**
 * @typedef {object} Recorded
 * @property {string} [method]
 * @property {URL} url
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {string} body
 */

/**
 * @typedef {object} Recorder
 * @property {(html: string) => string} show sets the page and gives its address
 * @property {string} ingestUrl
 * @property {Recorded[]} requests
 * @property {boolean} dropPosts while it is set, a POST is recorded and its connection cut
 * @property {{ status: number, headers?: Record<string, string>, body?: string }} answer what a POST gets
 * @property {() => Promise<void>} stop
 *
 * @returns {Promise<Recorder>}
 */
export async function startRecorder() {
  let html = '';
  const recorder = {
    requests: /** @type {Recorded[]} */ ([]),
    dropPosts: false,
    answer: /** @type {Recorder['answer']} */ ({ status: 204 }),
  };

  const pages = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html;charset=utf-8' }).end(html);
  });
  const ingest = await listen(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://ingest.test');
    if (url.pathname.endsWith('.js')) {
      await serveBeacon(response);
      return;
    }
    const { method, headers } = request;
    recorder.requests.push({ method, url, headers, body: await text(request) });
    if (method === 'POST' && recorder.dropPosts) request.socket.destroy();
    else if (method === 'GET') response.writeHead(200, { 'content-type': 'image/gif' }).end(GIF);
    else {
      const { status, headers: others, body } = recorder.answer;
      response.writeHead(status, { ...others }).end(body);
    }
  });

  return Object.assign(recorder, {
    ingestUrl: ingest.url,
    show(/** @type {string} */ page) {
      html = page;
      return pages.url;
    },
    async stop() {
      await Promise.all([pages.close(), ingest.close()]);
    },
  });
}

/** @param {import('node:http').ServerResponse} response */
async function serveBeacon(response) {
  const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
  response.writeHead(200, headers).end(await readFile(BEACON_JS));
}
