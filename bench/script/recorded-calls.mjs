/**
 * The EVALSHA commands that the worker itself sends for a beacon, overheard with MONITOR.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

import { Problem } from '../../scripts/report.mjs';
import { until } from '../../tests/support/until.mjs';
import { expectStatus } from '../worker/contenders.mjs';
import { BEACON_PATH } from '../site.mjs';

/**
 * The command for one beacon. The first beacon after a restart is sent twice, since Redis does not know the script.
 *
 * @param {{ port: number }} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {object} beacon
 * @param {string} [path]
 * @returns {Promise<string[]>}
 */
export async function recordedCall(redis, worker, beacon, path = BEACON_PATH) {
  const socket = connect({ host: '127.0.0.1', port: redis.port, noDelay: true });
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => (heard += text));
  try {
    await once(socket, 'connect');
    socket.write('MONITOR\r\n');
    await until('MONITOR listens', () => heard.startsWith('+OK'));
    await expectStatus(await worker.fetch(path, { method: 'POST', body: JSON.stringify(beacon) }), 204);
    const line = await until('the worker sent EVALSHA', () => /^\+\S+ \[[^\]]+\] ("EVALSHA" .*)\r\n/m.exec(heard)?.[1]);
    return parse(line);
  } finally {
    socket.destroy();
  }
}

/**
 * The arguments of a line of MONITOR. They are ASCII here, so that its escapes are those of JSON.
 *
 * @param {string} line
 * @returns {string[]}
 */
function parse(line) {
  if (/\\x/.test(line)) throw new Problem(`the worker sent what is not text: ${line}`);
  return JSON.parse(`[${line.replaceAll('" "', '","')}]`);
}
