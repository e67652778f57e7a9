/**
 * Sends batches of events and sends them again when that can help. Trying again is safe because each event carries its
 * id. What was counted before an answer got lost comes back as a duplicate.
 */
import { setMaxListeners } from 'node:events';

/** A service that stays away for longer is given up. Redis takes a minute or two to fail over or to load its data. */
export const MAX_OUTAGE_MS = 5 * 60_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;

/** A service that asks for more patience than this gets this much. */
const MAX_RETRY_AFTER_MS = 60_000;

const TIMEOUT_MS = 30_000;

/** Too many requests, and what a gateway or the service says while it or its Redis is out. */
const WORTH_RETRYING = new Set([429, 502, 503, 504]);

/** A batch that the service refused as a whole: none of it counts, and sending it again would not help. */
export class Refused extends Error {
  /**
   * @param {string} message
   * @param {{ code: string, detail?: string }} reason
   */
  constructor(message, { code, detail }) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/**
 * @typedef {(ms: number, signal: AbortSignal) => Promise<void>} Wait
 *
 * @typedef {object} Answer
 * @property {number} accepted
 * @property {number} duplicate
 * @property {{ index: number, code: string, detail: string }[]} rejected
 * @property {{ board: string, window: string, periods: string[] }[] | null} [frozen] the frozen periods that its events are of; null
 *   where the service does not know
 */

/**
 * @param {object} options
 * @param {string} options.endpoint
 * @param {string} options.site
 * @param {string} options.token
 * @param {AbortSignal} options.signal
 * @param {(reason: string, outageMs: number) => void} options.onRetry hears why a batch is sent again, and for how long
 *   there was no answer to it
 * @param {typeof globalThis.fetch} options.fetch
 * @param {Wait} options.wait
 * @param {() => number} options.now milliseconds of a clock that only goes on
 * @returns {(events: import('./translator.mjs').Event[]) => Promise<Answer>}
 */
export function createSender({ endpoint, site, token, signal, onRetry, fetch, wait, now }) {
  const url = `${endpoint}/v1/${site}/events`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  // Each request on its way listens to the signal; Node takes more than ten listeners for a leak.
  setMaxListeners(0, signal);

  return async (events) => {
    const body = JSON.stringify({ events });
    const began = now();
    for (let tries = 1; ; tries += 1) {
      const result = await post(fetch, url, { headers, body }, signal);
      if (result.answer) return result.answer;
      const { fault, retryAfterMs } = result;

      const outageMs = now() - began;
      const waitMs = Math.max(retryAfterMs ?? 0, backoffMs(tries));
      if (outageMs + waitMs > MAX_OUTAGE_MS) throw new Error(`${url} ${fault}, for ${Math.round(outageMs / 1000)} s`);
      onRetry(fault, outageMs);
      await wait(waitMs, signal);
    }
  };
}

/**
 * One try. What is worth another comes back as a fault, what is not is thrown.
 *
 * @param {typeof globalThis.fetch} fetch
 * @param {string} url
 * @param {{ headers: Record<string, string>, body: string }} request
 * @param {AbortSignal} signal
 * @returns {Promise<{ answer: Answer } | { answer?: undefined, fault: string, retryAfterMs?: number }>}
 */
async function post(fetch, url, { headers, body }, signal) {
  let response;
  let text;
  const deadline = startDeadline(signal);
  try {
    // A redirect would turn the POST into a GET, or take the token to another host.
    response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: deadline.signal });
    text = await response.text();
  } catch (error) {
    signal.throwIfAborted();
    return { fault: `did not answer (${error.cause?.code ?? error.cause?.message ?? error.message})` };
  } finally {
    deadline.clear();
  }

  // 202: a queue keeps them.
  if (response.status === 200 || response.status === 202) return { answer: parseAnswer(url, text) };
  const { code, detail } = problemIn(text);
  const target = response.headers.get('location');
  const status = code ? `${response.status} ${code}` : String(response.status);
  const fault = `answered ${[status, detail, target && `redirected to ${target}`].filter(Boolean).join(': ')}`;
  if (response.status >= 300 && response.status < 500 && !WORTH_RETRYING.has(response.status)) {
    throw new Refused(`${url} ${fault}${adviceOn(response.status, code)}`, { code: status, detail });
  }
  if (!WORTH_RETRYING.has(response.status)) throw new Error(`${url} ${fault}`);
  return { fault, retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), Date.now()) };
}

/** A signal that fires with the given one or when the time for one try is up. @param {AbortSignal} signal */
function startDeadline(signal) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new Error(`nothing in ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();

  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}

/**
 * @param {string} url
 * @param {string} text
 * @returns {Answer}
 */
function parseAnswer(url, text) {
  const answer = parseJson(text);
  if (Number.isInteger(answer?.accepted) && Number.isInteger(answer.duplicate) && Array.isArray(answer.rejected)) {
    return answer;
  }
  throw new Error(`${url} answered 200, but not as an edgeboard does; is it the right endpoint?`);
}

/**
 * What a problem document says, and nothing of anything else.
 *
 * @param {string} text
 * @returns {{ code?: string, detail?: string }}
 */
function problemIn(text) {
  const { code, detail } = parseJson(text) ?? {};
  return { code: typeof code === 'string' ? code : undefined, detail: typeof detail === 'string' ? detail : undefined };
}

/**
 * What the caller can do about a refusal, or nothing.
 *
 * @param {number} status
 * @param {string} [code] of the problem
 */
function adviceOn(status, code) {
  if (status === 401) return '\nSet WRITE_TOKEN in the environment to the WRITE_TOKEN of the service.';
  if (status === 404 && code === 'unknown-site') {
    return '\n--site takes the NAME of a table [vars.SITES.NAME] in the configuration of the service.';
  }
  if (status === 404) return '\n--endpoint takes the address of an edgeboard, without /v1.';
  return '';
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Doubles with each try; the random half keeps concurrent batches from coming back all at once. @param {number} tries */
function backoffMs(tries) {
  const max = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS);
  return Math.round(max * (0.5 + Math.random() / 2));
}

/**
 * @param {string | null} header seconds or an HTTP date
 * @param {number} now Unix milliseconds
 * @returns {number | undefined} milliseconds to wait, undefined when the header says nothing
 */
export function parseRetryAfter(header, now) {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
