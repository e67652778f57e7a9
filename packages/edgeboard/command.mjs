/**
 * The frame of every command: `--help`, problems as plain lines, and nothing left running however it ends.
 */
import { realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

import { stopAll } from './processes.mjs';
import { Problem } from './report.mjs';

/**
 * Run a module as a command, when it is the one node was started with.
 *
 * @param {ImportMeta} module
 * @param {object} options
 * @param {string | ((args: string[]) => string)} options.usage of a command, or of those that it has
 * @param {(args: string[]) => Promise<void>} options.main
 * @param {number} [options.exitWhenStopped] the exit code after Ctrl-C and the like; 128 + the signal by default
 */
export function command(module, { usage, main, exitWhenStopped }) {
  if (!process.argv[1] || realpathSync(process.argv[1]) !== fileURLToPath(module.url)) return;
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log((typeof usage === 'string' ? usage : usage(args)).trim());
    return;
  }

  let stopping = false;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, async () => {
      if (stopping) return;
      stopping = true;
      await stopAll();
      process.exit(exitWhenStopped ?? 128 + constants.signals[signal]);
    });
  }

  main(args)
    .catch((error) => {
      if (stopping) return; // what fails now fails because its processes are being ended
      console.error(error instanceof Problem ? error.message : error);
      process.exitCode = error.exitCode ?? 1;
    })
    .finally(stopAll);
}
