/**
 * What a worker says of its Redis as soon as it serves: a Redis that was named wrongly shows at the start, not with the first click.
 */

/** Longer than the worker waits for Redis. */
const READY_MS = 15_000;
const SEE = 'See docs/operations/redis.md#functions.';

/**
 * @param {string} url of the worker
 * @returns {Promise<string[]>} why it cannot count, or at which cost
 */
export async function remarks(url) {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_MS) });
  const ready = await response.json();
  return response.ok ? costs(ready) : [`It cannot count: ${ready.detail}. Look at REDIS_URL; it counts as soon as Redis answers.`];
}

/**
 * Why events cost Redis more than they need to, a sentence each.
 *
 * @param {{ functions?: boolean, memo?: boolean }} ready what `/readyz` answers
 */
export function costs({ functions = true, memo = true }) {
  const found = [];
  if (!functions) found.push(`Redis has no functions, or its user may not use them, so each call costs it about 0.1 ms more. ${SEE}`);
  if (!memo) found.push(`Redis keeps nothing between calls of functions, so each call costs it about 0.1 ms more. ${SEE}`);
  return found;
}
