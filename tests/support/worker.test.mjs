/**
 * A worker under test is the configured one, with nothing but the test's variables, on real workerd.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startRedis } from './redis.mjs';
import { until } from './until.mjs';
import { startWorker } from './worker.mjs';

const PROBE = fileURLToPath(new URL('probe/wrangler.toml', import.meta.url));

test('two workers at once have their own variables, which replace those of the configuration', async (t) => {
  const vars = [{ WRITE_TOKEN: 'a' }, { SITES: { demo: { timezone: 'UTC' } } }];
  const workers = await Promise.all(vars.map((own) => startWorker({ config: PROBE, vars: own })));
  t.after(() => Promise.all(workers.map(({ stop }) => stop())));
  const variables = await Promise.all(workers.map(async ({ fetch }) => (await fetch('/vars')).json()));
  assert.deepEqual(variables, vars);
});

test('of workers that start at once each ends its own', async (t) => {
  const workers = await Promise.all([1, 2, 3].map(() => startWorker({ config: PROBE })));
  t.after(() => Promise.all(workers.map(({ stop }) => stop())));
  const [first, ...others] = workers;
  await first.kill();
  for (const { fetch } of others) assert.equal((await fetch('/vars')).status, 200);
});

test('a worker reaches redis over a socket', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  const worker = await startWorker({ config: PROBE, vars: { REDIS_PORT: redis.port } });
  t.after(worker.stop);
  assert.equal(await (await worker.fetch('/redis')).text(), '+PONG\r\n');
});

test('redirects are shown, not followed', async (t) => {
  const worker = await startWorker({ config: PROBE });
  t.after(worker.stop);
  const response = await worker.fetch('/elsewhere');
  assert.deepEqual([response.status, response.headers.get('location')], [302, `${worker.url}/now`]);
});

test('the log holds what the worker wrote, uncaught exceptions and cron runs', async (t) => {
  const worker = await startWorker({ config: PROBE });
  t.after(worker.stop);
  const logged = (/** @type {RegExp} */ pattern) => () => worker.log.find(({ message }) => pattern.test(message));
  assert.equal((await worker.fetch('/throw')).status, 500);
  assert.equal((await until('the error line', logged(/^about to throw$/))).level, 'error');
  await until('the exception', logged(/uncaught exception.*thrown by the probe/s));
  assert.equal((await worker.scheduled({ cron: '* * * * *', time: 5 })).outcome, 'ok');
  await until('the line of the cron run', logged(/^cron \* \* \* \* \* at 5$/));
});

test('a stopped worker no longer answers', async () => {
  const worker = await startWorker({ config: PROBE });
  await worker.stop();
  await assert.rejects(worker.fetch('/now'), TypeError);
});

for (const { name, source, error } of [
  { name: 'that was not built', source: undefined, error: /no worker at .*index\.js: node scripts\/build\.mjs/ },
  { name: 'that does not compile', source: 'export default {', error: /SyntaxError/ },
]) {
  test(`a worker ${name} is reported`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'edgeboard-worker-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const config = join(dir, 'wrangler.toml');
    writeFileSync(config, 'name = "broken"\nmain = "index.js"\ncompatibility_date = "2026-01-01"\n');
    if (source !== undefined) writeFileSync(join(dir, 'index.js'), source);
    await assert.rejects(startWorker({ config }), error);
  });
}
