/**
 * The site of the tests of curation, and the ways to curate and to check what is shown.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { readComplete } from '../../support/windows.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../../support/deployment.mjs').Answer} Answer */
/** @typedef {{ id: string, score: number, sequence: number }} Member */
/** @typedef {{ hidden?: string[], pinned?: string[] }} Lists in the order of their making */
/** @typedef {{ ranking?: 'competition' | 'dense', ties?: 'first' | 'last', min_score?: number }} Order */
/** @typedef {{ rank: number, id: string, score: number, previous_rank?: number | null, pinned?: true }} Entry */

export const ADMIN_TOKEN = 'a-token-for-curation';
/** @type {Record<string, Order>} */
export const ORDERS = {
  ordinal: {},
  competition: { ranking: 'competition' },
  dense: { ranking: 'dense' },
  first: { ranking: 'dense', ties: 'first' },
  last: { ranking: 'competition', ties: 'last' },
  least: { ranking: 'competition', ties: 'first', min_score: 3 },
};
export const DECAYING = [
  { name: 'hot', kind: 'half-life', half_life: '6h' },
  { name: 'fading', kind: 'step', every: 'hour', factor: 0.5 },
  { name: 'smooth', kind: 'linear', resets: 'day' },
];
const BOARD = { weights: { view: 1, down: -1 }, windows: ['day', 'last-2-days', 'all'], limit: 1000 };
export const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, down: {} },
  boards: {
    ...Object.fromEntries(Object.entries(ORDERS).map(([name, order]) => [name, { ...BOARD, ...order }])),
    decaying: { ...BOARD, windows: DECAYING, ranking: 'competition' },
  },
};
const NOW = Date.parse('2026-11-20T12:00:00Z');
/** On any board, and on none. */
export const EVERYONE = [...'abcdefghij', 'nobody'];

/** What a board shows of members. @param {Order} order @param {Member[]} members @param {Lists} lists @returns {Entry[]} */
export function shown({ ranking, ties, min_score: least = 0 }, members, { hidden = [], pinned = [] }) {
  const scoreOf = (/** @type {string} */ id) => members.find((member) => member.id === id)?.score ?? 0;
  const first = pinned.filter((id) => !hidden.includes(id));
  const rest = members.filter(({ id, score }) => score > 0 && score >= least && !hidden.includes(id) && !first.includes(id));
  const before = (/** @type {Member} */ a, /** @type {Member} */ b) => {
    if (ties) return ties === 'first' ? a.sequence - b.sequence : b.sequence - a.sequence;
    return a.id < b.id ? 1 : -1;
  };
  rest.sort((a, b) => b.score - a.score || before(a, b));
  const scores = rest.map(({ score }) => score);
  const rankOf = (/** @type {number} */ at) => {
    const better = scores.filter((score) => score > scores[at]);
    if (ranking === 'competition') return better.length + 1;
    return ranking === 'dense' ? new Set(better).size + 1 : at + 1;
  };
  return [
    ...first.map((id, at) => ({ rank: at + 1, id, score: scoreOf(id), pinned: /** @type {const} */ (true) })),
    ...rest.map(({ id, score }, at) => ({ rank: first.length + rankOf(at), id, score })),
  ];
}

/** With where each stood before. @param {Entry[]} entries @param {Entry[]} earlier @returns {Entry[]} */
export function moved(entries, earlier) {
  return entries.map((entry) => ({ ...entry, previous_rank: earlier.find(({ id }) => id === entry.id)?.rank ?? null }));
}

/** Who has no more than the entry at a place, in percent. @param {Entry[]} entries @param {number} at */
export function percentileOf(entries, at) {
  const higher = entries.slice(0, at).filter(({ score, pinned }) => pinned || score > entries[at].score).length;
  return Math.round(((entries.length - higher) / entries.length) * 10_000) / 100;
}

export const plain = (/** @type {Entry} */ { rank, id, score }) => ({ rank, id, score });

/**
 * Starts the deployment of a suite, and gives what its tests ask it.
 *
 * @param {import('../../support/deployment.mjs').Transport} transport
 */
