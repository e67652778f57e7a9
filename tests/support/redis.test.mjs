/**
 * A test's redis-server starts, answers, crashes, comes back, and is gone when its test is.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { startRedis } from './redis.mjs';
import { ConnectionError, ReplyError, respConnection } from './resp.mjs';
import { until } from './until.mjs';

test('commands answer strings, integers, null, arrays and bytes', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  const bytes = Buffer.from([0, 255, 13, 10]);
  assert.equal(await redis.command('SET', 'k', bytes), 'OK');
  assert.deepEqual(await redis.commandBuffers('GET', 'k'), bytes);
  assert.equal(await redis.command('GET', 'none'), null);
  assert.equal(await redis.command('INCRBY', 'n', 41), 41);
  assert.equal(await redis.command('INCRBY', 'n', '9223372036854775766'), 9223372036854775807n);
  assert.deepEqual(await redis.command('MGET', 'n', 'none'), ['9223372036854775807', null]);
  assert.equal(await redis.command('SET', 'big', 'x'.repeat(1_000_000)), 'OK');
  assert.equal((await redis.command('GET', 'big')).length, 1_000_000);
  await assert.rejects(redis.command('INCR', 'k'), new ReplyError('ERR value is not an integer or out of range'));
});

test('concurrent commands get their own answers', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  const asked = Array.from({ length: 1_000 }, (_, n) => String(n));
  assert.deepEqual(await Promise.all(asked.map((text) => redis.command('ECHO', text))), asked);
});

test('a killed server refuses commands until it is restarted, empty and on its old port', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  const { pid, port } = redis;
  await redis.command('SET', 'k', 'v');
  await redis.kill();
  await assert.rejects(redis.command('PING'), ConnectionError);
  await redis.restart();
  assert.equal(await redis.command('DBSIZE'), 0);
  assert.equal(redis.port, port);
  assert.notEqual(redis.pid, pid);
});

test('persistence can be asked for', async (t) => {
  const redis = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
  t.after(redis.stop);
  await redis.command('SET', 'k', 'v');
  await redis.kill();
  await redis.restart();
  assert.equal(await redis.command('GET', 'k'), 'v');
});

test('a taken port is reported with what redis-server said', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  await assert.rejects(startRedis({ port: redis.port }), /Address already in use/);
});

test('a missing redis-server is reported with the line that installs it', async (t) => {
  const { REDIS_SERVER } = process.env;
  t.after(() => {
    if (REDIS_SERVER === undefined) delete process.env.REDIS_SERVER;
    else process.env.REDIS_SERVER = REDIS_SERVER;
  });
  process.env.REDIS_SERVER = '/nonexistent/redis-server';
  await assert.rejects(startRedis(), /apt-get install redis-server/);
});

for (const [how, end] of [
  ['returns without stopping it', ''],
  ['exits', 'process.exit()'],
  ['is killed', "process.kill(process.pid, 'SIGKILL')"],
]) {
  test(`it ends when the process that started it ${how}`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'edgeboard-orphan-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const program = `
      import { startRedis } from ${JSON.stringify(new URL('redis.mjs', import.meta.url).href)};
      const { port } = await startRedis({ dir: ${JSON.stringify(dir)} });
      process.stdout.write(String(port), () => { ${end} });`;
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(owner, 'exit');
    let printed = '';
    for await (const text of owner.stdout.setEncoding('utf8')) printed += text;
    await exited;
    const orphan = respConnection({ host: '127.0.0.1', port: Number(printed) });
    await until(`nothing answers on port ${printed}`, () =>
      orphan.batch([['PING']]).then(
        () => false,
        (error) => error instanceof ConnectionError,
      ),
    );
  });
}
