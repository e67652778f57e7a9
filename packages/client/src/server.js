/** What the site's own server does: sign the tokens of actors, and check what the worker hands on. Needs WebCrypto alone. */

/**
 * @typedef {{ id: string, action: string, item?: string, actor?: string, at: number, undo?: boolean, count?: number, seq?: number, value?: number }} HandedOn
 * @typedef {object} Period a period that is over, with its best members
 * @property {string} board
 * @property {string} window
 * @property {string} id
 * @property {string} starts_at
 * @property {string} ends_at
 * @property {number} revision
 * @property {number} total
 * @property {import('./api.js').Entry[]} entries
 *
 * @typedef {{ site: string, events?: HandedOn[], period?: Period }} Message
 */

const DAY_S = 86_400;
const TOLERANCE_S = 300;
const encoder = new TextEncoder();

/** @param {string} secret @param {'sign' | 'verify'} use */
const keyOf = (secret, use) => crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use]);

/** Base64url without padding. @param {Uint8Array} bytes */
const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '');

/**
 * Signs a token that says who acts, for a page of that user.
 *
 * @param {object} claim
 * @param {string} claim.secret the site's `ACTOR_SECRET`
 * @param {string} claim.site
 * @param {string} claim.actor the user's id
 * @param {number} [claim.seconds] for how long, a day by default
 * @returns {Promise<string>}
 */
export async function signActor({ secret, site, actor, seconds = DAY_S }) {
  const text = `v1.${Math.floor(Date.now() / 1000) + seconds}.${base64url(encoder.encode(actor))}`;
  const mac = await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), encoder.encode(`${site}\n${text}`));
  return `${text}.${base64url(new Uint8Array(mac))}`;
}

/**
 * Checks what a webhook was sent. Answers the message, or `null` where the worker did not sign it, or too long ago.
 *
 * @param {object} received
 * @param {string} received.secret the site's `FORWARD_SECRET`
 * @param {string | null | undefined} received.signature the header `Edgeboard-Signature`
 * @param {string} received.body as it came
 * @param {number} [received.toleranceS] how old it may be, 300 s
 * @returns {Promise<Message | null>}
 */
export async function verifyWebhook({ secret, signature, body, toleranceS = TOLERANCE_S }) {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature ?? '') ?? [];
  if (!v1 || Math.abs(Date.now() / 1000 - Number(t)) > toleranceS) return null;
  const mac = Uint8Array.from(v1.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const isSigned = await crypto.subtle.verify('HMAC', await keyOf(secret, 'verify'), mac, encoder.encode(`${t}.${body}`));
  return isSigned ? JSON.parse(body) : null;
}
