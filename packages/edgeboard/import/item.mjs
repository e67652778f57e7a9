/**
 * From a request target to an item id: the path alone, percent-encoding left as it is.
 */

/** The service's limit for ids, in bytes of UTF-8. */
const MAX_ITEM_BYTES = 256;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The path of a request target, without query string and fragment, and the code of what makes it unfit as an
 * item id. The path of an unfit one is given all the same, so that filters can still leave it out.
 *
 * @param {string} target one character per byte
 * @returns {{ path: string, fault?: string }}
 */
export function itemOf(target) {
  const bytes = pathOf(target);
  if (bytes === '') return { path: '', fault: 'no-path' };

  const path = decode(bytes);
  if (path === undefined) return { path: bytes, fault: 'item-not-utf-8' };
  if (/\p{Cc}/u.test(path)) return { path, fault: 'item-control-character' };
  if (bytes.length > MAX_ITEM_BYTES) return { path, fault: 'item-too-long' };
  return { path };
}

/** `/a?b` and `http://host/a?b` have the path `/a`, `http://host` has `/`; `*` and CONNECT's `host:port` have none. @param {string} target */
function pathOf(target) {
  const beforeQuery = target.replace(/[?#].*$/s, '');
  if (beforeQuery.startsWith('/')) return beforeQuery;

  const absolute = /^[^:/]+:\/\/[^/]*(.*)$/s.exec(beforeQuery);
  return absolute ? absolute[1] || '/' : '';
}

/** The text that these bytes are in UTF-8, or undefined. @param {string} bytes */
function decode(bytes) {
  if (/^[\0-\x7f]*$/.test(bytes)) return bytes;
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
