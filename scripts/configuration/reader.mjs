/**
 * The process behind read.mjs: `node reader.mjs FILE ENVIRONMENT` prints `{ "variables": …, "rateLimits": … }` or `{ "problem": "…" }`.
 * An empty ENVIRONMENT is none.
 */
import { relative } from 'node:path';

import { unstable_readConfig as readConfig } from 'wrangler';

const [file, env] = process.argv.slice(2);
console.log(JSON.stringify(read()));

/** @returns {Pick<import('./read.mjs').Configuration, 'variables' | 'rateLimits'> | { problem: string }} */
function read() {
  try {
    const { vars, ratelimits } = readConfig({ config: file, env: env || undefined }, { hideWarnings: true });
    return { variables: vars, rateLimits: ratelimits ?? [] };
  } catch (error) {
    return { problem: describe(error) };
  }
}

/**
 * One line. wrangler's own messages have paragraphs of advice, of which the first says what is wrong.
 *
 * @param {any} error wrangler exports no types of its errors
 */
function describe({ message, location, notes = [] }) {
  if (location) {
    const fromHere = relative('', file);
    // wrangler counts columns from 0; editors count from 1.
    return `${fromHere.startsWith('..') ? file : fromHere}:${location.line}:${location.column + 1}: ${message}`;
  }
  const [first, second = ''] = String(message).split('\n');
  return [first, second, ...notes.map((/** @type {{ text: string }} */ { text }) => text)]
    .map((line) => line.trim().replace(/^- /, ''))
    .filter(Boolean)
    .join(' ');
}
