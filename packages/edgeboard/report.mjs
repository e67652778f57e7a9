/**
 * What the commands say: progress on stderr, and problems as plain lines instead of stack traces.
 */

/** Something the user can act on; its message is all that is shown. */
export class Problem extends Error {
  name = 'Problem';

  /**
   * @param {string} message
   * @param {{ exitCode?: number, cause?: unknown }} [options]
   */
  constructor(message, { exitCode = 1, cause } = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** @param {string} line */
export function say(line) {
  console.error(`edgeboard: ${line}`);
}
