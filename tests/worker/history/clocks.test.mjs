/**
 * Clocks that are wrong for a run: nothing is copied as over unless the clock of Redis and the worker's agree, and what was copied by two
 * clocks that were ahead is not shown, and is made anew when its period ends.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { startWebhook } from '../../support/webhook.mjs';
import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { ADMIN_TOKEN, MINUTE_MS, NOW, on, shown } from './site.mjs';

const MIDNIGHT = NOW + 30 * MINUTE_MS;
const AHEAD_MS = 20 * DAY_MS;
const WINDOWS = ['hour', 'day', 'last-7-days', { name: 'hot', kind: 'half-life', half_life: '6h' }];
const BOARD = { weights: { view: 1 }, windows: WINDOWS, limit: 10, history: 3, archive: true, snapshot: 'top' };
const WAYS = ['direct', 'grouped', 'queue'];
const FORWARD_SECRET = 'sixteen-letters-and-more';
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** @param {import('node:test').TestContext} t @param {object} [board] @param {string} [ingest] */
async function start(t, board = {}, ingest = 'direct') {
  const webhook = await startWebhook();
  const site = {
    origins: ['*'],
    ingest,
    actions: { view: { public: true } },
    forward: { webhook: webhook.url, actions: [], periods: true },
    boards: { articles: { ...BOARD, ...board } },
  };
  const options = { hasDatabase: true, hasBucket: true, hasQueue: ingest === 'queue', vars: { ADMIN_TOKEN, FORWARD_SECRET } };
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: site }, ...options });
  t.after(async () => {
    await deployment.stop();
    webhook.stop();
  });
  const to = on(deployment, ingest);
  to.setClocks(NOW);
  /** What the worker said of its clocks. */
  const warnings = () => deployment.worker.log.map(({ message }) => message).filter((message) => message.includes('"clock-differs"'));
  const bucket = () => /** @type {Promise<any>} */ (deployment.worker.miniflare.getR2Bucket('ARCHIVE'));
  const manifests = async () => {
    const { objects } = await (await bucket()).list({ prefix: 'eb/demo/articles/manifests/' });
    return objects.map((/** @type {{ key: string }} */ { key }) => key.slice('eb/demo/articles/manifests/'.length));
  };
  const ready = () => deployment.fetch('/readyz');
  /** Upkeep by hand, and the scheduled run. */
  const run = async () => {
    const { status, body, text } = await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
    assert.equal(status, 200, text);
    await deployment.worker.scheduled();
    return { frozen: body.frozen, archived: body.archived };
  };
  /** @param {string} window */
  const ids = async (window) => (await to.periods(`articles/${window}`)).body.periods.map((/** @type {any} */ { id }) => id);
  const audit = async () => (await deployment.fetch('/v1/demo/admin/audit', { headers })).body.entries;
  return { deployment, webhook, warnings, manifests, ready, run, ids, audit, ...to };
}

