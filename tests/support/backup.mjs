/**
 * Backups of Redis.
 *
 * @typedef {Pick<import('./redis.mjs').Redis, 'command' | 'commandBuffers'>} Redis
 * @typedef {[key: string, dumped: Buffer][]} Backup
 */

/** All that Redis holds. @param {Redis} redis @returns {Promise<Backup>} */
export async function backUp(redis) {
  const keys = await redis.command('KEYS', '*');
  const dump = async (/** @type {string} */ key) => /** @type {[string, Buffer]} */ ([key, await redis.commandBuffers('DUMP', key)]);
  return Promise.all(keys.map(dump));
}

/** Loads that, in place of what Redis holds. @param {Redis} redis @param {Backup} backup */
export async function load(redis, backup) {
  await redis.command('FLUSHALL');
  for (const [key, value] of backup) await redis.command('RESTORE', key, '0', value);
}
