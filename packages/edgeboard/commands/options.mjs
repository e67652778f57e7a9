/** The options of commands. */
import { parseArgs } from 'node:util';

import { Problem } from '../report.mjs';

/** Those that say which configuration is meant. */
export const NAMED = /** @type {const} */ ({ config: { type: 'string', short: 'c' }, env: { type: 'string', short: 'e' } });

export const NAMED_USAGE = `  --config FILE  another configuration file, beside wrangler.toml
  --env NAME     the [env.NAME] of the configuration file, as CLOUDFLARE_ENV=NAME says too; its secrets are in files of its own`;

/**
 * @template {NonNullable<import('node:util').ParseArgsConfig['options']>} Options
 * @param {string[]} args
 * @param {Options} options
 * @param {{ positionals?: number }} [allowed] how many other arguments, at most
 */
export function readOptions(args, options, { positionals: most = 0 } = {}) {
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: most > 0 });
  } catch (error) {
    throw new Problem(error.message, { exitCode: 2 });
  }
  const { values, positionals } = parsed;
  for (const [name, value] of Object.entries(values)) {
    if (value === '') throw new Problem(`--${name} needs a value`, { exitCode: 2 });
  }
  if (positionals.length > most) throw new Problem(`${positionals[most]} is not allowed; allowed: ${most} such arguments`, { exitCode: 2 });
  return { values, positionals };
}
