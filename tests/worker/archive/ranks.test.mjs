/**
 * What is asked of a period's ranks and of what its scores are made of is answered from the archive as Redis answered it.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { COPIED, FORGOTTEN, MINUTE_MS, NOW, start } from './site.mjs';
import { createRandom } from '../../support/windows.mjs';

/** Three parts of the archive, with ties within each and over their edges, and one score that 5,000 members have. */
const MEMBERS = 11_000;
const HIDDEN = ['m0', 'm17', 'm4999', 'm10999'];

const MEMBERS_ASKED = ['m1', 'm2', 'm16', 'm18', 'm5000', 'm10998', 'm0'];

/** @param {string} seed @returns {Record<string, number>} */
function scoresOf(seed) {
  const random = createRandom(seed.length);
  const score = (/** @type {number} */ i) => {
    if (i < 20) return 10_000 - Math.floor(i / 2);
    return i % 2 === 0 ? 700 : 1 + Math.floor(random() * 1_500);
  };
  return Object.fromEntries(Array.from({ length: MEMBERS }, (_, i) => [`m${i}`, HIDDEN.indexOf(`m${i}`) === 0 ? 20_000 : score(i)]));
}

for (const [name, board] of /** @type {[string, { ranking?: string, ties?: string, min_score?: number }][]} */ ([
  ['ordinal', {}],
  ['competition, and a least score', { ranking: 'competition', min_score: 40 }],
  ['dense', { ranking: 'dense', min_score: 3 }],
  ['ordinal, the first among equal ones', { ties: 'first' }],
])) {
  test(`ranks that are ${name}`, async (t) => {
    const to = await start({ board });
    t.after(to.stop);
    to.setClocks(NOW);
    await to.send([{ action: 'view', item: 'm1' }]);
    const scores = scoresOf(name);
    await to.fill(scores);
    for (const id of HIDDEN) assert.equal((await to.hide(id)).status, 204);
    to.setClocks(COPIED);
    while ((await to.archive()) === 0) to.setClocks(to.deployment.clock.now() + MINUTE_MS);

    const values = [...new Set(Object.values(scores))].sort((one, other) => other - one);
    const asked = [
      ...[0, -1, 0.5, 1, 2.5, 39, 40, 699.5, 700, 701, 9_995.5, 20_000, 20_001, values.at(-1), values.at(9)].map(
        (score) => `score=${score}`,
      ),
      ...[1, 2, 3, 9, 10, 11, 500, 4_999, 5_000, 5_001, 7_000, 10_001, 10_996, 10_997, 12_000].map((rank) => `rank=${rank}`),
    ];
    const ask = async () => {
      const answers = [];
      for (const query of asked) {
        to.deployment.edgeClock.advance(MINUTE_MS);
        const { status, body, text } = await to.deployment.fetch(`/v1/demo/boards/articles/day/rank?period=2026-11-20&${query}`);
        assert.equal(status, 200, `${query}: ${text}`);
        answers.push([query, body.rank, body.score, body.total, body.ranking]);
      }
      for (const id of MEMBERS_ASKED) {
        const { status, body } = await to.member(id);
        answers.push([id, status, body.rank, body.score]);
      }
      return answers;
    };
    // What is written past the worker has no index of distinct scores in Redis.
    const model = modelOf(scores, board);
    const inRedis = board.ranking === 'dense' ? [] : await ask();
    to.setClocks(FORGOTTEN);
    const archived = await ask();
    assert.deepEqual(archived, asked.map((query) => model(query)).concat(MEMBERS_ASKED.map((id) => model(id))));
    if (inRedis.length > 0) assert.deepEqual(archived, inRedis);
  });
}

/**
 * What is answered, by looking at everybody.
 *
 * @param {Record<string, number>} scores
 * @param {{ ranking?: string, ties?: string, min_score?: number }} board
 */
