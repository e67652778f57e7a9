/** A line that is typed at the terminal. */

/**
 * Waits for the next line. readline takes what is typed, Ctrl-C as well: that ends the command as it does elsewhere, and Ctrl-D is an empty
 * line.
 *
 * @param {import('node:readline').Interface} terminal is closed then
 * @returns {Promise<string>}
 */
export async function nextLine(terminal) {
  /** @type {string} */
  const line = await new Promise((resolve) => {
    terminal.once('line', resolve);
    terminal.once('close', () => resolve(''));
    terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  });
  terminal.close();
  return line.trim();
}
