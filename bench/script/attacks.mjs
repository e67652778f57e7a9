/**
 * What the most expensive requests of anyone keep Redis busy for, on boards of 100,000 members: the longest command, by Redis's own slow
 * log. That is wall time, so the round tells that was disturbed least.
 */
import { ATTACKS, costOf, startAttacked } from '../../tests/support/attacks.mjs';

/** Of a request, each round. */
const TIMES = 5;

/** @param {import('../options.mjs').Effort} effort */
export async function benchAttacks({ rounds }) {
  const deployment = await startAttacked();
  const { redis } = deployment;
  try {
    await redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '0', 'slowlog-max-len', '100000');
    const measured = [];
    for (const attack of ATTACKS) {
      const { commands, elements } = await costOf(deployment, attack);
      const longest = [];
      for (let round = 0; round < rounds * TIMES; round += 1) {
        await redis.command('SLOWLOG', 'RESET');
        await attack.send(deployment);
        const log = await redis.command('SLOWLOG', 'GET', '-1');
        longest.push(Math.max(...log.map((/** @type {any[]} */ entry) => Number(entry[2]))) / 1000);
      }
      measured.push({ name: attack.name, commands, elements, longestMs: Math.min(...longest) });
    }
    return measured;
  } finally {
    await deployment.stop();
  }
}
