/** Every function of the client, against the running worker. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { ApiError, createClient, createReader } from '../../packages/client/src/index.js';
import { signActor } from '../../packages/client/src/server.js';
import { createClock } from '../support/clock.mjs';
import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const ACTOR_SECRET = 'a-secret-of-the-site';
const NOON = '2026-11-20T12:00:00Z';
const ACTIONS = { view: { public: true }, like: { reversible: true, signed: true }, win: {} };
const SITE = {
  bots: 'count', // which is what fetch's own user agent is
  actions: ACTIONS,
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: ['day', 'all'], breakdown: true },
    players: { members: 'actors', weights: { win: 1 }, windows: ['day', 'all'], history: 10 },
  },
};

/** @typedef {import('../../packages/client/src/index.js').ServerEvent} ServerEvent */

describe('the client', () => {
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  /** @type {import('../../packages/client/src/index.js').Client} */
  let client;
  /** @type {import('../../packages/client/src/index.js').Client} */
  let admin;
  before(async () => {
    const clocks = { clock: createClock(), edgeClock: createClock() };
    for (const clock of Object.values(clocks)) clock.set(NOON);
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN, ACTOR_SECRET }, ...clocks });
    const { url } = deployment.worker;
    client = createClient({ url, site: 'demo', token: WRITE_TOKEN });
    admin = createClient({ url: `${url}/`, site: 'demo', token: ADMIN_TOKEN });
    const views = ['/posts/1', '/posts/1', '/posts/1', '/posts/2', '/posts/2', '/posts/ü & 3'].map((item) => ({ action: 'view', item }));
    const wins = ['ann', 'ann', 'bob'].map((actor) => ({ action: 'win', actor }));
    assert.deepEqual(await client.send([...views, ...wins]), { accepted: 9, duplicate: 0, rejected: [], queued: false });
  });
  after(() => deployment?.stop());

  test('rankings', async () => {
    const { boards } = await client.boards();
    assert.deepEqual(
      boards.map(({ board }) => board),
      ['articles', 'players'],
    );
    const page = await client.ranking('articles', 'day', { limit: 2, offset: 1, actions: true, exclude: '/posts/9' });
    assert.deepEqual(page.entries, [
      { rank: 2, id: '/posts/2', score: 2, previous_rank: null, actions: { view: 2 } },
      { rank: 3, id: '/posts/ü & 3', score: 1, previous_rank: null, actions: { view: 1 } },
    ]);
    const several = await client.rankings(['articles/day', 'players/all'], { limit: 1 });
    assert.deepEqual(
      several.boards.map(({ entries: [first] }) => first.id),
      ['/posts/1', 'ann'],
    );
    assert.match(await client.rendered('articles', 'day', 'html', { limit: 1 }), /^<ol /);
    assert.match(await client.rendered('articles', 'day', 'csv', { limit: 1 }), /^rank,id/);
    assert.match(await client.rendered('articles', 'day', 'svg', { width: 300 }), /^<svg .* width="300" /);
    assert.match(await client.rendered('articles', 'day', 'rss', { title: 'Best' }), /<title>Best</);
    assert.deepEqual((await client.periods('players', 'day')).periods, []);
  });

  test('members', async () => {
    const member = await client.member('articles', 'day', '/posts/ü & 3', { around: 1 });
    assert.deepEqual([member?.rank, member?.score, member?.around.length], [3, 1, 2]);
    assert.equal(await client.member('articles', 'day', '/posts/9'), null);
    assert.deepEqual(await client.around('articles', 'day', '/posts/9'), []);
    const around = await client.around('players', 'day', 'bob');
    assert.deepEqual(
      around.map(({ id }) => id),
      ['ann', 'bob'],
    );
    const { ranks } = await client.ranks('players', 'day', ['bob', 'zoe'], { among: true });
    assert.deepEqual(
      ranks.map(({ id, rank, rank_among }) => [id, rank, rank_among]),
      [
        ['bob', 2, 1],
        ['zoe', null, null],
      ],
    );
    assert.equal((await client.place('articles', 'day', { score: 2.5 })).rank, 2);
    assert.equal((await client.place('articles', 'day', { rank: 1 })).score, 3);
    assert.equal((await client.distribution('articles', 'day')).intervals[0].score, 3);
    const { ranks: ranges } = await client.rankRanges('players', 'day', ['bob', 'zoe']);
    assert.deepEqual(
      ranges.map(({ id, rank_low, rank_high }) => [id, rank_low, rank_high]),
      [
        ['bob', 2, 2],
        ['zoe', null, null],
      ],
    );
    const { actions } = await client.explain('articles', 'day', '/posts/1');
    assert.deepEqual(actions, [{ action: 'view', count: 3, score: 3, weight: 1 }]);
    const { points } = await client.series('articles', 'day', '/posts/1', { from: '2026-11-20', rank: true });
    assert.deepEqual(
      points.map(({ score, rank }) => [score, rank]),
      [[3, 1]],
    );
    const { series } = await client.seriesOf('articles', 'day', ['/posts/1', '/posts/2'], { from: '2026-11-20' });
    assert.deepEqual(
      series.map((each) => each.points[0].score),
      [3, 2],
    );
    assert.match(await client.badge('articles', 'day', '/posts/1', { title: 'Read' }), /^<svg /);
  });

  test('what is known, and every other route', async () => {
    const created = await admin.request('PUT /v1/{site}/items/{id}', { path: { id: '/posts/1' }, body: { title: 'First', tags: ['a'] } });
    assert.deepEqual(created.details, { title: 'First', tags: ['a'] });
    assert.deepEqual((await client.item('/posts/1')).details.tags, ['a']);
    assert.deepEqual(
      (await client.items({ limit: 5 })).items.map(({ title }) => title),
      ['First'],
    );
    await admin.request('PUT /v1/{site}/actors', { body: '{"id":"ann","name":"Ann"}\n' });
    assert.equal((await client.actor('ann')).details.name, 'Ann');
    const { entries } = await createReader({ url: deployment.worker.url, site: 'demo' }).ranking('players', 'all', { details: true });
    assert.equal(entries[0].details?.name, 'Ann');
    await admin.request('PUT /v1/{site}/admin/boards/{board}/pinned/{id}', { path: { board: 'players', id: 'bob' } });
    const pinned = await admin.request('GET /v1/{site}/admin/boards/{board}/pinned', { path: { board: 'players' } });
    assert.deepEqual(pinned.ids, ['bob']);
    await admin.request('DELETE /v1/{site}/admin/boards/{board}/pinned/{id}', { path: { board: 'players', id: 'bob' } });
    assert.equal((await client.request('GET /readyz', {})).status, 'ready');
  });

  test('a page with the token of an actor', async () => {
    const actor = await signActor({ secret: ACTOR_SECRET, site: 'demo', actor: 'Zoë' });
    const page = createClient({ url: deployment.worker.url, site: 'demo' });
    const events = [
      { action: 'like', item: '/posts/1' },
      { action: 'win', item: '/posts/1' },
    ];
    assert.deepEqual(await page.beacon(events, { actor }), { counted: true, refused: ['action-not-public'], actor: undefined });
    const answer = await page.mine(actor, { action: 'like', items: ['/posts/1', '/posts/2'] });
    assert.deepEqual(answer, { site: 'demo', actor: 'Zoë', action: 'like', done: ['/posts/1'] });
    const expired = await signActor({ secret: ACTOR_SECRET, site: 'demo', actor: 'Zoë', seconds: -30 * 86_400 });
    assert.deepEqual(await page.beacon([{ action: 'view', item: '/posts/9' }], { actor: expired }), {
      counted: true,
      refused: [],
      actor: 'expired',
    });
  });

  test('a problem is an error with its code', async () => {
    const error = await client.ranking('articles', 'week').catch((error) => error);
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.isTransient], [404, 'unknown-window', false]);
    assert.match(error.detail, /the board articles has no window "week"/);
    const controller = new AbortController();
    controller.abort(new Error('left'));
    await assert.rejects(client.boards({ signal: controller.signal }), /left/);
  });

  test('many events go in several requests, and are reported by their place among all', async () => {
    /** @type {string[]} */
    const bodies = [];
    /** @type {typeof fetch} */
    const counted = (address, init) => {
      bodies.push(String(init?.body));
      return fetch(address, init);
    };
    const sender = createClient({ url: deployment.worker.url, site: 'demo', token: WRITE_TOKEN, fetch: counted });
    /** @type {ServerEvent[]} */
    const events = Array.from({ length: 250 }, (_, i) => ({ action: i === 240 ? 'nothing' : 'view', item: `/many/${i}` }));
    const sent = await sender.send(events, { id: 'many' });
    assert.deepEqual([sent.accepted, sent.rejected[0].index, sent.rejected[0].code], [249, 240, 'unknown-action']);
    assert.deepEqual(
      bodies.map((body) => JSON.parse(body).id),
      ['many', 'many.1', 'many.2'],
    );
    assert.deepEqual((await sender.send(events, { id: 'many' })).duplicate, 249, 'the same again counts nothing');

    bodies.length = 0;
    const long = Array.from({ length: 100 }, (_, i) => ({ action: 'view', item: `/${i}/${'ü'.repeat(120)}`, actor: 'x'.repeat(250) }));
    const large = [...long, ...long.map((event) => ({ ...event, visitor: { address: '192.0.2.1', agent: 'y'.repeat(300) } }))];
    assert.equal((await sender.send(large)).accepted, 200);
    assert.ok(bodies.length > 2 && bodies.every((body) => Buffer.byteLength(body) <= 65_536), String(bodies.map((body) => body.length)));
    await assert.rejects(sender.send(events, { standing: 'players/all' }), RangeError);
    const { standing } = await sender.send([{ action: 'win', actor: 'cyd' }], { standing: 'players/all' });
    assert.deepEqual(standing?.members, [{ id: 'cyd', before: null, after: { rank: 2, score: 1 } }]);
  });

  test('tracked events are sent together', async () => {
    /** @type {[ServerEvent, string][]} */
    const rejected = [];
    let requests = 0;
    const tracker = createClient({
      url: deployment.worker.url,
      site: 'demo',
      token: WRITE_TOKEN,
      maxWaiting: 120,
      flushAfterMs: 60_000,
      fetch: (address, init) => {
        requests += 1;
        return fetch(address, init);
      },
      onRejected: (event, { code }) => rejected.push([event, code]),
    });
    for (let i = 0; i < 119; i += 1) assert.ok(tracker.track({ action: 'view', item: '/tracked' }));
    assert.ok(tracker.track({ action: 'nothing', item: '/tracked' }));
    assert.equal(tracker.track({ action: 'view', item: '/tracked' }), false, 'too many wait');
    await tracker.flush();
    assert.equal(requests, 2);
    assert.deepEqual(rejected, [[{ action: 'nothing', item: '/tracked' }, 'unknown-action']]);
    assert.equal((await tracker.ranks('articles', 'all', ['/tracked'])).ranks[0].score, 119);

    const wrong = createClient({
      url: deployment.worker.url,
      site: 'demo',
      token: 'wrong',
      onRejected: (_, { code }) => rejected.push([_, code]),
    });
    wrong.track({ action: 'view', item: '/tracked' });
    await wrong.flush();
    assert.equal(rejected.at(-1)?.[1], 'unauthorized');
  });
});
