/**
 * Waiting in tests: ask again until the answer is there or a deadline passes. Nothing here sleeps for a guess.
 */
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 10;
const LATE = Symbol('late');

/**
 * Poll `check` until it returns something truthy, and return that. A check that throws counts as "not yet", its last
 * error is the cause of the failure; a check that never returns ends with the deadline too.
 *
 * @template T
 * @param {string} what what is awaited, for the failure's message
 * @param {() => T | Promise<T>} check
 * @param {{ timeoutMs?: number }} [options]
 * @returns {Promise<Exclude<T, false | undefined | null>>}
 */
export async function until(what, check, { timeoutMs = 10_000 } = {}) {
  /** @type {unknown} */
  let cause;
  const attempt = async () => {
    try {
      return await check();
    } catch (error) {
      cause = error;
      return undefined;
    }
  };
  const done = new AbortController();
  const deadline = pause(timeoutMs, LATE, { signal: done.signal }).catch(() => LATE);
  try {
    for (;;) {
      const answer = await Promise.race([deadline, attempt()]);
      if (answer === LATE) throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause });
      if (answer) return /** @type {Exclude<T, false | undefined | null>} */ (answer);
      await pause(POLL_MS);
    }
  } finally {
    done.abort();
  }
}
