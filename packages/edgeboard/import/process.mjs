/**
 * The import as a process: arguments, streams, signals. The work is in main.mjs.
 */
import { Interrupted, main } from './main.mjs';

/**
 * @param {string[]} argv
 * @param {{ call?: string, prepare?: () => Promise<void> }} [options] see {@link main}
 */
export async function importAsProcess(argv, options) {
  const halt = new AbortController();
  process.once('SIGINT', () => halt.abort(new Interrupted()));
  const { env, stdin, stdout, stderr } = process;
  process.exitCode = await main({ argv, env, stdin, stdout, stderr, halt, ...options });
}
