/**
 * What the client does, as a program that any runtime runs: it answers what came out, and imports nothing but the client.
 *
 * @typedef {{ url: string, token: string, actorSecret: string }} Given
 */
import { ApiError, createClient } from '../../../packages/client/src/index.js';
import { live } from '../../../packages/client/src/live.js';
import { signActor, verifyWebhook } from '../../../packages/client/src/server.js';

const SITE = 'demo';
const MANY = 250;

/** @param {Given} given */
export async function run({ url, token, actorSecret }) {
  const client = createClient({ url, site: SITE, token });
  const events = Array.from({ length: MANY }, (_, i) => ({ action: 'view', item: `/many/${i}` }));
  const sent = await client.send(events, { id: 'many' });
  const again = await client.send(events, { id: 'many' });

  // The first reply is lost on its way.
  let tries = 0;
  const losing = createClient({
    url,
    site: SITE,
    token,
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      await response.clone().arrayBuffer();
      tries += 1;
      if (tries === 1) throw new TypeError('the connection was lost');
      return response;
    },
  });
  const lost = await losing.send([{ action: 'view', item: '/lost' }]);

  losing.track({ action: 'view', item: '/tracked' });
  await losing.flush();
  const { score } = (await client.member('articles', 'all', '/lost')) ?? {};
  const tracked = await client.member('articles', 'all', '/tracked');
  const { total } = await client.ranking('articles', 'all', { limit: 1 });

  const actor = await signActor({ secret: actorSecret, site: SITE, actor: 'Zoë ✓' });
  const beacon = await client.beacon([{ action: 'like', item: '/liked' }], { actor });
  const mine = await client.mine(actor, { action: 'like', items: ['/liked', '/lost'] });

  const problem = await client.ranking('articles', 'week').catch((error) => error);

  /** @type {string[]} */
  const seen = [];
  for await (const { entries } of live({ url, site: SITE, token }, 'articles', 'all', { limit: 1 })) {
    seen.push(entries[0].id);
    if (seen.length === 2) break;
    await client.send(Array.from({ length: 5 }, () => ({ action: 'view', item: '/live' })));
  }

  const now = Math.floor(Date.now() / 1000);
  const body = '{"site":"demo"}';
  const signature = `t=${now},v1=${await hex(actorSecret, `${now}.${body}`)}`;
  return {
    sent,
    again,
    lost: { accepted: lost.accepted, duplicate: lost.duplicate, tries: tries >= 2, score },
    tracked: tracked?.score,
    total,
    beacon: beacon.counted,
    mine: 'done' in mine && mine.done,
    problem: problem instanceof ApiError && [problem.status, problem.code],
    live: seen.at(-1),
    webhook: [
      await verifyWebhook({ secret: actorSecret, signature, body }),
      await verifyWebhook({ secret: actorSecret, signature, body: `${body} ` }),
    ],
  };
}

/** @param {string} secret @param {string} text */
async function hex(secret, text) {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
  return [...mac].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