/** Each clock by each amount, and by one amount each way of ingest. @type {['clock' | 'edgeClock', number, string][]} */
const WRONG = [
  ...[AHEAD_MS, 2 * HOUR_MS, -AHEAD_MS].flatMap(
    (off_ms) =>
      /** @type {any} */ ([
        ['clock', off_ms, 'direct'],
        ['edgeClock', off_ms, 'direct'],
      ]),
  ),
  ...['grouped', 'queue'].flatMap(
    (ingest) =>
      /** @type {any} */ ([
        ['clock', AHEAD_MS, ingest],
        ['edgeClock', AHEAD_MS, ingest],
      ]),
  ),
];
for (const [wrong, off_ms, ingest] of WRONG)
  test(`${ingest}: ${wrong === 'clock' ? "Redis's" : "the worker's"} clock is ${off_ms / HOUR_MS} hours off for a run: nothing is copied`, async (t) => {
    const to = await start(t, { keep: { hour: '1h', day: '7d' } }, ingest);
    const clock = to.deployment[wrong];
    await to.view({ a: 4, b: 3 });
    await to.run();
    assert.deepEqual([await to.ids('day'), await to.manifests(), to.warnings()], [[], [], []]);
    assert.deepEqual((await to.ready()).body, { status: 'ready' });
    const before = (await to.deployment.redis.command('ZRANGE', 'eb:{demo:articles}:day:20777', '0', '-1')).length;

    clock.set(NOW + off_ms);
    assert.deepEqual(await to.run(), { frozen: 0, archived: 0 });
    assert.deepEqual([await to.ids('day'), await to.ids('hour'), await to.ids('hot'), await to.manifests()], [[], [], [], []]);
    assert.equal(to.warnings().length, 1, 'one error line');
    assert.match(to.warnings()[0] ?? '', /the clock of Redis says 2026-\d\d-\d\dT\d\d:3\d:\d\dZ and the worker's 2026-/);
    to.deployment.edgeClock.advance(2_000); // what was found holds for a second
    const { status, body } = await to.ready();
    assert.deepEqual([status, body.status, Object.keys(body.clocks ?? {})], [200, 'clock-differs', ['redis', 'worker']]);
    const metrics = (await to.deployment.fetch('/v1/demo/admin/metrics', { headers })).text;
    const differs_s = Number(/^edgeboard_clock_difference_seconds\{site="demo"\} (-?\d+)/m.exec(metrics)?.[1]);
    assert.ok(Math.abs(differs_s - (wrong === 'clock' ? off_ms : -off_ms) / 1000) < 30, `${differs_s}`);
    const taken = await (await to.deployment.worker.miniflare.getD1Database('DB'))
      .prepare('SELECT page FROM snapshots WHERE page <> ?')
      .bind('')
      .all();
    for (const { page } of /** @type {any[]} */ (taken.results))
      assert.ok(JSON.parse(page).now_ms < NOW + HOUR_MS, 'no snapshot is of the wrong clock');

    to.setClocks(MIDNIGHT + 6 * MINUTE_MS);
    assert.equal((await to.deployment.redis.command('ZRANGE', 'eb:{demo:articles}:day:20777', '0', '-1')).length, before, 'nothing went');
    await to.run();
    await to.run();
    assert.deepEqual(await to.ids('day'), ['2026-11-20']);
    assert.deepEqual((await to.periods('articles/day')).body.periods[0].winner, { rank: 1, id: 'a', score: 4 });
    assert.ok((await to.manifests()).includes('day/2026-11-20.json'));
    assert.deepEqual((await to.ready()).body, { status: 'ready' });
  });

for (const ingest of WAYS)
  test(`${ingest}: both clocks are ahead for a run: what they copied is not shown, and is made anew when it ends`, async (t) => {
    const to = await start(t, {}, ingest);
    await to.view({ a: 4, b: 3 });
    to.setClocks(NOW + AHEAD_MS);
    await to.run();
    await to.run();
    const ahead = await to.ids('day');
    assert.equal(ahead[0], '2026-12-09', 'the clocks agree');
    assert.ok((await to.manifests()).includes('day/2026-11-20.json'));

    // The clocks are right again. The day goes on.
    to.setClocks(NOW + MINUTE_MS);
    assert.deepEqual([await to.ids('day'), await to.ids('hour'), await to.ids('hot')], [[], [], []], 'nothing of it has ended');
    await to.run();
    await to.view({ c: 9 });
    const seen = to.webhook.heard.length;
    to.setClocks(MIDNIGHT + 6 * MINUTE_MS);
    assert.deepEqual([await to.ids('day'), await to.ids('hour')], [[], []], 'what was frozen before the end stays away after it');
    await to.run();
    await to.run();
    const [day, ...others] = (await to.periods('articles/day')).body.periods;
    assert.deepEqual([day.id, day.revision, day.total, day.winner, others], ['2026-11-20', 2, 3, { rank: 1, id: 'c', score: 9 }, []]);
    const again = to.webhook.heard.slice(seen).map(({ message }) => message.period);
    const ofDay = again.filter(({ window }) => window === 'day');
    assert.deepEqual(
      ofDay.map(({ id, revision, entries }) => [id, revision, entries[0].id]),
      [['2026-11-20', 2, 'c']],
    );
    const done = (await to.audit()).map((/** @type {any} */ { at: _, ...entry }) => entry);
    assert.ok(
      done.some(
        (/** @type {any} */ entry) =>
          entry.did === 'freeze' && entry.window === 'day' && entry.period === '2026-11-20' && entry.revision === 2,
      ),
      JSON.stringify(done),
    );
    assert.ok(
      done.some(
        (/** @type {any} */ entry) =>
          entry.did === 'archive' && entry.unit === 'day' && entry.period === '2026-11-20' && entry.revision === 2,
      ),
      JSON.stringify(done),
    );

    // The days of which the clocks said that they were over: nobody clicked, or somebody did.
    to.setClocks(MIDNIGHT + HOUR_MS);
    await to.view({ d: 2 });
    to.setClocks(MIDNIGHT + DAY_MS + 6 * MINUTE_MS);
    await to.run();
    await to.run();
    assert.deepEqual(
      (await to.periods('articles/day')).body.periods.map((/** @type {any} */ { id, revision, winner }) => [id, revision, winner.id]),
      [
        ['2026-11-21', 2, 'd'],
        ['2026-11-20', 2, 'c'],
      ],
    );
    // When Redis has forgotten them, the archive and the database tell what they were at their ends.
    to.setClocks(MIDNIGHT + 62 * DAY_MS);
    await to.run();
    assert.deepEqual(shown((await to.deployment.freshTop('articles/day', '?period=2026-11-20')).body), [
      [1, 'c', 9],
      [2, 'a', 4],
      [3, 'b', 3],
    ]);
  });

test('both clocks were ahead for a run, and upkeep does nothing for as long after it has noted that', async (t) => {
  const to = await start(t, { windows: ['day', 'week'] });
  await to.view({ a: 4, b: 3 });
  to.setClocks(NOW + AHEAD_MS);
  await to.run();
  to.setClocks(NOW + MINUTE_MS);
  await to.run();
  await to.view({ c: 9 });
  to.setClocks(MIDNIGHT + DAY_MS);
  await to.view({ d: 2 });
  to.setClocks(NOW + AHEAD_MS + 5 * DAY_MS);
  assert.deepEqual([await to.ids('day'), await to.ids('week')], [[], []], 'every period of theirs has ended, and they are not shown');
  await to.run();
  await to.run();
  const days = (await to.periods('articles/day', '?limit=100')).body.periods;
  const winners = days.map((/** @type {any} */ { id, winner, revision }) => [id, winner?.id ?? null, revision]).reverse();
  assert.deepEqual(winners.slice(0, 3), [
    ['2026-11-20', 'c', 2],
    ['2026-11-21', null, 2],
    ['2026-11-22', 'd', 2],
  ]);
  assert.deepEqual([winners.length, winners.at(-1)], [25, ['2026-12-14', null, 1]]);
  const weeks = (await to.periods('articles/week')).body.periods.reverse();
  assert.deepEqual(
    weeks.map((/** @type {any} */ { id, total, revision }) => [id, total, revision]),
    [
      ['2026-W47', 4, 2],
      ['2026-W48', 0, 2],
      ['2026-W49', 0, 2],
      ['2026-W50', 0, 1],
    ],
  );
  // Redis forgets the days; what stays is what they were at their ends.
  to.setClocks(NOW + 70 * DAY_MS);
  for (const _ of [1, 2, 3]) await to.run();
  assert.deepEqual(shown((await to.deployment.freshTop('articles/day', '?period=2026-11-20')).body), [
    [1, 'c', 9],
    [2, 'a', 4],
    [3, 'b', 3],
  ]);
});

for (const ingest of WAYS)
  test(`${ingest}: nothing is frozen of before the first event`, async (t) => {
    const to = await start(t, {}, ingest);
    const idle = await to.deployment.commandsDuring(() => to.run());
    assert.deepEqual(await to.ids('day'), []);
    const rested = await to.deployment.commandsDuring(() => to.deployment.worker.scheduled());
    assert.ok((rested.calls ?? 0) < (idle.calls ?? 0), 'nothing is asked of Redis each time');
    // What happened before the service knew of it is imported.
    await to.view({ a: 4 }, { at: NOW - DAY_MS });
    await to.view({ b: 1 });
    to.setClocks(MIDNIGHT + 6 * MINUTE_MS);
    await to.run();
    await to.run();
    assert.deepEqual(
      (await to.periods('articles/day')).body.periods.map((/** @type {any} */ { id, revision, winner }) => [id, revision, winner.id]),
      [['2026-11-20', 1, 'b']],
    );
  });
