/**
 * Upkeep prepares what the next period needs, so that nothing happens at the boundary. It may run at once, twice, late or
 * never, and Redis may lose its latest state: rankings are exact all the same, or say that they are not yet.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment, RESP, WRITE_TOKEN } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { assertShows, DAY_MS, fillDays, HOUR_MS, put, scoresOf, readComplete } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {import('../support/deployment.mjs').Answer} Answer */

const ADMIN_TOKEN = 'a-token-for-upkeep';
const WINDOWS = ['last-2-hours', 'last-7-days', 'last-3-weeks', 'last-12-months'];
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true }, down: {} },
    boards: { articles: { weights: { view: 1, down: -3 }, windows: ['day', ...WINDOWS], limit: 1000 } },
  },
  plain: { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } },
};
const NOW = '2026-11-20T12:34:56Z';
/** 2026-11-20 */
const TODAY = 20_777;
const PREFIX = 'eb:{demo:articles}';
const MEMBERS = 20_000;

/** @param {Deployment} deployment */
function tools(deployment) {
  /** @param {string} method @param {{ site?: string, token?: string | null, query?: string }} [options] */
  const upkeep = (method, { site = 'demo', token = ADMIN_TOKEN, query = '' } = {}) =>
    deployment.fetch(`/v1/${site}/admin/upkeep${query}`, { method, headers: token === null ? {} : { authorization: `Bearer ${token}` } });

  /** Upkeep until nothing is left, or others do it. */
  const finish = () =>
    until(
      'every window is ready',
      async () => {
        const { status, text, body } = await upkeep('POST');
        assert.equal(status, 200, text);
        return body.windows.every((/** @type {any} */ { ready }) => ready) && body;
      },
      { timeoutMs: 120_000 },
    );

  /** Scores of the days that the current window holds; answers their sums from one day to another. */
  const fill = () => fillDays(deployment.redis, { prefix: PREFIX, members: MEMBERS, first: TODAY - 6, last: TODAY });

  /** Sends views, each of its item and at its instant. @param {[item: string, at?: string | number][]} views */
  const view = async (...views) => {
    const { status, body } = await deployment.events({ events: views.map(([item, at]) => ({ action: 'view', item, at })) });
    assert.deepEqual([status, body?.accepted], [200, views.length], JSON.stringify(body));
  };

  return { upkeep, finish, fill, view };
}

