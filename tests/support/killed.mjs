/** Jobs that are killed. */

/**
 * Runs a job that is killed at its first trip to Redis, then one that is killed at its second, until one gets to its end. A trip at which
 * it is killed reaches Redis, and so do all that follow; their replies reach nobody.
 *
 * @param {Pick<import('./deployment.mjs').Link, 'loseRepliesWhen'>} link
 * @param {object} job
 * @param {(killedAt: number) => Promise<void>} job.before
 * @param {() => Promise<unknown>} job.run
 * @param {(killedAt: number) => Promise<void>} job.after
 * @returns {Promise<number>} the trip that the last one did not make
 */
export async function killAtEachStep(link, { before, run, after }) {
  for (let killedAt = 1; ; killedAt += 1) {
    await before(killedAt);
    let passed = 0;
    link.loseRepliesWhen(() => {
      passed += 1;
      return passed >= killedAt;
    });
    await run();
    const isDone = passed < killedAt;
    link.loseRepliesWhen(() => false);
    await after(killedAt);
    if (isDone) return killedAt;
  }
}
