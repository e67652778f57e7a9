/**
 * Rankings with details, filters and fall-backs: what is shown, what it costs, and what is shown when the database is out.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { ADMIN_TOKEN, edit as editOn, lines } from './site.mjs';
import { startDeployment } from '../../support/deployment.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {{ id: string, rank: number, score: number, window?: string, details?: Record<string, unknown> }} Entry */

const BOARD = { weights: { view: 1 }, windows: ['day', 'last-7-days', 'all'], limit: 100, details: false };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: {
    articles: BOARD,
    shown: { ...BOARD, details: true },
    filled: { ...BOARD, fallback: ['last-7-days', 'all'] },
    people: { ...BOARD, members: 'actors' },
  },
};
const NOW = '2026-11-20T12:00:00Z';

/** `n` members, the first with the most views: more than any page holds. */
const COUNT = 400;
const CATEGORIES = ['news', 'sport', 'arts', 'tech'];
const ids = Array.from({ length: COUNT }, (_, i) => `p${String(i).padStart(3, '0')}`);
/** What is said of the member number `i`; of every tenth nothing. @param {number} i */
const detailsOf = (i) => ({
  title: `Post ${i}`,
  category: CATEGORIES[i % 4],
  tags: i % 3 === 0 ? ['three', 'a'] : ['b'],
  author: `author-${i % 7}`,
  // Not on the edge of an hour, where a fast machine and a slow one would differ.
  published_at: new Date(Date.parse(NOW) - i * 3_600_000 - 1_800_000).toISOString().replace('.000', ''),
});
const isKnown = (/** @type {number} */ i) => i % 10 !== 9;

