/** The command as a process of its own: exit status, streams and signals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { until } from '../support/until.mjs';
import { readSummary, startImport, writeFiles } from './command.mjs';
import { startEventsStub } from './events-stub.mjs';
import { generateLog } from './generator.mjs';

const LOG = generateLog({ seed: 3, lines: 1_000 });

/**
 * A stub that ends with the test, and a way to start the command against it.
 *
 * @param {import('node:test').TestContext} t
 * @param {Parameters<typeof startEventsStub>[0]} [options]
 */
async function setUp(t, options) {
  const stub = await startEventsStub(options);
  t.after(stub.stop);
  const start = (/** @type {string[]} */ ...argv) =>
    startImport(t, ['--site', 'demo', '--action', 'view', '--endpoint', stub.url, ...argv]);
  return { stub, start };
}

test('reads standard input and ends with 0', async (t) => {
  const { stub, start } = await setUp(t);
  const { child, ended } = start('-');
  child.stdin.end(gzipSync(LOG.text));
  const { status, stdout, stderr } = await ended;
  assert.equal(status, 0, stderr);
  assert.equal(readSummary(stdout).accepted, LOG.requests.length);
  assert.equal(stub.events.size, LOG.requests.length);
});

test('wrong usage ends with 2', async (t) => {
  const { start } = await setUp(t);
  const { status, stderr } = await start('--verbose', '-').ended;
  assert.equal(status, 2);
  assert.match(stderr, /^import: unknown option --verbose$/m);
});

test('a failure ends with 1', async (t) => {
  const { start } = await setUp(t, { faults: Array(20).fill({ status: 403 }) });
  const { status, stderr } = await start(...writeFiles(t, { log: LOG.text })).ended;
  assert.equal(status, 1);
  assert.match(stderr, /^import: stopped: \S+ answered 403$/m);
});

test('what is worth another try gets it', async (t) => {
  const { stub, start } = await setUp(t, { faults: [{ status: 503, headers: { 'retry-after': '0' } }] });
  const { status } = await start(...writeFiles(t, { log: LOG.text })).ended;
  assert.equal(status, 0);
  assert.equal(stub.events.size, LOG.requests.length);
});

test('SIGINT while a request is out prints the summary so far and ends with 130', async (t) => {
  const { stub, start } = await setUp(t);
  stub.faults = [undefined, undefined, 'held'];
  const { child, ended } = start('--concurrency', '1', ...writeFiles(t, { log: LOG.text }));
  await until('the third request', () => stub.requests.length === 3);
  child.kill('SIGINT');
  const { status, stdout, stderr } = await ended;
  assert.equal(status, 130);
  assert.deepEqual([readSummary(stdout).sent, readSummary(stdout).accepted], [300, 200]);
  assert.match(stderr, /^import: stopped: interrupted$/m);
});

test('SIGINT while standard input keeps it waiting does the same', async (t) => {
  const { stub, start } = await setUp(t);
  const { child, ended } = start('-');
  child.stdin.write(LOG.text);
  await until('all full batches', () => stub.requests.length === Math.floor(LOG.requests.length / 100));
  child.kill('SIGINT');
  const { status, stdout } = await ended;
  assert.equal(status, 130);
  assert.equal(readSummary(stdout)['lines read'], 1_000);
});
