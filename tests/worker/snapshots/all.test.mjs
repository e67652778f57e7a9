/**
 * Snapshots of all members: what is shown past a board's `limit`, while Redis answers, is out, or has lost everything.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { entriesOf, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {{ rank: number, id: string, score: number, meta?: object, pinned?: boolean }} Entry */

const ADMIN_TOKEN = 'a-token-for-owners';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const NOW = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
const LIMIT = 10;
const FADING = { name: 'hot', kind: 'half-life', half_life: '6h' };

/**
 * Boards whose snapshots have all members, each with a twin that shows as many from Redis.
 *
 * @type {Record<string, { windows: (string | { name: string })[], [option: string]: unknown }>}
 */
const BOARDS = {
  plain: { windows: ['day', 'last-7-days', FADING] },
  competition: { windows: ['day'], ranking: 'competition', min_score: 3 },
  dense: { windows: ['day', 'last-7-days'], ranking: 'dense', ties: 'first' },
  last: { windows: ['day'], ties: 'last' },
};
const LAPS = { members: 'actors', score: 'min', order: 'ascending', decimals: 2, actions: ['finish'], windows: ['day', 'last-7-days'] };
const of = (/** @type {object} */ board) => ({ weights: { view: 1 }, max_members: 10_000, ...board });
const twins = (/** @type {string} */ name, /** @type {object} */ board) => [
  [name, { ...board, max_members: 10_000, limit: LIMIT, snapshot: 'all' }],
  [`${name}-redis`, { ...board, max_members: 10_000, limit: 1000 }],
];
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true }, finish: {} },
    boards: Object.fromEntries([
      ...Object.entries(BOARDS).flatMap(([name, board]) => twins(name, of(board))),
      ...twins('laps', LAPS),
      ['people', of({ members: 'actors', windows: ['day'], limit: LIMIT, snapshot: 'all' })],
    ]),
  },
  large: {
    origins: ['*'],
    actions: { view: { public: true } },
    boards: { articles: of({ windows: ['day'], limit: 1000, snapshot: 'all' }) },
  },
};
const plain = (/** @type {Entry[]} */ entries) => entries.map(({ rank, id, score, meta, pinned }) => ({ rank, id, score, meta, pinned }));

