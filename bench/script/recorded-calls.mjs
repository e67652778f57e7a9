/**
 * What the worker itself sends to Redis for a request, overheard with MONITOR.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

import { Problem } from '../../scripts/report.mjs';
import { until } from '../../tests/support/until.mjs';
import { BEACON_PATH } from '../site.mjs';
import { expectStatus } from '../worker/contenders.mjs';

/**
 * The script's source, from the EVAL that follows the first EVALSHA on a new Redis.
 *
 * @param {{ port: number }} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {object} beacon
 * @returns {Promise<string>}
 */
export async function recordedSource(redis, worker, beacon) {
  const [[, source]] = await recorded('EVAL', redis, 1, () => send(worker, beacon, BEACON_PATH));
  return source;
}

/**
 * The EVALSHA of a beacon, on a Redis that knows the script.
 *
 * @param {{ port: number }} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {object} beacon
 * @param {string} [path]
 * @returns {Promise<string[]>}
 */
export async function recordedCall(redis, worker, beacon, path = BEACON_PATH) {
  const [call] = await recordedCalls(redis, 1, () => send(worker, beacon, path));
  return call;
}

/**
 * The first EVALSHA of any request.
 *
 * @param {{ port: number }} redis
 * @param {number} count how many
 * @param {() => Promise<unknown>} request
 * @returns {Promise<string[][]>}
 */
export async function recordedCalls(redis, count, request) {
  return recorded('EVALSHA', redis, count, request);
}

/**
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {object} beacon
 * @param {string} path
 */
async function send(worker, beacon, path) {
  await expectStatus(await worker.fetch(path, { method: 'POST', body: JSON.stringify(beacon) }), 204);
}

/**
 * @param {string} command
 * @param {{ port: number }} redis
 * @param {number} count
 * @param {() => Promise<unknown>} request
 * @returns {Promise<string[][]>} each with its arguments
 */
async function recorded(command, { port }, count, request) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => (heard += text));
  try {
    await once(socket, 'connect');
    socket.write('MONITOR\r\n');
    await until('MONITOR listens', () => heard.startsWith('+OK'));
    await request();
    const lines = () => [...heard.matchAll(new RegExp(`^\\+\\S+ \\[[^\\]]+\\] ("${command}" .*)\\r\\n`, 'gm'))];
    await until(`the worker sent ${command}`, () => lines().length >= count);
    return lines()
      .slice(0, count)
      .map(([, line]) => parse(line));
  } finally {
    socket.destroy();
  }
}

/**
 * The arguments in a line of MONITOR. They are ASCII here, so that its escapes are those of JSON.
 *
 * @param {string} line
 * @returns {string[]}
 */
function parse(line) {
  if (line.includes('\\x')) throw new Problem(`the worker sent what is not text: ${line}`);
  return JSON.parse(`[${line.replaceAll('" "', '","')}]`);
}
