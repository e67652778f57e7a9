/**
 * Waiting for a program to get ready: ask again until it is, up to a deadline.
 */
import { setTimeout as pause } from 'node:timers/promises';

const USUAL_EVERY_MS = 50;

/**
 * @param {() => Promise<boolean>} isReady
 * @param {object} options
 * @param {number} options.withinMs
 * @param {number} [options.everyMs]
 * @param {Promise<unknown>} options.ended settles when the program has ended, and with it the waiting
 * @returns {Promise<boolean>} false when the deadline passed or the program ended first
 */
export async function poll(isReady, { withinMs, everyMs = USUAL_EVERY_MS, ended }) {
  const deadline = performance.now() + withinMs;
  let isRunning = true;
  ended.finally(() => (isRunning = false));
  while (isRunning && performance.now() < deadline) {
    if (await isReady()) return true;
    await pause(everyMs);
  }
  return false;
}
