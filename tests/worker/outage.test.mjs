/**
 * While Redis is out, readers get the last ranking, marked as such; nobody's click is acknowledged, and none that was not
 * acknowledged is counted later.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';

import { CALENDAR, entriesOf, startDeployment, ALL_TRANSPORTS } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';

/** @typedef {import('../support/deployment.mjs').Answer} Answer */
/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true } },
    boards: {
      articles: { weights: { view: 1 }, windows: CALENDAR },
      again: { weights: { view: 1 }, windows: ['day'] },
    },
  },
};
const view = { action: 'view', item: '/posts/1' };
const AT_ONCE = 40;
/** Every write is on disk before it is acknowledged. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

/** @param {Answer} answer @param {number[]} statuses */
function assertProblem(answer, statuses) {
  assert.ok(statuses.includes(answer.status), `${answer.status}: ${answer.text}`);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(answer.body.status, answer.status);
  assert.equal(answer.body.code, answer.status === 504 ? 'outcome-unknown' : 'redis-unavailable');
  assert.ok(Number(answer.headers.get('retry-after')) > 0, 'Retry-After');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
}

for (const transport of ALL_TRANSPORTS) {
  // A gateway before a Redis that is gone does not tell whether Redis got the commands.
  const [refused, code] = transport === 'http://' ? [504, 'outcome-unknown'] : [503, 'redis-unavailable'];

  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: SITES, redisArgs: DURABLE })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set('2026-11-20T12:00:00Z');
      await deployment.beacon({ events: [view, view, { ...view, item: '/posts/2' }] });
    });
    after(() => deployment?.stop());

    describe('Redis is killed', () => {
      /** @type {Answer} */
      let last;
      beforeEach(async () => {
        last = await deployment.top('articles/day');
        assert.deepEqual(entriesOf(last), [
          ['/posts/1', 2],
          ['/posts/2', 1],
        ]);
        await deployment.redis.kill();
      });
      afterEach(() => deployment.redis.restart());

      test('the last ranking is served, and says so, for a day', async () => {
        for (const laterMs of [20_000, 3_600_000, 22 * 3_600_000]) {
          deployment.edgeClock.advance(laterMs);
          const served = await deployment.top('articles/day');
          assert.equal(served.status, 200);
          assert.equal(served.text, last.text);
          assert.equal(served.headers.get('cache-status'), 'edgeboard; fwd=stale; fwd-status=503; detail=memory');
          assert.equal(served.headers.get('cache-control'), 'public, max-age=0, stale-while-revalidate=0, stale-if-error=86400');
          assert.equal(served.headers.get('age'), null);
          assert.equal(served.headers.get('etag'), last.headers.get('etag'));
        }
        deployment.edgeClock.advance(2 * 3_600_000);
        assertProblem(await deployment.top('articles/day'), [503]);
      });

      test('an unchanged one is a 304 to who has it', async () => {
        deployment.edgeClock.advance(20_000);
        const headers = { 'if-none-match': last.headers.get('etag') ?? '' };
        const served = await deployment.fetch('/v1/demo/boards/articles/day', { headers });
        assert.deepEqual([served.status, served.text], [304, '']);
        assert.match(served.headers.get('cache-status') ?? '', /fwd-status=503/);
      });

      test('within the time an entry may be stale, readers do not notice', async () => {
        deployment.edgeClock.advance(3_000);
        const served = await deployment.top('articles/day');
        assert.deepEqual([served.status, served.text], [200, last.text]);
        assert.match(served.headers.get('cache-status') ?? '', /^edgeboard; fwd=stale; detail=memory$/);
      });

      test('a ranking that nobody has read is 503', async () => assertProblem(await deployment.top('articles/week'), [503]));

      test(`clicks are ${refused}`, async () => {
        assertProblem(await deployment.beacon(view), [refused]);
        assertProblem(await deployment.beacon({ id: 'one', events: [view] }), [refused]);
        assertProblem(await deployment.events({ events: [view] }), [refused]);
        assertProblem(await deployment.fetch('/v1/demo/beacon.gif?action=view&item=x'), [refused]);
      });

      test('healthz is 200, readyz 503, what Redis has no part in goes on', async () => {
        assert.equal((await deployment.fetch('/healthz')).status, 200);
        assertProblem(await deployment.fetch('/readyz'), [503]);
        assert.equal((await deployment.fetch('/v1/demo/boards')).status, 200);
        assert.equal((await deployment.fetch('/beacon.js')).status, 200);
        assert.equal((await deployment.beacon({ action: 'veiw', item: 'x' })).status, 400, 'what is wrong stays wrong');
      });

      test('each failure is one line in the log', async () => {
        const { log } = deployment.worker;
        const failures = () =>
          log.flatMap(({ level, message }) => (level === 'error' && message.startsWith('{') ? [JSON.parse(message)] : []));
        const before = failures().length;
        await deployment.beacon(view);
        await deployment.top('articles/month');
        const lines = (await until('two lines', () => failures().length >= before + 2 && failures())).slice(before);
        assert.deepEqual(
          lines.map(({ level, status, code }) => [level, status, code]),
          [
            ['error', refused, code],
            ['error', 503, 'redis-unavailable'],
          ],
        );
      });

      test('Redis comes back: counting goes on, and nothing that was refused is counted', async () => {
        for (let i = 0; i < 5; i += 1) {
          assertProblem(await deployment.beacon(i % 2 ? view : { id: `lost-${i}`, events: [view] }), [refused]);
        }
        await deployment.redis.restart();
        await until('a beacon', async () => (await deployment.beacon({ ...view, item: '/posts/3' })).status === 204);
        assert.equal((await deployment.fetch('/readyz')).status, 200);
        const back = await deployment.freshTop('articles/day');
        assert.equal(back.headers.get('cache-status'), 'edgeboard; fwd=miss');
        assert.deepEqual(entriesOf(back).sort(), [
          ['/posts/1', 2],
          ['/posts/2', 1],
          ['/posts/3', 1],
        ]);
        assert.deepEqual(entriesOf(await deployment.freshTop('again/day')).sort(), [
          ['/posts/1', 2],
          ['/posts/2', 1],
          ['/posts/3', 1],
        ]);
        assert.equal((await deployment.beacon({ id: 'lost-0', events: [view] })).status, 204, 'sent again as asked');
        assert.deepEqual(entriesOf(await deployment.freshTop('articles/day'))[0], ['/posts/1', 3]);
      });
    });

    describe('Redis hangs', () => {
      const halt = () => process.kill(deployment.redis.pid, 'SIGSTOP');
      const resume = () => process.kill(deployment.redis.pid, 'SIGCONT');
      afterEach(resume);

      test('clicks are refused in the end, and count once when they are sent again', async () => {
        halt();
        const batch = { id: 'during', events: [view] };
        const answers = await Promise.all([deployment.beacon(batch), deployment.events(batch), deployment.fetch('/readyz')]);
        for (const answer of answers) assertProblem(answer, [503, 504]);
        resume();
        await until('a beacon', async () => (await deployment.beacon(batch)).status === 204);
        assert.equal((await deployment.beacon(batch)).status, 204);
        assert.equal((await deployment.events(batch)).status, 200);
        // Once as the browser's, and once as the server's: their ids do not meet.
        assert.deepEqual(entriesOf(await deployment.freshTop('articles/day'))[0], ['/posts/1', 4]);
      });

      test('clicks that come then are refused at once, but for one a second, and count again when it answers', async () => {
        const { beacon, redis } = deployment;
        const click = (/** @type {string | number} */ n) => beacon({ ...view, item: `/hung/${n}` });
        halt();
        for (const n of ['first', 'second']) assert.equal((await click(n)).status, 504);
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => click(n)));
        const refused = answers.flatMap(({ status }, n) => (status === 503 ? [n] : []));
        assert.ok(refused.length > AT_ONCE / 2, `${refused.length} were refused`);
        assertProblem(answers[refused[0]], [503]);
        resume();
        await until('a beacon', async () => (await beacon(view)).status === 204);
        for (const status of (await Promise.all(Array.from({ length: AT_ONCE }, () => beacon(view)))).map(({ status }) => status)) {
          assert.equal(status, 204);
        }
        for (const n of refused) assert.equal(await redis.command('ZSCORE', 'eb:{demo:articles}:all:0', `/hung/${n}`), null);
      });

      test('readers get the last ranking, and only one of them asks', async () => {
        const { top, redis, edgeClock } = deployment;
        const last = await top('articles/day');
        edgeClock.advance(20_000);
        await redis.command('CONFIG', 'RESETSTAT');
        halt();
        const readers = await Promise.all(Array.from({ length: 20 }, () => top('articles/day')));
        for (const served of readers) {
          assert.deepEqual([served.status, served.text], [200, last.text]);
          assert.equal(served.headers.get('cache-status'), 'edgeboard; fwd=stale; fwd-status=503; detail=memory');
        }
        resume();
        const asked = await until('what Redis was asked', async () => {
          const [, calls] = /cmdstat_fcall_ro:calls=(\d+)/.exec(await redis.command('INFO', 'commandstats')) ?? [];
          return Number(calls);
        });
        assert.equal(asked, 1);
      });

      test('a ranking that nobody has read is refused in the end', async () => {
        halt();
        for (const answer of await Promise.all([deployment.top('articles/year'), deployment.top('articles/year')]))
          assertProblem(answer, [503]);
      });
    });
  });
}
