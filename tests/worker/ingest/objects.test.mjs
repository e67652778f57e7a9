/**
 * The objects that gather events, when they fail, have too much to do, linger, or hear nonsense from Redis.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startLine } from '../../prove/faults/line.mjs';
import { startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { startRedis } from '../../support/redis.mjs';
import { startRelay, tie } from '../../support/relay.mjs';
import { until } from '../../support/until.mjs';
import { createRandom } from '../../support/windows.mjs';
import { startWorker } from '../../support/worker.mjs';
import { info, sendAll, sitesWith } from './site.mjs';

const CONFIG = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url));
const ALL = 'eb:{demo:articles}:all:0';
const view = { action: 'view', item: '/posts/1' };
const like = { action: 'like', item: '/posts/1', actor: 'u1' };

/**
 * A deployment on a Redis of its own.
 *
 * @param {import('node:test').TestContext} t
 * @param {object} [options]
 * @param {Record<string, import('miniflare').Json>} [options.site]
 * @param {string} [options.config]
 * @param {boolean} [options.faulty] a line between both to which faults happen
 * @param {number} [options.awayMs] how far Redis is behind it
 * @param {(port: number) => Promise<number>} [options.by] makes another way to Redis
 */
async function start(t, { site = {}, config, faulty = false, awayMs = 0, by } = {}) {
  const redis = await startRedis();
  t.after(redis.stop);
  const relay = await startRelay({ redis });
  t.after(relay.close);
  relay.delayBy(awayMs);
  const line = await startLine({ to: relay.port });
  t.after(line.close);
  const port = faulty ? line.port : ((await by?.(redis.port)) ?? redis.port);
  const sites = sitesWith({ ingest: 'grouped', ...site });
  const worker = await startWorker({ config, vars: { REDIS_URL: `redis://127.0.0.1:${port}`, WRITE_TOKEN, SITES: sites } });
  t.after(worker.stop);
  const send = async (/** @type {string} */ path, /** @type {unknown} */ body) => {
    const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
    const response = await worker.fetch(`/v1/demo/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  };
  return {
    redis,
    line,
    beacon: (/** @type {unknown} */ body) => send('beacon', body),
    events: (/** @type {unknown} */ body) => send('events', body),
    score: async (member = '/posts/1') => Number((await redis.command('ZSCORE', ALL, member)) ?? 0),
  };
}

/**
 * The built worker, with another class of objects.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} count what its method does with `message`; `real()` is what the real one does with it
 */
function withObjects(t, count) {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-objects-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(join(dirname(CONFIG), 'build'), folder, { recursive: true });
  const source = `import Worker, { IngestGroup as Real, LiveBoard } from './index.js';
    export default Worker;
    export { LiveBoard };
    export class IngestGroup extends Real {
      async count(message) {
        const real = () => super.count(message);
        ${count}
      }
    }`;
  writeFileSync(join(folder, 'other.js'), source);
  const config = join(folder, 'wrangler.toml');
  writeFileSync(config, readFileSync(CONFIG, 'utf8').replace('build/index.js', join(folder, 'other.js')));
  return config;
}

describe('an object that does not answer', () => {
  for (const [how, count, counted] of /** @type {const} */ ([
    ['fails before it counts', `throw new Error('gone');`, 0],
    ['fails after it counted', `await real(); throw new Error('gone');`, 2],
  ])) {
    test(`${how}: the worker counts with the same ids, but no tracked actions`, async (t) => {
      const { beacon, events, score } = await start(t, { config: withObjects(t, count) });
      for (let tries = 0; tries < 2; tries += 1) {
        assert.equal((await beacon({ id: 'b1', events: [view, view] })).status, 204);
        const { status, body } = await events({ id: 'e1', events: [view, { action: 'none', item: 'a' }] });
        assert.equal(status, 200);
        assert.deepEqual([body.accepted + body.duplicate, body.rejected.length], [1, 1]);
      }
      assert.equal((await beacon(view)).status, 204, 'the worker makes an id');
      assert.equal(await score(), 4, 'each counts once');
      for (let tries = 0; tries < 2; tries += 1) {
        const { status, body, headers } = await events({ id: 'l1', events: [like] });
        assert.deepEqual([status, body.code, headers.get('retry-after')], [504, 'outcome-unknown', '1']);
      }
      assert.equal(await score(), 4 + counted, 'the worker counts no like by itself');
    });
  }

  test('counted, and Redis is gone then: 504, since the worker cannot know', async (t) => {
    /** @type {Awaited<ReturnType<typeof start>>} */
    let deployment;
    const gate = createHttpServer((_, response) => void deployment.line.refuse().then(() => response.end()));
    gate.listen(0, '127.0.0.1');
    await once(gate, 'listening');
    t.after(() => gate.close());
    const { port } = /** @type {import('node:net').AddressInfo} */ (gate.address());
    const count = `await real(); await fetch('http://127.0.0.1:${port}'); throw new Error('gone');`;
    deployment = await start(t, { config: withObjects(t, count), faulty: true });
    const { status, body } = await deployment.beacon({ id: 'b1', events: [view] });
    assert.equal(await deployment.score(), 1);
    assert.deepEqual([status, body.code], [504, 'outcome-unknown']);
  });

  test('one that did not get a click: the worker counts it', async (t) => {
    const { beacon, score } = await start(t, { config: withObjects(t, `return '';`) });
    assert.equal((await beacon({ id: 'b1', events: [view] })).status, 204);
    assert.equal(await score(), 1);
  });

  test('one that did not get a like: 503, and nothing was written', async (t) => {
    const { events, score } = await start(t, { config: withObjects(t, `return '';`) });
    const { status, body } = await events({ id: 'l1', events: [like] });
    assert.deepEqual([status, body.code], [503, 'redis-unavailable']);
    assert.equal(await score(), 0);
  });
});

test('a group of which a part was counted, and Redis is loading then: 504', async (t) => {
  const by = async (/** @type {number} */ port) => {
    let loads = false;
    const sockets = new Set();
    const server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1');
      tie(client, upstream, sockets);
      client.on('data', (bytes) => {
        if (!loads) return upstream.write(bytes);
        const calls = bytes.toString('latin1').match(/\r\nEVAL(SHA)?\r\n/g) ?? [];
        return client.write('-LOADING Redis is loading the dataset in memory\r\n'.repeat(calls.length));
      });
      upstream.on('data', (bytes) => {
        loads ||= bytes.includes('-UNTOUCHED');
        client.write(bytes);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  };
  const { redis, beacon, score } = await start(t, { by, site: { linger: '500ms' } });
  await redis.command('SET', 'eb:{demo:people}:all:0', 'of somebody else');
  const answers = await Promise.all(['u1', 'u2'].map((actor) => beacon({ id: actor, events: [{ ...view, actor }] })));
  assert.equal(await score(), 2);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [504, 504],
  );
});

test('objects that are killed in the middle: what was acknowledged counts exactly once', async (t) => {
  const kills = `this.n = (this.n ?? 0) + 1;
    if (this.n === 40) this.ctx.abort('before');
    const counted = await real();
    if (this.n === 70) this.ctx.abort('after');
    return counted;`;
  const { redis, beacon, score } = await start(t, { config: withObjects(t, kills), site: { ingest_partitions: 2 } });
  const [senders, each] = [32, 20];
  await sendAll(senders, each, async (sender, n) => {
    const body = { id: `s${sender}-${n}`, events: [{ ...view, item: `/posts/${sender}` }] };
    await until(`click ${n} of ${sender} acknowledged`, async () => (await beacon(body)).status === 204, { timeoutMs: 60_000 });
  });
  for (let sender = 0; sender < senders; sender += 1) assert.equal(await score(`/posts/${sender}`), each, `sender ${sender}`);
  const connections = await info(redis, 'stats', 'total_connections_received');
  t.diagnostic(`${connections} connections`);
  assert.ok(connections > 4, 'objects that begin anew connect anew');
});

test('a do and its undo end as they were sent, over two partitions, while replies are lost', async (t) => {
  const { line, events, score } = await start(t, { faulty: true, site: { ingest_partitions: 2 } });
  const random = createRandom(20261123);
  const [actors, each] = [24, 7];
  await sendAll(actors, each, async (actor, n) => {
    const event = { ...like, actor: `u${actor}`, undo: n % 2 === 1 };
    const send = async () => {
      if (random() < 1 / 5) {
        line.set('reset');
        setTimeout(() => line.set('clear'), 3);
      }
      const { status, body } = await events({ id: `${actor}-${n}`, events: [event] });
      if (status === 200) assert.equal(body.accepted + body.duplicate, 1, JSON.stringify(body));
      return status === 200;
    };
    await until(`${actor} ${n} acknowledged`, send, { timeoutMs: 60_000 });
  });
  assert.equal(await score(), 2 * actors, 'all of them end with a like');
});

test('a full object: what comes then is 503, and nothing of it is written', async (t) => {
  const { redis, beacon, events, score } = await start(t);
  assert.equal((await beacon({ id: 'first', events: [view] })).status, 204);
  await redis.command('CLIENT', 'PAUSE', '1200', 'ALL');
  const [batches, size, room] = [120, 100, 10_000];
  const answers = await Promise.all(
    Array.from({ length: batches }, (_, n) => events({ id: `b${n}`, events: Array.from({ length: size }, () => view) })),
  );
  const [taken, refused] = [200, 503].map((status) => answers.filter((answer) => answer.status === status));
  assert.equal(taken.length + refused.length, batches);
  assert.ok(taken.length >= room / size && refused.length > 0, `${taken.length} taken, ${refused.length} refused`);
  for (const { body, headers } of refused) assert.deepEqual([body.code, headers.get('retry-after')], ['redis-unavailable', '1']);
  assert.equal(await score(), 1 + taken.length * size);
});

test('a group that lingers holds all that came meanwhile', async (t) => {
  const { redis, beacon, score } = await start(t, { site: { linger: '500ms' } });
  assert.equal((await beacon({ id: 'first', events: [view] })).status, 204);
  const calls = async () => Number(/cmdstat_fcall:calls=(\d+)/.exec(await redis.command('INFO', 'commandstats'))?.[1]);
  const before = await calls();
  const began = performance.now();
  await sendAll(20, 1, async (sender) => assert.equal((await beacon({ id: `s${sender}`, events: [view] })).status, 204));
  assert.ok(performance.now() - began >= 499);
  assert.equal(await calls(), before + 1);
  assert.equal(await score(), 21);
});

test('groups that overlap share the connection, and likes leave alone', async (t) => {
  const deployment = await startDeployment({ transport: 'redis://', relayed: true, sites: sitesWith({ ingest: 'grouped' }) });
  t.after(deployment.stop);
  const { beacon, events, redis, link } = deployment;
  await beacon(view);
  link.delayBy(15);
  await beacon({ id: 'warm', events: [view] });
  await redis.command('CONFIG', 'RESETSTAT');
  const before = link.roundTrips;
  const { calls } = await deployment.commandsDuring(async () => {
    await sendAll(24, 20, async (sender, n) => {
      assert.equal((await beacon({ id: `s${sender}-${n}`, events: [view] })).status, 204);
    });
  });
  const trips = link.roundTrips - before;
  assert.ok(trips < calls, `${calls} calls in ${trips} round trips: some leave while others are on their way`);
  const opened = () => info(redis, 'stats', 'total_connections_received');
  assert.equal(await opened(), 0, 'there is one already');
  await sendAll(24, 6, async (actor, n) => {
    const { body } = await events({ ...like, actor: `u${actor}`, undo: n % 2 === 1 });
    assert.equal(body.accepted, 1);
    if (actor % 4 === 0) await beacon({ id: `v${actor}-${n}`, events: [view] });
  });
  assert.equal(Number(await redis.command('ZSCORE', ALL, '/posts/1')), 2 + 24 * 20 + 6 * 6);
  assert.equal(await opened(), 0);
});

for (const [condition, awayMs] of /** @type {const} */ ([
  ['garbage', 0],
  ['lie', 0],
  ['reset', 0],
  ['longDelay', 0],
  ['garbage', 15],
  ['reset', 15],
])) {
  test(`replies that are lost or wrong (${condition}, ${awayMs} ms away): each hears of its own events, once`, async (t) => {
    const { redis, line, events, score } = await start(t, { faulty: true, awayMs, site: { ingest_partitions: 2 } });
    assert.equal((await events({ id: 'first', events: [view] })).status, 200);
    const random = createRandom(20261122);
    const senders = 16;
    const each = condition === 'longDelay' ? 2 : 12;
    let sent = 0;
    await sendAll(senders, each, async (sender, n) => {
      // Their outcomes differ, so an answer that went astray would show.
      const kinds = /** @type {const} */ ([
        ['accepted', [view]],
        ['not-done', [{ ...like, actor: `n${sender}`, undo: true }]],
        ['two', [view, { action: 'none', item: 'a' }]],
      ]);
      const [kind, batch] = kinds[(sender + n) % kinds.length];
      const id = `s${sender}-${n}`;
      sent += kind === 'not-done' ? 0 : 1;
      await until(
        `${id} answered`,
        async () => {
          if (random() < 1 / 5) {
            line.set(condition);
            setTimeout(() => line.set('clear'), 5);
          }
          const { status, body } = await events({ id, events: batch });
          if (status !== 200) {
            assert.ok([503, 504].includes(status), String(status));
            return false;
          }
          const codes = body.rejected.map((/** @type {any} */ { code }) => code);
          const found = [body.accepted + body.duplicate, ...codes];
          const expected = { accepted: [[1]], two: [[1, 'unknown-action']], 'not-done': [[0, 'not-done'], [1]] }[kind];
          assert.ok(
            expected.some((one) => JSON.stringify(one) === JSON.stringify(found)),
            `${kind}: ${JSON.stringify(found)}`,
          );
          return true;
        },
        { timeoutMs: 90_000 },
      );
    });
    line.set('clear');
    assert.equal(await score(), 1 + sent);
    assert.ok((await info(redis, 'stats', 'total_connections_received')) > 2, 'connections were given up');
  });
}
