/**
 * A redis-server on a free loopback port. It keeps its data below .wrangler, beside wrangler's own, and writes it
 * when it ends, so counts outlive a restart.
 */
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';

import { inFolder } from '../place.mjs';
import { poll } from '../poll.mjs';
import { start } from '../processes.mjs';
import { Problem } from '../report.mjs';
import { freePort } from './port.mjs';

const HOST = '127.0.0.1';
const READY_MS = 30_000;

/**
 * @param {string} program
 * @param {{ name: string }} options name: tells the data of servers that run beside each other apart
 * @returns {Promise<{ url: string, ended: Promise<number> }>}
 */
export async function startRedis(program, { name }) {
  const port = await freePort();
  const folder = inFolder('.wrangler/redis', name);
  mkdirSync(folder, { recursive: true });
  const settings = { bind: HOST, port, dir: folder, save: '900 1' };
  let printed = '';
  const { ended } = start(
    program,
    Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)]),
    { log: (text) => (printed += text) },
  );
  const isReady = await poll(() => answersPing(port), { withinMs: READY_MS, ended });
  if (!isReady) throw new Problem(`${printed}redis-server did not start`);
  return { url: `redis://${HOST}:${port}`, ended };
}

/**
 * Whether a Redis is there and has its data loaded.
 *
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function answersPing(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: HOST, port }, () => socket.write('PING\r\n'));
    socket.once('data', (reply) => {
      socket.destroy();
      resolve(reply.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
