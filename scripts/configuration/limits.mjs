/**
 * What the platform allows of a worker's variables.
 */
import { Problem } from '../report.mjs';

/** https://developers.cloudflare.com/workers/platform/limits/#environment-variables: 5 KB each. */
const MAX_VARIABLE_BYTES = 5 * 1024;

/**
 * @param {import('./read.mjs').Configuration} configuration
 * @throws {Problem} naming the first variable that is too large, and how to split it
 */
export function requireVariablesFit({ variables }) {
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

/**
 * @param {import('./read.mjs').Configuration} configuration
 * @throws {Problem} naming the first rate limit that is another one than the worker takes it for
 */
export function requireRateLimitsFit({ rateLimits }) {
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
