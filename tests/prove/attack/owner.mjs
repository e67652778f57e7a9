/**
 * What the owner of the site does each evening, by what requests look like in an access log: takes back what bots and cheats did, and
 * takes made-up ids off the boards.
 */
import { DAY_MS } from '../../support/windows.mjs';
import { junkOf } from './traffic.mjs';

export const OWNER_TOKEN = 'a-token-for-the-owner';
/** Who is taken back as a visitor. */
const VISITORS = ['agents', 'reloader', 'forger'];

/**
 * @typedef {import('./traffic.mjs').Kind} Kind
 * @typedef {import('../../support/deployment.mjs').Deployment} Deployment
 */

/**
 * @param {Deployment} deployment
 * @param {object} evening
 * @param {number} evening.day
 * @param {number} evening.now Unix milliseconds, of the day's beginning
 * @param {import('./traffic.mjs').Visit[]} evening.visits of the day
 * @param {Map<Kind, number>} evening.takenBack counts what is taken back of each kind: events, once for each board, and members that
 *   were removed
 */
export async function cleanUp(deployment, { day, now, visits, takenBack }) {
  const add = (/** @type {Kind} */ kind, /** @type {number} */ events) => takenBack.set(kind, (takenBack.get(kind) ?? 0) + events);
  const prefix = encodeURIComponent(junkOf(day));
  for (const board of ['articles', 'hits']) {
    const removed = await untilDone(deployment, `boards/${board}/members?prefix=${prefix}`, { method: 'DELETE' });
    add('flood', removed.entries);
  }
  /** @type {Map<string, { kind: Kind, culprit: object }>} */
  const culprits = new Map();
  for (const { kind, address, agent, actor } of visits) {
    if (VISITORS.includes(kind)) culprits.set(`${address} ${agent}`, { kind, culprit: { visitor: { address, agent } } });
    if (kind === 'voter') culprits.set(String(actor), { kind, culprit: { actor } });
  }
  const span = { from: new Date(now - DAY_MS / 4).toISOString(), until: new Date(now + DAY_MS / 4).toISOString() };
  for (const { kind, culprit } of culprits.values()) {
    const revoked = await untilDone(deployment, 'revoke', { method: 'POST', body: JSON.stringify({ ...culprit, ...span }) });
    add(kind, revoked.events);
  }
}

/**
 * Asks again until nothing is left.
 *
 * @param {Deployment} deployment
 * @param {string} path
 * @param {RequestInit} init
 * @returns {Promise<{ events: number, entries: number }>} of all answers
 */
async function untilDone(deployment, path, init) {
  const sums = { events: 0, entries: 0 };
  for (;;) {
    const { status, body, text } = await deployment.fetch(`/v1/demo/admin/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${OWNER_TOKEN}` },
    });
    if (status !== 200 && status !== 202) throw new Error(`${path} is answered ${status}: ${text}`);
    sums.events += body.events ?? 0;
    sums.entries += body.entries ?? 0;
    if (body.done) return sums;
  }
}
