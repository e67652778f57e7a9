/**
 * Waiting for a program to get ready: ask again until it is, up to a deadline.
 */
import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 50;

/**
 * @param {() => Promise<boolean>} isReady
 * @param {{ withinMs: number }} options
 * @returns {Promise<boolean>} false when the deadline passed first
 */
export async function poll(isReady, { withinMs }) {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (await isReady()) return true;
    await pause(EVERY_MS);
  }
  return false;
}