export function serve(transport) {
  /** @type {Deployment} */
  let deployment;
  before(
    async () =>
      (deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE, other: SITE }, vars: { ADMIN_TOKEN } })),
  );
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set(NOW);
  });
  after(() => deployment?.stop());

  /** @param {string} text @param {string} [site] */
  async function send(text, site) {
    const events = text.split(' ').map((word) => ({ action: word.startsWith('-') ? 'down' : 'view', item: word.replace(/^-/, '') }));
    const { body } = await deployment.events({ events }, { site });
    assert.deepEqual(body, { accepted: events.length, duplicate: 0, rejected: [] });
  }

  /** @param {string} method @param {string} path below `/v1/demo/admin/boards/` @param {string} [token] */
  const curate = (method, path, token = ADMIN_TOKEN) =>
    deployment.fetch(`/v1/demo/admin/boards/${path}`, { method, headers: { authorization: `Bearer ${token}` } });

  /** @param {string} method @param {string} board @param {'hidden' | 'pinned'} list @param {string} id */
  async function change(method, board, list, id) {
    const { status, text, headers } = await curate(method, `${board}/${list}/${encodeURIComponent(id)}`);
    assert.deepEqual([status, text, headers.get('cache-control')], [204, '', 'no-store'], `${method} ${board}/${list}/${id}`);
  }

  /** @param {string} board @param {Lists} lists */
  async function make(board, { hidden = [], pinned = [] }) {
    for (const id of hidden) await change('PUT', board, 'hidden', id);
    for (const id of pinned) await change('PUT', board, 'pinned', id);
  }

  /** @param {string} board @param {string} list */
  async function listed(board, list) {
    const { status, body, headers } = await curate('GET', `${board}/${list}`);
    assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store']);
    const { ids, ...rest } = body;
    assert.deepEqual(rest, { site: 'demo', board, list });
    return ids;
  }

  /** @param {string} ranking @param {string[]} ids @param {string} query */
  async function ranksOf(ranking, ids, query) {
    const [board, window] = ranking.split('/');
    const { body } = await deployment.fetch(`/v1/demo/boards/${board}/${window}/ranks${query}`, {
      method: 'POST',
      body: JSON.stringify({ ids }),
    });
    return body;
  }

  /** @param {string} ranking @param {string} id @param {string} query */
  function member(ranking, id, query) {
    deployment.edgeClock.advance(60_000);
    const [board, window] = ranking.split('/');
    return deployment.fetch(`/v1/demo/boards/${board}/${window}/members/${encodeURIComponent(id)}${query}`);
  }

  /**
   * A ranking shows these entries, and whoever is asked about stands where they say.
   *
   * @param {string} ranking
   * @param {Entry[]} entries
   * @param {{ period?: string, closely?: boolean }} [how] `closely`: also in pages, and each member by itself
   */
  async function check(ranking, entries, { period, closely = false } = {}) {
    const where = period ? `period=${period}&` : '';
    const { body } = (await readComplete(deployment, ranking, `?${where}limit=100`)).answer;
    assert.deepEqual(body.entries, entries, `${ranking} ${period ?? ''}`);
    assert.equal(body.total, entries.length, `${ranking}: total`);

    const found = await ranksOf(ranking, EVERYONE, period ? `?period=${period}` : '');
    assert.equal(found.total, entries.length, `${ranking}: total beside ranks`);
    const expected = EVERYONE.map((id) => {
      const at = entries.findIndex((entry) => entry.id === id);
      if (at < 0) return { id, rank: null, score: null, percentile: null };
      return { id, rank: entries[at].rank, score: entries[at].score, percentile: percentileOf(entries, at) };
    });
    assert.deepEqual(found.ranks, expected, `${ranking}: ranks`);
    if (!closely) return;

    for (let offset = 0; offset <= entries.length; offset += 3) {
      const page = await deployment.freshTop(ranking, `?${where}limit=3&offset=${offset}`);
      assert.deepEqual(page.body.entries, entries.slice(offset, offset + 3), `${ranking}: from ${offset}`);
    }
    for (const [at, id] of EVERYONE.map((id) => /** @type {const} */ ([entries.findIndex((entry) => entry.id === id), id]))) {
      const answer = await member(ranking, id, `?${where}around=2`);
      if (at < 0) {
        assert.deepEqual([answer.status, answer.body.code], [404, 'not-on-board'], `${ranking} ${id}`);
        assert.equal((await member(ranking, id, '')).status, 404, `${ranking} ${id} alone`);
        continue;
      }
      const { rank, score, total, around } = answer.body;
      assert.deepEqual([rank, score, total], [entries[at].rank, entries[at].score, entries.length], `${ranking} ${id}`);
      assert.deepEqual(around, entries.slice(Math.max(0, at - 2), at + 3).map(plain), `${ranking} around ${id}`);
      const alone = (await member(ranking, id, where && `?${where.slice(0, -1)}`)).body;
      assert.deepEqual(
        [alone.rank, alone.score, alone.total, alone.percentile, alone.around],
        [rank, score, total, answer.body.percentile, []],
      );
    }
  }

  return {
    get deployment() {
      return deployment;
    },
    send,
    curate,
    change,
    make,
    listed,
    member,
    check,
  };
}
