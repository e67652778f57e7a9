/** Imports of what happened in periods that are frozen: the summary names them, with the commands that freeze them anew. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';
import { readSummary, runImport, startImport, TOKEN, writeFiles } from './command.mjs';
import { LOG, setUp } from './stubbed.mjs';

const ADMIN_TOKEN = 'a-token-for-owners';
const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64)';
const PERIODS = 'periods of these were frozen before; freeze them anew:';
const UNKNOWN = 'sent while the service could not tell whether their periods are frozen';

test('what several answers name is named once, in order', async (t) => {
  const day = (/** @type {string[]} */ ...periods) => [{ board: 'articles', window: 'day', periods }];
  const answers = [
    day('2026-11-19'),
    undefined,
    day('2026-11-18', '2026-11-19'),
    null,
    [{ board: 'a', window: 'hour', periods: ['2026-11-19T00Z'] }],
  ];
  const { stub, argv } = await setUp(t, { frozen: () => answers.shift() });
  const { status, stdout } = await runImport([...argv, '--concurrency', '1', '-'], { stdin: LOG.text });
  assert.equal(status, 0);
  const summary = readSummary(stdout);
  assert.deepEqual([summary[PERIODS], summary[UNKNOWN]], [3, 100]);
  const at = `${stub.url}/v1/demo/admin/boards`;
  const commands = stdout.split('\n').filter((line) => line.includes('curl'));
  assert.deepEqual(commands, [
    `             for p in 2026-11-19T00Z; do curl -X POST -H "Authorization: Bearer $ADMIN_TOKEN" "${at}/a/freeze?window=hour&period=$p"; done`,
    `             for p in 2026-11-18 2026-11-19; do curl -X POST -H "Authorization: Bearer $ADMIN_TOKEN" "${at}/articles/freeze?window=day&period=$p"; done`,
  ]);
});

test('nothing is said where nothing is frozen', async (t) => {
  const { argv } = await setUp(t);
  const { stdout } = await runImport([...argv, '-'], { stdin: LOG.text });
  assert.doesNotMatch(stdout, /frozen|curl/);
});

test('what a queue keeps is accepted', async (t) => {
  const { argv } = await setUp(t, { status: 202 });
  const { status, stdout, stderr } = await runImport([...argv, '-'], { stdin: LOG.text });
  assert.deepEqual([status, stderr, readSummary(stdout).accepted], [0, '', LOG.requests.length]);
});

for (const ingest of ['direct', 'grouped'])
  test(`the real service, ingest = "${ingest}": its commands freeze what was imported`, async (t) => {
    const board = { weights: { view: 1 }, windows: ['day', 'last-3-days', 'all'], history: 3 };
    const sites = { demo: { ingest, actions: { view: {} }, boards: { articles: board } } };
    const deployment = await startDeployment({
      transport: 'redis://',
      sites,
      hasDatabase: true,
      vars: { ADMIN_TOKEN, WRITE_TOKEN: TOKEN },
    });
    t.after(deployment.stop);
    const admin = { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };
    const setClocks = (/** @type {number} */ ms) => [deployment.clock, deployment.edgeClock].map((clock) => clock.set(ms));
    for (const day of [-3, -2, -1, 0]) {
      setClocks(NOW + day * DAY_MS);
      const events = [{ action: 'view', item: '/seen' }];
      const headers = { authorization: `Bearer ${TOKEN}` };
      assert.equal((await deployment.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify({ events }) })).status, 200);
      // A rolling window of before is built first.
      for (const _ of [1, 2, 3]) await deployment.fetch('/v1/demo/admin/upkeep', admin);
    }
    const line = (/** @type {string} */ day, /** @type {number} */ i) =>
      `192.0.2.${i} - - [${day}/Nov/2026:10:00:00 +0000] "GET /imported HTTP/1.1" 200 5 "-" "${AGENT}"\n`;
    const text = ['18', '18', '19', '20'].map(line).join('');
    const [file] = writeFiles(t, { 'access.log': text });
    const { status, stdout, stderr } = await startImport(t, [
      '--site',
      'demo',
      '--action',
      'view',
      '--endpoint',
      deployment.worker.url,
      file,
    ]).ended;
    assert.equal(status, 0, stderr);
    const summary = readSummary(stdout);
    assert.deepEqual([summary.accepted, summary[PERIODS]], [4, 4], stdout);
    const commands = [...stdout.matchAll(/for p in (.*?); do curl -X POST .*? "(http.*?)"; done/g)];
    assert.deepEqual(
      commands.map(([, periods]) => periods),
      ['2026-11-18 2026-11-19', '2026-11-18 2026-11-19'],
    );
    for (const [, periods, address] of commands)
      for (const period of periods.split(' ')) {
        const { pathname, search } = new URL(address.replace('$p', period));
        const { status: frozen, body, text: answer } = await deployment.fetch(pathname + search, admin);
        assert.deepEqual([frozen, body.changed, body.period?.revision, body.period?.total], [200, true, 2, 2], answer);
      }
    const { body } = await deployment.fetch('/v1/demo/boards/articles/day/periods');
    assert.deepEqual(
      body.periods.map((/** @type {any} */ { id, revision, winner }) => [id, revision, winner.id, winner.score]),
      [
        ['2026-11-19', 2, '/seen', 1],
        ['2026-11-18', 2, '/imported', 2],
        ['2026-11-17', 1, '/seen', 1],
      ],
    );
  });
