/**
 * Redis's own CPU time, and its own count of commands.
 */

/**
 * Redis's CPU time while something is done, in µs.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {() => Promise<void>} work
 */
export async function cpuDuring(redis, work) {
  const before = await cpuSeconds(redis);
  await work();
  return ((await cpuSeconds(redis)) - before) * 1e6;
}

/** @param {import('../../tests/support/redis.mjs').Redis} redis */
export async function cpuSeconds(redis) {
  const info = await redis.command('INFO', 'cpu');
  const seconds = (/** @type {string} */ field) => Number(new RegExp(`^${field}:(.+)$`, 'm').exec(info)?.[1]);
  return seconds('used_cpu_user') + seconds('used_cpu_sys');
}

/**
 * @template T
 * @param {number} count
 * @param {(i: number) => T} make
 * @returns {T[]}
 */
export function repeat(count, make) {
  return Array.from({ length: count }, (_, i) => make(i));
}

/**
 * How many commands ran, and for how many µs functions did, with the commands that they call.
 *
 * @param {string} stats what `INFO commandstats` answers
 */
export function spentOf(stats) {
  let [calls, us] = [0, 0];
  for (const [, name, count, usec] of stats.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)) {
    if (name.startsWith('config') || name === 'info') continue;
    calls += Number(count);
    if (name.startsWith('fcall')) us += Number(usec);
  }
  return { calls, us };
}
