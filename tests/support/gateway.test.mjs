/**
 * The gateway is Upstash to the official client, speaks the documented protocol to everyone else, and fails when asked to.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';

import { Redis } from '@upstash/redis';

import { startGateway } from './gateway.mjs';
import { startRedis } from './redis.mjs';

const SCRIPT = "redis.call('INCRBY', KEYS[1], 2) redis.call('INCR', KEYS[1]) return redis.call('GET', KEYS[1])";
const SHA = createHash('sha1').update(SCRIPT).digest('hex');

/** @type {Awaited<ReturnType<typeof startRedis>>} */
let redis;
/** @type {Awaited<ReturnType<typeof startGateway>>} */
let gateway;

before(async () => {
  redis = await startRedis();
  gateway = await startGateway({ redis, lint: true });
});
beforeEach(async () => {
  gateway.faults.clear();
  await redis.command('FLUSHALL');
  await redis.command('SCRIPT', 'FLUSH');
});
after(async () => {
  await gateway?.close();
  await redis?.stop();
});

/** @param {object} [options] */
const client = (options) =>
  new Redis({
    url: gateway.url,
    token: gateway.token,
    retry: false,
    automaticDeserialization: false,
    enableAutoPipelining: false, // one command is one `POST /`
    ...options,
  });

/**
 * One raw request: its status and its body, parsed when it is JSON.
 *
 * @param {string} path
 * @param {{ body?: unknown, method?: string, headers?: Record<string, string> }} [options]
 */
async function send(path, { body, method = body === undefined ? 'GET' : 'POST', headers } = {}) {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { authorization: `Bearer ${gateway.token}`, ...headers },
    body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, body: isJson && text ? JSON.parse(text) : text, headers: response.headers };
}

describe('the official client', () => {
  for (const responseEncoding of [/** @type {const} */ ('base64'), /** @type {const} */ (false)]) {
    describe(`with response encoding ${responseEncoding}`, () => {
      for (const value of ['bar', '', 'OK', 'zażółć 🦀', '\0\r\n\x01', '"quoted"', '/a/b?c=d']) {
        test(`gets back ${JSON.stringify(value)}`, async () => {
          const upstash = client({ responseEncoding });
          assert.equal(await upstash.set('key', value), 'OK');
          assert.equal(await upstash.get('key'), value);
          assert.equal(await redis.command('GET', 'key'), value);
        });
      }

      test('reads nested arrays, integers and null', async () => {
        const upstash = client({ responseEncoding });
        const answer = await upstash.eval("return {'a', {1, {'b'}}, false}", [], []);
        assert.deepEqual(answer, ['a', [1, ['b']], null]);
      });

      test('runs a transaction', async () => {
        const upstash = client({ responseEncoding });
        assert.deepEqual(await upstash.multi().set('a', '1').incr('a').get('a').exec(), ['OK', 2, '2']);
      });
    });
  }

  test('sees which item of a pipeline failed; the others are applied', async () => {
    const pipeline = client().pipeline().set('text', 'x').incr('text').set('after', 'y');
    const [first, second, third] = await pipeline.exec({ keepErrors: true });
    assert.deepEqual([first.result, third.result], ['OK', 'OK']);
    assert.match(second.error ?? '', /^ERR value is not an integer/);
    assert.equal(await redis.command('GET', 'after'), 'y');
  });

  test('gets NOSCRIPT, then finds the loaded script', async () => {
    const upstash = client();
    await assert.rejects(upstash.evalsha(SHA, ['n'], []), /^UpstashError: NOSCRIPT No matching script/);
    assert.equal(await upstash.scriptLoad(SCRIPT), SHA);
    assert.equal(await upstash.evalsha(SHA, ['n'], []), '3');
  });

  test('is refused with a wrong token', async () => {
    await assert.rejects(client({ token: 'wrong' }).get('key'), /Unauthorized/);
  });
});