/** @param {Answer} answer @param {string} window */
const stateOf = (answer, window) => answer.body.windows.find((/** @type {any} */ known) => known.window === window);

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    /** @type {ReturnType<typeof tools>} */
    let to;
    before(async () => {
      deployment = await startDeployment({ transport, sites: SITES, vars: { ADMIN_TOKEN } });
      to = tools(deployment);
    });
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** The scheduled run at an instant, of an isolate that knows nothing of the last one. @param {string} at */
    async function runDue(at) {
      deployment.clock.set(at);
      deployment.edgeClock.advance(301_000);
      assert.equal((await deployment.worker.scheduled({ cron: '* * * * *' })).outcome, 'ok');
    }

    for (const [name, request, status, code] of /** @type {[string, any, number, string][]} */ ([
      ['no token', { token: null }, 401, 'unauthorized'],
      ['a wrong token', { token: `${ADMIN_TOKEN}x` }, 401, 'unauthorized'],
      ['an empty token', { token: '' }, 401, 'unauthorized'],
      ['the token for writing', { token: WRITE_TOKEN }, 401, 'unauthorized'],
      ['an unknown site', { site: 'nowhere' }, 404, 'unknown-site'],
      ['a parameter that means nothing', { query: '?window=day' }, 400, 'unknown-parameter'],
    ])) {
      for (const method of ['GET', 'POST']) {
        test(`${method} with ${name} → ${status}, and nothing is done`, async () => {
          const answer = await to.upkeep(method, request);
          assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
          assert.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
          assert.equal(answer.headers.get('cache-control'), 'no-store');
          assert.equal(await deployment.redis.command('DBSIZE'), 0);
        });
      }
    }

    test('other methods → 405', async () => {
      for (const method of ['PUT', 'DELETE', 'PATCH']) {
        const { status, headers } = await to.upkeep(method);
        assert.deepEqual([status, headers.get('allow')], [405, 'GET, POST'], method);
      }
    });

    test('a site without such windows has nothing to do', async () => {
      assert.deepEqual((await to.upkeep('POST', { site: 'plain' })).body.windows, []);
      assert.deepEqual((await to.upkeep('GET', { site: 'plain' })).body.windows, []);
    });

    test('GET tells per window whether it is ready, how far it is, and when it last ran', async () => {
      const never = await to.upkeep('GET');
      assert.equal(never.status, 200);
      assert.equal(never.headers.get('cache-control'), 'no-store');
      const state = { board: 'articles', complete: false, ready: false, task: 'repair', scanned: 0, of: 0, last_run: null };
      assert.deepEqual([never.body.site, never.body.windows], ['demo', WINDOWS.map((window) => ({ ...state, window }))]);
      assert.equal(await deployment.redis.command('DBSIZE'), 0, 'looking writes nothing');

      await to.view(['x'], ['y', '2026-11-14T00:00:00Z'], ['z', '2026-11-13T00:00:00Z']);
      const begun = stateOf(await to.upkeep('GET'), 'last-7-days');
      assert.deepEqual([begun.complete, begun.ready, begun.task, begun.scanned], [true, false, 'prepare', 0], 'a new board is whole');
      const ran = await to.upkeep('POST');
      for (const done of [ran, await to.upkeep('GET'), await to.upkeep('POST'), await to.upkeep('GET')]) {
        // x and y, and once more y, who leaves at the next boundary.
        const { last_run: lastRun, ...rest } = stateOf(done, 'last-7-days');
        assert.deepEqual(rest, { board: 'articles', window: 'last-7-days', complete: true, ready: true, task: 'ready', scanned: 3, of: 3 });
        assert.ok(Date.parse(lastRun) >= Date.parse(NOW) && Date.parse(lastRun) < Date.parse(NOW) + HOUR_MS, lastRun);
      }
      deployment.clock.set('2026-11-20T23:59:59Z');
      assert.equal(stateOf(await to.upkeep('GET'), 'last-7-days').ready, true);
      deployment.clock.set('2026-11-21T00:00:00Z');
      const { complete, ready, task } = stateOf(await to.upkeep('GET'), 'last-7-days');
      assert.deepEqual([complete, ready, task], [true, false, 'prepare'], 'the board is there, the next one is not');
      deployment.clock.set('2026-11-22T00:00:00Z');
      assert.deepEqual(stateOf(await to.upkeep('GET'), 'last-7-days').task, 'repair');
    });

    for (const [name, run] of /** @type {[string, () => Promise<unknown>][]} */ ([
      ['POST', () => to.finish()],
      ['the scheduled run', () => runDue('2026-11-20T23:55:00Z')],
    ])) {
      test(`after ${name} nothing happens at the boundary: the first read is complete, exact, and one script that only reads`, async () => {
        await to.view(['leaves', '2026-11-14T12:00:00Z'], ['stays', '2026-11-15T12:00:00Z'], ['less', '2026-11-14T12:00:00Z'], ['less']);
        await run();
        await to.view(['later'], ['late', '2026-11-16T12:00:00Z'], ['late', '2026-11-14T12:00:00Z']);
        deployment.clock.set('2026-11-21T00:00:00Z');
        /** @type {Answer | undefined} */
        let answer;
        const commands = await deployment.commandsDuring(async () => (answer = await deployment.freshTop('articles/last-7-days')));
        const shown = /** @type {Answer} */ (answer);
        assert.deepEqual([shown.body.complete, shown.body.period.id], [true, '2026-11-21']);
        assert.deepEqual(entriesOf(shown).sort(), [
          ['late', 1],
          ['later', 1],
          ['less', 1],
          ['stays', 1],
        ]);
        assert.deepEqual(
          [commands.calls, commands.zscan, commands.zadd, commands.hset, commands.set],
          [1, undefined, undefined, undefined, undefined],
        );
      });
    }

    test('whoever is at zero today, and on no board, is where the leaving day puts them tomorrow', async () => {
      deployment.clock.set('2026-11-19T12:00:00Z');
      const events = (/** @type {string} */ item, /** @type {string} */ action, /** @type {string} */ day, times = 1) =>
        Array.from({ length: times }, () => ({ action, item, at: `${day}T12:00:00Z` }));
      const { body } = await deployment.events({
        events: [
          ...events('rises', 'down', '2026-11-14'),
          ...events('rises', 'view', '2026-11-15', 3),
          ...events('sinks', 'view', '2026-11-14', 3),
          ...events('sinks', 'down', '2026-11-15'),
        ],
      });
      assert.equal(body.accepted, 8);
      await to.finish();
      // A board that was prepared, not repaired, so that the next one is made from it alone.
      deployment.clock.set('2026-11-20T00:00:00Z');
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/last-7-days')), []);
      await to.finish();
      deployment.clock.set('2026-11-21T00:00:00Z');
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/last-7-days')), [['rises', 3]]);
      await to.view(['sinks'], ['sinks'], ['sinks'], ['sinks'], ['sinks']);
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/last-7-days')), [
        ['rises', 3],
        ['sinks', 2],
      ]);
    });

    test('it prepares every window of every board, each for its own boundary', async () => {
      await to.view(['x']);
      for (const [window, boundary] of [
        ['last-2-hours', '2026-11-20T13:00:00Z'],
        ['last-7-days', '2026-11-21T00:00:00Z'],
        ['last-3-weeks', '2026-11-23T00:00:00Z'],
        ['last-12-months', '2026-12-01T00:00:00Z'],
      ]) {
        await runDue(new Date(Date.parse(boundary) - 5 * 60_000).toISOString());
        deployment.clock.set(boundary);
        const commands = await deployment.commandsDuring(async () => {
          const { body } = await deployment.freshTop(`articles/${window}`);
          assert.deepEqual([body.complete, body.entries.length], [true, 1], window);
        });
        assert.equal(commands.calls, 1, window);
      }
    });

    test('it can run after a reader healed a board, at once', async () => {
      await to.view(['x']);
      deployment.clock.set('2026-11-23T00:00:00Z');
      assert.equal((await readComplete(deployment, 'articles/last-7-days')).answer.body.complete, true);
      assert.equal(stateOf(await to.upkeep('POST'), 'last-7-days').ready, true);
    });
  });
}

