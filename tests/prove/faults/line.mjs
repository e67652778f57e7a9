/**
 * A TCP line between the worker and what it asks, to which faults happen. It carries RESP as well as HTTP.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

import { tie } from '../../support/relay.mjs';

/**
 * What happens to what is asked while it lasts. `clear` is no fault. Those that reach Redis lose the reply.
 *
 * @typedef {'clear' | 'delay' | 'longDelay' | 'swallow' | 'reset' | 'resetBefore' | 'halfClose' | 'garbage' | 'lie' | 'trickle'
 *   | 'silence' | 'unavailable' | 'tooMany'} Condition
 *
 * @typedef {object} Line
 * @property {number} port
 * @property {(condition: Condition) => void} set from the next request on
 * @property {(port: number) => void} lead where new connections go
 * @property {() => Promise<void>} refuse accept no connection, and end those that are
 * @property {() => Promise<void>} accept again
 * @property {() => Promise<void>} close
 */

const DELAY_MS = 300;
/** Longer than the worker waits. */
const LONG_DELAY_MS = 6_000;
const TRICKLE_MS = 40;
/** Lengths that no memory holds, near those at which sums of 32 bits overflow, and replies to other questions. */
const LIES = [
  '$4294967295\r\nab',
  '$4294967294\r\nab',
  '$4294967293\r\nab\r\n',
  '$2147483647\r\nab',
  '*4294967295\r\n:1\r\n',
  '*1073741824\r\n$4294967293\r\n',
  '$9223372036854775807\r\n',
  '*2\r\n*9223372036854775807\r\n:1\r\n',
  ':1\r\n',
  '+OK\r\n',
  '$2\r\nok\r\n',
  '*3\r\n$2\r\nok\r\n:9007199254740993\r\n:-1\r\n',
  '*-1\r\n',
];
/** The same over REST. */
const HTTP_LIES = [
  'HTTP/1.1 200 OK\r\ncontent-length: 4294967295\r\n\r\n[',
  'HTTP/1.1 200 OK\r\ncontent-length: 14\r\n\r\n{"result":"OK"',
  'HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n{"result":"OK"}',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]',
  'HTTP/1.1 200 OK\r\ncontent-length: 31\r\n\r\n[{"result":9007199254740993000}]',
  'HTTP/1.1 200 OK\r\ncontent-length: 29\r\n\r\n{"result":["T0s=",1e999,null]}',
  'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n',
];
/** What a gateway says that lost what is behind it, and one that takes nothing more. */
const UNAVAILABLE = 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';
const TOO_MANY = 'HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';
const GARBAGE = ['HTTP/1.1 400 Bad Request\r\n\r\n', '\r\n\r\n', '<html>captive portal</html>\r\n', '\0\xff\xfe\r\n', '$-7\r\n', '*x\r\n'];

/**
 * @param {object} options
 * @param {number} options.to the port behind it
 * @param {boolean} [options.isHttp] it carries HTTP; else RESP
 * @returns {Promise<Line>}
 */
export async function startLine({ to, isHttp = false }) {
  const lies = isHttp ? HTTP_LIES : LIES;
  /** @type {Condition} */
  let condition = 'clear';
  let [target, lied] = [to, 0];
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: target, noDelay: true });
    tie(client, upstream, sockets);
    client.on('data', (bytes) => {
      if (condition === 'silence') return;
      if (condition === 'resetBefore') return void client.resetAndDestroy();
      if (condition === 'tooMany') return void client.end(TOO_MANY);
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      const answer = (/** @type {string | Buffer} */ reply) => void (client.writable && client.write(reply, 'latin1'));
      switch (condition) {
        case 'clear':
          return answer(bytes);
        case 'delay':
          return void setTimeout(answer, DELAY_MS, bytes);
        case 'longDelay':
          return void setTimeout(answer, LONG_DELAY_MS, bytes).unref();
        case 'reset':
          return void client.resetAndDestroy();
        case 'halfClose':
          return void client.end();
        case 'unavailable':
          return void client.end(UNAVAILABLE);
        case 'garbage':
        case 'lie': {
          const replies = condition === 'lie' ? lies : GARBAGE;
          lied += 1;
          return answer(replies[lied % replies.length]);
        }
        case 'trickle':
          return trickle(bytes, answer);
        default:
          return undefined;
      }
    });
  });

  const listen = async (/** @type {number} */ port) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  };
  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  return {
    port,
    set: (next) => void (condition = next),
    lead: (next) => void (target = next),
    refuse: stop,
    accept: async () => void (await listen(port)),
    close: stop,
  };
}

/** One byte after the other. @param {Buffer} bytes @param {(part: Buffer) => void} answer */
function trickle(bytes, answer) {
  for (let i = 0; i < bytes.length; i += 1) setTimeout(() => answer(bytes.subarray(i, i + 1)), i * TRICKLE_MS).unref();
}
