/** A question whose answer is a secret: it is not shown while it is typed. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { Problem } from '../report.mjs';

/**
 * @param {string} text
 * @param {string} name of the variable that answers instead
 * @returns {Promise<string>}
 */
export async function askHidden(text, name) {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY)
    throw new Problem(`${name} is missing, and there is no terminal to ask at: give it in the environment, ${name}=…`);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output, terminal: true });
  stderr.write(`${text}: `);
  /** @type {string} */
  const line = await new Promise((resolve) => {
    terminal.once('line', resolve);
    terminal.once('close', () => resolve('')); // Ctrl-D
    terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT')); // what is typed comes here, Ctrl-C as well
  });
  const answer = line.trim();
  terminal.close();
  stderr.write('\n');
  if (!answer) throw new Problem(`${name} is missing`);
  return answer;
}
