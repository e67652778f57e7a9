/**
 * A week of a site: readers who are counted as they should be, and those who would be counted more.
 */
import { createRandom } from '../../support/windows.mjs';

const DAYS = 7;
const ITEMS = 1_000;
/** Items that a reader looks at on a visit, at most. */
const MAX_VIEWS = 5;
/** Of the requests, those that bots send. */
const BOTS = 1 / 10;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/**
 * @typedef {'reader' | 'crawler' | 'prefetch' | 'headless' | 'agents' | 'reloader' | 'flood' | 'forger'} Kind
 * @typedef {{ kind: Kind, address: string, agent: string, items: string[], actor?: string, prefetch?: boolean }} Visit
 *
 * @typedef {object} Week
 * @property {Visit[][]} days
 * @property {Map<string, number>} clean views of each item, one per reader and day
 */

/**
 * @param {object} options
 * @param {number} options.readers
 * @param {number} options.junk made-up ids
 * @param {number} [options.seed]
 * @returns {Week}
 */
export function makeWeek({ readers, junk, seed = 20261122 }) {
  const random = createRandom(seed);
  const zipf = makeZipf(random);
  /** @type {Map<string, number>} */
  const clean = new Map();
  const days = Array.from({ length: DAYS }, (_, day) => {
    /** @type {Visit[]} */
    const visits = [];
    for (let reader = day; reader < readers; reader += DAYS) {
      const items = [...new Set(Array.from({ length: 1 + Math.floor(random() * MAX_VIEWS) }, zipf))];
      for (const item of items) clean.set(item, (clean.get(item) ?? 0) + 1);
      visits.push({ kind: 'reader', address: addressOf(10, reader), agent: random() < 0.5 ? FIREFOX : CHROME, items });
    }
    const ofKind = Math.ceil((visits.length * BOTS) / (1 - BOTS) / BOT_KINDS.length);
    const bots = BOT_KINDS.flatMap((make) => Array.from({ length: ofKind }, (_, n) => make(n, random)));
    const flood = Array.from({ length: Math.ceil(junk / DAYS / 20) }, (_, n) => flooder(day, n));
    const forger = Array.from({ length: 10 }, (_, n) => forge(n, zipf()));
    // Nobody comes in order.
    return [...visits, ...bots, ...flood, ...forger].sort(() => random() - 0.5);
  });
  // The forger is a reader like any other, but for the actor that is made up.
  for (const item of new Set(days.flat().flatMap(({ kind, items }) => (kind === 'forger' ? items : [])))) {
    const seen = days.filter((visits) => visits.some((visit) => visit.kind === 'forger' && visit.items.includes(item)));
    clean.set(item, (clean.get(item) ?? 0) + seen.length);
  }
  return { days, clean };
}

/** What each bot of a kind does, by its number. @type {((n: number, random: () => number) => Visit)[]} */
const BOT_KINDS = [
  (n, random) => ({
    kind: 'crawler',
    address: addressOf(66, n),
    agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    items: some(random),
  }),
  (n, random) => ({ kind: 'prefetch', address: addressOf(67, n), agent: CHROME, items: some(random), prefetch: true }),
  (n, random) => ({
    kind: 'headless',
    address: addressOf(68, n),
    agent: CHROME.replace('Chrome/', 'HeadlessChrome/'),
    items: some(random),
  }),
  // One address under ever other names, for one item.
  (n) => ({ kind: 'agents', address: '192.0.2.66', agent: `${FIREFOX} build ${n}`, items: ['/posts/900'] }),
  // One reader who reloads one item.
  () => ({ kind: 'reloader', address: '192.0.2.67', agent: FIREFOX, items: ['/posts/901'] }),
];

/** @param {number} day @param {number} n @returns {Visit} */
function flooder(day, n) {
  const items = Array.from({ length: 20 }, (_, i) => `/junk/${day}-${n}-${i}`);
  return { kind: 'flood', address: `198.51.100.${n % 250}`, agent: FIREFOX, items };
}

/** @param {number} n @param {string} item @returns {Visit} */
function forge(n, item) {
  return { kind: 'forger', address: '203.0.113.7', agent: CHROME, items: [item], actor: `made-up-${n}` };
}

/** @param {() => number} random */
function some(random) {
  return Array.from({ length: 10 }, () => `/posts/${Math.floor(random() * ITEMS)}`);
}

/** @param {number} first @param {number} n */
function addressOf(first, n) {
  return [first, (n >> 16) & 255, (n >> 8) & 255, n & 255].join('.');
}

/** Items by Zipf's law: the k-th is read 1/k as often as the first. @param {() => number} random */
function makeZipf(random) {
  const sums = [0];
  for (let k = 1; k <= ITEMS; k += 1) sums.push(sums[k - 1] + 1 / k);
  return () => {
    const at = random() * sums[ITEMS];
    let [low, high] = [1, ITEMS];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < at) low = middle + 1;
      else high = middle;
    }
    return `/posts/${low - 1}`;
  };
}
