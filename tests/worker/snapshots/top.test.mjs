/**
 * Snapshots: what is shown while Redis cannot be asked and no cache has a ranking.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-owners';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const NOW = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
const WINDOWS = ['day', 'all', 'last-7-days', { name: 'hot', kind: 'half-life', half_life: '6h' }];
const BOARD = { weights: { view: 1 }, windows: WINDOWS, limit: 5, snapshot: 'top' };
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true }, finish: {} },
    boards: {
      articles: BOARD,
      people: { ...BOARD, members: 'actors', windows: ['day'] },
      lap: { members: 'actors', score: 'min', order: 'ascending', decimals: 2, actions: ['finish'], windows: ['all'], snapshot: 'top' },
      filled: { ...BOARD, windows: ['day', 'all'], fallback: ['all'] },
      bare: { weights: { view: 1 }, windows: ['day'] },
    },
  },
};

describe('snapshots', () => {
  /** @type {import('../../support/deployment.mjs').Deployment} */
  let deployment;
  beforeEach(async () => {
    deployment = await startDeployment({ transport: 'redis://', relayed: true, sites: SITES, vars: { ADMIN_TOKEN }, hasDatabase: true });
    setClocks(NOW);
    const view = (/** @type {string} */ item, /** @type {number} */ times) =>
      Array.from({ length: times }, () => ({ action: 'view', item, actor: item }));
    const events = [...view('a', 4), ...view('b', 3), ...view('c', 2), ...'defg'.split('').flatMap((item) => view(item, 1))];
    assert.equal((await deployment.events({ events })).status, 200);
    assert.equal((await deployment.events({ events: [{ action: 'finish', actor: 'ann', value: 61.25, meta: { car: 7 } }] })).status, 200);
  });
  afterEach(() => deployment.stop());

  /** Sets both clocks. @param {number} ms */
  function setClocks(ms) {
    deployment.clock.set(ms);
    deployment.edgeClock.set(ms);
  }
  const lose = (isOut = true) => deployment.link.loseRepliesWhen(() => isOut);
  const shown = (/** @type {any} */ body) => body.entries.map((/** @type {any} */ { rank, id, score }) => [rank, id, score]);
  const runs = async () => {
    const { text } = await deployment.fetch('/v1/demo/admin/metrics', { headers });
    return Number(/^edgeboard_isolate_job_runs_total\{site="demo",job="snapshot articles"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };

  test('are shown while Redis is out, and say of when they are', async () => {
    await deployment.worker.scheduled();
    lose();
    setClocks(NOW + 10 * MINUTE_MS);
    for (const window of ['day', 'all', 'last-7-days']) {
      const { status, body, headers: answered, text } = await deployment.top(`articles/${window}`);
      assert.equal(status, 200, text);
      assert.deepEqual(
        shown(body).slice(0, 3),
        [
          [1, 'a', 4],
          [2, 'b', 3],
          [3, 'c', 2],
        ],
        window,
      );
      assert.deepEqual([body.total, body.complete], [7, true]);
      assert.match(body.generated_at, /^2026-11-20T12:00:0\d/);
      assert.match(answered.get('cache-status') ?? '', /fwd=stale; fwd-status=503; detail=snapshot/);
      assert.match(answered.get('cache-control') ?? '', /max-age=0/);
    }
    assert.deepEqual(shown((await deployment.top('articles/hot')).body).length, 5);
    assert.deepEqual(shown((await deployment.top('articles/day', '?limit=2&offset=1')).body), [
      [2, 'b', 3],
      [3, 'c', 2],
    ]);
    const [best] = (await deployment.top('lap/all')).body.entries;
    assert.deepEqual([best.id, best.score, best.meta], ['ann', 61.25, { car: 7 }]);
    assert.equal((await deployment.top('bare/day')).status, 503, 'nobody asked for that');
    assert.equal((await deployment.top('articles/day', '?period=2026-11-19')).status, 503, 'of current periods only');

    lose(false);
    setClocks(NOW + 12 * MINUTE_MS);
    const live = await deployment.freshTop('articles/day');
    assert.match(live.body.generated_at, /^2026-11-20T12:1/);
  });

  test('several at once are shown while Redis is out, where all have one', async () => {
    const several = async (/** @type {string} */ boards, query = '') => deployment.fetch(`/v1/demo/top?boards=${boards}${query}`);
    const rankings = 'articles/day,articles/last-7-days,filled/day,people/day';
    await deployment.worker.scheduled();
    const before = await several(rankings, '&limit=3');
    lose();
    setClocks(NOW + 2 * 24 * 60 * MINUTE_MS);
    const out = await several(rankings, '&limit=3');
    assert.equal(out.status, 200, out.text);
    const plain = (/** @type {any} */ body) => body.boards.map((/** @type {any} */ one) => [one.board, one.window, one.total, shown(one)]);
    assert.deepEqual(plain(out.body), plain(before.body));
    assert.match(out.headers.get('cache-status') ?? '', /fwd=stale; fwd-status=503; detail=snapshot/);
    assert.match(out.headers.get('cache-control') ?? '', /max-age=0/);
    for (const { generated_at } of out.body.boards) assert.match(generated_at, /^2026-11-20T12:00/);
    // One that is filled up from another window of its board, by itself.
    const filled = await deployment.top('filled/day', '?limit=3');
    assert.equal(filled.status, 200, filled.text);
    assert.equal((await several('articles/day,bare/day')).status, 503, 'nobody asked for that of one of them');
  });

  test('with details of now', async () => {
    await deployment.fetch('/v1/demo/items/b', { method: 'PUT', headers, body: JSON.stringify({ title: 'The second' }) });
    await deployment.worker.scheduled();
    lose();
    const { status, body, text } = await deployment.top('articles/day', '?details=1&exclude=a&limit=1');
    assert.equal(status, 200, text);
    const [entry] = body.entries;
    assert.deepEqual([entry.id, entry.score, entry.details?.title ?? entry.title], ['b', 3, 'The second']);
  });

  test('are taken every five minutes, by one run', async () => {
    await Promise.all([deployment.worker.scheduled(), deployment.worker.scheduled()]);
    assert.equal(await runs(), 1);
    setClocks(NOW + 4 * MINUTE_MS);
    await deployment.worker.scheduled();
    assert.equal(await runs(), 1);
    setClocks(NOW + 5 * MINUTE_MS);
    await deployment.worker.scheduled();
    assert.equal(await runs(), 2);
  });

  test('an erased actor is in none', async () => {
    await deployment.worker.scheduled();
    const erased = await deployment.fetch('/v1/demo/actors/a', { method: 'DELETE', headers: { authorization: `Bearer ${WRITE_TOKEN}` } });
    assert.equal(erased.status, 204);
    lose();
    assert.equal((await deployment.top('people/day')).status, 503);
    lose(false);
    setClocks(NOW + 6 * MINUTE_MS);
    await deployment.worker.scheduled();
    lose();
    const { body } = await deployment.top('people/day');
    assert.deepEqual(shown(body).slice(0, 1), [[1, 'b', 3]]);
  });

  test('are shown for a week', async () => {
    await deployment.worker.scheduled();
    lose();
    setClocks(NOW + 7 * 24 * 60 * MINUTE_MS + MINUTE_MS);
    assert.equal((await deployment.top('articles/all')).status, 503);
  });
});
