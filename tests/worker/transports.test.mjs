/**
 * What both ways to Redis do in JavaScript keeps its time limits by itself: also when the WebAssembly instance that waits for it has
 * ended, as by a trap in another request.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';

import { callObject, Endpoint, Socket } from '../../src/edge/transports.js';

const MS = 100;
const LONG_MS = 60_000;
const never = /** @type {Promise<never>} */ (new Promise(() => {}));
const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
const text = (/** @type {Uint8Array | undefined} */ read) => read && new TextDecoder().decode(read);

/**
 * A server behind a socket of the runtime.
 *
 * @param {object} server
 * @param {Promise<unknown>} [server.opened]
 * @param {(string | Error | Promise<never>)[]} [server.says] until the end
 * @param {() => Promise<void>} [server.takes] what becomes of what is written
 */
function socketTo({ opened = Promise.resolve(), says = [], takes = async () => {} }) {
  /** @type {string[]} */
  const written = [];
  /** @type {unknown[][]} */
  const connected = [];
  const readable = new ReadableStream({
    async pull(controller) {
      const reply = await says.shift();
      if (reply instanceof Error) controller.error(reply);
      else if (reply === undefined) controller.close();
      else controller.enqueue(bytes(reply));
    },
  });
  const writable = new WritableStream({
    write: (chunk) => {
      written.push(text(chunk) ?? '');
      return takes();
    },
  });
  const connect = (/** @type {unknown[]} */ ...to) => {
    connected.push(to);
    return { opened, readable, writable, close };
  };
  let closed = 0;
  const close = async () => {
    closed += 1;
    if (closed > 1) throw new Error('closed already');
  };
  return { socket: new Socket(connect, 'redis.example', 6379, true), written, connected, timesClosed: () => closed };
}

describe('a socket', () => {
  test('connects, writes, and reads what comes', async () => {
    const { socket, written, connected } = socketTo({ says: ['+PO', 'NG'] });
    assert.deepEqual(connected, [[{ hostname: 'redis.example', port: 6379 }, { secureTransport: 'on' }]]);
    assert.equal(socket.isOpen, false);
    const sent = bytes('PING');
    const first = socket.exchange(sent, LONG_MS, LONG_MS);
    sent.fill(0); // as memory that is used for something else
    assert.equal(text(await first), '+PO');
    assert.equal(socket.isOpen, true);
    assert.equal(text(await socket.read()), 'NG');
    assert.equal(await socket.read(), undefined, 'the end');
    assert.deepEqual(written, ['PING']);
  });

  test('is used again', async () => {
    const { socket, written } = socketTo({ says: ['1', '2'] });
    assert.equal(text(await socket.exchange(bytes('a'), LONG_MS, LONG_MS)), '1');
    assert.equal(text(await socket.exchange(bytes('b'), LONG_MS, LONG_MS)), '2');
    assert.deepEqual(written, ['a', 'b']);
  });

  test('is closed, and that it was closed already harms nobody', async () => {
    const { socket, timesClosed } = socketTo({});
    for (const times of [1, 2]) {
      socket.close();
      assert.equal(timesClosed(), times);
    }
  });

  test('is closed when nobody can take what comes, since who asked has ended', async () => {
    const { socket, timesClosed } = socketTo({ says: ['1', '2', never] });
    const ended = () => {
      throw new Error('ended');
    };
    assert.equal(text(await socket.exchange(bytes('a'), LONG_MS, MS)), '1');
    for (const asked of [socket.read(), socket.read()]) {
      const before = timesClosed();
      await assert.rejects(asked.then(ended, ended), { message: 'ended' });
      assert.equal(timesClosed(), before + 1);
    }
  });

  test('writes nothing without a connection, and gives up', async () => {
    const { socket, written } = socketTo({ opened: never });
    await assert.rejects(socket.exchange(bytes('PING'), MS, LONG_MS), { message: `no connection within ${MS} ms` });
    assert.deepEqual([socket.isOpen, written], [false, []]);
  });

  test('writes nothing when the connection comes too late', async () => {
    /** @type {(value?: unknown) => void} */
    let open = () => {};
    const { socket, written } = socketTo({ opened: new Promise((resolve) => (open = resolve)), says: ['+PONG'] });
    await assert.rejects(socket.exchange(bytes('PING'), MS, LONG_MS), { message: `no connection within ${MS} ms` });
    open();
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual([socket.isOpen, written], [false, []]);
  });

  test('tells why there is no connection', async () => {
    const { socket, written } = socketTo({ opened: Promise.reject(new Error('refused')) });
    await assert.rejects(socket.exchange(bytes('PING'), LONG_MS, LONG_MS), { message: 'refused' });
    assert.deepEqual([socket.isOpen, written], [false, []]);
  });

  for (const [name, says] of /** @type {[string, (string | Promise<never>)[]][]} */ ([
    ['nothing', [never]],
    ['a part', ['+PO', never]],
  ])) {
    test(`gives up on a server that says ${name}`, async () => {
      const { socket } = socketTo({ says });
      const whole = async () => {
        await socket.exchange(bytes('PING'), MS, MS);
        for (;;) await socket.read();
      };
      await assert.rejects(whole(), { message: `no reply within ${MS} ms` });
      assert.equal(socket.isOpen, true, 'it may have been done');
    });
  }

  test('gives up on a server that says little for ever', async () => {
    let reply = 0;
    const says = { shift: () => new Promise((resolve) => setTimeout(() => resolve(`${(reply += 1)}`), MS / 10)) };
    const { socket } = socketTo({ says: /** @type {any} */ (says) });
    const whole = async () => {
      await socket.exchange(bytes('PING'), MS, MS);
      for (;;) await socket.read();
    };
    await assert.rejects(whole(), { message: `no reply within ${MS} ms` });
  });

  test('tells what kept the bytes from being written, rather than that nothing came', async () => {
    const takes = () => Promise.reject(new Error('broken pipe'));
    for (const says of [[], [new Error('reset')]]) {
      await assert.rejects(socketTo({ says, takes }).socket.exchange(bytes('PING'), LONG_MS, LONG_MS), { message: 'broken pipe' });
    }
    await assert.rejects(socketTo({ says: [new Error('reset')] }).socket.exchange(bytes('PING'), LONG_MS, LONG_MS), { message: 'reset' });
  });
});

