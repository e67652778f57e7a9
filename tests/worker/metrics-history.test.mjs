/** Metrics over time: what is asked of the dataset's SQL service, and what becomes of its answers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startDataset, table } from '../support/dataset.mjs';
import { startDeployment } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const SITE = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } };

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('../support/dataset.mjs').Dataset} */
let dataset;

before(async () => {
  dataset = await startDataset();
  const vars = { ADMIN_TOKEN, ...dataset.vars, ANALYTICS_DATASET: 'clicks' };
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars });
});
after(async () => {
  await deployment?.stop();
  dataset?.close();
});

const history = (query = '', token = ADMIN_TOKEN) =>
  deployment.fetch(`/v1/demo/admin/metrics/history${query}`, { headers: { authorization: `Bearer ${token}` } });

test('a step is what all series say of it', async () => {
  const at = Date.parse('2026-11-20T12:00:00Z') / 1000;
  dataset.answer = {
    status: 200,
    body: table([
      { at: String(at), series: 'events', total: 41 },
      { at: String(at), series: 'redis', total: '88' },
      { at: at + 300, series: 'redis', total: 3 },
    ]),
  };
  const { status, body, headers } = await history();
  assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store']);
  assert.deepEqual(body, {
    site: 'demo',
    hours: 24,
    step_s: 300,
    points: [
      { at: '2026-11-20T12:00:00Z', events: 41, commands: 88 },
      { at: '2026-11-20T12:05:00Z', events: 0, commands: 3 },
    ],
  });
  const { path, token, sql } = dataset.asked.at(-1) ?? assert.fail('nothing was asked');
  assert.deepEqual([path, token], ['/v4/accounts/abc123/analytics_engine/sql', `Bearer ${dataset.vars.ANALYTICS_TOKEN}`]);
  assert.match(sql, /FROM clicks WHERE blob2 = 'demo' .* INTERVAL '24' HOUR /);
});

test('the step follows from the span', async () => {
  dataset.answer = { status: 200, body: table([]) };
  for (const [hours, step_s] of [
    [1, 60],
    [168, 2100],
    [2160, 27_000],
  ]) {
    const { body } = await history(`?hours=${hours}`);
    assert.deepEqual([body.step_s, body.points], [step_s, []]);
    assert.ok(dataset.asked.at(-1)?.sql.includes(`INTERVAL '${hours}' HOUR`));
  }
  for (const hours of ['0', '2161', "1'--", '']) {
    const before = dataset.asked.length;
    const { status, body } = await history(`?hours=${encodeURIComponent(hours)}`);
    assert.deepEqual([status, body.code, dataset.asked.length], [400, 'invalid-parameter', before]);
  }
});

test('a service that refuses, or answers something else, is 503, and the log says why', async () => {
  for (const [status, body, expected] of /** @type {const} */ ([
    [403, 'no such token', 'the dataset answered 403: no such token'],
    [200, 'not JSON', 'the dataset answered what is no table'],
    [200, table([{ at: 'x', series: 'events', total: 1 }]), 'the dataset answered what is no table'],
  ])) {
    dataset.answer = { status, body };
    const refused = await history();
    assert.deepEqual([refused.status, refused.body.code], [503, 'dataset-unavailable']);
    assert.ok(!refused.text.includes('no such token'), 'for the log alone');
    const line = JSON.parse(deployment.worker.log.findLast(({ level }) => level === 'error')?.message ?? '{}');
    assert.ok(line.detail.includes(expected), line.detail);
  }
  assert.ok(!deployment.worker.log.some(({ message }) => message.includes(dataset.vars.ANALYTICS_TOKEN)));
});

test('nobody else reads it', async () => {
  const before = dataset.asked.length;
  assert.deepEqual([(await history('', 'wrong')).status, dataset.asked.length], [401, before]);
});
