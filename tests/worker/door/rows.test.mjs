/**
 * Rows that D1 bills for what anyone may ask, by its own count: none is above a thousand, nor above what its client's limit pays for.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { ADMIN_TOKEN, edit as editOn, lines } from '../items/site.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const DAY_MS = 86_400_000;
const FIRST = Date.parse('2026-10-01T12:00:00Z');
/** Days that are frozen, items that are described, and of these on the boards. */
const [DAYS, DESCRIBED, COUNTED] = [40, 3_000, 400];
/** What a client may have asked in a minute, and what one of that pays for. */
const [MISSES, ROWS] = [40, 200];

const BOARD = {
  weights: { view: 1 },
  windows: ['day', 'last-7-days', 'all'],
  limit: 100,
  fresh: '1s',
  snapshot: 'all',
  max_members: 10_000,
};
const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: {
    articles: { ...BOARD, history: 100, fallback: ['last-7-days', 'all'] },
    people: { ...BOARD, members: 'actors', details: true },
  },
};
/** The same boards, with a limit that a test can use up. */
const SITES = { demo: { ...SITE, limits: { misses: 0 } }, limited: { ...SITE, limits: { misses: MISSES } } };
const FILTERS = ['details=1', 'category=arts', 'tag=three', 'author=author-1', 'published_within=7d', 'exclude=p1', 'per_author=2'];

/** What anyone may ask of the database. */
const READS = [
  ...['', 'limit=100', 'limit=1&offset=99', ...FILTERS, 'limit=100&category=none', 'limit=100&category=arts&tag=three'].flatMap((query) => [
    `boards/articles/day?${query}`,
    `boards/articles/all?${query}`,
  ]),
  'boards/people/day?limit=100',
  'boards/articles/day?limit=100&period=2026-10-20',
  'boards/articles/day.html?limit=100&details=1',
  'boards/articles/day/periods?limit=100',
  'boards/articles/day/periods?limit=1&cursor=20740',
  'items?limit=100',
  'items?limit=1',
  'items/p1',
  'items/nobody',
  'actors/u1',
  'top?boards=articles/day,articles/all,people/day&limit=100',
];

describe('rows of the database', () => {
  /** @type {Deployment} */
  let deployment;
  let clients = 0;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', relayed: true, sites: SITES, vars: { ADMIN_TOKEN }, hasDatabase: true });
    const described = Array.from({ length: DESCRIBED }, (_, i) => ({
      id: `p${i}`,
      title: `Post ${i}`,
      category: ['news', 'sport', 'arts', 'tech'][i % 4],
      tags: i % 3 === 0 ? ['three', 'a'] : ['b'],
      author: `author-${i % 7}`,
      published_at: new Date(FIRST - i * 3_600_000).toISOString(),
    }));
    setClocks(FIRST);
    for (let at = 0; at < DESCRIBED; at += 1_000) {
      const { body, text } = await edit('PUT', 'items', lines(described.slice(at, at + 1_000)));
      assert.equal(body.accepted, 1_000, text);
    }
    for (let at = 0; at < COUNTED; at += 100) {
      const events = described.slice(at, at + 100).map(({ id }, i) => ({ action: 'view', item: id, actor: `u${at + i}` }));
      assert.equal((await deployment.events({ events })).status, 200);
    }
    for (let day = 1; day <= DAYS; day += 1) {
      setClocks(FIRST + day * DAY_MS);
      const events = described.slice(0, 100).map(({ id }, i) => ({ action: 'view', item: id, actor: `u${i}` }));
      assert.equal((await deployment.events({ events })).status, 200);
      await deployment.worker.scheduled();
    }
  });
  after(() => deployment?.stop());

  /** @param {string} method @param {string} path @param {unknown} [body] */
  const edit = (method, path, body) => editOn(deployment, method, path, body);
  /** @param {number} ms */
  function setClocks(ms) {
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(ms);
  }
  async function rows() {
    const { text } = await edit('GET', 'admin/metrics');
    return Number(/^edgeboard_isolate_database_total\{[^}]*"rows_read"[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0);
  }
  /** The rows of an answer that no cache had. @param {string} path */
  async function read(path) {
    deployment.edgeClock.advance(DAY_MS / 24);
    const before = await rows();
    const { status, text } = await deployment.fetch(`/v1/demo/${path}`);
    return { status, text, rows: (await rows()) - before };
  }

  /** What a path takes of a limit: what is left of it pays for members that nobody knows, of one each. @param {string} path */
  async function price(path) {
    clients += 1;
    deployment.edgeClock.advance(DAY_MS / 24);
    const headers = { 'cf-connecting-ip': `192.0.2.${clients}` };
    const ask = async (/** @type {string} */ of) => (await deployment.fetch(`/v1/limited/${of}`, { headers })).status;
    assert.notEqual(await ask(path), 429, path);
    for (let paid = 0; paid < MISSES; paid += 1) {
      if ((await ask(`boards/articles/day/members/x${clients}-${paid}`)) === 429) return MISSES - paid;
    }
    return assert.fail(`${path} takes nothing`);
  }

  test('no answer reads more than a thousand, nor more than was paid for', async () => {
    const table = [];
    for (const path of READS) {
      const answer = await read(path);
      const paid = ROWS * (await price(path));
      table.push({ path, status: answer.status, bytes: answer.text.length, rows: answer.rows, paid });
    }
    console.table(table);
    for (const { path, rows, paid } of table) assert.ok(rows <= Math.min(1000, paid), `${path}: ${rows}, ${paid} paid`);
    assert.ok(Math.max(...table.map(({ rows }) => rows)) > 200, 'something is dear');
  });

  test('nor does one while Redis is out', async () => {
    let isOut = false;
    deployment.link.loseRepliesWhen(() => isOut);
    for (const path of ['boards/articles/day?limit=97', 'boards/articles/all?limit=97&offset=3&details=1', 'boards/people/day?limit=97']) {
      const before = await rows();
      deployment.edgeClock.advance(60_000);
      isOut = true;
      const { status, body } = await deployment.fetch(`/v1/demo/${path}`);
      isOut = false;
      assert.equal(status, 200, path);
      assert.ok(body.entries.length > 0, path);
      const read = (await rows()) - before;
      assert.ok(read > 0 && read <= 1000, `${path}: ${read}`);
    }
  });
});
