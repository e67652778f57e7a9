/** The metrics that Prometheus reads: they are what Redis holds, and only owners read them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const METRICS = '/v1/demo/admin/metrics';
const SITE = {
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['day', 'last-7-days'], max_members: 3 } },
};

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
  const sample = /^(\w+\{site="demo",board="articles",window="[\w-]+"\}) (\d+)$/;
  for (const line of lines) assert.match(line, line.startsWith('#') ? /^# (HELP \w+ .+|TYPE \w+ gauge)$/ : sample);
  return Object.fromEntries(
    lines.flatMap((line) => (sample.exec(line) ? [line.split(' ')] : [])).map(([name, value]) => [name, Number(value)]),
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

test('nobody else reads them', async () => {
  for (const authorization of [undefined, 'Bearer wrong', `Bearer ${WRITE_TOKEN}`]) {
    const answer = await deployment.fetch(METRICS, { headers: authorization ? { authorization } : {} });
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized']);
  }
});
