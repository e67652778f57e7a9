/**
 * Boards over a Redis Cluster: each board is on one node, and nothing but that is different for who counts and reads. A slot that
 * moves and a node that is gone stop their boards alone, and no click is lost or counts twice.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';

import { createClock } from '../support/clock.mjs';
import { startCluster } from '../support/cluster.mjs';
import { unlimited, WRITE_TOKEN } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { startWorker } from '../support/worker.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Deployment */

const ADMIN_TOKEN = 'a-token-for-administration';
/** One on each of three nodes, in the order of these. */
const BOARDS = ['articles', 'a', 'people'];
const WINDOWS = ['hour', 'day', 'last-7-days', 'all'];
const board = { weights: { view: 1 }, windows: WINDOWS };
const SITES = {
  demo: {
    origins: ['*'],
    activity: false,
    actions: { view: { public: true }, like: { reversible: true } },
    boards: { articles: board, a: board, people: { ...board, members: 'actors', weights: { view: 1, like: 2 } } },
  },
};
const NOON = '2026-11-20T12:00:00Z';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than any ranking is fresh for. */
const RENEWED_MS = 60_000;
const AT_ONCE = 8;
/** So many are counted between two moves. */
const CLICKS = 100;
/** A master that writes nothing is heard every ten seconds. */
const HEARD = { timeoutMs: 60_000 };

/**
 * @param {object} [options]
 * @param {Record<string, any>} [options.sites]
 * @param {boolean} [options.hasObjects]
 * @param {boolean} [options.hasReplicas]
 * @param {Record<string, string>} [options.vars]
 * @param {import('../support/cluster.mjs').Cluster} [options.cluster] one that is there, and stays
 */
