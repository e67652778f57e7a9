/**
 * Whether the worker that serves can count: a Redis that was named wrongly shows at the start, not with the first click.
 */

/** Longer than the worker waits for Redis. */
const READY_MS = 15_000;

/**
 * @param {string} url of the worker
 * @returns {Promise<string | undefined>} why it cannot, as a line
 */
export async function unreadiness(url) {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_MS) });
  const { detail } = await response.json();
  return response.ok ? undefined : `It cannot count: ${detail}. Look at REDIS_URL; it counts as soon as Redis answers.`;
}