function modelOf(scores, { ranking = 'ordinal', ties, min_score = 0 }) {
  const shown = Object.entries(scores)
    .filter(([id, score]) => !HIDDEN.includes(id) && score > 0 && score >= min_score)
    .map(([id, score]) => ({ id, score }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? 1 : -1));
  const higher = (/** @type {number} */ score) => shown.filter((member) => member.score > score);
  const distinct = (/** @type {number} */ score) => new Set(higher(score).map((member) => member.score)).size;
  const rankOf = (/** @type {number} */ score) => {
    if (score <= 0 || score < min_score) return null;
    if (ranking === 'dense') return distinct(score) + 1;
    const equal = ties === 'first' ? shown.filter((member) => member.score === score).length : 0;
    return higher(score).length + equal + 1;
  };
  const dense = [...new Set(shown.map(({ score }) => score))];
  return (/** @type {string} */ query) => {
    const [kind, text] = query.split('=');
    if (kind === 'score') return [query, rankOf(Number(text)), Number(text), shown.length, undefined];
    if (kind === 'rank') {
      const score = ranking === 'dense' ? dense[Number(text) - 1] : shown[Number(text) - 1]?.score;
      return [query, Number(text), score ?? null, shown.length, undefined];
    }
    const at = shown.findIndex(({ id }) => id === query);
    const score = shown[at]?.score;
    if (score === undefined) return [query, 404, undefined, undefined];
    const rank = { ordinal: at, competition: higher(score).length, dense: distinct(score) }[ranking] ?? 0;
    return [query, 200, rank + 1, score];
  };
}

test('what scores are made of', async (t) => {
  const to = await start({ board: { breakdown: true, min_score: 2 } });
  t.after(to.stop);
  to.setClocks(NOW);
  await to.send([
    ...Array.from({ length: 3 }, () => ({ action: 'view', item: 'a' })),
    { action: 'like', item: 'a', actor: 'ann' },
    { action: 'like', item: 'b', actor: 'ben' },
    { action: 'view', item: 'c' },
    { action: 'like', item: 'gone', actor: 'ann' },
  ]);
  assert.equal((await to.hide('gone')).status, 204);
  to.setClocks(COPIED);
  await to.archive();
  const explain = async (/** @type {string} */ id) => {
    to.deployment.edgeClock.advance(MINUTE_MS);
    const { status, body } = await to.deployment.fetch(`/v1/demo/boards/articles/day/members/${id}/explain?period=2026-11-20`);
    const { generated_at: _, counted_since: __, ...lasting } = body;
    // Counts by action have no order.
    for (const list of [lasting.actions, ...(lasting.periods ?? []).map((/** @type {any} */ period) => period.actions)]) {
      list?.sort((/** @type {any} */ one, /** @type {any} */ other) => (one.action < other.action ? -1 : 1));
    }
    return { status, lasting };
  };
  const all = async () => Promise.all(['a', 'b', 'c', 'nobody', 'gone'].map(explain));
  const expected = await all();
  assert.deepEqual(
    expected.map(({ status }) => status),
    [200, 200, 200, 404, 404],
  );
  to.setClocks(FORGOTTEN);
  assert.deepEqual(await all(), expected);
  assert.equal(expected[0]?.lasting.unexplained, 0);
});

test('an archive without counts by action says so', async (t) => {
  const storage = mkdtempSync(join(tmpdir(), 'edgeboard-archive-'));
  t.after(() => rmSync(storage, { recursive: true }));
  const before = await start({ storage });
  before.setClocks(NOW);
  await before.send([{ action: 'view', item: 'a' }]);
  before.setClocks(COPIED);
  await before.archive();
  await before.stop();

  const to = await start({ storage, board: { breakdown: true } });
  t.after(to.stop);
  to.setClocks(FORGOTTEN);
  assert.equal((await to.member('a')).body.score, 1);
  const { status, body } = await to.deployment.fetch('/v1/demo/boards/articles/day/members/a/explain?period=2026-11-20');
  assert.deepEqual([status, body.code], [404, 'unknown-period']);
  assert.match(body.detail, /archived without counts by action/);
});
