/**
 * A week of a site: readers who are counted as they should be, and those who would be counted more.
 */
import { signActor } from '../../../packages/edgeboard/serve/actor-token.mjs';
import { createRandom } from '../../support/windows.mjs';

export const DAYS = 7;
export const ITEMS = 1_000;
export const SECRET = 'a-secret-of-the-site';
export const VOTER = 'mallory';
export const SITE = 'demo';
/** Items that a reader looks at on a visit, at most. */
const MAX_VIEWS = 5;
/** One reader in so many is signed in, and likes what was read first. */
const SIGNED_IN = 25;
/** Of the requests, those that bots send. */
const BOTS = 1 / 10;
/** Events of a beacon, at most. */
const BATCH = 20;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/**
 * @typedef {'reader' | 'crawler' | 'prefetch' | 'headless' | 'agents' | 'reloader' | 'flood' | 'forger' | 'voter' | 'network'} Kind
 * @typedef {{ action: string, item: string, actor?: string }} Click
 *
 * @typedef {object} Visit
 * @property {Kind} kind
 * @property {string} address
 * @property {string} agent
 * @property {Click[]} clicks
 * @property {string} [actor] who is signed in
 * @property {boolean} [isPrefetch]
 */

/**
 * @param {object} options
 * @param {number} options.readers
 * @param {number} options.junk made-up ids, an equal part on each day
 * @param {number} [options.seed]
 * @returns {Visit[][]} of each day
 */
export function makeWeek({ readers, junk, seed = 20261122 }) {
  const random = createRandom(seed);
  const zipf = makeZipf(random);
  return Array.from({ length: DAYS }, (_, day) => {
    /** @type {Visit[]} */
    const visits = [];
    for (let reader = day; reader < readers; reader += DAYS) visits.push(read(reader, random, zipf));
    const ofKind = Math.ceil((visits.length * BOTS) / (1 - BOTS) / BOT_KINDS.length);
    const bots = BOT_KINDS.flatMap((make) => Array.from({ length: ofKind }, (_, n) => make(n, random)));
    const flood = Array.from({ length: Math.ceil(junk / DAYS / BATCH) }, (_, n) => flooder(day, n));
    const forger = Array.from({ length: 10 }, (_, n) => forge(n, zipf()));
    const voter = Array.from({ length: 3 }, (_, n) => vote(day * 3 + n));
    const network = Array.from({ length: ofKind }, (_, n) => join(n));
    // Nobody comes in order.
    const all = [...visits, ...bots, ...flood, ...forger, ...voter, ...network].map((visit) => ({ visit, place: random() }));
    return all.sort((a, b) => a.place - b.place).map(({ visit }) => visit);
  });
}

/** The token of who is signed in. @param {string} actor @param {number} expiry Unix seconds */
export const tokenOf = (actor, expiry) => signActor({ secret: SECRET, site: SITE, actor, expiry });

/** What the ids begin with that somebody makes up on a day: others each day, since the owner keeps those of before off. */
export const junkOf = (/** @type {number} */ day) => `/junk-${day}/`;

const view = (/** @type {string} */ item) => ({ action: 'view', item });

/** @param {number} reader @param {() => number} random @param {() => string} zipf @returns {Visit} */
function read(reader, random, zipf) {
  const items = [...new Set(Array.from({ length: 1 + Math.floor(random() * MAX_VIEWS) }, zipf))];
  const visit = { kind: /** @type {const} */ ('reader'), address: addressOf(10, reader), agent: random() < 0.5 ? FIREFOX : CHROME };
  if (reader % SIGNED_IN !== 0) return { ...visit, clicks: items.map(view) };
  return { ...visit, actor: `u${reader}`, clicks: [...items.map(view), { action: 'like', item: items[0] }] };
}

/** What each bot of a kind does, by its number. @type {((n: number, random: () => number) => Visit)[]} */
const BOT_KINDS = [
  (n, random) => ({
    kind: 'crawler',
    address: addressOf(66, n),
    agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    clicks: some(random),
  }),
  (n, random) => ({ kind: 'prefetch', address: addressOf(67, n), agent: CHROME, clicks: some(random), isPrefetch: true }),
  (n, random) => ({
    kind: 'headless',
    address: addressOf(68, n),
    agent: CHROME.replace('Chrome/', 'HeadlessChrome/'),
    clicks: some(random),
  }),
  // One address under ever other names, for one item.
  (n) => ({ kind: 'agents', address: '192.0.2.66', agent: `${FIREFOX} build ${n}`, clicks: [view('/posts/900')] }),
  // One reader who reloads one item.
  () => ({ kind: 'reloader', address: '192.0.2.67', agent: FIREFOX, clicks: [view('/posts/901')] }),
];

/** One address that makes ids up, as fast as it can. @param {number} day @param {number} n @returns {Visit} */
function flooder(day, n) {
  const clicks = Array.from({ length: BATCH }, (_, i) => view(`${junkOf(day)}${n}-${i}`));
  return { kind: 'flood', address: '198.51.100.1', agent: FIREFOX, clicks };
}

/** One who names actors without their tokens. @param {number} n @param {string} item @returns {Visit} */
function forge(n, item) {
  return { kind: 'forger', address: '203.0.113.7', agent: CHROME, clicks: [{ ...view(item), actor: `made-up-${n}` }] };
}

/** An account that likes whatever there is. @param {number} n @returns {Visit} */
function vote(n) {
  const clicks = Array.from({ length: BATCH }, (_, i) => ({ action: 'like', item: `/posts/${n * BATCH + i}` }));
  return { kind: 'voter', address: '203.0.113.8', agent: FIREFOX, clicks, actor: VOTER };
}

/** Many addresses that look at one item, each as a reader would. @param {number} n @returns {Visit} */
function join(n) {
  return { kind: 'network', address: addressOf(69, n), agent: CHROME, clicks: [view('/posts/902')] };
}

/** @param {() => number} random */
function some(random) {
  return Array.from({ length: 10 }, () => view(`/posts/${Math.floor(random() * ITEMS)}`));
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
