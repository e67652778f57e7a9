/**
 * The worker's verdict on a configuration before anything is built: that of the last build, where nothing changed since that judges. Any
 * other build would refuse options that are new.
 */
import { judgeConfiguration, judgeServed } from '../packages/edgeboard/configuration/judge.mjs';
import { isBuildDue, isJudgeCurrent } from './build/fingerprint.mjs';

/**
 * @param {import('../packages/edgeboard/configuration/read.mjs').Configuration} configuration
 * @param {import('../packages/edgeboard/configuration/judge.mjs').Given} [given] of `npm start`
 */
export async function judgeBeforeBuild(configuration, given) {
  if (!isBuildDue() || !isJudgeCurrent()) return;
  await (given ? judgeServed(configuration, given) : judgeConfiguration(configuration));
}