describe('an object that gathers events', () => {
  const objects = (/** @type {Promise<string>} */ answer) => ({
    getByName: (/** @type {string} */ name) => ({
      count: (/** @type {string} */ message) => answer.then((reply) => `${reply} ${name} ${message}`),
    }),
  });

  test('answers', async () => {
    assert.equal(await callObject(objects(Promise.resolve('cc')), 'demo:0', 'count', '{}', LONG_MS), 'cc demo:0 {}');
  });

  test('fails, or never answers', async () => {
    await assert.rejects(callObject(objects(Promise.reject(new Error('gone'))), 'demo:0', 'count', '{}', LONG_MS), { message: 'gone' });
    const overloaded = Object.assign(new Error('overloaded'), { overloaded: true });
    assert.equal(await callObject(objects(Promise.reject(overloaded)), 'demo:0', 'count', '{}', LONG_MS), undefined);
    await assert.rejects(callObject(objects(never), 'demo:0', 'count', '{}', MS), { message: `no answer within ${MS} ms` });
  });
});

describe('Upstash', () => {
  /**
   * @param {import('node:test').TestContext} t
   * @param {import('node:http').RequestListener} answer
   */
  async function startServer(t, answer) {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return { server, url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}` };
  }

  test('is sent commands with the token, and its whole answer is read', async (t) => {
    const { url } = await startServer(t, (request, response) => {
      const { authorization, 'content-type': type, 'upstash-encoding': encoding } = request.headers;
      response.writeHead(400).end(JSON.stringify([request.method, request.url, authorization, type, encoding]));
    });
    const { status, body } = await new Endpoint(url, 'secret').post('/pipeline', '["PING"]', LONG_MS);
    assert.equal(status, 400);
    assert.deepEqual(JSON.parse(text(body) ?? ''), ['POST', '/pipeline', 'Bearer secret', 'application/json', 'base64']);
  });

  for (const [name, begin] of /** @type {[string, import('node:http').RequestListener][]} */ ([
    ['says nothing', () => {}],
    ['says a part', (_, response) => response.writeHead(200).write('{"result":')],
  ])) {
    test(`that ${name} is given up and hung up on`, async (t) => {
      const { server, url } = await startServer(t, begin);
      const hungUp = once(server, 'connection').then(([socket]) => once(socket, 'close'));
      await assert.rejects(new Endpoint(url, 'secret').post('/', '["PING"]', MS), { message: `no answer within ${MS} ms` });
      await hungUp;
    });
  }

  test('that is not there is told', async (t) => {
    const { server, url } = await startServer(t, () => {});
    server.close();
    await assert.rejects(new Endpoint(url, 'secret').post('/', '["PING"]', LONG_MS), TypeError);
  });
});
