/**
 * What is refused of a configuration file without the worker: what the platform does not allow, and what the worker would not see.
 */
import { Problem } from '../report.mjs';

/** https://developers.cloudflare.com/workers/platform/limits/#environment-variables: 5 KB each. */
const MAX_VARIABLE_BYTES = 5 * 1024;

/**
 * @param {import('./read.mjs').Configuration} configuration
 * @throws {Problem} the first of these
 */
export function requireReadable(configuration) {
  requireVariablesInPlace(configuration);
  requireVariablesFit(configuration);
  requireRateLimitsFit(configuration);
}

/** @param {import('./read.mjs').Configuration} configuration */
function requireVariablesInPlace({ misplaced: [first] }) {
  if (first === undefined) return;
  const { place, name } = first;
  throw new Problem(
    name.startsWith('SITES')
      ? `[${place}${name}] is not read, since it is no variable; write [${place}vars.${name}]`
      : `${place}${name} is not read, since it is no variable; write it below [${place}vars]`,
  );
}

/** @param {import('./read.mjs').Configuration} configuration */
function requireVariablesFit({ variables }) {
  for (const [name, value] of Object.entries(variables)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_VARIABLE_BYTES) throw new Problem(`${tooLarge(name, bytes)}${name.startsWith('SITES') ? SPLIT : ''}`);
  }
}

/** What a site's `limits` are unless it says otherwise, in a minute: the worker uses the bindings for such sites. */
const RATE_LIMITS = new Map([
  ['BEACON_LIMIT', 120],
  ['MISS_LIMIT', 300],
]);

/** Whether each is what the worker takes it for. @param {import('./read.mjs').Configuration} configuration */
function requireRateLimitsFit({ rateLimits }) {
  for (const { name, simple } of rateLimits) {
    const expected = RATE_LIMITS.get(name);
    if (expected !== undefined && (simple.limit !== expected || simple.period !== 60))
      throw new Problem(
        `${name} has limit = ${simple.limit} and period = ${simple.period}; allowed: limit = ${expected} and period = 60; ` +
          'for another limit set `limits` of the site',
      );
  }
}

const SPLIT =
  '; move some of its tables to a second variable, for instance from [vars.SITES.demo.boards.articles] to ' +
  '[vars.SITES_2.demo.boards.articles]: all variables whose names begin with SITES are merged';

/**
 * @param {string} name
 * @param {number} bytes
 */
function tooLarge(name, bytes) {
  return `the variable ${name} has ${bytes} bytes as JSON, and Cloudflare allows ${MAX_VARIABLE_BYTES} in one variable`;
}
