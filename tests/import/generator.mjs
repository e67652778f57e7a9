/**
 * Makes access logs of any length from a seed, and knows what it wrote. Every request is returned with the text, so tests
 * count those instead of parsing the text a second time.
 *
 * The logs have what real ones have. A few paths have most of the requests. Lines are out of order, some are equal, some do
 * not parse. There are several zone offsets, IPv6, user names with spaces, query strings, escapes and both formats. There
 * are assets and bots.
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const HOSTS = ['83.149.9.216', '2001:db8::17', '::1', 'pc7.example.net', '10.0.0.7'];
const USERS = ['-', '-', '-', 'frank', 'Ada Lovelace', '""'];
const ZONES_MINUTES = [0, 0, 0, 120, -330];
const METHODS = ['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST'];
const STATUSES = [200, 200, 200, 200, 200, 206, 301, 304, 404, 500];
const QUERIES = ['', '', '', '?page=2', '?q=a%20b&c=/d', '?'];
/** By how a log writes them, the user agents that they are. */
const AGENTS = new Map([
  ['Mozilla/5.0 (X11; Linux x86_64)', 'Mozilla/5.0 (X11; Linux x86_64)'],
  [String.raw`say \"hi\" \\ twice`, 'say "hi" \\ twice'],
  [String.raw`caf\xc3\xa9 \xe9`, 'café \ufffd'],
  ['-', undefined],
]);
const BOTS = new Map([
  [String.raw`\xe4\xe5 spider`, '\ufffd\ufffd spider'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1)', 'Mozilla/5.0 (compatible; Googlebot/2.1)'],
  ['curl/8.5.0', 'curl/8.5.0'],
]);
const ASSETS = ['/style.css', '/assets/app.1a2b.JS', '/logo.png', '/fonts/a.woff2'];

/** A line cut short, no request, a TLS handshake, a date that is none, and a message of another log. */
const UNPARSABLE = [
  '83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /cut HTTP/1.1" 200 235 "-" "Mozilla/5.0 (compatible',
  '83.149.9.216 - - [17/May/2015:10:05:03 +0000] "-" 408 - "-" "-"',
  String.raw`83.149.9.216 - - [17/May/2015:10:05:03 +0000] "\x16\x03\x01\x02" 400 226 "-" "-"`,
  '83.149.9.216 - - [31/Feb/2015:10:05:03 +0000] "GET /no-such-day HTTP/1.1" 200 235',
  "AH00558: could not determine the server's fully qualified domain name",
];

/** How a path is written in a log, for those that are written otherwise than they are. */
const WRITTEN = new Map([
  ['/café', String.raw`/caf\xc3\xa9`],
  ['/"quoted"', String.raw`/\"quoted\"`],
  ['/back\\slash', String.raw`/back\\slash`],
]);

/**
 * @typedef {object} Request
 * @property {number} time
 * @property {string} path
 * @property {string} method
 * @property {number} status
 * @property {string} host
 * @property {string} [agent] absent in Common Log Format, and where the log has -
 *
 * @typedef {object} Log
 * @property {Buffer} text
 * @property {Request[]} requests those of people for pages
 * @property {Request[]} assets
 * @property {Request[]} bots those for pages
 * @property {number} unparsable
 *
 * @typedef {<T>(choices: readonly T[]) => T} Pick
 */

/**
 * @param {object} options
 * @param {number} options.seed
 * @param {number} options.lines
 * @param {string} [options.from] RFC 3339, the first instant
 * @param {string} [options.to] RFC 3339, just after the last instant
 * @param {number} [options.paths] different paths
 * @param {number} [options.unparsableShare] of the lines
 * @param {number} [options.repeatedShare] lines that are equal to the one before
 * @param {number} [options.assetShare] requests for assets
 * @param {number} [options.botShare] requests of bots for pages
 * @returns {Log}
 */
