/**
 * A script that fails in a manner that it does not know: that is our fault, not the sender's. Here a part of a board's state that nobody writes so
 * makes it fail, on that board alone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { TRANSPORTS } from '../../support/transports.mjs';
import { until } from '../../support/until.mjs';
import { ADMIN_TOKEN, score, start } from './queued.mjs';
import { sitesWith } from './site.mjs';

const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
const STATE = 'eb:{demo:articles}:state';
const SOON = { timeoutMs: 30_000 };
const DAY_MS = 24 * 60 * 60 * 1000;
const view = { action: 'view', item: '/posts/1', actor: 'u1' };

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

/** @param {Deployment} deployment */
async function breakBoard({ redis, events }) {
  assert.ok([200, 202].includes((await events({ id: 'first', ...view, item: '/posts/0', actor: 'u0' })).status));
  await until('the board is there', async () => (await redis.command('EXISTS', STATE)) === 1, SOON);
  await redis.command('HSET', STATE, 'resets', 'nobody writes this');
}

/** @param {Deployment} deployment */
const mendBoard = ({ redis }) => redis.command('HDEL', STATE, 'resets');

/** Lines of the log with a code. @param {Deployment} deployment @param {string} code */
const lines = ({ worker }, code) =>
  worker.log
    .filter(({ message }) => message.startsWith('{'))
    .map(({ message, level }) => ({ at: level, ...JSON.parse(message) }))
    .filter((line) => line.code === code);

/** @param {Deployment} deployment */
async function letters({ fetch }) {
  return (await fetch('/v1/demo/admin/dead', { headers: admin })).body.letters;
}

for (const transport of TRANSPORTS) {
  for (const ingest of ['direct', 'grouped']) {
    test(`${ingest} over ${transport}: 503, one line, and the same counts once when it is mended`, async (t) => {
      const deployment = await startDeployment({ transport, sites: sitesWith({ ingest }), hasQueue: true });
      t.after(deployment.stop);
      const { beacon, events, fetch } = deployment;
      await breakBoard(deployment);
      const batches = [
        { id: 'one', events: [view] },
        { id: 'many', events: [view, { ...view, ago: 1000 }] },
        { id: 'like', events: [{ ...view, action: 'like' }] },
      ];
      for (const [n, batch] of batches.entries()) {
        const { status, body, headers } = await events(batch);
        assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'script-failed', '1'], batch.id);
        // What workerd writes comes behind its answer.
        await until('it is logged', () => lines(deployment, 'script-failed').length > n);
        const logged = lines(deployment, 'script-failed').slice(n);
        assert.equal(lines(deployment, 'redis-unavailable').length + lines(deployment, 'outcome-unknown').length, 0);
        assert.deepEqual(
          logged.map(({ at, site, board }) => [at, site, board]),
          [['error', 'demo', 'articles']],
          JSON.stringify(logged),
        );
        assert.match(logged[0].script, /^record_/);
        assert.match(logged[0].detail, /attempt to/);
      }
      assert.equal((await beacon({ id: 'page', ...view })).status, 503);
      assert.equal((await fetch('/v1/demo/beacon.gif?action=view&item=%2Fposts%2F1&id=gif')).status, 503);
      assert.equal(await score(deployment, 'u1', 'people'), 6, 'other boards count');
      assert.equal(await score(deployment), 0);
      await mendBoard(deployment);
      for (const batch of batches) assert.equal((await events(batch)).status, 200);
      assert.equal((await beacon({ id: 'page', ...view })).status, 204);
      assert.deepEqual([await score(deployment), await score(deployment, 'u1', 'people')], [6, 6]);
    });
  }
}

test('through the queue: it is tried again until it counts, once', async (t) => {
  const deployment = await start(t, { site: { ingest: 'queue' } });
  await breakBoard(deployment);
  assert.equal((await deployment.beacon({ id: 'page', ...view })).status, 204);
  await deployment.send([{ site: 'demo', id: 'service', events: [view, { ...view, item: '/posts/2' }] }]);
  // A queue delivers a message four times. Then it would be gone, were it not sent anew.
  await until('tried often', async () => lines(deployment, 'script-failed').length > 6, { timeoutMs: 60_000 });
  assert.deepEqual([await letters(deployment), lines(deployment, 'queue-waits')], [[], []]);
  assert.deepEqual([await score(deployment), await score(deployment, 'u1', 'people')], [0, 3]);
  await mendBoard(deployment);
  await until('counted', async () => (await score(deployment)) === 2 && (await score(deployment, '/posts/2')) === 1, SOON);
  assert.equal(await score(deployment, 'u1', 'people'), 3, 'once on each board');
  assert.deepEqual(await letters(deployment), []);
});

test('what a queue keeps no longer is a letter, which the next deployment counts where nobody did', async (t) => {
  const deployment = await start(t, { site: { ingest: 'queue' } });
  const { clock, edgeClock, redis } = deployment;
  await breakBoard(deployment);
  const sentAt = Date.now() - 5 * DAY_MS;
  await deployment.send([{ site: 'demo', sent: sentAt, id: 'old', events: [view] }]);
  const [letter] = await until('a letter', async () => (await letters(deployment)).length === 1 && letters(deployment), SOON);
  assert.deepEqual([letter.code, letter.message.id], ['script-failed', 'old']);
  assert.match(letter.detail, /attempt to/);
  assert.deepEqual([await score(deployment), await score(deployment, 'u1', 'people')], [0, 1]);

  const by_hand = { method: 'POST', headers: admin, body: JSON.stringify({ all: true }) };
  const { status, body } = await deployment.fetch('/v1/demo/admin/dead/replay', by_hand);
  assert.deepEqual([status, body.counted, body.dead.length], [200, 0, 1], 'it stays while the script fails');
  await mendBoard(deployment);
  // No id is known any more.
  for (const each of [clock, edgeClock]) each.advance(30 * DAY_MS);
  await deployment.worker.scheduled();
  assert.equal((await letters(deployment)).length, 1, 'the same version does not try again');

  await letterOfEarlierVersion(deployment);
  await deployment.restartWorker();
  const commands = async () => Number(/cmdstat_xrange:calls=(\d+)/.exec(await redis.command('INFO', 'commandstats'))?.[1] ?? 0);
  await deployment.worker.scheduled();
  assert.deepEqual([await score(deployment), await score(deployment, 'u1', 'people')], [1, 1]);
  assert.deepEqual(await letters(deployment), []);
  const day = new Date(sentAt).toISOString().slice(0, 10);
  const { entries } = (await deployment.fetch(`/v1/demo/boards/articles/day?period=${day}`)).body;
  assert.deepEqual(
    entries.map((/** @type {any} */ { id }) => id),
    ['/posts/1'],
    'at its own instant',
  );
  const before = await commands();
  await deployment.worker.scheduled();
  assert.equal(await commands(), before, 'letters are looked for once');
});

/** As if another version of the worker had written the letter. @param {Deployment} deployment */
async function letterOfEarlierVersion({ redis }) {
  const [[place, fields]] = await redis.command('XRANGE', 'eb:{demo}:dead', '-', '+');
  const at = fields.indexOf('version') + 1;
  assert.match(fields[at], /^[0-9a-f]{16}$/);
  assert.deepEqual(fields.slice(-2), ['counted', 'people -']);
  await redis.command('XADD', 'eb:{demo}:dead', '*', ...fields.with(at, 'f'.repeat(16)));
  await redis.command('XDEL', 'eb:{demo}:dead', place);
}
