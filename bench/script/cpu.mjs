/**
 * Redis's own CPU time per event of a pipeline of commands.
 */
import { encode } from './pipelines.mjs';

/**
 * @typedef {object} Variant
 * @property {() => string[][]} pipeline a new pipeline's commands
 * @property {number} events that a pipeline counts
 * @property {number} lines of a reply
 */

/**
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('./pipelines.mjs').Sender} sender
 * @param {Variant} variant
 * @param {number} commands about how many to send
 */
export async function cpuPerEvent(redis, sender, { pipeline, events, lines }, commands) {
  const length = pipeline().length;
  const pipelines = repeat(Math.ceil(commands / length), () => encode(pipeline()));
  return (await cpuDuring(redis, () => sender.send(pipelines, length * lines))) / (pipelines.length * events);
}

/**
 * Redis's CPU time while something is done, in µs.
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {() => Promise<void>} work
 */
export async function cpuDuring(redis, work) {
  const before = await cpuSeconds(redis);
  await work();
  return ((await cpuSeconds(redis)) - before) * 1e6;
}

/** @param {import('../../tests/support/redis.mjs').Redis} redis */
async function cpuSeconds(redis) {
  const info = await redis.command('INFO', 'cpu');
  const seconds = (/** @type {string} */ field) => Number(new RegExp(`^${field}:(.+)$`, 'm').exec(info)?.[1]);
  return seconds('used_cpu_user') + seconds('used_cpu_sys');
}

/**
 * @template T
 * @param {number} count
 * @param {(i: number) => T} make
 * @returns {T[]}
 */
export function repeat(count, make) {
  return Array.from({ length: count }, (_, i) => make(i));
}
