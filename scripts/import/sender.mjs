/**
 * Sends batches of events and sends them again when that can help. Trying again is safe because each event
 * carries its id: what an answer that got lost had already counted comes back as a duplicate.
 */
import { setMaxListeners } from 'node:events';

/** With the waits below, a service that stays away is given up after about three quarters of a minute. */
const MAX_TRIES = 8;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** A service that asks for more patience than this gets this much. */
const LONGEST_RETRY_AFTER_MS = 60_000;

const TIMEOUT_MS = 30_000;

/** Too many requests, and what a gateway or the service says while it or its Redis is out. */
const WORTH_RETRYING = new Set([429, 502, 503, 504]);

/**
 * @typedef {object} Answer
 * @property {number} accepted
 * @property {number} duplicate
 * @property {{ index: number, code: string, detail: string }[]} rejected
 */

/**
 * @param {object} options
 * @param {string} options.endpoint
 * @param {string} options.site
 * @param {string} options.token
 * @param {AbortSignal} options.signal
 * @param {(reason: string) => void} options.onRetry
 * @param {typeof fetch} options.fetch
 * @param {(ms: number, signal: AbortSignal) => Promise<void>} options.wait
 * @returns {(events: import('./translator.mjs').Event[]) => Promise<Answer>}
 */
export function createSender({ endpoint, site, token, signal, onRetry, fetch, wait }) {
  const url = `${endpoint}/v1/${site}/events`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  // Each request on its way listens to the signal; Node takes more than ten listeners for a leak.
  setMaxListeners(0, signal);

  return async (events) => {
    const body = JSON.stringify({ events });
    for (let tries = 1; ; tries += 1) {
      const { answer, fault, retryAfterMs } = await post(fetch, url, { headers, body }, signal);
      if (answer) return answer;
      if (tries === MAX_TRIES) throw new Error(`${url} ${fault}, ${MAX_TRIES} times in a row`);

      onRetry(fault);
      await wait(retryAfterMs ?? backoffMs(tries), signal);
    }
  };
}

/**
 * One try. What is worth another comes back as a fault, what is not is thrown.
 *
 * @returns {Promise<{ answer?: Answer, fault?: string, retryAfterMs?: number }>}
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

  if (response.status === 200) return { answer: parseAnswer(url, text) };
  const fault = `answered ${describe(response, text)}`;
  if (!WORTH_RETRYING.has(response.status)) throw new Error(`${url} ${fault}`);
  return { fault, retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), Date.now()) };
}

/** A signal that fires with the given one or when the time for one try is up. */
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

/** @returns {Answer} */
function parseAnswer(url, text) {
  const answer = parseJson(text);
  if (Number.isInteger(answer?.accepted) && Number.isInteger(answer.duplicate) && Array.isArray(answer.rejected)) {
    return answer;
  }
  throw new Error(`${url} answered 200, but not as an edgeboard does; is it the right endpoint?`);
}

/** `401 unauthorized: the token is wrong` from a problem, the bare status from anything else. */
function describe(response, text) {
  const problem = parseJson(text);
  const told = [problem?.code, problem?.detail].filter((part) => typeof part === 'string');
  const target = response.headers.get('location');
  return [`${response.status}${told[0] ? ` ${told[0]}` : ''}`, told[1], target && `redirected to ${target}`].filter(Boolean).join(': ');
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Doubles with each try; the random half keeps concurrent batches from coming back all at once. */
function backoffMs(tries) {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
  return Math.round(longest * (0.5 + Math.random() / 2));
}

/**
 * @param {string | null} header seconds or an HTTP date
 * @param {number} now Unix milliseconds
 * @returns {number | undefined} milliseconds to wait, undefined when the header says nothing
 */
export function parseRetryAfter(header, now) {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}
