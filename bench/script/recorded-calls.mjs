/**
 * What the worker itself sends to Redis for a beacon, overheard with MONITOR.
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
  const [, source] = await recorded('EVAL', redis, worker, beacon, BEACON_PATH);
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
  return recorded('EVALSHA', redis, worker, beacon, path);
}

/**
 * @param {string} command
 * @param {{ port: number }} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {object} beacon
 * @param {string} path
 * @returns {Promise<string[]>} with its arguments
 */
async function recorded(command, { port }, worker, beacon, path) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => (heard += text));
  try {
    await once(socket, 'connect');
    socket.write('MONITOR\r\n');
    await until('MONITOR listens', () => heard.startsWith('+OK'));
    await expectStatus(await worker.fetch(path, { method: 'POST', body: JSON.stringify(beacon) }), 204);
    const line = new RegExp(`^\\+\\S+ \\[[^\\]]+\\] ("${command}" .*)\\r\\n`, 'm');
    return parse(await until(`the worker sent ${command}`, () => line.exec(heard)?.[1]));
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
