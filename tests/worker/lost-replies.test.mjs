/**
 * Work of many trips while eight of a hundred replies are lost: the same request, sent again, goes on from where the work was. It ends after
 * a few of them, and leaves what a run leaves that loses nothing.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { contentsOf } from '../support/contents.mjs';
import { CALENDAR, startDeployment } from '../support/deployment.mjs';
import { createRandom } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

const ADMIN_TOKEN = 'a-token-for-owners';
const NOW = Date.parse('2026-11-20T12:10:00Z');
const MINUTE_MS = 60_000;
const LEASE_MS = 31_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LOST = 0.08;
const SEED = 27;
const BOARD_COUNT = 16;
const MOST_REQUESTS = 40;
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true } },
  boards: Object.fromEntries(
    Array.from({ length: BOARD_COUNT }, (_, i) => [
      `b${i}`,
      {
        weights: { view: 1, like: 2 },
        windows: [...CALENDAR, 'last-7-days', 'last-30-days'],
        breakdown: i % 2 === 0,
        ...(i % 3 === 0 && { ties: 'first' }),
        ...(i === 0 && { archive: true }),
      },
    ]),
  ),
};

/** @type {{ lossy: Deployment, clean: Deployment }} */
let both;
let losing = false;

/** @param {Deployment} deployment @param {number} ms */
function setClocks(deployment, ms) {
  deployment.clock.set(ms);
  deployment.edgeClock.set(ms);
}

/** @param {Deployment} deployment @param {string} method @param {string} path @param {unknown} [body] */
const ask = (deployment, method, path, body) =>
  deployment.fetch(`/v1/demo/${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

/** What is on every board, and in the archive. @param {Deployment} deployment */
async function held(deployment) {
  const contents = [...(await contentsOf(deployment.redis))];
  const bucket = await /** @type {Promise<any>} */ (deployment.worker.miniflare.getR2Bucket('ARCHIVE'));
  const manifests = [];
  for (const { key } of (await bucket.list()).objects.filter((/** @type {any} */ { key }) => key.endsWith('.json'))) {
    const { total, starts_at } = JSON.parse(await (await bucket.get(key)).text());
    manifests.push([key, total, starts_at]);
  }
  const isShown = (/** @type {string} */ key) => /:(hour|day|week|month|year|all|window:[^:]+:20777)(:\d+)?(:actions|:first)?$/.test(key);
  return { boards: contents.filter(([key]) => isShown(key)), manifests };
}

/**
 * Sends a request until it says that it has ended: once to the one that loses nothing.
 *
 * @param {string} what
 * @param {(deployment: Deployment) => Promise<boolean>} request
 */
async function end(what, request) {
  let requests = 0;
  for (let done = false; !done; ) done = await request(both.clean);
  losing = true;
  for (let done = false; !done; requests += 1) {
    assert.ok(requests < MOST_REQUESTS, `${what} does not end within ${MOST_REQUESTS} requests`);
    done = await request(both.lossy);
    // A run at the archive that fails keeps its board for half a minute.
    if (!done) both.lossy.clock.advance(LEASE_MS);
  }
  losing = false;
  assert.deepEqual(await held(both.lossy), await held(both.clean), what);
  return requests;
}

/** @param {Deployment} deployment @param {object[]} events */
async function count(deployment, events) {
  for (let i = 0; i < events.length; i += 100) {
    const { status, body, text } = await deployment.events({ events: events.slice(i, i + 100) });
    assert.deepEqual([status, body?.rejected], [200, []], text);
  }
}

before(async () => {
  const random = createRandom(SEED);
  const options = {
    transport: /** @type {const} */ ('redis://'),
    sites: { demo: SITE },
    vars: { ADMIN_TOKEN },
    hasDatabase: true,
    hasBucket: true,
  };
  both = { lossy: await startDeployment({ ...options, relayed: true }), clean: await startDeployment(options) };
  both.lossy.link.loseRepliesWhen(() => losing && random() < LOST);
  for (const deployment of Object.values(both)) {
    setClocks(deployment, NOW);
    const items = ['/gone', '/old', '/new', '/stays', ...Array.from({ length: 40 }, (_, i) => `/junk/${i}`)];
    await count(
      deployment,
      items.flatMap((item, n) => [0, 1, 2, 9].map((days) => ({ action: 'view', item, at: NOW - days * DAY_MS - n * MINUTE_MS }))),
    );
    await count(
      deployment,
      ['/old', '/new', '/gone'].map((item) => ({ action: 'like', item, actor: 'ann' })),
    );
  }
});

after(async () => {
  await both?.lossy.stop();
  await both?.clean.stop();
});

test('work of many trips goes on', async (t) => {
  /** @type {Record<string, number>} */
  const requests = {};
  requests.delete = await end('a deletion', async (deployment) => (await ask(deployment, 'DELETE', 'items/%2Fgone')).status === 204);
  requests.remove = await end(
    'a removal',
    async (deployment) => (await ask(deployment, 'DELETE', 'admin/boards/b0/members?prefix=/junk/&keep_off=0')).status === 200,
  );
  requests.alias = await end('an alias', async (deployment) => {
    const { status, body } = await ask(deployment, 'POST', 'items/%2Fold/alias', { to: '/new' });
    return status === 200 && body.done;
  });
  requests.archive = await end('archiving', async (deployment) => {
    const { body } = await ask(deployment, 'POST', 'admin/upkeep');
    if (deployment === both.clean) return body.archived === 0;
    return (await held(both.lossy)).manifests.length === (await held(both.clean)).manifests.length;
  });
  requests.later = await end('the removal of an archived member', async (deployment) => {
    return (await ask(deployment, 'DELETE', 'admin/boards/b0/members/%2Fnew')).status === 200;
  });
  for (const deployment of Object.values(both)) {
    await deployment.redis.command('FLUSHALL');
    await count(deployment, [{ action: 'view', item: '/stays' }]);
  }
  requests.restore = await end('a restoration', async (deployment) => {
    return (await ask(deployment, 'POST', 'admin/restore')).status === 200;
  });
  t.diagnostic(JSON.stringify(requests));
});
