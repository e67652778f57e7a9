/**
 * What is not locked is used only when that is asked for.
 */
import { say } from '../../packages/edgeboard/report.mjs';

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} why what is locked and cannot be had
 * @returns {boolean} whether others may be used
 */
export function mayUseUnlocked(env, why) {
  const isAllowed = env.EDGEBOARD_UNLOCKED === '1';
  say(isAllowed ? `${why}; EDGEBOARD_UNLOCKED allows others` : `${why}; EDGEBOARD_UNLOCKED=1 would allow others`);
  return isAllowed;
}
