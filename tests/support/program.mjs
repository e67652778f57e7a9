/** Programs that end by themselves. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/**
 * @param {string} program
 * @param {string} folder where it runs
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
export async function runProgram(program, folder, args, env = {}) {
  const child = spawn(program, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exitCode: Number(exitCode), printed: printed + errors };
}
