/**
 * What runs in Redis for requests, overheard with MONITOR: what the worker sends, and what scripts call. Bytes that are not ASCII come as
 * characters of Latin-1.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

import { Problem } from '../../packages/edgeboard/report.mjs';
import { until } from './until.mjs';

/** Told to Redis before and after each request. */
const MARK = 'a-request-begins-or-ends';
/** What the worker sends to count and to read: calls of functions, since Redis knows them, or of scripts where it may call none. */
const SENT = /^(fcall|fcall_ro|evalsha|multi|exec)$/i;

/**
 * @param {import('./redis.mjs').Redis} redis which knows the library, or the scripts
 * @param {(() => Promise<unknown>)[]} requests
 * @returns {Promise<string[][][]>} the commands that the worker sent for each request, with their arguments
 */
export async function recordCalls(redis, requests) {
  return (await overhear(redis, requests)).map(callsOf);
}

/**
 * What the worker sent for a request.
 *
 * @param {Overheard[]} commands that ran for it
 */
export function callsOf(commands) {
  const calls = commands.filter(({ isOfScript, command: [name] }) => !isOfScript && SENT.test(name));
  if (calls.length === 0) throw new Problem(`the worker called no script: ${JSON.stringify(commands)}`);
  return calls.map(({ command }) => command);
}

/**
 * @typedef {{ isOfScript: boolean, command: string[] }} Overheard `isOfScript`: a script called it
 *
 * @param {import('./redis.mjs').Redis} redis
 * @param {(() => Promise<unknown>)[]} requests
 * @returns {Promise<Overheard[][]>} the commands that ran for each request
 */
export async function overhear(redis, requests) {
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
  return heard
    .split(`"${MARK}"`)
    .filter((_, part) => part % 2 === 1)
    .map(commandsIn);
}

/**
 * The commands in lines of MONITOR, but those that mark.
 *
 * @param {string} heard
 * @returns {Overheard[]}
 */
function commandsIn(heard) {
  const lines = [...heard.matchAll(/^\+\S+ \[\d+ ([^\]]+)\] (".*")\r$/gm)];
  return lines.map(([, from, line]) => ({ isOfScript: from === 'lua', command: argumentsOf(line) }));
}

/**
 * The arguments in a line of MONITOR.
 *
 * @param {string} line
 * @returns {string[]}
 */
function argumentsOf(line) {
  return JSON.parse(`[${line.replaceAll('" "', '","').replace(/\\x([0-9a-f]{2})/g, '\\u00$1')}]`);
}
