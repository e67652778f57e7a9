/**
 * Answers as the runtime takes them, by the address that they answer. What is kept is given again without a look at anything else.
 *
 * Every call between WebAssembly and JavaScript costs, and so does each text that crosses. Without these objects a hit took a
 * third more CPU, more than a worker in Rust that answers a constant.
 *
 * @typedef {object} Kept
 * @property {Uint8Array<ArrayBuffer>} body
 * @property {ResponseInit} init
 * @property {number} from Unix milliseconds, included
 * @property {number} until likewise, not included
 * @property {number} countedAt where each time that it is given is counted
 */

/** Of the last answer that was found. */
let countedAt = 0;

/**
 * The answer to a request, if one is kept for this moment. Only for GET, and for who has no copy to compare with.
 *
 * @param {Map<string, Kept>} kept
 * @param {Request} request
 * @returns {Response | undefined}
 */
export function find(kept, request) {
  if (request.method !== 'GET') return undefined;
  const found = kept.get(request.url);
  if (found === undefined || request.headers.has('if-none-match')) return undefined;
  const now = Date.now();
  if (now < found.from || now >= found.until) return undefined;
  countedAt = found.countedAt;
  return new Response(found.body, found.init);
}

/** Of answers without a body, by what they were made of: few, since nothing of such an answer is a request's own. @type {Map<string, ResponseInit>} */
const inits = new Map();
const MAX_INITS = 50;

/**
 * A response without a body.
 *
 * @param {string} text status and headers, as JSON
 */
export function respondWithout(text) {
  let init = inits.get(text);
  if (init === undefined) {
    const { status, headers } = JSON.parse(text);
    init = { status, headers: new Headers(headers) };
    if (inits.size >= MAX_INITS) inits.clear();
    inits.set(text, init);
  }
  return new Response(null, init);
}

/** A string or an object of two would cost more than the call. */
export function lastCountedAt() {
  return countedAt;
}

/**
 * Keeps an answer to GET.
 *
 * @param {Map<string, Kept>} kept
 * @param {Request} request
 * @param {Uint8Array<ArrayBuffer>} body
 * @param {{ status: number, headers: Record<string, string> }} init
 * @param {number} from
 * @param {number} until
 * @param {number} at where each time that it is given is counted
 * @returns {string | undefined} the address, where nothing was kept for it
 */
export function keep(kept, request, body, { status, headers }, from, until, at) {
  if (request.method !== 'GET') return undefined;
  const { url } = request;
  const isNew = !kept.has(url);
  // Headers are taken by an answer as they are; a record would be read and checked anew each time.
  kept.set(url, { body, init: { status, headers: new Headers(headers) }, from, until, countedAt: at });
  return isNew ? url : undefined;
}