test('without an ADMIN_TOKEN nobody does upkeep, and the scheduled run does', async (t) => {
  const deployment = await startDeployment({ transport: 'redis://', sites: SITES });
  t.after(() => deployment.stop());
  deployment.clock.set(NOW);
  const { upkeep, view } = tools(deployment);
  for (const token of [null, '', 'undefined', WRITE_TOKEN]) assert.equal((await upkeep('POST', { token })).status, 401);
  await view(['x']);
  deployment.clock.set('2026-11-20T23:30:00Z');
  assert.equal((await deployment.worker.scheduled()).outcome, 'ok');
  const generation = await deployment.redis.command('HGET', `${PREFIX}:state`, 'generation');
  assert.equal(await deployment.redis.command('ZSCORE', `${PREFIX}:window:last-7-days:${TODAY + 1}`, `\0${generation}`), '-inf');
});

describe('on a large board', () => {
  /** @type {Deployment} */
  let deployment;
  /** @type {ReturnType<typeof tools>} */
  let to;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars: { ADMIN_TOKEN } });
    to = tools(deployment);
  });
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set(NOW);
  });
  after(() => deployment?.stop());

  /** @param {number} day */
  const board = (day) => scoresOf(deployment.redis, `${PREFIX}:window:last-7-days:${day}`);

  test('progress can be followed while it works', async () => {
    await to.fill();
    const work = to.upkeep('POST');
    const seen = await until('a scan under way', async () => {
      const state = stateOf(await to.upkeep('GET'), 'last-7-days');
      return state.scanned > 0 && state.task !== 'ready' && state;
    });
    assert.ok(['repair', 'prepare'].includes(seen.task), seen.task);
    assert.ok(seen.scanned <= seen.of && seen.of <= 7 * MEMBERS, JSON.stringify(seen));
    assert.ok(Date.parse(seen.last_run) >= Date.parse(NOW));
    assert.equal((await work).status, 200);
  });

  test('prepared, it is complete and exact for every member from the first read after midnight on', async () => {
    const sumsOf = await to.fill();
    await to.finish();
    assert.deepEqual(await board(TODAY), sumsOf(TODAY - 6, TODAY));
    assert.deepEqual(await board(TODAY + 1), sumsOf(TODAY - 5, TODAY));
    deployment.clock.set('2026-11-21T00:00:00Z');
    const shown = await deployment.freshTop('articles/last-7-days', '?limit=1000');
    assert.equal(shown.body.complete, true);
    assertShows(shown, sumsOf(TODAY - 5, TODAY));
  });

  test('several upkeeps at once, with readers and writers, do no harm', async () => {
    const sumsOf = await to.fill();
    const sums = sumsOf(TODAY - 5, TODAY);
    let ended = false;
    const write = async (/** @type {number} */ writer) => {
      for (let i = 0; !ended; i += 1) {
        const item = `/posts/${(writer * 9_973 + i * 131) % MEMBERS}`;
        await to.view([item]);
        sums.set(item, (sums.get(item) ?? 0) + 1);
        const { status } = await deployment.top('articles/last-7-days', `?limit=${1 + (i % 20)}`);
        assert.equal(status, 200);
      }
    };
    const writers = [0, 1].map(write);
    const works = [to.upkeep('POST'), deployment.worker.scheduled(), to.upkeep('POST'), deployment.worker.scheduled(), to.upkeep('POST')];
    const [one, , two, , three] = /** @type {any[]} */ (await Promise.all(works));
    assert.deepEqual([one.status, two.status, three.status], [200, 200, 200]);
    await to.finish();
    ended = true;
    await Promise.all(writers);
    assert.deepEqual(await board(TODAY + 1), sums, 'every member of the next board');
    deployment.clock.set('2026-11-21T00:00:00Z');
    const shown = await deployment.freshTop('articles/last-7-days', '?limit=1000');
    assert.equal(shown.body.complete, true);
    assertShows(shown, sums);
  });

  test('one that stopped half way goes on where it was', async () => {
    const sumsOf = await to.fill();
    await stopHalfWay();
    const before = stateOf(await to.upkeep('GET'), 'last-7-days');
    deployment.clock.advance(5_000); // the lock of who stopped
    await to.finish();
    assert.ok(before.scanned > 0 && before.scanned < before.of, JSON.stringify(before));
    assert.deepEqual(await board(TODAY), sumsOf(TODAY - 6, TODAY));
    assert.deepEqual(await board(TODAY + 1), sumsOf(TODAY - 5, TODAY));
  });

  test('Redis crashes half way and comes back from its last snapshot: exact for every member', async () => {
    // All on one day, so that who is left out there is left out.
    const sums = new Map(Array.from({ length: 3 * MEMBERS }, (_, i) => /** @type {[string, number]} */ ([`/posts/${i}`, 1 + (i % 50)])));
    await put(deployment.redis, `${PREFIX}:day:${TODAY - 1}`, sums);
    await stopHalfWay();
    await deployment.redis.command('SAVE');
    await to.view(['lost'], ['/posts/1']);
    await deployment.redis.kill();
    await deployment.redis.restart();
    assert.equal(await deployment.redis.command('HGET', `${PREFIX}:window:last-7-days:scan`, 'task'), 'repair');
    deployment.clock.advance(5_000); // the lock of who stopped
    const { answer } = await readComplete(deployment, 'articles/last-7-days', '?limit=1000');
    assertShows(answer, sums);
    assert.deepEqual(await board(TODAY), sums);
    await to.finish();
    assert.deepEqual(await board(TODAY + 1), sums);
  });

  test('Redis comes back from a snapshot of the day before, or of longer ago than the window', async () => {
    for (const days of [1, 2, 30]) {
      await deployment.reset();
      deployment.clock.set(NOW);
      await to.view(['x'], ['y', '2026-11-14T12:00:00Z'], ['z', '2026-11-15T12:00:00Z']);
      await to.finish();
      await deployment.redis.command('SAVE');
      await to.view(['lost'], ['x']);
      deployment.clock.advance(days * DAY_MS);
      await to.view(['lost']);
      await to.finish();
      await deployment.redis.kill();
      await deployment.redis.restart();
      await to.view(['new']);
      const { answer } = await readComplete(deployment, 'articles/last-7-days');
      const expected = { 1: ['new', 'x', 'z'], 2: ['new', 'x'], 30: ['new'] }[days] ?? [];
      assert.deepEqual(
        entriesOf(answer).sort(),
        expected.map((item) => [item, 1]),
        `${days} days`,
      );
    }
  });

  test('while Redis is out it says so, and what it logs says why', async () => {
    await to.view(['x']);
    await deployment.redis.kill();
    for (const method of ['GET', 'POST']) {
      const { status, body, headers } = await to.upkeep(method);
      assert.deepEqual([status, body.code], [503, 'redis-unavailable'], method);
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    deployment.worker.log.length = 0;
    assert.equal((await deployment.worker.scheduled()).outcome, 'ok');
    await until('a line', () => deployment.worker.log.filter(({ message }) => message.includes('"code":"upkeep"')).length === 1);
    await deployment.redis.restart();
    await deployment.redis.command('FLUSHALL');
    await to.view(['x']);
    await to.finish();
    assert.deepEqual(entriesOf((await readComplete(deployment, 'articles/last-7-days')).answer), [['x', 1]]);
  });

  /** A reader begins a repair; then its time is up. */
  async function stopHalfWay() {
    const { body } = await deployment.freshTop('articles/last-7-days');
    assert.equal(body.complete, false);
    await until('the repair has begun', async () => stateOf(await to.upkeep('GET'), 'last-7-days').scanned > 0);
    deployment.edgeClock.advance(60_000);
    let scanned = NaN;
    await until('the repair has stopped', async () => {
      const last = scanned;
      scanned = stateOf(await to.upkeep('GET'), 'last-7-days').scanned;
      return scanned === last;
    });
  }
});
