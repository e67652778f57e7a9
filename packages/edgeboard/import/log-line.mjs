/**
 * Parses one line of an access log in Common or Combined Log Format, as Apache, nginx and Caddy write it.
 *
 * A line is a string of bytes: one character (U+0000 to U+00FF) per byte of the file. So nothing is lost before it is
 * known to be UTF-8. Both formats are matched whole. Half a line often looks like a whole one, so a line with something
 * missing or left over is refused rather than guessed at.
 */

/**
 * Longer lines are refused unread: servers limit a request line and each header to 8 KiB, and a message of a queue, which a line of an
 * event file may be, to 128 KB.
 */
export const MAX_LINE_BYTES = 128 * 1024;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const QUOTED = String.raw`"([^"\\]*(?:\\.[^"\\]*)*)"`;
const TIME = String.raw`(\d\d)/(\w{3})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)`;

/** host ident user [time] "request" status bytes, and for Combined "referer" "user agent". A user may hold spaces. */
const LINE = new RegExp(String.raw`^([^ ]+) [^ ]+ .+? \[${TIME}\] ${QUOTED} (\d{3}) (?:\d+|-)(?: ${QUOTED} ${QUOTED})?$`, 's');

/** The request line of HTTP/1.0 and later; servers write HTTP/2 and 3 the same way. A target may hold spaces. */
const REQUEST = /^([\w!#$%&'*+.^`|~-]+) ([^ ](?:.*[^ ])?) HTTP\/\d(?:\.\d)?$/s;

/** HTTP/0.9: no version, and GET alone. */
const SIMPLE_REQUEST = /^(GET) (\/[^ ]*)$/;

/** A path, an absolute URL, or the `*` of OPTIONS; CONNECT has a host and a port instead. */
const TARGET = /^(?:\/|[a-z][a-z0-9+.-]*:\/\/|\*$)/i;

/**
 * @typedef {object} LogLine
 * @property {number} time the instant, in Unix milliseconds
 * @property {string} method
 * @property {string} target the request target, unescaped, one character per byte
 * @property {number} status
 * @property {string} host the client's address or name
 * @property {string} agent the user agent, unescaped, one character per byte; empty when the line has none
 */

/**
 * @param {string} line without its line end, one character per byte
 * @returns {LogLine | { fault: string }}
 */
export function parseLogLine(line) {
  if (line.length > MAX_LINE_BYTES) return { fault: `longer than ${MAX_LINE_BYTES} bytes` };

  const match = LINE.exec(line);
  if (!match) return { fault: 'neither Common nor Combined Log Format' };
  const [, host, day, month, year, hour, minute, second, sign, zoneHours, zoneMinutes, request, status, , agent = '-'] = match;

  const zone = (sign === '-' ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes));
  const time = instant([year, MONTHS.indexOf(month), day, hour, minute, second].map(Number), zone);
  if (time === undefined || Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return { fault: 'no such time' };

  const requestLine = unescaped(request);
  const [, method, target] = REQUEST.exec(requestLine) ?? SIMPLE_REQUEST.exec(requestLine) ?? [];
  if (method === undefined || !(method === 'CONNECT' || TARGET.test(target))) {
    return { fault: 'malformed request line' };
  }

  return { time, method, target, status: Number(status), host, agent: agent === '-' ? '' : unescaped(agent) };
}

/**
 * The instant of a local date and time, or undefined when the calendar has no such date or the day no such time.
 *
 * @param {number[]} fields year, month from 0, day, hour, minute, second
 * @param {number} zoneMinutes minutes east of UTC
 * @returns {number | undefined} Unix milliseconds
 */
function instant([year, month, day, hour, minute, second], zoneMinutes) {
  if (year < 1970 || month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;

  const date = new Date(Date.UTC(year, month, day));
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;

  const time = Date.UTC(year, month, day, hour, minute - zoneMinutes, second);
  // A leap second ends a UTC day; Unix time gives it the number of the second after it.
  if (second === 60 && time % 86_400_000 !== 0) return undefined;
  return time;
}

/** @type {Record<string, string>} */
const ESCAPES = { b: '\b', n: '\n', r: '\r', t: '\t', v: '\v', '"': '"', '\\': '\\' };

/** Undoes the escapes of Apache (`\"`, `\\`, `\n`, `\xHH` …) and nginx (`\xHH`); anything else stays as it is. @param {string} text */
function unescaped(text) {
  return text.replace(/\\(?:x([0-9a-f]{2})|(.))/gis, (whole, hex, char) =>
    hex === undefined ? (ESCAPES[char] ?? whole) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