describe('the protocol', () => {
  for (const path of ['/', '/pipeline', '/multi-exec', '/get/key', '/no-such-command']) {
    test(`${path} wants the token, as a header or a parameter`, async () => {
      const body = path === '/' ? ['GET', 'key'] : [['GET', 'key']];
      for (const authorization of ['', 'Bearer wrong', gateway.token.slice(1)]) {
        const { status, body: problem } = await send(path, { body, headers: { authorization } });
        assert.deepEqual([status, problem], [401, { error: 'Unauthorized' }]);
      }
      const response = await fetch(`${gateway.url}/get/key?_token=${gateway.token}`);
      assert.deepEqual([response.status, await response.json()], [200, { result: null }]);
    });
  }

  test('takes commands as paths, with the body as value and parameters as options', async () => {
    assert.deepEqual((await send('/set/a%2Fb/c%20d')).body, { result: 'OK' });
    assert.equal(await redis.command('GET', 'a/b'), 'c d');
    assert.deepEqual((await send('/set/key?EX=100&NX', { body: '{"a":1}' })).body, { result: 'OK' });
    assert.equal(await redis.command('GET', 'key'), '{"a":1}');
    assert.equal(await redis.command('TTL', 'key'), 100);
  });

  test('passes numbers as they are written and answers integers past 2^53 digit by digit', async () => {
    const big = '9007199254740993';
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}` },
      body: `["INCRBY", "n", ${big}]`,
    });
    assert.equal(await response.text(), `{"result":${big}}`);
  });

  test('replaces bytes that are not UTF-8 unless base64 is asked for', async () => {
    await redis.command('SET', 'key', Buffer.from([0x61, 0xff]));
    assert.deepEqual((await send('/get/key')).body, { result: 'a\ufffd' });
    assert.deepEqual((await send('/get/key', { headers: { 'upstash-encoding': 'base64' } })).body, { result: 'Yf8=' });
  });

  test('encodes every string but the OK status and errors', async () => {
    const headers = { 'upstash-encoding': 'base64' };
    const body = [['SET', 'k', 'OK'], ['GET', 'k'], ['PING'], ['INCR', 'k'], ['STRLEN', 'k'], ['MGET', 'k', 'none']];
    const [set, get, ping, incr, strlen, mget] = (await send('/pipeline', { body, headers })).body;
    assert.deepEqual([set, get, ping], [{ result: 'OK' }, { result: 'T0s=' }, { result: 'UE9ORw==' }]);
    assert.match(incr.error, /^ERR value/);
    assert.deepEqual([strlen, mget], [{ result: 2 }, { result: ['T0s=', null] }]);
  });

  test('answers raw RESP on demand, except for transactions and with base64', async () => {
    const headers = { 'upstash-response-format': 'resp2' };
    assert.equal((await send('/', { body: ['SET', 'k', 'bar'], headers })).body, '+OK\r\n');
    const commands = [['GET', 'k'], ['INCR', 'k'], ['MULTI'], ['MGET', 'k']];
    const pipeline = await send('/pipeline', { body: commands, headers });
    assert.equal(pipeline.headers.get('content-type'), 'application/octet-stream');
    assert.match(pipeline.body, /^\$3\r\nbar\r\n-ERR value[^\r]+\r\n-ERR Command[^\r]+\r\n\*1\r\n\$3\r\nbar\r\n$/);
    assert.deepEqual((await send('/multi-exec', { body: [['GET', 'k']], headers })).body, [{ result: 'bar' }]);
    assert.equal((await send('/get/k', { headers: { ...headers, 'upstash-encoding': 'base64' } })).status, 400);
    assert.equal((await send('/get/k', { headers: { 'upstash-response-format': 'xml' } })).status, 400);
  });

  const refused = [
    { name: 'a command that fails', path: '/', body: ['INCR', 'text'], error: /^ERR value is not an integer/ },
    { name: 'an unknown command', path: '/', body: ['NOPE'], error: /^ERR unknown command/ },
    { name: 'a command that needs a connection', path: '/', body: ['subscribe', 'c'], error: /^ERR Command is not/ },
    { name: 'a body that is not JSON', path: '/pipeline', body: '[[', error: /^ERR failed to parse/ },
    { name: 'a command that is no array', path: '/', body: { a: 1 }, error: /^ERR expected a command/ },
    { name: 'null as an argument', path: '/', body: ['SET', 'k', null], error: /^ERR unsupported argument/ },
    { name: 'a wrong command in MULTI', path: '/multi-exec', body: [['SET', 'k', 'v'], ['GET']], error: /^EXECABORT/ },
    { name: 'MULTI in MULTI', path: '/multi-exec', body: [['SET', 'k', 'v'], ['MULTI']], error: /^ERR Command/ },
  ];
  for (const { name, path, body, error } of refused) {
    test(`refuses ${name} with 400`, async () => {
      await redis.command('SET', 'text', 'x');
      const { status, body: problem } = await send(path, { body });
      assert.equal(status, 400);
      assert.match(problem.error, error);
      assert.equal(await redis.command('EXISTS', 'k'), 0);
    });
  }

  test('a failing item of a transaction stops no other', async () => {
    const { status, body } = await send('/multi-exec', {
      body: [
        ['SET', 'k', 'x'],
        ['INCR', 'k'],
        ['GET', 'k'],
      ],
    });
    assert.equal(status, 200);
    assert.match(body[1].error, /^ERR value/);
    assert.deepEqual([body[0], body[2]], [{ result: 'OK' }, { result: 'x' }]);
  });

  test('allows HEAD, GET, POST and PUT only', async () => {
    for (const method of ['DELETE', 'PATCH', 'OPTIONS']) assert.equal((await send('/get/k', { method })).status, 405);
    for (const method of ['HEAD', 'GET', 'PUT']) assert.equal((await send('/get/k', { method })).status, 200);
  });

  test('sends a sync token with every answer', async () => {
    assert.ok((await send('/ping')).headers.get('upstash-sync-token'));
  });
});

describe('faults', () => {
  test('a lost reply was applied', async () => {
    gateway.faults.loseReplies(2);
    for (const expected of ['1', '2']) {
      await assert.rejects(send('/incr/n'), TypeError);
      assert.equal(await redis.command('GET', 'n'), expected);
    }
    assert.deepEqual((await send('/incr/n')).body, { result: 3 });
  });

  test('the official client counts a click six times when replies get lost', async () => {
    gateway.faults.loseReplies(5);
    assert.equal(await client({ retry: { retries: 5, backoff: () => 0 } }).incr('n'), 6);
  });

  test('a reply is lost for the command that was named', async () => {
    gateway.faults.loseReply((commands) => commands.some(([name]) => name === 'INCR'));
    assert.equal((await send('/', { body: ['SET', 'n', 1] })).status, 200);
    await assert.rejects(
      send('/pipeline', {
        body: [
          ['GET', 'n'],
          ['INCR', 'n'],
        ],
      }),
      TypeError,
    );
    assert.deepEqual((await send('/', { body: ['INCR', 'n'] })).body, { result: 3 });
  });

  test('a failure before applying is a 503 page', async () => {
    gateway.faults.failBefore(1);
    const { status, body } = await send('/incr/n');
    assert.equal(status, 503);
    assert.match(body, /^<html>/);
    assert.deepEqual((await send('/incr/n')).body, { result: 1 });
  });

  test('a delayed answer was applied at once', async () => {
    gateway.faults.delay(60_000);
    await assert.rejects(fetch(`${gateway.url}/incr/n?_token=${gateway.token}`, { signal: AbortSignal.timeout(100) }));
    assert.equal(await redis.command('GET', 'n'), '1');
    gateway.faults.delay(20);
    const sent = performance.now();
    await send('/incr/n');
    assert.ok(performance.now() - sent >= 19, 'the answer waits');
  });

  test('a hanging gateway applies and answers nothing', async () => {
    gateway.faults.hang();
    await assert.rejects(fetch(`${gateway.url}/incr/n?_token=${gateway.token}`, { signal: AbortSignal.timeout(100) }));
    assert.equal(await redis.command('EXISTS', 'n'), 0);
  });

  test('an unreachable Redis is a 503 page, and a Redis that is back is used again', async () => {
    await redis.kill();
    assert.equal((await send('/ping')).status, 503);
    await redis.restart();
    assert.deepEqual((await send('/ping')).body, { result: 'PONG' });
  });
});

describe('counters', () => {
  test('requests are counted, and commands of those that were applied', async () => {
    const [requests, commands] = [gateway.requests, gateway.commands];
    await send('/pipeline', { body: [['PING'], ['PING']] });
    await send('/ping', { headers: { authorization: 'none' } });
    assert.deepEqual([gateway.requests - requests, gateway.commands - commands], [2, 2]);
  });

  test('the commands that a script runs are counted', async () => {
    gateway.scripts.clear();
    await send('/', { body: ['EVAL', SCRIPT, 1, 'n'] });
    await send('/pipeline', {
      body: [
        ['SET', 'other', 1],
        ['EVALSHA', SHA, 1, 'n'],
      ],
    });
    const { body } = await send('/multi-exec', {
      body: [
        ['GET', 'n'],
        ['EVALSHA', SHA, 1, 'n'],
      ],
    });
    assert.deepEqual(body, [{ result: '6' }, { result: '9' }]);
    assert.deepEqual([...gateway.scripts], [[SHA, { calls: 3, commands: 9, most: 3, names: { incrby: 3, incr: 3, get: 3 } }]]);
  });
});
