/**
 * Doing once more what a deployment could not answer.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { say } from '../report.mjs';
import { Refused } from './administrator.mjs';

const FIRST_MS = 250;
const LONGEST_MS = 15_000;
const GIVE_UP_MS = 300_000;

/** Whether the same may be answered later. @param {unknown} error */
const isTransient = (error) => !(error instanceof Refused) || error.status >= 500 || error.status === 429 || error.code === 'contended';

/**
 * @template T
 * @param {() => Promise<T>} work of which doing it again does no harm
 * @returns {Promise<T>}
 */
export async function again(work) {
  const began = performance.now();
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || performance.now() - began > GIVE_UP_MS) throw error;
      say(`${error.message}; trying again in ${waitMs / 1000} s`);
      await pause(waitMs);
    }
  }
}
