/**
 * Titles by default, and what they cost: what an isolate remembers of members is not asked of the database again, and a database that fails
 * makes no ranking dearer.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { ADMIN_TOKEN, edit as editOn, lines } from './site.mjs';
import { startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const BOARD = { weights: { view: 1 }, windows: ['day'], limit: 1000 };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: BOARD, bare: { ...BOARD, details: false }, people: { ...BOARD, members: 'actors' } },
};
const NOW = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
const ids = Array.from({ length: 10 }, (_, i) => `/posts/${i}`);
/** For how long a ranking is fresh, and a little. */
const FRESH_MS = 2_100;

describe('details by default', () => {
  /** @type {Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
  });
  after(() => deployment?.stop());
  beforeEach(async () => {
    await deployment.reset();
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(Math.max(NOW, deployment.edgeClock.now() + MINUTE_MS));
    await views(ids.map((item, i) => ({ item, actor: 'ann', count: 100 - i })));
    await edit('PUT', 'items', lines(ids.map((id, i) => ({ id, title: `Post ${i}` }))));
    await edit('PUT', 'actors', lines([{ id: 'ann', name: 'Ann' }]));
  });

  /** @param {string} method @param {string} path @param {unknown} [body] */
  const edit = (method, path, body) => editOn(deployment, method, path, body);
  /** @param {{ item: string, actor?: string, count?: number }[]} events */
  async function views(events) {
    const answer = await deployment.events({ events: events.map((event) => ({ action: 'view', ...event })) });
    assert.equal(answer.status, 200, answer.text);
  }
  /** @param {string} [ranking] @param {string} [query] */
  async function titles(ranking = 'articles/day', query = '') {
    const { body, text } = await deployment.top(ranking, query);
    assert.ok(body.entries, text);
    return body.entries.map((/** @type {any} */ { details }) => details?.title ?? details?.name);
  }
  /** Of the database, since the worker began. Asking for it is none of them: it names no member. */
  async function database() {
    const { text } = await edit('GET', 'admin/metrics');
    const of = (/** @type {string} */ what) =>
      Number(new RegExp(`_isolate_database_total\\{site="",what="${what}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    return { trips: of('trips'), rows: of('rows_read') };
  }
  /** What asking for the numbers themselves costs is the same each time. @param {() => Promise<unknown>} work */
  async function during(work) {
    const idle = [await database(), await database()];
    const own = { trips: idle[1].trips - idle[0].trips, rows: idle[1].rows - idle[0].rows };
    const { calls: _, ...commands } = await deployment.commandsDuring(work);
    const after = await database();
    return {
      trips: after.trips - idle[1].trips - own.trips,
      rows: after.rows - idle[1].rows - own.rows,
      commands: Object.values(commands).reduce((sum, count) => sum + count, 0),
    };
  }
  /** Readers who come one after another, twenty in the time for which a ranking is fresh. @param {string} path @param {number} readers @param {boolean} isBusy */
  async function read(path, readers, isBusy) {
    let bytes = 0;
    for (let reader = 0; reader < readers; reader += 1) {
      for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(FRESH_MS / 20);
      if (isBusy && reader % 20 === 0) await views([{ item: ids[0] }]);
      const { status, text } = await deployment.fetch(path);
      assert.equal(status, 200, text);
      bytes += text.length;
    }
    return bytes;
  }
  /** A renewal begins in the background, so one more or less falls into the time. @param {{ commands: number }} described @param {{ commands: number }} bare */
  function expectAlike({ commands }, bare) {
    assert.ok(Math.abs(commands - bare.commands) <= 5 + bare.commands / 20, `${commands} commands, and ${bare.commands} of a bare one`);
  }
  /** @param {() => Promise<void>} work */
  async function withoutDatabase(work) {
    const database = await deployment.worker.miniflare.getD1Database('DB');
    for (const table of ['items', 'actors']) await database.exec(`ALTER TABLE ${table} RENAME TO lost_${table}`);
    try {
      await work();
    } finally {
      for (const table of ['items', 'actors']) await database.exec(`ALTER TABLE lost_${table} RENAME TO ${table}`);
    }
  }

  test('boards show titles and names, unless they or a reader say no', async () => {
    const all = ids.map((_, i) => `Post ${i}`);
    assert.deepEqual(await titles(), all);
    assert.deepEqual(await titles('people/day'), ['Ann']);
    assert.deepEqual(
      await titles('bare/day'),
      ids.map(() => undefined),
    );
    assert.deepEqual(await titles('bare/day', '?details=1'), all);
    assert.deepEqual(
      await titles('articles/day', '?details=0'),
      ids.map(() => undefined),
    );
    assert.match((await deployment.fetch('/v1/demo/boards/articles/day.html')).text, /Post 0/);
  });

  test('a page of more entries than are looked up has none, where nobody asked for them', async () => {
    const { status, body } = await deployment.top('articles/day', '?limit=1000');
    assert.deepEqual([status, body.entries[0].details], [200, undefined]);
    assert.equal((await deployment.top('articles/day', '?limit=1000&details=1')).body.code, 'invalid-parameter');
  });

  test('a renewal asks the database nothing for a minute, and Redis what a bare one asks', async () => {
    for (const [what, isBusy] of /** @type {const} */ ([
      ['unchanged', false],
      ['changed', true],
    ])) {
      await titles();
      await titles('bare/day');
      const renew = (/** @type {string} */ board) => during(() => read(`/v1/demo/boards/${board}/day`, 100, isBusy));
      const [described, bare] = [await renew('articles'), await renew('bare')];
      assert.deepEqual([described.trips, described.rows], [0, 0], what);
      expectAlike(described, bare);
    }
    deployment.edgeClock.advance(MINUTE_MS);
    const again = await during(() => deployment.freshTop('articles/day'));
    assert.deepEqual([again.trips, again.rows], [1, 3 * ids.length]);
  });

  test('of a member that is new on the page it asks alone', async () => {
    await titles();
    await views([{ item: '/new', count: 500 }]);
    const { trips, rows } = await during(async () => {
      // What is older than this is not served while Redis answers.
      deployment.edgeClock.advance(11_000);
      const { body } = await deployment.top('articles/day');
      assert.equal(body.entries[0].id, '/new');
    });
    assert.ok(trips === 1 && rows <= 3, `${trips}, ${rows}`);
  });

  test('what somebody writes is seen at the next renewal, and what is deleted is not', async () => {
    assert.equal((await titles())[0], 'Post 0');
    await edit('PATCH', `items/${encodeURIComponent(ids[0])}`, { title: 'Another' });
    const { body } = await deployment.freshTop('articles/day');
    assert.equal(body.entries[0].details.title, 'Another');
    await edit('PUT', 'actors/ann', { name: 'Ann B' });
    assert.equal((await deployment.freshTop('people/day')).body.entries[0].details.name, 'Ann B');
  });

  test('while the database fails, a page lives as long as a bare one, with the titles last known', async () => {
    assert.equal((await titles())[0], 'Post 0');
    await titles('bare/day');
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(2 * MINUTE_MS);
    await withoutDatabase(async () => {
      const first = await deployment.freshTop('articles/day');
      assert.deepEqual([first.body.entries[0].details.title, first.body.undescribed], ['Post 0', undefined]);
      assert.match(first.headers.get('cache-control') ?? '', /max-age=[12],/);
      const { body, headers } = await deployment.freshTop('articles/day', '?limit=3&details=1');
      assert.deepEqual([body.entries[2].details.title, body.undescribed], ['Post 2', undefined], 'of another page, too');
      assert.match(headers.get('cache-control') ?? '', /max-age=[12],/);
      await views([{ item: '/new', count: 500 }]);
      const partial = (await deployment.freshTop('articles/day')).body;
      assert.deepEqual([partial.undescribed, partial.entries[0].details, partial.entries[1].details.title], [true, undefined, 'Post 0']);
      const described = await during(() => read('/v1/demo/boards/articles/day', 200, true));
      const bare = await during(() => read('/v1/demo/boards/bare/day', 200, true));
      expectAlike(described, bare);
    });
    await edit('PUT', 'items/%2Fnew', { title: 'New' });
    const back = (await deployment.freshTop('articles/day')).body;
    assert.deepEqual([back.undescribed, back.entries[0].details.title], [undefined, 'New']);
  });

  test('what a thousand readers cost', async (t) => {
    /** @type {object[]} */
    const table = [];
    const measure = async (/** @type {string} */ how, /** @type {string} */ board) => {
      await titles(`${board}/day`);
      let bytes = 0;
      const path = `/v1/demo/boards/${board}/day`;
      const cost = await during(async () => {
        bytes = await read(path, 1000, true);
      });
      table.push({ how, board, ...cost, bytes });
      return cost;
    };
    const [described, bare] = [await measure('D1 up', 'articles'), await measure('D1 up', 'bare')];
    await withoutDatabase(async () => {
      const [out, bareOut] = [await measure('D1 down', 'articles'), await measure('D1 down', 'bare')];
      expectAlike(out, bareOut);
    });
    for (const row of table) t.diagnostic(JSON.stringify(row));
    // A hundred seconds: at first, and when a minute is over.
    assert.ok(described.trips <= 2 && described.rows <= 2 * 3 * ids.length, JSON.stringify(described));
    expectAlike(described, bare);
  });
});

test('without a database boards have no details, and say nothing of it', async () => {
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, hasDatabase: false });
  try {
    await deployment.events({ events: [{ action: 'view', item: '/a' }] });
    const { status, body } = await deployment.top('articles/day');
    assert.deepEqual([status, body.entries, body.undescribed], [200, [{ rank: 1, id: '/a', score: 1, previous_rank: null }], undefined]);
    assert.deepEqual(
      deployment.worker.log.filter(({ message }) => /database|"level":"error"/.test(message)),
      [],
    );
  } finally {
    await deployment.stop();
  }
});