async function start({ sites = SITES, hasObjects, hasReplicas = false, vars: others = {}, cluster: given } = {}) {
  const [clock, edgeClock] = [createClock(), createClock()];
  for (const each of [clock, edgeClock]) each.set(NOON);
  const cluster = given ?? (await startCluster({ clock, hasReplicas }));
  const vars = { ...others, REDIS_URL: cluster.url, WRITE_TOKEN, ADMIN_TOKEN, SITES: unlimited(sites) };
  const worker = await startWorker({ clock: edgeClock, vars, hasObjects, isAskedItself: true });
  const ask = async (/** @type {string} */ path, /** @type {RequestInit} */ init) => {
    const response = await worker.fetch(path, init);
    const text = await response.text();
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
  const post = (/** @type {string} */ path, /** @type {unknown} */ body, /** @type {string} */ token) =>
    ask(path, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) });
  return {
    cluster,
    worker,
    ask,
    events: (/** @type {object[]} */ events, /** @type {string | undefined} */ id = undefined) =>
      post('/v1/demo/events', { id, events }, WRITE_TOKEN),
    beacon: (/** @type {object} */ body) => ask('/v1/demo/beacon', { method: 'POST', body: JSON.stringify(body) }),
    admin: (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body = undefined) =>
      ask(`/v1/demo/admin/${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    /** A ranking as Redis has it now. @param {string} ranking */
    async top(ranking) {
      edgeClock.advance(RENEWED_MS);
      const answer = await ask(`/v1/demo/boards/${ranking}`, {});
      return {
        ...answer,
        scores: answer.body?.entries && Object.fromEntries(answer.body.entries.map((/** @type {any} */ entry) => [entry.id, entry.score])),
      };
    },
    setClocks(/** @type {string} */ instant) {
      for (const each of [clock, edgeClock]) each.set(instant);
    },
    advance(/** @type {number} */ ms) {
      for (const each of [clock, edgeClock]) each.advance(ms);
    },
    /** How often each node ran each command meanwhile, without those inside scripts' own. @param {() => Promise<unknown>} work */
    async commandsDuring(work) {
      await cluster.command('CONFIG', 'RESETSTAT');
      await work();
      const counts = [];
      for (const node of cluster.nodes) {
        const info = await node.command('INFO', 'commandstats');
        const stats = [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, calls]) => [name, Number(calls)]);
        counts.push(Object.fromEntries(stats));
      }
      return counts;
    },
    async stop() {
      await worker.stop();
      if (!given) await cluster.stop();
      for (const each of [clock, edgeClock]) each.close();
    },
  };
}

const view = { action: 'view', item: 'x', actor: 'erika' };

describe('three masters', () => {
  /** @type {Deployment} */
  let to;
  before(async () => (to = await start()));
  beforeEach(async () => {
    await to.cluster.command('FLUSHALL');
    to.advance(30 * DAY_MS); // no cache has anything
  });
  after(() => to?.stop());

  test('each board is counted and read on its node, and each has the library', async () => {
    for (const [at, name] of BOARDS.entries()) {
      assert.equal(await to.cluster.nodeOf(`eb:{demo:${name}}`), to.cluster.nodes[at], name);
    }
    assert.equal((await to.events([view, { ...view, item: 'y' }, view])).status, 200);
    assert.deepEqual((await to.top('articles/day')).scores, { x: 2, y: 1 });
    assert.deepEqual((await to.top('a/last-7-days')).scores, { x: 2, y: 1 });
    assert.deepEqual((await to.top('people/all')).scores, { erika: 3 });
    for (const [at, node] of to.cluster.nodes.entries()) {
      const keys = await node.command('KEYS', 'eb:*');
      assert.ok(keys.length > 0 && keys.every((/** @type {string} */ key) => key.startsWith(`eb:{demo:${BOARDS[at]}}`)), keys.join());
      assert.equal((await node.command('FUNCTION', 'LIST')).length, 1);
    }
  });

  test('an id counts once on each of them', async () => {
    for (let times = 0; times < 3; times += 1) assert.equal((await to.events([view], 'one')).status, 200);
    for (const ranking of ['articles/day', 'a/day']) assert.deepEqual((await to.top(ranking)).scores, { x: 1 });
  });

  test('an event is one call on each node that it counts on, and nothing else', async () => {
    await to.events([view]);
    const counts = await to.commandsDuring(() => to.beacon({ action: 'view', item: 'x' }));
    assert.deepEqual(
      counts.map(({ fcall, cluster: _, multi }) => [fcall, multi]),
      [
        [1, undefined],
        [1, undefined],
        [undefined, undefined],
      ],
      JSON.stringify(counts),
    );
    assert.ok(
      counts.every((commands) => commands['cluster|slots'] === undefined && commands.asking === undefined),
      JSON.stringify(counts),
    );
  });

  test('what can be undone on one board is', async () => {
    const like = { action: 'like', item: 'x', actor: 'otto' };
    await to.events([like, { ...like, item: 'y' }]);
    await to.events([{ ...like, undo: true }, view]);
    assert.deepEqual((await to.top('people/day')).scores, { otto: 2, erika: 1 });
    assert.deepEqual((await to.top('articles/day')).scores, { x: 1 });
  });

  test('rolling windows go over days on all nodes, with upkeep', async () => {
    for (let day = 0; day < 3; day += 1) {
      await to.events([view]);
      to.advance(DAY_MS - HOUR_MS);
      await until('upkeep is done', async () => {
        const { status, body, text } = await to.admin('POST', 'upkeep');
        assert.equal(status, 200, text);
        return body.windows.every((/** @type {any} */ { ready }) => ready);
      });
      to.advance(HOUR_MS);
    }
    await to.events([{ ...view, item: 'y' }]);
    for (const name of ['articles', 'a']) {
      const { scores, body } = await to.top(`${name}/last-7-days`);
      assert.deepEqual([scores, body.complete], [{ x: 3, y: 1 }, true], name);
    }
  });

  test('a person is erased on all nodes', async () => {
    await to.events([view, { ...view, actor: 'otto' }]);
    const letter = ['code', 'unknown-site', 'detail', '', 'sent', '0', 'message', '{}', 'version', '', 'counted', ''];
    await to.cluster.command('XADD', 'eb:unknown{:}:dead', '*', ...letter);
    const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
    const { status, text } = await to.ask('/v1/demo/actors/erika', { method: 'DELETE', headers });
    assert.ok([200, 204].includes(status), `${status} ${text}`);
    assert.deepEqual((await to.top('people/all')).scores, { otto: 1 });
  });

  test('keys that nobody needs are found on all nodes and removed', async () => {
    await to.events([view]);
    for (const name of ['old', 'older', 'oldest', 'former', 'past', 'gone'])
      await to.cluster.command('SET', `eb:{demo:${name}}:state`, '1');
    /** @param {string} method @param {string} query */
    const all = async (method, query) => {
      const found = [];
      let cursor;
      do {
        const more = cursor === undefined ? query : `${query}&cursor=${cursor}`;
        const { status, body, text } = await to.admin(method, `unconfigured?${more}`);
        assert.ok(status === 200 || status === 202, `${status} ${text}`);
        found.push(...body.unconfigured.map((/** @type {any} */ { board: name }) => name));
        cursor = body.cursor;
      } while (cursor);
      return found.sort();
    };
    assert.deepEqual(await all('GET', ''), ['former', 'gone', 'old', 'older', 'oldest', 'past']);
    for (const name of ['old', 'older', 'oldest']) await all('DELETE', `board=${name}`);
    assert.deepEqual(await all('GET', ''), ['former', 'gone', 'past']);
    assert.deepEqual((await to.top('articles/day')).scores, { x: 1 });
  });

  test('the scheduled run notes libraries on each node', async () => {
    to.setClocks('2026-12-20T00:10:00Z');
    await to.worker.scheduled();
    const notes = await to.cluster.command('KEYS', 'edgeboard:libraries*');
    const perNode = [];
    for (const node of to.cluster.nodes) perNode.push((await node.command('KEYS', 'edgeboard:libraries*')).length);
    assert.deepEqual(perNode, [1, 1, 1], notes.join());
  });
});

describe('a slot that moves', { timeout: 120_000 }, () => {
  /** @type {Deployment} */
  let to;
  const actions = { view: { public: true }, share: { public: true } };
  const boards = { articles: { ...board, weights: { view: 1, share: 1 } }, a: { ...board, weights: { share: 1 } } };
  beforeEach(async () => (to = await start({ sites: { demo: { ...SITES.demo, actions, boards } } })));
  afterEach(() => to?.stop());

  /**
   * Numbered clicks, each sent again until it is acknowledged, while `work` goes on; answers how many answers had which status.
   *
   * @param {string} action
   * @param {(refused: () => number) => Promise<unknown>} work `refused` answers how many answers were no 204
   */
  async function clicksDuring(action, work) {
    /** @type {Record<number, number>} */
    const statuses = {};
    let [sent, isDone] = [0, false];
    const send = async () => {
      while (!isDone) {
        sent += 1;
        const body = { id: `click-${sent}`, events: [{ action, item: 'x' }] };
        for (let status = 0; status !== 204; statuses[status] = (statuses[status] ?? 0) + 1) ({ status } = await to.beacon(body));
      }
    };
    const senders = Array.from({ length: AT_ONCE }, send);
    const refused = () => Object.entries(statuses).reduce((sum, [status, times]) => sum + (status === '204' ? 0 : times), 0);
    await work(refused);
    isDone = true;
    await Promise.all(senders);
    return { sent, statuses };
  }

  // What one board counts is not written where it is refused. What two boards count may be written on one of them.
  for (const [action, allowed] of Object.entries({ view: [204, 503], share: [204, 503, 504] })) {
    test(`by SETSLOT loses no ${action} and counts none twice`, async (t) => {
      const { cluster } = to;
      const key = 'eb:{demo:articles}';
      const [from, other] = [cluster.nodes[0], cluster.nodes[1]];
      const { sent, statuses } = await clicksDuring(action, async (refused) => {
        for (const [source, target] of /** @type {const} */ ([
          [from, other],
          [other, from],
          [from, other],
        ])) {
          const { scores: at } = await to.top('articles/all');
          await until('clicks are counted', async () => (await to.top('articles/all')).scores?.x > (at?.x ?? 0) + CLICKS);
          const moving = await cluster.beginMove(await cluster.slotOf(key), source, target);
          const { scores: before } = await to.top('articles/all');
          const held = await to.top('articles/all');
          assert.deepEqual([held.status, held.scores], [200, before], 'nothing is counted, and the ranking that is held is served');
          assert.match(held.headers.get('cache-status') ?? '', /fwd-status=503/);
          const already = refused();
          await until('clicks are refused', async () => refused() >= already + AT_ONCE);
          await moving.move();
          await moving.end();
          await until('clicks go on', async () => (await to.top('articles/all')).scores.x > before.x);
        }
      });
      t.diagnostic(`${sent} clicks, answers by status: ${JSON.stringify(statuses)}`);
      assert.deepEqual((await to.top('articles/all')).scores, { x: sent });
      if (action === 'share') assert.deepEqual((await to.top('a/all')).scores, { x: sent });
      const others = Object.keys(statuses).filter((status) => !allowed.includes(Number(status)));
      assert.deepEqual(others, [], JSON.stringify(statuses));
      assert.equal((await from.command('KEYS', `${key}*`)).length, 0);
      assert.ok((await other.command('KEYS', `${key}*`)).length > 0);
    });
  }
});

describe('a master that is gone', () => {
  /** @type {Deployment} */
  let to;
  before(async () => (to = await start()));
  after(() => to?.stop());

  test('leaves the boards of the others; its own are 503, or served as they were', async () => {
    const [, down] = to.cluster.nodes;
    assert.equal((await to.ask('/readyz', {})).status, 200);
    await to.events([view], 'first');
    assert.deepEqual((await to.top('a/day')).scores, { x: 1 });
    await down.kill();

    const stale = await to.top('a/day');
    assert.deepEqual([stale.status, stale.scores], [200, { x: 1 }]);
    assert.match(stale.headers.get('cache-status') ?? '', /fwd-status=503/);
    assert.equal((await to.top('a/hour')).status, 503);
    assert.deepEqual((await to.top('articles/day')).scores, { x: 1 });

    // A like is on the board of people alone; a view is on that of the node that is gone as well.
    assert.equal((await to.events([{ action: 'like', item: 'x', actor: 'otto' }])).status, 200);
    const refused = await to.events([view], 'second');
    assert.equal(refused.status, 504, refused.text);
    assert.deepEqual((await to.top('people/day')).scores, { erika: 2, otto: 2 });

    const { status, body } = await to.ask('/readyz', {});
    assert.deepEqual([status, body.code, body.detail], [503, 'redis-unavailable', 'the cluster does not count in its slots 5462-10922']);

    await down.restart();
    await until('its boards are counted again', async () => (await to.events([view], 'second')).status === 200);
    assert.deepEqual((await to.top('a/hour')).scores, { x: 1 });
    assert.deepEqual((await to.top('articles/day')).scores, { x: 2 });
    await until('all slots count', async () => (await to.ask('/readyz', {})).status === 200);
  });

  test('as the first of the seeds leaves an isolate that knows nothing', async () => {
    const [first] = to.cluster.nodes;
    await first.kill();
    const worker = await startWorker({ vars: { REDIS_URL: to.cluster.url, WRITE_TOKEN, SITES: unlimited(SITES) } });
    try {
      const response = await worker.fetch('/v1/demo/boards/people/day');
      assert.equal(response.status, 200, await response.text());
    } finally {
      await worker.stop();
      await first.restart();
    }
  });
});

describe('while a master is gone', { timeout: 120_000 }, () => {
  /** @type {Deployment} */
  let to;
  const best = { members: 'actors', score: 'max', actions: ['lap'], windows: ['day', 'last-7-days'], max_members: 1000 };
  const level = { template: true, on_event: true, members: 'actors', weights: { finish: 1 }, windows: ['day', 'last-7-days'] };
  const site = {
    ...SITES.demo,
    actions: { view: { public: true }, read: {}, cite: {}, lap: {}, finish: {} },
    boards: {
      articles: { ...board, weights: { view: 1, read: 1 }, breakdown: true },
      a: { ...board, weights: { view: 1, cite: 1 }, breakdown: true },
      // This one is on the master that goes, as `a` and `level:3` are.
      best0: best,
      best2: best,
      level,
    },
  };
  const UNAVAILABLE = ['a', 'best0'];
  const finish = (/** @type {string[]} */ ...boards) => ({ action: 'finish', actor: 'erika', boards });
  const top = async (/** @type {string} */ boards) => {
    const { status, body, text } = await to.ask(`/v1/demo/top?boards=${boards}`, {});
    const scores = body?.boards?.map((/** @type {any} */ of) => [
      of.board,
      of.window,
      of.entries.map((/** @type {any} */ { score }) => score),
    ]);
    return { status, scores, unavailable: body?.unavailable, text };
  };

  before(async () => {
    to = await start({ sites: { demo: site } });
    const [registered, down] = to.cluster.nodes;
    for (const name of [...UNAVAILABLE, 'level:3']) assert.equal(await to.cluster.nodeOf(`eb:{demo:${name}}`), down, name);
    for (const tag of ['demo', 'demo:articles', 'demo:best2', 'demo:level:1'])
      assert.equal(await to.cluster.nodeOf(`eb:{${tag}}`), registered, tag);
    const lap = { action: 'lap', actor: 'erika', value: 7 };
    const { status, body, text } = await to.events([view, { ...view, item: 'y' }, view, lap, finish('level:1', 'level:2', 'level:3')]);
    assert.deepEqual([status, body.rejected], [200, []], text);
    assert.deepEqual((await top('a/day,articles/day')).unavailable, undefined);
    for (const name of ['level:1', 'level:3']) assert.deepEqual((await to.top(`${name}/day`)).scores, { erika: 1 });
    await down.kill();
    to.advance(RENEWED_MS);
  });
  after(() => to?.stop());

  test('what is asked of one of its boards is 503, and the same of another one is answered as it is now', async () => {
    const gets = ['hour', 'hour.html', 'hour.csv', 'last-7-days', 'all?details=1', 'day?period=2026-11-19'];
    gets.push(...['', '?around=2', '/badge.svg', '/explain', '/series?by=day'].map((of) => `all/members/x${of}`));
    gets.push('all/rank?score=3', 'all/rank?rank=1', 'all/distribution');
    const posts = /** @type {const} */ ([
      ['all/ranks', {}],
      ['all/ranks', { exact: false }],
      ['day/series', {}],
    ]);
    const asks = [
      ...gets.map((path) => /** @type {const} */ ([path, {}])),
      ...posts.map(([path, body]) => /** @type {const} */ ([path, { method: 'POST', body: JSON.stringify({ ids: ['x'], ...body }) }])),
    ];
    for (const [path, init] of asks) {
      const [down, there] = [await to.ask(`/v1/demo/boards/a/${path}`, init), await to.ask(`/v1/demo/boards/articles/${path}`, init)];
      assert.deepEqual(
        [down.status, down.body?.code, down.headers.get('retry-after')],
        [503, 'redis-unavailable', '1'],
        `${path}: ${down.text}`,
      );
      assert.equal(there.status, 200, `${path}: ${there.text}`);
      assert.doesNotMatch(there.headers.get('cache-status') ?? '', /stale/, path);
    }
    assert.equal((await to.ask('/v1/demo/boards/level:3/last-7-days', {})).status, 503);
    assert.equal((await to.ask('/v1/demo/boards/level:1/last-7-days', {})).status, 200);
    const held = await to.ask('/v1/demo/boards/level:3/day', {});
    assert.deepEqual([held.status, held.body.entries[0].score], [200, 1]);
    assert.match(held.headers.get('cache-status') ?? '', /fwd-status=503/);
  });

  test('rankings of others that are held are renewed, however often its own are asked for', async () => {
    assert.equal((await to.events([{ action: 'read', item: 'x' }])).status, 200);
    to.advance(RENEWED_MS);
    // A busy machine may be served what there was, while it is renewed.
    const { body } = await until('it is renewed', async () => {
      const { headers } = await to.ask('/v1/demo/boards/level:3/day', {});
      assert.match(headers.get('cache-status') ?? '', /fwd-status=503/);
      const answer = await to.ask('/v1/demo/boards/articles/hour', {});
      return answer.body.entries[0].score === 3 && answer;
    });
    assert.deepEqual(body.entries[0], { rank: 1, id: 'x', score: 3, previous_rank: null });
  });

  test('several boards are answered in part, where one is there', async () => {
    const held = await top('a/day,articles/day');
    assert.deepEqual(
      [held.status, held.scores, held.unavailable],
      [
        200,
        [
          ['a', 'day', [2, 1]],
          ['articles', 'day', [3, 1]],
        ],
        ['a'],
      ],
    );
    // Rolling windows of values are made when they are read.
    const made = await top('a/all,articles/all,best0/last-7-days,best2/last-7-days,level:1/day,level:3/day');
    assert.deepEqual(
      [made.status, made.scores, made.unavailable],
      [
        200,
        [
          ['articles', 'all', [3, 1]],
          ['best2', 'last-7-days', [7]],
          ['level:1', 'day', [1]],
        ],
        [...UNAVAILABLE, 'level:3'],
      ],
      made.text,
    );
    assert.equal((await top('a/all,best0/last-7-days')).status, 503);
  });

  test('administrators and monitoring get what the others say, and which boards do not answer', async () => {
    const full = await to.admin('GET', 'boards');
    assert.deepEqual([full.status, full.body.unavailable], [200, UNAVAILABLE], full.text);
    const listed = full.body.boards.map((/** @type {any} */ of) => [of.board, of.window, of.members]);
    assert.deepEqual(listed, [
      ['articles', 'hour', 2],
      ['articles', 'day', 2],
      ['articles', 'all', 2],
      ['best2', 'day', 1],
    ]);
    const { body: boards } = await to.ask('/v1/demo/boards', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    assert.deepEqual([boards.fullness.length, boards.unavailable], [listed.length, UNAVAILABLE]);
    assert.equal((await to.ask('/v1/demo/boards', {})).body.unavailable, undefined);

    const { status, text } = await to.admin('GET', 'metrics');
    assert.equal(status, 200, text);
    const values = (/** @type {string} */ name) => {
      const samples = text.matchAll(new RegExp(`^${name}{site="demo",(?:board|template)="(.*)"} (\\d+)$`, 'gm'));
      return Object.fromEntries(Array.from(samples, ([, of, value]) => [of, Number(value)]));
    };
    assert.deepEqual(values('edgeboard_board_available'), { a: 0, articles: 1, best0: 0, best2: 1 });
    assert.deepEqual(values('edgeboard_template_boards'), { level: 3 });
    assert.deepEqual(values('edgeboard_members'), {
      'articles",window="hour': 2,
      'articles",window="day': 2,
      'articles",window="last-7-days': 2,
      'articles",window="all': 2,
      'best2",window="day': 1,
      'best2",window="last-7-days': 1,
    });

    for (const method of ['GET', 'POST']) {
      const { status, body, text } = await to.admin(method, 'upkeep');
      assert.deepEqual([status, body.unavailable], [200, UNAVAILABLE], text);
      const windows = body.windows.map((/** @type {any} */ of) => [of.board, of.window, of.complete]);
      assert.deepEqual(windows, [['articles', 'last-7-days', true]], method);
    }
  });

  test('upkeep prepares the rolling windows of the others for each day', async () => {
    for (let day = 21; day < 24; day += 1) {
      for (const time of ['21:00', '22:00', '23:00']) {
        to.setClocks(`2026-11-${day - 1}T${time}:00Z`);
        await to.worker.scheduled();
      }
      to.setClocks(`2026-11-${day}T00:05:00Z`);
      const days = day - 20;
      // The first reader finds what upkeep left.
      for (const [ranking, score] of /** @type {const} */ ([
        ['articles', 2 + days],
        ['level:1', days],
        ['level:2', days],
      ])) {
        const { status, body, text } = await to.top(`${ranking}/last-7-days`);
        assert.deepEqual([status, body.complete, body.entries?.[0].score], [200, true, score], text);
      }
      const { status, body } = await to.events([{ action: 'read', item: 'x' }, finish('level:1', 'level:2')]);
      assert.deepEqual([status, body.rejected], [200, []]);
    }
    const failed = to.worker.log.filter(({ message }) => message.includes('"code":"upkeep"'));
    assert.ok(
      failed.some(({ message }) => message.includes('due on 1 of')),
      'the log says that boards were left out',
    );
  });

  test('and all of it is whole again when that is back', async () => {
    const [, down] = to.cluster.nodes;
    await down.restart();
    await until('all slots count', async () => (await to.ask('/readyz', {})).status === 200);
    to.advance(RENEWED_MS);
    assert.equal((await to.admin('GET', 'boards')).body.unavailable, undefined);
    assert.match((await to.admin('GET', 'metrics')).text, /^edgeboard_board_available\{site="demo",board="a"\} 1$/m);
    const whole = await top('a/day,articles/day,level:3/day');
    assert.deepEqual([whole.status, whole.unavailable, whole.scores.length], [200, undefined, 3]);
  });

  test('without the one that has the list of template boards, these are read as they were known last', async () => {
    const [registered] = to.cluster.nodes;
    const read = async (/** @type {string} */ ranking) => {
      const { status, body, headers } = await to.ask(`/v1/demo/boards/${ranking}`, {});
      return { status, body, scores: body.entries?.map((/** @type {any} */ { score }) => score), cached: headers.get('cache-status') };
    };
    // A busy machine may be served what there was, while it is renewed.
    const renewed = (/** @type {string} */ ranking, /** @type {number} */ score) =>
      until(`${ranking} is ${score}`, async () => {
        to.advance(RENEWED_MS);
        const answer = await read(ranking);
        return answer.scores?.[0] === score && !/fwd-status/.test(answer.cached ?? '');
      });
    // Of these, level:3 and a are on another one.
    assert.equal((await to.events([finish('level:1', 'level:3'), { action: 'cite', item: 'x' }])).body.accepted, 2);
    for (const [ranking, score] of /** @type {const} */ ([
      ['level:1/day', 2],
      ['level:3/day', 1],
      ['a/day', 1],
    ]))
      await renewed(ranking, score);
    await registered.kill();
    await renewed('level:3/day', 1);
    const held = await read('level:1/day');
    assert.deepEqual([held.status, held.scores], [200, [2]]);
    assert.match(held.cached ?? '', /fwd-status=503/);
    assert.equal((await read('level:1/day?limit=7')).status, 503, 'nothing is held');
    assert.equal((await read('level:4/day')).status, 503, 'nobody knows whether there is one');
    assert.equal((await to.ask('/v1/demo/boards/level:3/day/members/erika', {})).status, 200);

    const refused = await to.events([finish('level:3')]);
    assert.deepEqual([refused.status, refused.body.code], [503, 'redis-unavailable'], refused.text);
    assert.equal((await to.admin('POST', 'boards/level:3/reset')).status, 503);
    assert.equal((await to.events([{ action: 'cite', item: 'x' }])).status, 200);
    await renewed('a/day', 2);

    // Their upkeep waits. A reader of a window that it did not prepare has it completed.
    to.setClocks('2026-11-24T00:05:00Z');
    await to.worker.scheduled();
    assert.ok(
      to.worker.log.some(({ message }) => message.includes('demo/boards: ')),
      'the log says that upkeep waits',
    );
    const complete = await until('the window is complete', async () => {
      to.advance(RENEWED_MS);
      const answer = await read('level:3/last-7-days');
      return answer.body.complete && answer;
    });
    assert.deepEqual([complete.status, complete.scores], [200, [1]]);
  });
});

describe('more masters than a request may be connected to', { timeout: 120_000 }, () => {
  const MASTERS = 7;
  const CLICKED = 5;
  /** @type {import('../support/cluster.mjs').Cluster} */
  let cluster;
  /** A board on each node. @type {string[]} */
  const names = [];
  const clock = createClock();
  before(async () => {
    clock.set(NOON);
    cluster = await startCluster({ masters: MASTERS, clock });
    for (let number = 0; names.length < MASTERS; number += 1)
      if ((await cluster.nodeOf(`eb:{demo:b${number}}`)) === cluster.nodes[names.length]) names.push(`b${number}`);
  });
  after(async () => {
    await cluster?.stop();
    clock.close();
  });

  async function connections() {
    const all = [];
    for (const node of cluster.nodes) all.push(Number(/total_connections_received:(\d+)/.exec(await node.command('INFO', 'stats'))?.[1]));
    return all;
  }

  /** @param {import('node:test').TestContext} t @param {{ ingest?: string, hasObjects: boolean }} options */
  async function begin(t, { ingest = 'direct', hasObjects }) {
    await cluster.command('FLUSHALL');
    const boards = Object.fromEntries(names.map((name) => [name, { weights: { view: 1, like: 1 }, windows: ['all'] }]));
    const to = await start({ cluster, hasObjects, sites: { demo: { ...SITES.demo, ingest, boards } } });
    t.after(to.stop);
    return to;
  }

  /** All boards have the same score of x. @param {Deployment} to @param {number} score */
  async function check(to, score) {
    const scores = [];
    for (const name of names) scores.push((await to.top(`${name}/all`)).scores?.x ?? 0);
    assert.deepEqual(scores, Array(MASTERS).fill(score));
  }

  for (const { by, ingest, hasObjects } of [
    { by: 'objects', ingest: 'direct', hasObjects: true },
    { by: 'objects of an object', ingest: 'grouped', hasObjects: true },
    { by: 'trips one after the other', ingest: 'direct', hasObjects: false },
  ]) {
    test(`an event counts on all of them by ${by}`, async (t) => {
      const to = await begin(t, { ingest, hasObjects });
      const click = async () => {
        for (let times = 0; times < CLICKED; times += 1) assert.equal((await to.beacon({ action: 'view', item: 'x' })).status, 204);
      };
      await click();
      const before = await connections();
      await click();
      const opened = (await connections()).map((count, at) => count - before[at]);
      assert.deepEqual(opened, Array(MASTERS).fill(hasObjects ? 0 : CLICKED), 'objects keep their connections');
      await check(to, 2 * CLICKED);

      const like = { action: 'like', item: 'x', actor: 'otto' };
      for (const undo of [false, true]) assert.equal((await to.events([{ ...like, undo }])).body.accepted, 1);
      await check(to, 2 * CLICKED);

      const { body } = await to.ask('/readyz', {});
      assert.equal(body.trips_per_event, hasObjects ? undefined : 2);
      assert.equal(to.worker.log.filter(({ message }) => message.includes('"trips-per-event"')).length, hasObjects ? 0 : 1);
    });
  }

  test('objects leave the others alone while a node is gone', async (t) => {
    const to = await begin(t, { hasObjects: true });
    const down = MASTERS - 1;
    await cluster.nodes[down].kill();
    assert.equal((await to.events([view], 'one')).status, 504);
    await cluster.nodes[down].restart();
    await until('it counts', async () => (await to.events([view], 'one')).status === 200);
    await check(to, 1);
  });
});

test('clocks of nodes that are apart are told, in the log once an hour', async (t) => {
  const [edgeClock, ...clocks] = Array.from({ length: 4 }, createClock);
  t.after(() => {
    for (const clock of [edgeClock, ...clocks]) clock.close();
  });
  const cluster = await startCluster({ clocks });
  t.after(cluster.stop);
  const vars = { REDIS_URL: cluster.url, WRITE_TOKEN, SITES: unlimited(SITES) };
  const worker = await startWorker({ clock: edgeClock, vars, isAskedItself: true });
  t.after(worker.stop);
  const apart = async () => {
    // What was found holds for a second.
    edgeClock.advance(1_000);
    const response = await worker.fetch('/readyz');
    const { node_clocks_apart_ms } = /** @type {any} */ (await response.json());
    assert.equal(response.status, 200);
    return node_clocks_apart_ms;
  };
  const lines = () => worker.log.filter(({ message }) => message.includes('"node-clocks"')).length;
  assert.equal(await apart(), undefined);
  clocks[1].advance(60);
  assert.equal(await apart(), undefined, 'less than 100 ms');
  await worker.scheduled();
  assert.equal(lines(), 0);
  clocks[1].advance(440);
  clocks[2].advance(-500);
  // A round trip of a busy machine hides a part of it.
  await until('they are apart', async () => ((await apart()) ?? 0) > 800);
  assert.ok((await apart()) <= 1_000);
  assert.equal(lines(), 1);
  edgeClock.advance(HOUR_MS);
  await worker.scheduled();
  assert.equal(lines(), 2, 'the scheduled run asks, too');
  clocks[1].advance(-500);
  clocks[2].advance(500);
  await until('they agree', async () => (await apart()) === undefined);
});

describe('actions that can be undone', { timeout: 120_000 }, () => {
  /** @type {Deployment} */
  let to;
  const liked = { ...board, weights: { like: 1 } };
  // The first node has the home of otto.
  const site = { ...SITES.demo, journal: '8d', boards: { articles: liked, a: liked, people: liked } };
  before(async () => (to = await start({ sites: { demo: site } })));
  beforeEach(async () => {
    for (const node of to.cluster.nodes) await node.command('CONFIG', 'SET', 'maxmemory', '0');
    await to.cluster.command('FLUSHALL');
    to.advance(30 * DAY_MS);
  });
  after(() => to?.stop());

  const like = (/** @type {string} */ item, /** @type {object} */ more = {}) => ({ action: 'like', item, actor: 'otto', ...more });

  /** Its points on each of three nodes. @param {string} item */
  async function points(item) {
    const all = [];
    for (const name of BOARDS) all.push((await to.top(`${name}/all`)).scores?.[item] ?? 0);
    return all;
  }

  test('are done, repeated, undone and ordered by their numbers on all nodes alike', async () => {
    const outcomes = [];
    for (const [event, id] of /** @type {[object, string?][]} */ ([
      [like('x'), 'one'],
      [like('x'), 'one'],
      [like('x')],
      [like('y', { seq: 2 })],
      [like('y', { undo: true, seq: 1 })],
      [like('x', { undo: true })],
      [like('x', { undo: true })],
    ])) {
      const { status, body } = await to.events([event], id);
      assert.equal(status, 200);
      outcomes.push(body.accepted > 0 ? 'accepted' : body.duplicate > 0 ? 'duplicate' : body.rejected[0].code);
    }
    assert.deepEqual(outcomes, ['accepted', 'duplicate', 'already-done', 'accepted', 'superseded', 'accepted', 'already-undone']);
    assert.deepEqual(
      [await points('x'), await points('y')],
      [
        [0, 0, 0],
        [1, 1, 1],
      ],
    );
  });

  test('are undone where they counted, although they would not count there any more', async (t) => {
    assert.equal((await to.events([like('x')])).status, 200);
    const boards = { ...site.boards, a: { ...liked, weights: { view: 1 } } };
    const later = await start({ cluster: to.cluster, sites: { demo: { ...site, boards } } });
    t.after(later.stop);
    assert.equal((await later.events([like('x', { undo: true })])).body.accepted, 1);
    assert.deepEqual(await points('x'), [0, 0, 0]);
  });

  test('reach a board whose master was killed in between when that is back', async () => {
    const [, down] = to.cluster.nodes;
    assert.equal((await to.events([like('x')])).status, 200);
    await down.kill();
    assert.equal((await to.events([like('x', { undo: true })])).status, 504);
    await down.restart();
    await until('all slots count', async () => (await to.ask('/readyz', {})).status === 200);
    // The master kept nothing. The next event of the actor brings what it missed, which is the undo alone.
    await until('it counts', async () => (await to.events([like('y')])).status === 200);
    assert.deepEqual(
      [await points('x'), await points('y')],
      [
        [0, 0, 0],
        [1, 1, 1],
      ],
    );
  });

  test('are revoked where a node is full: what is there first, and what it missed when there is room', async () => {
    const [, full] = to.cluster.nodes;
    const revoke = () => to.admin('POST', 'revoke', { actor: 'otto' });
    assert.equal((await to.events([like('x')])).status, 200);
    await full.command('CONFIG', 'SET', 'maxmemory', '1');
    assert.notEqual((await to.events([like('y')])).status, 200);
    const first = await revoke();
    assert.deepEqual([first.status, first.body.done, first.body.events > 0], [202, false, true], first.text);
    assert.deepEqual(
      [await points('x'), await points('y')],
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
    );
    const nothing = await revoke();
    assert.deepEqual([nothing.status, nothing.body.code], [503, 'redis-unavailable'], nothing.text);
    await full.command('CONFIG', 'SET', 'maxmemory', '0');
    const second = await revoke();
    assert.deepEqual([second.status, second.body.done], [200, true], second.text);
    assert.deepEqual(
      [await points('x'), await points('y')],
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
    );
  });
});

test('masters are killed while actors do and undo: the others go on, answers name what is missing, and all boards end alike', async (t) => {
  const ACTORS = 8;
  const clock = createClock();
  clock.set(NOON);
  const cluster = await startCluster({ clock, args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
  t.after(async () => {
    await cluster.stop();
    clock.close();
  });
  // Each board has an action of its own beside those that count on all.
  const own = ['view', 'share', 'cite'];
  const actions = { like: { reversible: true }, ...Object.fromEntries(own.map((action) => [action, { public: true }])) };
  const boards = Object.fromEntries(BOARDS.map((name, at) => [name, { weights: { like: 1, [own[at]]: 1 }, windows: ['all'] }]));
  const to = await start({ cluster, sites: { demo: { ...SITES.demo, actions, boards, actor_homes: 8 } } });
  t.after(to.stop);

  /** Whether each actor likes its own item, by the last answer that something of it was decided. */
  const likes = Array(ACTORS).fill(false);
  /** @param {number} actor @param {number} seq */
  const step = async (actor, seq) => {
    const isUndo = seq % 2 === 0;
    const { status, text } = await to.events([{ action: 'like', item: `of-${actor}`, actor: `actor-${actor}`, seq, undo: isUndo }]);
    assert.ok([200, 503, 504].includes(status), text);
    if (status !== 503) likes[actor] = !isUndo;
    return status;
  };
  let [isOver, answered, refused] = [false, 0, 0];
  const seqs = Array(ACTORS).fill(0);
  const sender = async (/** @type {number} */ actor) => {
    while (!isOver) {
      seqs[actor] += 1;
      // Some go on after a 504, and what it left is finished by the next event.
      for (let status = 0; status !== 200 && (status !== 504 || actor % 2 === 0 || isOver); ) {
        status = await step(actor, seqs[actor]);
        if (status === 200) answered += 1;
        else refused += 1;
      }
    }
  };
  const top = async () => {
    to.advance(RENEWED_MS);
    const { status, body, text } = await to.ask(`/v1/demo/top?boards=${BOARDS.map((name) => `${name}/all`).join()}`, {});
    assert.equal(status, 200, text);
    return body;
  };
  const scoreOfX = (/** @type {any} */ { entries }) => entries.find((/** @type {any} */ { id }) => id === 'x')?.score ?? 0;
  const senders = Array.from({ length: ACTORS }, (_, actor) => sender(actor));
  for (const [at, down] of cluster.nodes.entries()) {
    const before = answered;
    await until('actors are answered', () => answered >= before + ACTORS);
    const whole = await until('all boards are read', async () => {
      const body = await top();
      return body.unavailable === undefined && body;
    });
    const refusedBefore = refused;
    await down.kill();
    await until('actors are refused', () => refused >= refusedBefore + ACTORS);
    for (const [board, action] of own.entries()) {
      const { status } = await to.events([{ action, item: 'x', actor: 'erika' }]);
      assert.equal(status, board === at ? 503 : 200, `${action} without the node of ${BOARDS[at]}`);
    }
    // A busy machine may be served what there was.
    const part = await until('the answer names the board', async () => {
      const body = await top();
      return body.unavailable && body;
    });
    assert.deepEqual(part.unavailable, [BOARDS[at]]);
    const [was, is] = [whole, part].map(({ boards: rankings }) => rankings.map(scoreOfX));
    assert.deepEqual(
      is,
      was.map((/** @type {number} */ score, /** @type {number} */ place) => (part.boards[place].board === BOARDS[at] ? score : score + 1)),
    );
    const instants = part.boards.map((/** @type {any} */ { generated_at }) => generated_at);
    assert.equal(part.boards[instants.indexOf(instants.toSorted()[0])].board, BOARDS[at], 'it is the oldest');
    await down.restart();
    await until('all slots count', async () => (await to.ask('/readyz', {})).status === 200);
  }
  isOver = true;
  await Promise.all(senders);

  // What nobody repeats is finished by upkeep.
  const [, down] = cluster.nodes;
  await down.kill();
  const last = await Promise.all(seqs.map((seq, actor) => step(actor, seq + 1)));
  assert.ok(last.includes(503) && last.includes(504), last.join());
  await down.restart();
  await until('all slots count', async () => (await to.ask('/readyz', {})).status === 200);
  for (const each of [to, clock]) each.advance(RENEWED_MS);
  await to.worker.scheduled();
  const expected = likes.flatMap((isLiked, actor) => (isLiked ? [[`of-${actor}`, 1]] : []));
  for (const name of BOARDS) {
    const { scores } = await to.top(`${name}/all`);
    const { x, ...liked } = scores ?? {};
    assert.deepEqual([name, x, Object.entries(liked).sort()], [name, 2, expected.sort()]);
  }
});

for (const reads of /** @type {(string | undefined)[]} */ ([undefined, 'all', 'none'])) {
  describe(`replicas, by REDIS_REPLICA_READS = ${reads}`, { timeout: 120_000 }, () => {
    /** @type {Deployment} */
    let to;
    before(async () => (to = await start({ hasReplicas: true, vars: reads ? { REDIS_REPLICA_READS: reads } : {} })));
    after(() => to?.stop());

    /** Who answered a ranking, and what. @param {string} ranking */
    async function asked(ranking) {
      const nodes = [to.cluster.nodes[0], to.cluster.replicas[0]];
      const calls = async (/** @type {import('../support/redis.mjs').Redis} */ node) =>
        Number(/cmdstat_fcall_ro:calls=(\d+)/.exec(await node.command('INFO', 'commandstats'))?.[1] ?? 0);
      const before = await Promise.all(nodes.map(calls));
      const answer = await to.top(ranking);
      const [master, replica] = (await Promise.all(nodes.map(calls))).map((count, at) => count - before[at]);
      return { ...answer, master, replica };
    }

    /**
     * The same once the replica answers alone, or is not asked. Clocks went on, so no replica has heard its master for long: it is asked, and then its
     * master, whose answer a busy machine may be served again.
     *
     * @param {string} ranking
     * @param {boolean} isOfReplica
     */
    function askedOf(ranking, isOfReplica) {
      return until(
        `the ${isOfReplica ? 'replica' : 'master'} answers alone`,
        async () => {
          const answer = await asked(ranking);
          const signs = [answer.replica > 0, answer.master === 0, 'replicated_at' in answer.body];
          return signs.every((sign) => sign === isOfReplica) && answer;
        },
        HEARD,
      );
    }

    test('periods that are over, and current ones where that is chosen', async () => {
      await to.events([view, { ...view, item: 'y' }, view]);
      to.advance(4 * DAY_MS);
      await to.events([view]);
      const isPast = reads !== 'none';
      const past = await askedOf('articles/day?period=2026-11-20', isPast);
      assert.deepEqual([past.status, past.scores], [200, { x: 2, y: 1 }]);
      if (isPast) {
        const silentMs = Date.parse(past.body.generated_at) - Date.parse(past.body.replicated_at);
        assert.ok(silentMs >= 0 && silentMs <= 20_000, past.text);
      }
      const current = await askedOf('articles/all', reads === 'all');
      assert.deepEqual([current.status, current.scores], [200, { x: 3, y: 1 }]);
    });

    test('masters answer where a replica is gone', async () => {
      await to.cluster.replicas[0].kill();
      const { status, scores, text, body } = await to.top('articles/day?period=2026-11-20&limit=1');
      assert.deepEqual([status, scores, 'replicated_at' in body], [200, { x: 2 }, false], text);
    });
  });
}
