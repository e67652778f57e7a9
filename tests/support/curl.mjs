/**
 * The `curl` lines of the documents, as requests: so that what a document has one copy is what a test sends.
 */
import { readFileSync } from 'node:fs';

import { inProject } from '../../scripts/project.mjs';

/**
 * The `curl` commands of a document's shell blocks, in order, each without the lines' ends.
 *
 * @param {string} path below the project's folder
 * @param {string} [heading] only those below it, as far as the next one of any level
 */
export function curlLines(path, heading) {
  const text = readFileSync(inProject(path), 'utf8');
  const from = heading === undefined ? 0 : text.indexOf(`${heading}\n`);
  if (from < 0) throw new Error(`${path} has no heading ${heading}`);
  const section = heading === undefined ? text : text.slice(from + heading.length).split(/^#+ /m)[0];
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block.replaceAll('\\\n', ' '));
  return blocks.flatMap((block) => block.split('\n').filter((line) => line.startsWith('curl ')));
}

/**
 * A `curl` command as a request. Knows the options that the documents use, and refuses others.
 *
 * @param {string} line
 * @param {Record<string, string>} variables of the shell
 * @returns {{ path: string, init: RequestInit }}
 */
export function requestOf(line, variables) {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? expand(double ?? bare));
  function expand(/** @type {string} */ text) {
    return text.replace(/\$(\w+)/g, (_, name) => variables[name] ?? '');
  }
  /** @type {Record<string, string>} */
  const headers = {};
  let [method, body, url] = ['GET', /** @type {string | undefined} */ (undefined), ''];
  for (let i = 1; i < words.length; i += 1) {
    const word = words[i];
    if (!word.startsWith('-')) url = word;
    else if (word === '-s') continue;
    else {
      i += 1;
      const value = words[i];
      if (word === '-X') method = value;
      else if (word === '-A') headers['user-agent'] = value;
      else if (word === '-H') headers[value.slice(0, value.indexOf(':')).toLowerCase()] = value.slice(value.indexOf(':') + 1).trim();
      else if (word === '-d') [body, method] = [value, method === 'GET' ? 'POST' : method];
      else throw new Error(`the option ${word} of ${line} is not known here`);
    }
  }
  // As curl sends what it is given.
  if (body !== undefined) headers['content-type'] ??= 'application/x-www-form-urlencoded';
  return { path: url.replace(/^https?:\/\/[^/]*/, ''), init: { method, headers, body } };
}
