/**
 * Pipelines of commands over one connection: encoded beforehand and sent one after the other, each when all replies to
 * the one before have come. So the sender's own work does not disturb the server that is measured.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

import { Problem } from '../../scripts/report.mjs';

const NEWLINE = 0x0a;
const MINUS = 0x2d;

/**
 * @param {string[][]} commands
 * @returns {Buffer}
 */
export function encode(commands) {
  const parts = commands.flatMap((command) => [
    `*${command.length}\r\n`,
    ...command.map((argument) => `$${Buffer.byteLength(argument)}\r\n${argument}\r\n`),
  ]);
  return Buffer.from(parts.join(''));
}

/**
 * @typedef {object} Sender
 * @property {(pipelines: Buffer[], linesPerPipeline: number) => Promise<void>} send fails at the first error reply
 * @property {() => void} close
 *
 * @param {{ port: number }} redis
 * @returns {Promise<Sender>}
 */
export async function openSender({ port }) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  return {
    close: () => void socket.destroy(),
    send: (pipelines, linesPerPipeline) =>
      new Promise((resolve, reject) => {
        let sent = 0;
        let linesLeft = 0;
        const finish = (/** @type {Error | undefined} */ error) => {
          socket.off('data', read).off('close', closed);
          if (error) reject(error);
          else resolve();
        };
        const closed = () => finish(new Problem('redis-server closed the connection'));
        const next = () => {
          if (sent === pipelines.length) return finish(undefined);
          linesLeft = linesPerPipeline;
          socket.write(pipelines[sent]);
          sent += 1;
        };
        const read = (/** @type {Buffer} */ replies) => {
          if (replies[0] === MINUS) return finish(new Problem(`redis-server answered ${replies.toString().split('\r\n')[0]}`));
          for (const byte of replies) if (byte === NEWLINE) linesLeft -= 1;
          if (linesLeft === 0) next();
        };
        socket.on('data', read).on('close', closed);
        next();
      }),
  };
}
