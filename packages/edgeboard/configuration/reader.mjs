/**
 * The process behind read.mjs: `node reader.mjs FILE ENVIRONMENT` prints what read.mjs answers, or `{ "problem": "…" }`.
 * An empty ENVIRONMENT is none.
 */
import { relative } from 'node:path';

import { unstable_readConfig as readConfig, experimental_readRawConfig as readRawConfig } from 'wrangler';

import { variableNamed } from './variables.mjs';

const [file, env] = process.argv.slice(2);
console.log(JSON.stringify(read()));

/** @returns {Pick<import('./read.mjs').Configuration, 'variables' | 'rateLimits' | 'misplaced' | 'raw' | 'resolved'> | { problem: string }} */
function read() {
  try {
    const config = readConfig({ config: file, env: env || undefined }, { hideWarnings: true });
    const { rawConfig } = readRawConfig({ config: file });
    // Where there is no environment at all, wrangler takes each name, and the configuration of none.
    if (env && !rawConfig.env?.[env]) return { problem: `No environment found in configuration with name ${JSON.stringify(env)}.` };
    const misplaced = [...misplacedIn(rawConfig, ''), ...misplacedIn(rawConfig.env?.[env] ?? {}, `env.${env}.`)];
    const { env: environments = {}, $schema, ...top } = rawConfig;
    const raw = { ...top, ...environments[env] };
    const resolved = Object.fromEntries(['name', ...Object.keys(raw)].map((key) => [key, config[key]]));
    return { variables: config.vars, rateLimits: config.ratelimits ?? [], misplaced, raw, resolved };
  } catch (error) {
    return { problem: describe(error) };
  }
}

/**
 * What is a variable of the worker by its name, and stands where wrangler reads no variables.
 *
 * @param {Record<string, any>} table
 * @param {string} place of the table, with a dot behind it
 */
function misplacedIn(table, place) {
  return Object.entries(table).flatMap(([name, value]) => {
    if (!name.startsWith('SITES')) return variableNamed(name) ? [{ place, name }] : [];
    return Object.keys(Object(value)).map((site) => ({ place, name: `${name}.${site}` }));
  });
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