describe('rankings with what the database knows', () => {
  /** @type {Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(Date.parse(NOW));
    for (let at = 0; at < COUNT; at += 100) {
      const events = ids.slice(at, at + 100).map((item, i) => ({ action: 'view', item, actor: `u${i % 5}`, ago: 0 }));
      for (let times = 0; times < 4 - at / 100; times += 1) assert.equal((await deployment.events({ events })).status, 200);
    }
    const described = ids.flatMap((id, i) => (isKnown(i) ? [{ id, ...detailsOf(i) }] : []));
    assert.equal((await edit('PUT', 'items', lines(described))).body.accepted, described.length);
    assert.equal((await edit('PUT', 'actors', lines([{ id: 'u1', name: 'One' }]))).body.accepted, 1);
  });
  after(() => deployment?.stop());

  /** @param {string} method @param {string} path @param {unknown} [body] */
  const edit = (method, path, body) => editOn(deployment, method, path, body);

  /** The bare ranking, as deep as it is served. */
  async function bare() {
    const { body } = await deployment.freshTop('articles/day', '?limit=100');
    return /** @type {Entry[]} */ (body.entries);
  }

  /** All members in the order of the board: by score, then the greater id first. */
  const order = [...ids].sort((a, b) => {
    const score = (/** @type {string} */ id) => 4 - Math.floor(ids.indexOf(id) / 100);
    return score(b) - score(a) || (a < b ? 1 : -1);
  });
  const indexOf = (/** @type {string} */ id) => ids.indexOf(id);

  test('the board is as the model says', async () => {
    assert.deepEqual(
      (await bare()).map(({ id }) => id),
      order.slice(0, 100),
    );
  });

  test('details stand beside members; who has none keeps the place', async () => {
    const { body } = await deployment.freshTop('articles/day', '?details=1&limit=20&offset=5');
    const expected = (await bare()).slice(5, 25).map((entry) => {
      const i = indexOf(entry.id);
      return isKnown(i) ? { ...entry, details: detailsOf(i) } : entry;
    });
    assert.deepEqual(body.entries, expected);
    assert.deepEqual((await deployment.freshTop('shown/day', '?limit=20&offset=5')).body.entries, expected, 'by configuration');
    assert.deepEqual((await deployment.freshTop('shown/day', '?limit=3&details=0')).body.entries[0].details, undefined);
    const people = (await deployment.freshTop('people/day', '?details=1')).body.entries;
    assert.deepEqual(
      people.filter((/** @type {Entry} */ { details }) => details).map((/** @type {Entry} */ { id, details }) => [id, details]),
      [['u1', { name: 'One' }]],
    );
  });

  /** @type {[query: string, stays: (i: number) => boolean][]} */
  const FILTERS = [
    ['category=sport', (i) => isKnown(i) && i % 4 === 1],
    ['tag=three', (i) => isKnown(i) && i % 3 === 0],
    ['author=author-3', (i) => isKnown(i) && i % 7 === 3],
    ['published_within=36h', (i) => isKnown(i) && i < 36],
    ['published_within=1d&category=news&tag=three', (i) => isKnown(i) && i < 24 && i % 12 === 0],
    [`exclude=${order[1]}`, (i) => ids[i] !== order[1]],
    [`exclude=${order[1]}&category=news`, (i) => ids[i] !== order[1] && isKnown(i) && i % 4 === 0],
    ['category=none', () => false],
  ];
  for (const [query, stays] of FILTERS) {
    test(`?${query}`, async () => {
      for (const [limit, offset] of [
        [5, 0],
        [7, 3],
        [40, 0],
      ]) {
        const { body } = await deployment.freshTop('articles/day', `?${query}&limit=${limit}&offset=${offset}`);
        const isFiltered = !query.startsWith('exclude') || query.includes('&');
        const depth = isFiltered ? Math.min(330, Math.max(200, 10 * (limit + offset))) : limit + offset + 1;
        const looked = order.slice(0, depth);
        const expected = looked.filter((id) => stays(indexOf(id))).slice(0, limit + offset);
        assert.deepEqual(
          body.entries.map((/** @type {Entry} */ { id }) => id),
          expected.slice(offset),
        );
        assert.equal(body.searched, isFiltered ? looked.length : undefined);
        assert.equal(body.bounded, isFiltered && expected.length < limit + offset && depth < COUNT ? true : undefined);
        for (const { id, rank } of body.entries) assert.equal(rank, order.indexOf(id) + 1, 'ranks stay those of the ranking');
      }
    });
  }

  test('at most so many of a category and of an author', async () => {
    const { body } = await deployment.freshTop('articles/day', '?per_category=3&per_author=2&limit=15');
    /** @type {Record<string, number>} */
    const taken = {};
    const expected = order.slice(0, 200).filter((id) => {
      const i = indexOf(id);
      if (!isKnown(i)) return true;
      const groups = [`c${i % 4}`, `a${i % 7}`];
      if ((taken[groups[0]] ?? 0) >= 3 || (taken[groups[1]] ?? 0) >= 2) return false;
      for (const group of groups) taken[group] = (taken[group] ?? 0) + 1;
      return true;
    });
    assert.deepEqual(
      body.entries.map((/** @type {Entry} */ { id }) => id),
      expected.slice(0, 15),
    );
    assert.equal(body.entries[0].details, undefined, 'they were not asked for');
  });

  test('the version covers what is shown', async () => {
    const query = '?details=1&limit=3';
    const first = await deployment.freshTop('articles/day', query);
    const same = await deployment.freshTop('articles/day', query);
    assert.equal(same.body.version, first.body.version);
    await edit('PATCH', `items/${order[1]}`, { title: 'Another title' });
    const held = await deployment.top('articles/day', query);
    assert.equal(held.body.version, first.body.version, 'the rendering is cached with its details');
    const after = await deployment.freshTop('articles/day', query);
    assert.notEqual(after.body.version, first.body.version);
    assert.equal(after.body.entries[1].details.title, 'Another title');
    const bareTop = await deployment.freshTop('articles/day', '?limit=3');
    assert.deepEqual(bareTop.body.entries[0].details, undefined);
    const known = await deployment.fetch(`/v1/demo/boards/articles/day${query}`, {
      headers: { 'if-none-match': `W/"${after.body.version}"` },
    });
    assert.equal(known.status, 304);
  });

  /** Trips to the database and statements on these, since the worker began. Asking is one of each. */
  async function asked() {
    const { text } = await edit('GET', 'admin/metrics');
    const of = (/** @type {string} */ what) =>
      Number(new RegExp(`_database_total\\{site="",what="${what}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    return { trips: of('trips'), statements: of('statements') };
  }

  test('it costs Redis one script and the database one statement, as deep as it looks', async () => {
    for (const [query, scripts] of /** @type {const} */ ([
      ['?details=1&limit=100', 1],
      ['?category=arts&limit=10', 1],
    ])) {
      const before = await asked();
      await deployment.freshTop('articles/day', query);
      const after = await asked();
      assert.deepEqual([after.trips - before.trips - 1, after.statements - before.statements - 1], [1, 1], query);
      const commands = await deployment.commandsDuring(() => deployment.freshTop('articles/day', query));
      assert.equal(commands.calls, scripts, query);
      const inside = Object.entries(commands).filter(([name]) => name !== 'calls');
      const count = inside.reduce((sum, [, calls]) => sum + calls, 0);
      assert.ok(count <= 9, JSON.stringify(commands));
      const again = await deployment.commandsDuring(() => deployment.top('articles/day', query));
      assert.equal(again.calls, undefined, 'from memory');
    }
  });

  test('what is not allowed is refused', async () => {
    for (const [ranking, query, detail] of [
      ['articles/day', '?details=yes', /details = "yes" is not allowed; allowed: 0 or 1/],
      ['articles/day', '?published_within=7w', /published_within = "7w" is not allowed/],
      ['articles/day', '?per_author=0', /a whole number from 1 to 100/],
      ['articles/day', '?category=', /category = "" is not allowed/],
      ['articles/day', '?exclude=.', /exclude = "\." is not allowed/],
      ['people/day', '?category=news', /does not rank items/],
    ]) {
      const answer = await deployment.freshTop(/** @type {string} */ (ranking), /** @type {string} */ (query));
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid-parameter'], answer.text);
      assert.match(answer.body.detail, /** @type {RegExp} */ (detail));
    }
    assert.equal((await deployment.freshTop('articles/day', '?d%65tails=1&limit=2')).body.entries[1].details.title, 'Another title');
    assert.equal((await deployment.freshTop('articles/day', '?detail=1')).body.code, 'unknown-parameter');
  });

  test('a new day is filled up from the windows behind it', async (t) => {
    t.after(() => deployment.clock.set(Date.parse(NOW)));
    deployment.clock.set('2026-11-21T00:00:05Z');
    await deployment.worker.scheduled();
    await deployment.events({
      events: [
        { action: 'view', item: 'fresh' },
        { action: 'view', item: 'p399' },
      ],
    });
    const { body } = await deployment.freshTop('filled/day', '?limit=5');
    const week = (await deployment.freshTop('articles/last-7-days', '?limit=5')).body.entries;
    assert.equal(body.total, 2);
    assert.deepEqual(
      body.entries.map((/** @type {Entry} */ { id, score, rank, window }) => [rank, id, score, window]),
      [
        [1, 'p399', 1, undefined],
        [2, 'fresh', 1, undefined],
        ...week.slice(0, 3).map((/** @type {Entry} */ { id, score }, /** @type {number} */ i) => [i + 3, id, score, 'last-7-days']),
      ],
    );
    const behind = (await deployment.freshTop('filled/last-7-days', '?limit=5')).body.entries;
    assert.deepEqual(behind, week, 'a window that is full is not filled up');
    const several = await deployment.fetch('/v1/demo/top?boards=filled/last-7-days,filled/day,articles/day&limit=5');
    assert.deepEqual(
      several.body.boards.map((/** @type {any} */ { board, window, entries }) => [`${board}/${window}`, entries]),
      [
        ['articles/day', body.entries.slice(0, 2)],
        ['filled/day', body.entries],
        ['filled/last-7-days', week],
      ],
    );
    const asked = await deployment.commandsDuring(() => deployment.fetch('/v1/demo/top?boards=filled/day,articles/day&limit=4'));
    assert.equal(asked.calls, 4, 'each window once');
    const form = async (/** @type {string} */ name) => (await deployment.fetch(`/v1/demo/boards/filled/day.${name}?limit=3`)).text;
    assert.match(await form('html'), /<li value="2" class="new">.*\n<li value="3" data-window="last-7-days">/);
    assert.match(await form('csv'), /^rank,id,score,previous_rank,window\r\n1,"p399",1,,day\r\n2,"fresh",1,,day\r\n3,.*,last-7-days\r\n$/);
    assert.match(await form('rss'), /Score \d+, last-7-days</);
    const past = await deployment.freshTop('filled/day', '?period=2026-11-19&limit=5');
    assert.deepEqual(past.body.entries, [], 'nor is a period that is over');
    const commands = await deployment.commandsDuring(() => deployment.freshTop('filled/day', '?limit=5'));
    assert.equal(commands.calls, 3);
  });

  test('when the database is out, what was last known is shown, for as long as any other page', async () => {
    const database = await deployment.worker.miniflare.getD1Database('DB');
    // The worker makes tables once.
    await database.exec('ALTER TABLE items RENAME TO lost');
    try {
      const out = await deployment.freshTop('articles/day', '?details=1&limit=4');
      assert.deepEqual([out.status, out.body.undescribed], [200, undefined]);
      assert.deepEqual(
        out.body.entries.map((/** @type {Entry} */ { id, details }) => [id, details?.category]),
        order.slice(0, 4).map((id) => [id, isKnown(indexOf(id)) ? detailsOf(indexOf(id)).category : undefined]),
      );
      assert.match(out.headers.get('cache-control') ?? '', /max-age=[12],/);
      const filtered = await deployment.freshTop('articles/day', '?category=arts&limit=4');
      assert.deepEqual([filtered.status, filtered.body.code], [503, 'database-unavailable']);
    } finally {
      await database.exec('ALTER TABLE lost RENAME TO items');
    }
    deployment.edgeClock.advance(11_000);
    const back = await deployment.top('articles/day', '?details=1&limit=4');
    assert.equal(back.body.entries[1].details.category, detailsOf(indexOf(order[1])).category);
    assert.equal(back.body.undescribed, undefined);
  });
});

test('a tag is found whatever letters it has, and none within another one', async () => {
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
  try {
    const odd = [
      'a',
      'b"a',
      'b\\',
      'b\\"',
      '","a',
      '["a',
      ',',
      '[',
      '"',
      '\\',
      'ä',
      '😀',
      'A',
      'a ',
      '%',
      '_',
      '\\u0061',
      'tab\\t',
      '","',
      'a","b',
    ];
    const described = odd.map((tag, i) => ({ id: `t${i}`, tags: i % 2 ? [tag] : ['other', tag, 'last'] }));
    const answer = await editOn(deployment, 'PUT', 'items', lines(described));
    assert.equal(answer.body.accepted, odd.length, answer.text);
    assert.equal((await deployment.events({ events: described.map(({ id: item }) => ({ action: 'view', item })) })).status, 200);
    for (const [i, tag] of odd.entries()) {
      const { body, text } = await deployment.freshTop('articles/day', `?tag=${encodeURIComponent(tag)}`);
      assert.deepEqual(
        body.entries?.map((/** @type {Entry} */ { id }) => id),
        [`t${i}`],
        `${tag}: ${text}`,
      );
    }
    for (const tag of ['other', 'last']) {
      assert.equal((await deployment.freshTop('articles/day', `?tag=${tag}`)).body.entries.length, odd.length / 2, tag);
    }
  } finally {
    await deployment.stop();
  }
});

test('without a database rankings show ids alone, and filters are refused', async (t) => {
  const { shown: _, ...boards } = SITE.boards;
  const sites = { demo: { ...SITE, boards } };
  const deployment = await startDeployment({ transport: 'redis://', sites, vars: { ADMIN_TOKEN }, hasDatabase: false });
  t.after(() => deployment.stop());
  await deployment.events({ events: ['a', 'b', 'b'].map((item) => ({ action: 'view', item })) });
  const { status, body } = await deployment.top('articles/day', '?details=1&exclude=a');
  assert.deepEqual([status, body.undescribed, body.entries.map((/** @type {Entry} */ { id }) => id)], [200, undefined, ['b']]);
  const refused = await deployment.top('articles/day', '?category=news');
  assert.deepEqual([refused.status, refused.body.code], [404, 'no-database']);
});
