/**
 * What the worker itself sends to Redis for requests, overheard with MONITOR.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

import { Problem } from '../../scripts/report.mjs';
import { until } from '../../tests/support/until.mjs';

/** Told to Redis before and after each request. */
const MARK = 'a-request-begins-or-ends';
/** What the worker sends to count and to read. It is asked for scripts by their digests, since Redis knows them. */
const SENT = /^(evalsha|evalsha_ro|multi|exec)$/i;

/**
 * @param {import('../../tests/support/redis.mjs').Redis} redis which knows the scripts
 * @param {(() => Promise<unknown>)[]} requests
 * @returns {Promise<string[][][]>} the commands of each request, with their arguments
 */
export async function recordCalls(redis, requests) {
  const socket = connect({ host: '127.0.0.1', port: redis.port, noDelay: true });
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => (heard += text));
  try {
    await once(socket, 'connect');
    socket.write('MONITOR\r\n');
    await until('MONITOR listens', () => heard.startsWith('+OK'));
    for (const request of requests) {
      await redis.command('ECHO', MARK);
      await request();
      await redis.command('ECHO', MARK);
    }
    const marks = () => heard.split(`"${MARK}"`).length - 1;
    await until('MONITOR has told everything', () => marks() === 2 * requests.length);
  } finally {
    socket.destroy();
  }
  const between = heard.split(`"${MARK}"`).filter((_, part) => part % 2 === 1);
  return between.map((part) => {
    const calls = commandsIn(part).filter(([name]) => SENT.test(name));
    if (calls.length === 0) throw new Problem(`the worker sent no call of a script: ${part}`);
    return calls;
  });
}

/**
 * The commands in lines of MONITOR, but those that a script called.
 *
 * @param {string} heard
 * @returns {string[][]}
 */
function commandsIn(heard) {
  const lines = [...heard.matchAll(/^\+\S+ \[\d+ ([^\]]+)\] (".*")\r$/gm)];
  return lines.filter(([, from]) => from !== 'lua').map(([, , line]) => argumentsOf(line));
}

/**
 * The arguments in a line of MONITOR. They are ASCII here, so that its escapes are those of JSON.
 *
 * @param {string} line
 * @returns {string[]}
 */
function argumentsOf(line) {
  if (line.includes('\\x')) throw new Problem(`the worker sent what is not text: ${line}`);
  return JSON.parse(`[${line.replaceAll('" "', '","')}]`);
}
