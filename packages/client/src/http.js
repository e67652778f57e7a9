/** Requests to the worker: addresses, tries, and problems as errors. */

/**
 * @typedef {import('./api.js').Routes} Routes
 *
 * @typedef {object} Options
 * @property {string} url where the worker is, such as `https://rankings.example.com`
 * @property {string} site
 * @property {string} [token] the site's `WRITE_TOKEN` or `ADMIN_TOKEN`, on servers only
 * @property {typeof fetch} [fetch] instead of the global one, such as that of a service binding
 * @property {number} [tries] how often a request is sent until it is given up, 6
 * @property {number} [timeoutMs] how long one try may take, 10,000
 *
 * @typedef {object} Asked
 * @property {Record<string, string>} [path] what stands for the names in braces, but `site`
 * @property {object} [query]
 * @property {string | (() => string)} [body] made anew for each try
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {boolean} [repeats] whether it is safe to send again; by default, what is no `POST`
 */

const TRIES = 6;
const TIMEOUT_MS = 10_000;
/** Tries wait for 0.25, 0.5, 1, 2 and 4 s, or up to half of that less: 4 to 8 s together, in which a Redis starts again. */
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 30_000;
const MAX_RETRY_AFTER_MS = 60_000;

/** Why a request failed: the worker's problem document, or `status` 0 and the code `no-answer`. */
export class ApiError extends Error {
  name = 'ApiError';
  /** The id of the batch that may have been counted: sent again with it, nothing counts twice. @type {string | undefined} */
  batch;

  /**
   * @param {{ status: number, code: string, detail: string, retryAfterMs?: number }} problem
   * @param {ErrorOptions} [options]
   */
  constructor({ status, code, detail, retryAfterMs }, options) {
    super(`${code}: ${detail}`, options);
    /** That of the answer; 0: there was none. */
    this.status = status;
    /** Of docs/http.md; it never changes its meaning. */
    this.code = code;
    /** For people. */
    this.detail = detail;
    /** The value of `Retry-After`. */
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed later. */
  get isTransient() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status > 501;
  }
}

/**
 * Sends a request until it succeeds, cannot, or was tried often enough.
 *
 * @param {Options} options
 * @param {string} route method and path
 * @param {Asked} [asked]
 * @returns {Promise<{ status: number, headers: Headers, body: any }>} `body`: parsed JSON, or text
 */
export async function ask(options, route, { path, query, body, headers, signal, repeats = !route.startsWith('POST ') } = {}) {
  const { token, tries = TRIES, timeoutMs = TIMEOUT_MS, fetch = globalThis.fetch } = options;
  const address = addressOf(options, route, path, query);
  for (let tried = 1; ; tried += 1) {
    try {
      const timeout = AbortSignal.timeout(timeoutMs);
      const response = await fetch(address, {
        method: route.split(' ')[0],
        body: typeof body === 'function' ? body() : body,
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      if (!response.ok) throw await problemOf(response);
      const text = await response.text();
      const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== '';
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    } catch (cause) {
      signal?.throwIfAborted();
      const error = cause instanceof ApiError ? cause : new ApiError({ status: 0, code: 'no-answer', detail: String(cause) }, { cause });
      const { retryAfterMs = 0 } = error;
      if (!repeats || !error.isTransient || tried >= tries || retryAfterMs > MAX_RETRY_AFTER_MS) throw error;
      await sleep(Math.max(retryAfterMs, waitMs(tried)), signal);
    }
  }
}

/**
 * Every route of the API, with its types.
 *
 * @param {Options} options
 */
export function requestOf(options) {
  /**
   * @template {keyof Routes} R
   * @param {R} route such as `GET /v1/{site}/admin/audit`
   * @param {Routes[R]['asked'] & Pick<Asked, 'headers' | 'signal' | 'repeats'>} asked path, query and body
   * @returns {Promise<Routes[R]['answer']>}
   */
  return async (route, asked) => {
    const { body, ...rest } = /** @type {{ body?: unknown }} */ (asked);
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return (await ask(options, route, { ...rest, body: text })).body;
  };
}

/**
 * @param {Options} options
 * @param {string} route
 * @param {Record<string, string>} [path]
 * @param {object} [query] `true` is written as 1, a list with commas; what is undefined is left out
 */
export function addressOf({ url, site }, route, path = {}, query = {}) {
  /** @type {Record<string, string>} */
  const names = { ...path, site };
  const place = route.replace(/^\S+ /, '').replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names[name]));
  const asked = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(asked.map(([name, value]) => [name, String(typeof value === 'boolean' ? Number(value) : value)]));
  return `${url.replace(/\/+$/, '')}${place}${asked.length ? `?${text}` : ''}`;
}

/** @param {Response} response */
export async function problemOf(response) {
  const { status, headers } = response;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isNaN(seconds) ? undefined : 1000 * seconds;
  // What stands before the worker answers as it likes.
  const { code = 'unknown', detail = response.statusText } = await response.json().catch(() => ({}));
  return new ApiError({ status, code, detail, retryAfterMs });
}

/** How long to wait after so many failures, so that clients do not come back all at once. @param {number} failed */
export const waitMs = (failed) => Math.min(FIRST_WAIT_MS * 2 ** (failed - 1), MAX_WAIT_MS) * (1 - Math.random() / 2);

/**
 * @param {number} ms
 * @param {AbortSignal} [signal] ends it with the signal's reason
 * @returns {Promise<void>}
 */
export function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}
