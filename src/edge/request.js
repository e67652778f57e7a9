/**
 * Headers of a request, by their names with commas between them, in one text: a line for each, which is empty where there is none and
 * else begins with `=`.
 *
 * In JavaScript, since reading them takes several calls of the runtime.
 *
 * @param {Request} request
 * @param {string} names
 */
export function headersOf({ headers }, names) {
  const line = (/** @type {string} */ name) => {
    const value = headers.get(name);
    return value === null ? '' : `=${value}`;
  };
  return names.split(',').map(line).join('\n');
}
