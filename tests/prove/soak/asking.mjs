/**
 * Requests that are asked until they are done, since replies are lost.
 */
import assert from 'node:assert/strict';

import { WRITE_TOKEN } from '../../support/deployment.mjs';

export const ADMIN_TOKEN = 'a-token-for-owners';
/** A second each: an archiving that lost a reply has its board for half a minute, and the next one may lose another. */
const TRIES = 300;

/** @typedef {(path: string, init: RequestInit) => Promise<{ status: number, body: any, text: string }>} Fetch */

/**
 * Asks until it is done. Before it is asked again, a second passes: upkeep rests, and a run that was killed has the board for half a minute.
 *
 * @param {Fetch} fetch @param {() => void} passSecond @param {string} path @param {RequestInit} init
 */
export async function askUntilDone(fetch, passSecond, path, init) {
  let last = '';
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { status, body, text } = await fetch(path, { ...init, headers: authorized(path) });
    if (status >= 200 && status < 300 && status !== 202 && body?.done !== false) return body;
    last = `${status} ${text}`;
    assert.ok([202, 409, 500, 503, 504].includes(status) || body?.done === false, `${path}: ${last}`);
    passSecond();
  }
  return assert.fail(`${path} is not done after ${TRIES} tries: ${last}`);
}

/** @param {string} path */
export function authorized(path) {
  return { authorization: `Bearer ${path.startsWith('/v1/demo/actors/') ? WRITE_TOKEN : ADMIN_TOKEN}` };
}

/**
 * Sends a batch until somebody acknowledges it, who answers 200 or 202 to servers and 204 to browsers.
 *
 * @param {Pick<import('../../support/worker.mjs').Worker, 'fetch'>} worker @param {string} path @param {object} batch
 * @returns {Promise<any>} what is said to servers
 */
export async function sendUntilKept(worker, path, batch) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${WRITE_TOKEN}` };
  for (let tries = 0; ; tries += 1) {
    const answer = await worker.fetch(path, { method: 'POST', headers, body: JSON.stringify(batch) });
    const text = await answer.text();
    if (answer.status === 204) return undefined;
    if (answer.status === 200 || answer.status === 202) return JSON.parse(text);
    assert.ok([503, 504].includes(answer.status) && tries < TRIES, `${path}: ${answer.status} ${text}`);
  }
}
