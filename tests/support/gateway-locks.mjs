/**
 * Upstash's `allow-key-locking` over a Redis that does not know it: a function that was registered with the flag may use the keys alone that its
 * call declares. After https://upstash.com/docs/redis/help/faq and the pages about scripts and functions.
 *
 * The text that Redis gets is the one that was sent, behind a `redis` of its own that takes the flag away and looks at each command.
 */
import { ReplyError } from './resp.mjs';

/**
 * @typedef {import('./resp.mjs').Argument} Argument
 * @typedef {import('./resp.mjs').Answer} Answer
 */

/** Keys behind the command's name; 1 for those that are not here. */
const KEYS_OF = '{ TIME = 0, INFO = 0, COPY = 2, RENAME = 2, ZRANGESTORE = 2, EXISTS = 99, DEL = 99, UNLINK = 99 }';

// There are no functions of Lua while a library is loaded.
const BEFORE = `
local behind = function() return redis end
local declared, keys_of
local function look(command, ...)
  if not declared then return end
  local words, last = { ... }, keys_of[command] or 1
  local is_union = command == 'ZUNIONSTORE' or command == 'ZINTERSTORE'
  if is_union then last = 2 + words[2] end
  for i = 1, last do
    if words[i] and not (is_union and i == 2) and not declared[words[i]] then
      return { err = "ERR Dynamic keys are not allowed in Lua scripts when 'allow-key-locking' flag is set. Key was: " .. words[i] }
    end
  end
end
local redis = {
  call = function(...)
    local refusal = look(...)
    if refusal then error(refusal) end
    return behind().call(...)
  end,
  pcall = function(...) return look(...) or behind().pcall(...) end,
  error_reply = function(...) return behind().error_reply(...) end,
  status_reply = function(...) return behind().status_reply(...) end,
  sha1hex = function(...) return behind().sha1hex(...) end,
  register_function = function(of)
    local flags, is_locking, given, callback = {}, false, of.flags or {}, of.callback
    for i = 1, #given do
      if given[i] == 'allow-key-locking' then is_locking = true else flags[#flags + 1] = given[i] end
    end
    behind().register_function({ function_name = of.function_name, flags = flags, callback = function(keys, args)
      declared, keys_of = nil, ${KEYS_OF}
      if is_locking then
        declared = {}
        for i = 1, #keys do declared[keys[i]] = true end
      end
      return callback(keys, args)
    end })
  end,
}
`;

/**
 * How calls of functions locked.
 *
 * @typedef {object} Locked
 * @property {number} all everything
 * @property {number} telling everything, and were asked which keys they used
 * @property {number} keys what they declared
 * @property {number} lacking of these, those that lacked a key
 * @property {number} mostKeys the most that one declared
 */

/** A server that locks by key, as far as a client can tell. */
export function createLocks() {
  /** @type {Locked} */
  const locked = { all: 0, telling: 0, keys: 0, lacking: 0, mostKeys: 0 };
  return {
    locked,

    /**
     * The commands as Redis is sent them.
     *
     * @param {Argument[][]} commands
     * @returns {Argument[][]}
     */
    withoutFlag: (commands) => commands.map(withoutFlag),

    /**
     * @param {Argument[][]} commands
     * @param {Answer[]} answers
     */
    count(commands, answers) {
      commands.forEach(([name, of, keys], i) => {
        if (!String(name).startsWith('FCALL')) return;
        if (!String(of).endsWith('_locking')) {
          locked[String(of).endsWith('_telling') ? 'telling' : 'all'] += 1;
          return;
        }
        locked.keys += 1;
        locked.mostKeys = Math.max(locked.mostKeys, Number(keys));
        const { value } = answers[i];
        if (value instanceof ReplyError && value.message.includes('Dynamic keys')) locked.lacking += 1;
      });
    },
  };
}

/** @param {Argument[]} command */
function withoutFlag(command) {
  const [name, what, text] = command;
  const isLibrary = String(name) === 'FUNCTION' && String(what) === 'LOAD' && String(text).includes('allow-key-locking');
  if (!isLibrary) return command;
  const [shebang, ...lines] = String(text).split('\n');
  return [name, what, [shebang, BEFORE.replaceAll('\n', ' '), ...lines].join('\n')];
}