export function generateLog({
  seed,
  lines,
  from = '2015-05-17T00:00:00Z',
  to = '2015-05-20T21:00:00Z',
  paths = 1_000,
  unparsableShare = 0.002,
  repeatedShare = 0.002,
  assetShare = 0.05,
  botShare = 0.05,
}) {
  const random = createRandom(seed);
  /** @type {Pick} */
  const pick = (choices) => choices[Math.floor(random() * choices.length)];
  const pickPath = createZipf(random, namePaths(paths));
  const [start, end] = [from, to].map((instant) => Date.parse(instant) / 1000);

  const written = [];
  /** @type {Record<'requests' | 'assets' | 'bots', Request[]>} */
  const by = { requests: [], assets: [], bots: [] };
  let unparsable = 0;
  /** @type {{ request: Request, kind: 'requests' | 'assets' | 'bots', line: string } | undefined} */
  let last;
  while (written.length < lines) {
    const dice = random();
    if (dice < unparsableShare) {
      written.push(pick(UNPARSABLE));
      unparsable += 1;
      continue;
    }
    if (last === undefined || dice >= unparsableShare + repeatedShare) {
      const inOrder = start + ((end - start) * written.length) / lines;
      const seconds = Math.min(Math.max(Math.floor(inOrder + (random() - 0.5) * 3600), start), end - 1);
      const share = random();
      const kind = share < assetShare ? 'assets' : share < assetShare + botShare ? 'bots' : 'requests';
      const combined = kind === 'bots' || pick([true, false]);
      const [writtenAgent, agent] = pick([...(kind === 'bots' ? BOTS : AGENTS)]);
      const request = {
        time: seconds * 1000,
        path: kind === 'assets' ? pick(ASSETS) : pickPath(),
        method: pick(METHODS),
        status: pick(STATUSES),
        host: pick(HOSTS),
        agent: combined ? agent : undefined,
      };
      last = { request, kind, line: writeLine(request, combined ? writtenAgent : undefined, pick) };
    }
    by[last.kind].push(last.request);
    written.push(last.line);
  }
  return { text: Buffer.from(`${written.join('\n')}\n`), ...by, unparsable };
}

/**
 * @template T, K
 * @param {Iterable<T>} things
 * @param {(thing: T) => K} keyOf
 * @returns {Map<K, number>}
 */
export function countBy(things, keyOf) {
  const counts = new Map();
  for (const thing of things) counts.set(keyOf(thing), (counts.get(keyOf(thing)) ?? 0) + 1);
  return counts;
}

/**
 * Common Log Format, or Combined where there is a user agent.
 *
 * @param {Request} request
 * @param {string | undefined} writtenAgent
 * @param {Pick} pick
 */
function writeLine({ time, path, method, status, host }, writtenAgent, pick) {
  const target = (WRITTEN.get(path) ?? path) + pick(QUERIES);
  const size = status === 304 ? '-' : '5321';
  const visitor = `${host} - ${pick(USERS)}`;
  const written = writeTime(time, pick(ZONES_MINUTES));
  const common = `${visitor} [${written}] "${method} ${target} HTTP/1.1" ${status} ${size}`;
  return writtenAgent === undefined ? common : `${common} "http://example.net/" "${writtenAgent}"`;
}

/**
 * `17/May/2015:10:05:03 -0530`
 *
 * @param {number} time
 * @param {number} zoneMinutes
 */
function writeTime(time, zoneMinutes) {
  const [date, clock] = new Date(time + zoneMinutes * 60_000).toISOString().slice(0, 19).split('T');
  const [year, month, day] = date.split('-');
  const zone = Math.abs(zoneMinutes);
  const offset = [Math.floor(zone / 60), zone % 60].map((part) => String(part).padStart(2, '0')).join('');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${clock} ${zoneMinutes < 0 ? '-' : '+'}${offset}`;
}

/** The paths that are hard to write first, so that even short logs have them. @param {number} count */
function namePaths(count) {
  const rest = Array.from({ length: count }, (_, number) => `/posts/${number}%20of%20${count}`);
  return ['/', ...WRITTEN.keys(), ...rest].slice(0, count);
}

/**
 * Picks the nth thing with a probability proportional to 1/n.
 *
 * @param {() => number} random
 * @param {string[]} things
 */
function createZipf(random, things) {
  let sum = 0;
  const bounds = things.map((_, index) => (sum += 1 / (index + 1)));
  return () => {
    const dice = random() * sum;
    return things[bounds.findIndex((bound) => dice < bound)];
  };
}

/** mulberry32: 32 bits of state, the same numbers everywhere. @param {number} seed */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
