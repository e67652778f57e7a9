/**
 * Which requests count: by status, method, path and time. A filter that is not given lets everything pass.
 */

/**
 * @typedef {object} Filters
 * @property {string[]} statuses such as `2xx` or `304`
 * @property {string[]} methods
 * @property {RegExp[]} include at least one must match the path
 * @property {RegExp[]} exclude none may match the path
 * @property {number} from Unix milliseconds
 * @property {number} until the first instant that does not count
 */

/**
 * @param {Filters} filters
 * @returns {(request: { status: number, method: string, path: string, time: number }) => boolean}
 */
export function createFilter({ statuses, methods, include, exclude, from, until }) {
  const status = new Set(statuses);
  const method = new Set(methods);

  return (request) =>
    (status.size === 0 || status.has(String(request.status)) || status.has(statusClass(request.status))) &&
    (method.size === 0 || method.has(request.method)) &&
    (include.length === 0 || include.some((pattern) => pattern.test(request.path))) &&
    !exclude.some((pattern) => pattern.test(request.path)) &&
    request.time >= from &&
    request.time < until;
}

/** `204` → `2xx` @param {number} status */
function statusClass(status) {
  return `${Math.trunc(status / 100)}xx`;
}

/**
 * A pattern for whole paths, in which `*` stands for any run of characters, slashes too. Written between slashes it is a
 * regular expression, which is looked for anywhere in the path.
 *
 * @param {string} text
 * @returns {RegExp}
 * @throws {SyntaxError} when the regular expression is none
 */
export function parsePattern(text) {
  if (text.length > 2 && text.startsWith('/') && text.endsWith('/')) return new RegExp(text.slice(1, -1));

  const literals = text.split('*').map((literal) => literal.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join('.*')}$`, 's');
}
