/** A question whose answer is a secret: it is not shown while it is typed. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { Problem } from '../report.mjs';
import { nextLine } from '../terminal.mjs';

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
  const answer = await nextLine(terminal);
  stderr.write('\n');
  if (!answer) throw new Problem(`${name} is missing`);
  return answer;
}