describe('a snapshot of all members', () => {
  /** @type {Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', relayed: true, sites: SITES, vars: { ADMIN_TOKEN }, hasDatabase: true });
    setClocks(NOW);
    // Many ties: of 300 members, member i has 1 + i % 13 views.
    const views = Array.from({ length: 300 }, (_, i) => Array.from({ length: 1 + (i % 13) }, () => `/posts/${i}`)).flat();
    await send(views.map((item) => ({ action: 'view', item, actor: `u${item.slice(7)}` })));
    await send(Array.from({ length: 60 }, (_, i) => ({ action: 'finish', actor: `r${i}`, value: 60 + (i % 7) / 4, meta: { car: i } })));
    for (const board of Object.keys(SITES.demo.boards).filter((name) => !/laps|people/.test(name))) {
      await curate(board, 'pinned', '/posts/3');
      await curate(board, 'hidden', '/posts/12');
    }
    await deployment.worker.scheduled();
  });
  after(() => deployment?.stop());

  /** @param {number} ms */
  function setClocks(ms) {
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(ms);
  }
  /** @param {object[]} events @param {string} [site] */
  async function send(events, site) {
    for (let at = 0; at < events.length; at += 100) {
      const { body, text } = await deployment.events({ events: events.slice(at, at + 100) }, { site });
      assert.equal(body?.accepted, Math.min(100, events.length - at), text);
    }
  }
  /** @param {string} board @param {string} list @param {string} id */
  async function curate(board, list, id) {
    const { status } = await deployment.fetch(`/v1/demo/admin/boards/${board}/${list}/${encodeURIComponent(id)}`, {
      method: 'PUT',
      headers,
    });
    assert.equal(status, 204);
  }
  const lose = (isOut = true) => deployment.link.loseRepliesWhen(() => isOut);
  /** All that a board shows, page by page. @param {string} ranking @param {number} limit @param {string} [site] */
  async function paged(ranking, limit, site) {
    /** @type {Entry[]} */
    const entries = [];
    for (let offset = 0; ; offset += limit) {
      const { status, body, text } = await deployment.top(ranking, `?limit=${limit}&offset=${offset}`, site);
      assert.equal(status, 200, text);
      entries.push(...body.entries);
      if (body.entries.length < limit) return { entries, total: body.total };
    }
  }

  const RANKINGS = [...Object.entries(BOARDS), ...Object.entries({ laps: LAPS })].flatMap(([name, { windows }]) =>
    windows.map((window) => [name, typeof window === 'string' ? window : window.name]),
  );
  for (const [board, window] of RANKINGS) {
    test(`of ${board}/${window} has everybody in Redis's order`, async () => {
      const { body } = await deployment.freshTop(`${board}-redis/${window}`, '?limit=1000');
      const { entries, total } = await paged(`${board}/${window}`, 7);
      const expected = plain(body.entries);
      // Its scores fade, and were taken a moment before.
      const scoreless = (/** @type {Entry} */ { score, ...rest }) => rest;
      assert.deepEqual(
        window === 'hot' ? plain(entries).map(scoreless) : plain(entries),
        window === 'hot' ? expected.map(scoreless) : expected,
      );
      assert.equal(total, body.total);
    });
  }

  test('fills pages of more than the board’s limit', async () => {
    const { entries } = await paged('plain/day', 7);
    for (const [limit, offset] of [
      [100, 0],
      [11, 0],
      [1000, 0],
      [100, 250],
      [250, 5],
    ]) {
      const { status, body, text } = await deployment.top('plain/day', `?limit=${limit}&offset=${offset}`);
      assert.equal(status, 200, text);
      assert.deepEqual(plain(body.entries), plain(entries.slice(offset, offset + limit)), `${limit} from ${offset}`);
    }
    const { status, body } = await deployment.top('plain/day', '?limit=1001');
    assert.deepEqual([status, body.code], [400, 'invalid-parameter']);
    assert.equal((await deployment.top('plain-redis/day', '?limit=1001')).status, 400);
    lose();
    assert.equal((await deployment.top('dense/day', '?limit=100')).body.entries.length, 100, 'Redis is not asked');
    lose(false);
  });

  test('says that it is one, and of when', async () => {
    setClocks(NOW + MINUTE_MS);
    const { headers: answered, body } = await deployment.top('plain/day', '?offset=10');
    assert.match(answered.get('cache-status') ?? '', /^edgeboard; hit; detail=snapshot$/);
    assert.match(body.generated_at, /^2026-11-20T12:00/);
    const near = await deployment.freshTop('plain/day', '?offset=0');
    assert.match(near.headers.get('cache-status') ?? '', /fwd=miss/, 'Redis answers as deep as the board is served');
    const commands = await deployment.commandsDuring(() => deployment.top('plain/day', '?offset=200'));
    assert.deepEqual(commands, {}, 'Redis is not asked');
  });

  test('shows details, and nothing that would leave members out', async () => {
    const [tenth] = (await deployment.top('plain/day', '?offset=10&limit=1')).body.entries;
    await deployment.fetch(`/v1/demo/items/${encodeURIComponent(tenth.id)}`, { method: 'PUT', headers, body: '{"title":"The tenth"}' });
    const { body } = await deployment.top('plain/day', '?offset=10&limit=2&details=1');
    assert.deepEqual([body.entries[0].id, body.entries[0].details, body.entries[1].details], [tenth.id, { title: 'The tenth' }, undefined]);
    for (const [ranking, query] of [
      ['plain/day', '?offset=10&category=news'],
      ['plain/day', '?offset=10&exclude=a'],
      ['plain/day', '?offset=99991'],
      ['plain/day', '?offset=10&period=2026-11-19'],
      ['plain-redis/day', '?offset=1000'],
    ]) {
      const { status, body: problem } = await deployment.top(ranking, query);
      assert.deepEqual([status, problem.code], [400, 'invalid-parameter'], query);
    }
    assert.deepEqual((await deployment.top('plain/day', '?offset=90000')).body.entries, []);
  });

  test('has 2,500 members on three pages, and each once', async () => {
    const ids = Array.from({ length: 2500 }, (_, i) => `/posts/${String(i).padStart(4, '0')}`);
    await send(
      ids.map((item) => ({ action: 'view', item })),
      'large',
    );
    setClocks(NOW + 6 * MINUTE_MS);
    await deployment.worker.scheduled();
    const { entries, total } = await paged('articles/day', 700, 'large');
    assert.deepEqual(
      entries.map(({ id, rank }) => [rank, id]),
      ids.toReversed().map((id, i) => [i + 1, id]),
    );
    assert.equal(total, 2500);
    const database = await deployment.worker.miniflare.getD1Database('DB');
    const { results } = await database
      .prepare("SELECT begins_at, taken_at FROM snapshot_pages WHERE site = 'large' ORDER BY begins_at")
      .all();
    assert.deepEqual(
      results.map((/** @type {any} */ { begins_at }) => begins_at),
      [0, 1000, 2000],
    );
    assert.equal(new Set(results.map((/** @type {any} */ { taken_at }) => taken_at)).size, 1, 'pages of before are gone');
  });

  test('is shown while Redis is out', async () => {
    lose();
    setClocks(NOW + 12 * MINUTE_MS);
    const near = await deployment.top('dense/day', '?limit=5');
    assert.match(near.headers.get('cache-status') ?? '', /fwd-status=503; detail=snapshot/);
    const deep = await deployment.top('dense/day', '?limit=5&offset=295');
    assert.equal(deep.body.entries.length, 4, '300, less the hidden one');
    lose(false);
    setClocks(NOW + 14 * MINUTE_MS);
    assert.equal((await deployment.freshTop('dense/day')).status, 200);
  });

  test('an erased actor is in none', async () => {
    const ids = async () => (await paged('people/day', 10)).entries.map(({ id }) => id);
    assert.ok((await ids()).includes('u0'));
    const erased = await deployment.fetch('/v1/demo/actors/u0', { method: 'DELETE', headers: { authorization: `Bearer ${WRITE_TOKEN}` } });
    assert.equal(erased.status, 204);
    assert.equal((await deployment.top('people/day', '?offset=10')).status, 404, 'none was taken since');
    setClocks(NOW + 20 * MINUTE_MS);
    await deployment.worker.scheduled();
    assert.ok(!(await ids()).includes('u0'));
  });

  test('is shown where Redis lost everything, until it counts again', async () => {
    const before = entriesOf(await deployment.freshTop('plain/day', '?limit=3'));
    setClocks(NOW + 26 * MINUTE_MS);
    await deployment.redis.command('FLUSHALL');
    await deployment.worker.scheduled();
    const lost = await deployment.freshTop('plain/day', '?limit=3');
    assert.deepEqual(entriesOf(lost), before);
    assert.match(lost.headers.get('cache-status') ?? '', /detail=snapshot/);
    assert.equal(entriesOf(await deployment.freshTop('plain/day', '?limit=5&offset=294')).length, 5);

    deployment.clock.set('2026-11-21T00:00:05Z');
    assert.deepEqual(entriesOf(await deployment.freshTop('plain/day')), [], 'another day');
    assert.equal(entriesOf(await deployment.freshTop('plain/last-7-days')).length, LIMIT, 'a rolling window is not over');
    await send([{ action: 'view', item: 'again' }]);
    assert.deepEqual(entriesOf(await deployment.freshTop('plain/day')), [['again', 1]]);
  });

  test('a board that was emptied by hand stays empty', async () => {
    const reset = await deployment.fetch('/v1/demo/admin/boards/plain/reset', { method: 'POST', headers });
    assert.equal(reset.status, 200, reset.text);
    assert.deepEqual(entriesOf(await deployment.freshTop('plain/day')), []);
  });
});

test('a board on which nobody ever counted has no snapshot, and that is no failure', async (t) => {
  const site = { actions: { view: {} }, boards: { articles: of({ windows: ['day'], limit: LIMIT, snapshot: 'top' }) } };
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: site }, hasDatabase: true });
  t.after(deployment.stop);
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
  assert.equal((await deployment.worker.scheduled()).outcome, 'ok');
  const failed = deployment.worker.log.filter(({ message }) => /"level":"error"|No SQL statements/.test(message));
  assert.deepEqual(failed, []);
});
