/** Tokens of actors, as docs/actors.md describes them. */
import { createHmac } from 'node:crypto';

/**
 * @param {object} claim
 * @param {string} claim.secret one of ACTOR_SECRET
 * @param {string} claim.site
 * @param {string} claim.actor
 * @param {number} claim.expiry Unix seconds
 */
export function signActor({ secret, site, actor, expiry }) {
  const text = `v1.${expiry}.${Buffer.from(actor).toString('base64url')}`;
  return `${text}.${createHmac('sha256', secret).update(`${site}\n${text}`).digest('base64url')}`;
}
