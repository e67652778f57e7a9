/**
 * The demo page: what `npm start` answers at `/`. It shows the boards of the site `demo`, and writes to that site alone.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { signActor } from '../../../packages/edgeboard/serve/actor-token.mjs';
import { inProject } from '../../project.mjs';
import { SITE, sentByPages } from './site.mjs';

/** Who the page's reader is. */
const READER = 'you';
/** Who is simulated. */
const MEMBERS = ['Ada', 'Bo', 'Chloé', 'Dov', 'Esi', 'Farid', 'Greta', 'Hana', 'Ivo', 'June', 'Kofi', 'Lena'];
const TOKEN_S = 30 * 24 * 60 * 60;
/** The last attribute of the script element in page.html. What the page must know follows it. */
const LAST_ATTRIBUTE = `data-edgeboard-site="${SITE}"`;

/**
 * @param {object} options
 * @param {any} options.table the site's
 * @param {string} options.secret what the site's tokens of actors are signed with
 * @returns {import('../../../packages/edgeboard/serve/local.mjs').Page}
 */
export function demoPage({ table, secret }) {
  const html = readFileSync(inProject('scripts/serve/demo/page.html'), 'utf8');
  const expiry = Math.floor(Date.now() / 1000) + TOKEN_S;
  const tokenOf = (/** @type {string} */ actor) => signActor({ secret, site: SITE, actor, expiry });
  const known = { ...sentByPages(table), members: Object.fromEntries(MEMBERS.map((actor) => [actor, tokenOf(actor)])) };
  const attributes = `${LAST_ATTRIBUTE} data-edgeboard-token="${tokenOf(READER)}" data-demo="${escaped(JSON.stringify(known))}"`;
  return {
    html: html.replace(LAST_ATTRIBUTE, () => attributes),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Not `no-referrer`, with which browsers name no origin in the page's own beacons.
      'referrer-policy': 'same-origin',
      'content-security-policy': policyOf(html),
    },
  };
}

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** The page's own script and style, by their digests, and what the worker serves. @param {string} html */
function policyOf(html) {
  const digest = (/** @type {RegExp} */ element) =>
    `'sha256-${createHash('sha256')
      .update(element.exec(html)?.[1] ?? '')
      .digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src 'self' ${digest(/<script type="module">(.*?)<\/script>/s)}`,
    `style-src ${digest(/<style>(.*?)<\/style>/s)}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
