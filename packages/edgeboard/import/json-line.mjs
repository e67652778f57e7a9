/**
 * Reads one line of JSON, as Cloudflare's Logpush writes requests (data set `http_requests`), Caddy its access log, and nginx one whose
 * format names its variables.
 *
 * Each field is known by several names; the first that is there counts. A line that lacks one is refused rather than guessed at.
 */
import { MAX_LINE_BYTES } from './log-line.mjs';

/** Where fields are; `request.uri` is `uri` of `request`. */
const NAMES = {
  time: ['EdgeStartTimestamp', 'ts', 'time_iso8601', 'msec', '@timestamp', 'timestamp', 'time'],
  method: ['ClientRequestMethod', 'request.method', 'request_method', 'method'],
  target: ['ClientRequestURI', 'ClientRequestPath', 'request.uri', 'request_uri', 'uri', 'path'],
  status: ['EdgeResponseStatus', 'status'],
  host: ['ClientIP', 'request.client_ip', 'request.remote_ip', 'remote_addr'],
  agent: ['ClientRequestUserAgent', 'request.headers.User-Agent', 'http_user_agent'],
};
/** Instants above these are in smaller units than seconds: in the year 5138 at the earliest. */
const UNITS_MS = /** @type {const} */ ([
  [1e17, 1e-6],
  [1e14, 1e-3],
  [1e11, 1],
  [0, 1000],
]);
const METHOD = /^[\w!#$%&'*+.^`|~-]+$/;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * @param {string} line without its line end, one character per byte
 * @returns {import('./log-line.mjs').LogLine | { fault: string }}
 */
export function parseJsonLine(line) {
  if (line.length > MAX_LINE_BYTES) return { fault: `longer than ${MAX_LINE_BYTES} bytes` };
  const json = readObject(line);
  if (json === undefined) return { fault: 'not JSON' };

  const time = instant(find(json, NAMES.time));
  if (time === undefined) return { fault: `no time: none of ${NAMES.time.join(', ')} is one` };
  const [method, target] = [text(find(json, NAMES.method)), text(find(json, NAMES.target))];
  if (!METHOD.test(method)) return { fault: `no method: none of ${NAMES.method.join(', ')} is one` };
  if (!target.startsWith('/') && method !== 'CONNECT' && target !== '*')
    return { fault: `no path: none of ${NAMES.target.join(', ')} is one` };
  const status = Number(find(json, NAMES.status));
  if (!Number.isInteger(status) || status < 100 || status > 999) return { fault: `no status: none of ${NAMES.status.join(', ')} is one` };
  const [host, agent] = [text(find(json, NAMES.host)), text(find(json, NAMES.agent))];
  return { time, method, target, status, host, agent: agent === '-' ? '' : agent };
}

/** @param {string} line one character per byte @returns {Record<string, unknown> | undefined} */
export function readObject(line) {
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(line, 'latin1'));
    const json = JSON.parse(decoded);
    return json !== null && typeof json === 'object' && !Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** The first field that is there. @param {Record<string, unknown>} json @param {string[]} names @returns {unknown} */
function find(json, names) {
  for (const name of names) {
    const value = name
      .split('.')
      .reduce((/** @type {any} */ of, key) => (of !== null && typeof of === 'object' ? of[key] : undefined), json);
    if (value !== undefined && value !== null && value !== '') return Array.isArray(value) ? value[0] : value;
  }
  return undefined;
}

/** One character per byte, as lines of other formats have it. @param {unknown} value */
const text = (value) => (typeof value === 'string' ? Buffer.from(value, 'utf8').toString('latin1') : '');

/** Unix milliseconds. @param {unknown} value @returns {number | undefined} */
function instant(value) {
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number === 'number') {
    const [, ms] = UNITS_MS.find(([from]) => number > from) ?? [];
    return ms === undefined ? undefined : Math.round(number * ms);
  }
  if (typeof value !== 'string' || !RFC_3339.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) || time < 0 ? undefined : time;
}
