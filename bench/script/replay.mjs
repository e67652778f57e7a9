/**
 * Sends recorded commands again, as new ones: what Redis remembers of ids and of who did what is put back before.
 */
import { Problem } from '../../packages/edgeboard/report.mjs';
import { respConnection, ReplyError } from '../../tests/support/resp.mjs';

/** Ids, what counts once, what can be undone, and the best values: the same ones again would be no better. */
const REMEMBERED = ['*:ids:*', '*:seen:*', '*:once:*', '*:tracked:*', '*:undone:*', '*:max:*'];
const COPIES = 'copy-of:';

/**
 * @typedef {object} Memory
 * @property {() => Promise<void>} restore
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @returns {Promise<Memory>} of now
 */
export async function keepMemory(redis) {
  const kept = await rememberedKeys(redis);
  for (const key of kept) await redis.command('COPY', key, COPIES + key, 'REPLACE');
  return {
    async restore() {
      for (const key of await rememberedKeys(redis)) await redis.command('DEL', key);
      for (const key of kept) await redis.command('COPY', COPIES + key, key);
    },
  };
}

/** @param {import('../../tests/support/redis.mjs').Redis} redis */
async function rememberedKeys(redis) {
  const found = await Promise.all(REMEMBERED.map((pattern) => redis.command('KEYS', pattern)));
  return found.flat().filter((/** @type {string} */ key) => !key.startsWith(COPIES));
}

/**
 * @typedef {object} Sender
 * @property {(trips: string[][][]) => Promise<void>} send the commands of one round trip after another; fails at an error reply
 * @property {() => void} close
 *
 * @param {{ port: number }} redis
 * @returns {Sender}
 */
export function openSender({ port }) {
  const connection = respConnection({ host: '127.0.0.1', port });
  return {
    close: connection.close,
    async send(trips) {
      for (const commands of trips) {
        const replies = await connection.batch(commands);
        const failed = replies.findIndex(({ value }) => value instanceof ReplyError);
        if (failed >= 0) throw new Problem(`redis-server answered ${replies[failed].value} to ${commands[failed].join(' ')}`);
      }
    },
  };
}

/** As many constants as a call of Lua takes. */
const MOST_ARGUMENTS = 200;

/**
 * Scripts that run what the scripts of a request ran, with the arguments as constants.
 *
 * @param {import('../../tests/support/overheard.mjs').Overheard[]} heard
 * @returns {string[]} one for each call
 */
export function commandsAlone(heard) {
  /** @type {string[][]} */
  const scripts = [];
  for (const { isOfScript, command } of heard) {
    if (isOfScript) scripts.at(-1)?.push(lineOf(command));
    else if (/^fcall/i.test(command[0])) scripts.push(['local call = redis.call']);
  }
  return scripts.map((lines) => lines.join('\n'));
}

/** @param {string[]} command */
function lineOf(command) {
  const constants = command.map((text) => `"${text.replaceAll(/[^ -!#-[\]-~]/g, (c) => `\\${String(c.charCodeAt(0)).padStart(3, '0')}`)}"`);
  return constants.length > MOST_ARGUMENTS ? `call(unpack({${constants}}))` : `call(${constants})`;
}

/**
 * @template T
 * @param {T[]} items
 * @param {number} size
 * @returns {T[][]} in groups of so many
 */
export function grouped(items, size) {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, group) => items.slice(group * size, (group + 1) * size));
}
