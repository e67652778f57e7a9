/** The metrics that Prometheus reads: they are what Redis holds and what was asked, and only owners read them. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { createClock } from '../support/clock.mjs';
import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { viewers } from '../support/viewers.mjs';
import { startWorker } from '../support/worker.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const METRICS = '/v1/demo/admin/metrics';
const SITE = {
  actions: { view: { public: true }, publish: {} },
  boards: {
    articles: { weights: { view: 1 }, windows: ['day', 'last-7-days'], max_members: 3 },
    wide: { weights: { publish: 1 }, windows: ['last-7-days'] },
  },
};

/** The local runtime has no dataset that could be read, so this one writes to the log. */
const WITH_DATASET = `
import Worker, { IngestGroup, LiveBoard } from './index.js';

const METRICS = { writeDataPoint: (point) => console.log('point ' + JSON.stringify(point)) };

export { IngestGroup, LiveBoard };
export default class extends Worker {
  constructor(ctx, env) {
    super(ctx, { ...env, METRICS });
  }
}
`;

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
});
after(() => deployment?.stop());

/** The samples by their names and labels. */
async function samples() {
  const answer = await deployment.fetch(METRICS, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  assert.deepEqual(
    [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')],
    [200, 'text/plain; version=0.0.4; charset=utf-8', 'no-store'],
  );
  const lines = answer.text.trimEnd().split('\n');
  const sample = /^(\w+\{(?:\w+="[^"]*",?)+\}) (-?\d+)$/;
  for (const line of lines) assert.match(line, line.startsWith('#') ? /^# (HELP \w+ .+|TYPE \w+ (gauge|counter|histogram))$/ : sample);
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = sample.exec(line) ?? [];
      return name ? [[name, Number(value)]] : [];
    }),
  );
}

/** @param {string} name @param {string} [window] */
const of = (name, window = 'day') => `edgeboard_${name}{site="demo",board="articles",window="${window}"}`;

test('members, room and refusals are those of the boards', async () => {
  const events = ['a', 'b', 'c', 'd', 'e', 'a'].map((item) => ({ action: 'view', item }));
  const { body } = await deployment.events({ events });
  const refused = body.rejected.length;
  assert.ok(refused > 0);
  await deployment.worker.scheduled();
  const found = await samples();
  assert.equal(found[of('members')], (await deployment.freshTop('articles/day')).body.total);
  assert.deepEqual([found[of('members')], found[of('members_max')], found[of('refused_events')]], [3, 3, refused]);
  assert.deepEqual([found[of('complete')], found[of('complete', 'last-7-days')]], [1, 1]);
  assert.equal(found[of('upkeep_members')], undefined, 'a calendar window needs no upkeep');
  assert.ok(of('upkeep_members', 'last-7-days') in found);
});

/** @param {string} name @param {Record<string, string | number>} labels */
const counted = (name, labels) =>
  `edgeboard_isolate_${name}{site="demo",${Object.entries(labels).map(([label, value]) => `${label}="${value}"`)}}`;

/** What was added to samples meanwhile. @param {() => Promise<unknown>} work */
async function added(work) {
  const before = await samples();
  await work();
  const after = await samples();
  return (/** @type {string} */ name) => (after[name] ?? 0) - (before[name] ?? 0);
}

test('requests, reads and events are counted by route and status, level and outcome', async () => {
  const ranking = '/v1/{site}/boards/{board}/{window}';
  const more = await added(async () => {
    for (const [item, headers] of /** @type {[string, Record<string, string>][]} */ ([
      ['a', {}],
      ['b', {}],
      ['', {}],
      ['a', { 'user-agent': 'Googlebot/2.1' }],
    ])) {
      await deployment.beacon({ id: 'the-same-batch', events: [{ action: 'view', item }] }, { headers });
    }
    await deployment.beacon({ id: 'the-same-batch', events: [{ action: 'view', item: 'a' }] });
    await deployment.freshTop('articles/day');
    for (let i = 0; i < 5; i++) await deployment.top('articles/day');
    await deployment.fetch('/v1/demo/boards/articles/day/members/nobody');
    await deployment.fetch('/v1/demo/boards/articles/day?limit=0');
    await deployment.fetch('/v1/demo/nothing');
  });
  const requests = (/** @type {string} */ route, /** @type {number} */ status) => more(counted('requests_total', { route, status }));
  assert.deepEqual(
    [requests('/v1/{site}/beacon', 204), requests('/v1/{site}/beacon', 400), requests(ranking, 200), requests(ranking, 400)],
    [4, 1, 6, 1],
  );
  assert.equal(requests(`${ranking}/members/{id}`, 404), 1, 'of the other module');
  const reads = (/** @type {string} */ from) => more(counted('reads_total', { from }));
  assert.deepEqual([reads('waited'), reads('memory'), reads('stale')], [1, 5, 0]);
  assert.deepEqual(
    [more(counted('events_total', { outcome: 'invalid-item' })), more(counted('dropped_clicks_total', { reason: 'declared' }))],
    [1, 1],
  );
  assert.deepEqual(
    ['accepted', 'duplicate'].map((outcome) => more(counted('events_total', { outcome }))),
    [1, 2],
  );
});

test('trips to Redis and their commands are those that Redis saw, and failures have a fault', async () => {
  const of = (/** @type {string} */ what) => counted('redis_total', { what });
  const before = await samples();
  let now = before;
  // The metrics themselves ask as well.
  const counts = await deployment.commandsDuring(async () => {
    for (let i = 0; i < 7; i++) await deployment.beacon({ action: 'view', item: 'a' });
    now = await samples();
  });
  const sent = counts.calls;
  assert.ok(sent > 7);
  assert.equal(now[of('commands')] - before[of('commands')], sent);
  const trips = now[of('trips')] - before[of('trips')];
  assert.ok(trips > 7 && trips <= sent, String(trips));
  const fault = () => added(() => deployment.beacon({ action: 'view', item: 'a' }));
  await deployment.redis.kill();
  const failed = await deployment.beacon({ action: 'view', item: 'a' });
  assert.equal(failed.status, 503);
  await deployment.redis.restart();
  const after = await samples();
  assert.ok(after[counted('redis_faults_total', { fault: 'connect' })] >= 1);
  assert.equal(after[counted('events_total', { outcome: 'not-written' })], 1);
  assert.equal((await fault())(counted('events_total', { outcome: 'accepted' })), 1);
  const errors = deployment.worker.log.filter(({ level }) => level === 'error').map(({ message }) => JSON.parse(message));
  assert.deepEqual(
    errors.map(({ level, status, code }) => [level, status, code]),
    [['error', 503, 'redis-unavailable']],
    'one line for a 5xx',
  );
});

test('what answers took is a histogram by route and class of status', async () => {
  const name = 'request_duration_milliseconds';
  const of = (/** @type {string} */ part, /** @type {Record<string, string>} */ more = {}) =>
    counted(`${name}_${part}`, { route: '/v1/{site}/beacon', status: '2xx', ...more });
  const quick = await added(async () => {
    for (let i = 0; i < 3; i++) assert.equal((await deployment.beacon({ action: 'view', item: 'a' })).status, 204);
  });
  assert.deepEqual([quick(of('count')), quick(of('bucket', { le: '+Inf' }))], [3, 3]);
  const slow = await added(async () => {
    await deployment.redis.command('CLIENT', 'PAUSE', '300', 'ALL');
    assert.equal((await deployment.beacon({ action: 'view', item: 'a' })).status, 204);
  });
  assert.deepEqual(
    ['100', '5000', '+Inf'].map((le) => slow(of('bucket', { le }))),
    [0, 1, 1],
  );
  assert.ok(slow(of('sum')) > 100, `${slow(of('sum'))} ms`);
  const wrong = await added(() => deployment.beacon({ action: 'view', item: '' }));
  assert.equal(wrong(counted(`${name}_count`, { route: '/v1/{site}/beacon', status: '4xx' })), 1);
  const all = await samples();
  const sums = Object.entries(all).filter(([sample]) => sample.startsWith(`edgeboard_isolate_${name}_count`));
  const requests = Object.entries(all).filter(([sample]) => sample.startsWith('edgeboard_isolate_requests_total'));
  const total = (/** @type {[string, number][]} */ entries) => entries.reduce((sum, [, value]) => sum + value, 0);
  assert.equal(total(sums), total(requests), 'both count all answers');
  // Each bound counts what the one before it does.
  const bounds = ['5', '10', '25', '50', '100', '250', '500', '1000', '5000', '+Inf'].map((le) => all[of('bucket', { le })]);
  assert.deepEqual(
    bounds,
    bounds.toSorted((one, other) => one - other),
  );
});

test('upkeep is counted by job, and live viewers while they watch', async () => {
  const job = (/** @type {string} */ name, kind = 'repair') => counted(name, { job: `${kind} wide/last-7-days` });
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const keep = () => deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
  const more = await added(async () => {
    await deployment.redis.command('FLUSHALL');
    // More than a chunk.
    for (let batch = 0; batch < 7; batch++) {
      const events = Array.from({ length: 100 }, (_, i) => ({ action: 'publish', item: `${batch}/${i}` }));
      assert.equal((await deployment.events({ events })).body.accepted, 100);
    }
    const lost = await deployment.redis.command('KEYS', 'eb:{demo:wide}:window:*');
    await deployment.redis.command('DEL', ...lost);
    assert.equal((await keep()).status, 200);
  });
  assert.ok(more(job('job_runs_total')) >= 1);
  assert.ok(more(job('job_members_total')) >= 500);
  assert.equal(more(job('jobs_failed_total')), 0);
  const kept = await added(keep);
  assert.deepEqual([kept(job('job_runs_total')), kept(job('job_runs_total', 'upkeep')) >= 1], [0, true]);
  const done = (await samples())[job('job_last_success_timestamp_seconds', 'upkeep')];
  assert.ok(Math.abs(done - deployment.edgeClock.now() / 1000) < 60, `${done}`);
  const viewing = viewers(() => deployment.worker);
  const received = await viewing.watch('/v1/demo/boards/articles/day/live');
  await until('the first', () => received.length === 1);
  const now = await samples();
  assert.equal(now[counted('live_viewers', { when: 'now' })], 0, 'none when the object looked last');
  await until('one viewer', async () => (await samples())[counted('live_viewers', { when: 'now' })] === 1);
  assert.equal((await samples())[counted('live_total', { what: 'came' })], 1);
  viewing.leave();
});

test('a dataset that is bound is told every ten seconds what was added', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-dataset-'));
  cpSync(inProject('build'), folder, { recursive: true });
  writeFileSync(join(folder, 'entry.js'), WITH_DATASET);
  const configuration = readFileSync(inProject('wrangler.toml'), 'utf8').replace(/^main = .*$/m, 'main = "entry.js"');
  writeFileSync(join(folder, 'wrangler.toml'), configuration);
  const clock = createClock();
  const vars = { REDIS_URL: deployment.redis.url, SITES: { demo: SITE } };
  const worker = await startWorker({ clock, vars, config: join(folder, 'wrangler.toml') });
  try {
    const click = (/** @type {string} */ item) =>
      worker.fetch('/v1/demo/beacon', { method: 'POST', body: JSON.stringify({ action: 'view', item }) });
    const points = () =>
      worker.log.filter(({ message }) => message.startsWith('point ')).map(({ message }) => JSON.parse(message.slice(6)));
    await click('a');
    for (let i = 0; i < 4; i++) await click('a');
    const before = points().length;
    clock.advance(11_000);
    await click('a');
    const all = await until('points', () => points().length > before && points());
    const accepted = all.filter(({ blobs }) => blobs.join() === 'events,demo,accepted,0,0');
    assert.equal(
      accepted.reduce((sum, { doubles }) => sum + doubles[0], 0),
      5,
      'the sixth is told the next time',
    );
    const clicks = all.filter(({ blobs }) => blobs.slice(0, 4).join() === 'requests,demo,/v1/{site}/beacon,204');
    assert.equal(
      clicks.reduce((sum, { doubles }) => sum + doubles[0], 0),
      5,
    );
    assert.ok(
      clicks.every(({ blobs }) => Number(blobs[4]) >= 5),
      'by what they took at most',
    );
    const commands = all.filter(({ blobs }) => blobs.slice(0, 3).join() === 'redis,demo,commands');
    assert.ok(commands.length >= 1, "commands are a site's");
    assert.ok(all.every(({ indexes, doubles }) => indexes.length === 1 && doubles[0] > 0));
    assert.ok(!JSON.stringify(all).includes('"a"'), 'no ids');
  } finally {
    await worker.stop();
    clock.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('nobody else reads them', async () => {
  for (const authorization of [undefined, 'Bearer wrong', `Bearer ${WRITE_TOKEN}`]) {
    const answer = await deployment.fetch(METRICS, { headers: authorization ? { authorization } : {} });
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized']);
  }
});
