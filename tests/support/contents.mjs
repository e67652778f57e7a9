/**
 * Everything that a Redis holds, read key by key: for what must be in it nowhere, or must be the same as elsewhere.
 */

/** How a whole value of each type is read. @type {Record<string, (key: string) => string[]>} */
const READS = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  list: (key) => ['LRANGE', key, '0', '-1'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/**
 * Every key and what stands in it, in the order of the keys. Fields, members and scores of a value stand in one list, pairs
 * of sets and hashes in the order of their names. The engine's marks are left out: no id has control characters.
 *
 * @param {import('./redis.mjs').Redis} redis
 * @returns {Promise<Map<string, string[]>>}
 */
export async function contentsOf(redis) {
  /** @type {Set<string>} */
  const keys = new Set();
  let cursor = '0';
  do {
    const [next, some] = await redis.command('SCAN', cursor, 'COUNT', 1000);
    for (const key of some) keys.add(key);
    cursor = next;
  } while (cursor !== '0');
  const read = async (/** @type {string} */ key) => {
    const type = await redis.command('TYPE', key);
    if (type === 'none') return []; // it expired since
    if (!READS[type]) throw new Error(`${key} is a ${type}, which nothing here reads`);
    const value = [await redis.command(...READS[type](key))].flat(Number.POSITIVE_INFINITY);
    if (type === 'hash') return [pair(key, inOrder(withoutMarks(value, 2), 2))];
    if (type === 'set') return [pair(key, inOrder(withoutMarks(value, 1), 1))];
    return [pair(key, type === 'zset' ? withoutMarks(value, 2) : value)];
  };
  return new Map((await Promise.all([...keys].sort().map(read))).flat());
}

/** @param {string} key @param {string[]} value @returns {[string, string[]]} */
const pair = (key, value) => [key, value];

/**
 * The keys that hold what was counted: all but the states of targets.
 *
 * @param {import('./redis.mjs').Redis} redis
 * @returns {Promise<string[]>}
 */
export async function countedKeys(redis) {
  /** @type {string[]} */
  const keys = await redis.command('KEYS', '*');
  return keys.filter((key) => !key.endsWith(':state')).sort();
}

/**
 * The keys that never expire.
 *
 * @param {import('./redis.mjs').Redis} redis
 * @param {Iterable<string>} keys
 * @returns {Promise<string[]>}
 */
export async function keysForEver(redis, keys) {
  const kept = async (/** @type {string} */ key) => ((await redis.command('TTL', key)) === -1 ? [key] : []);
  return (await Promise.all([...keys].map(kept))).flat();
}

/**
 * The keys whose name or value holds a text.
 *
 * @param {Map<string, string[]>} contents
 * @param {string} text
 */
export function keysThatHold(contents, text) {
  return [...contents].filter(([key, value]) => [key, ...value].some((part) => part.includes(text))).map(([key]) => key);
}

/** @param {string[]} list @param {number} size of the chunks, each of which begins with a member or a field */
function withoutMarks(list, size) {
  return list.filter((_, i) => !list[i - (i % size)].startsWith('\0'));
}

/** @param {string[]} list @param {number} size of the chunks whose order Redis does not promise */
function inOrder(list, size) {
  const chunks = Array.from({ length: list.length / size }, (_, i) => list.slice(i * size, (i + 1) * size));
  return chunks.sort(([a], [b]) => (a < b ? -1 : 1)).flat();
}
