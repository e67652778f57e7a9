/**
 * The most expensive requests that anyone may send, with the most that they may cost on boards of 100,000 members.
 *
 * # Out of scope
 *
 * How many requests somebody may send.
 */
import { createTraffic } from './bodies/traffic.mjs';
import { startDeployment } from './deployment.mjs';
import { overhear } from './overheard.mjs';
import { until } from './until.mjs';

/**
 * @typedef {import('./deployment.mjs').Deployment} Deployment
 * @typedef {import('./deployment.mjs').Answer} Answer
 *
 * @typedef {object} Attack
 * @property {string} name
 * @property {number} commands that it may cost at most
 * @property {number} elements of sorted sets, hashes and sets that these may touch
 * @property {(on: Deployment) => Promise<Answer>} send
 */

export const MEMBERS = 100_000;
export const ADMIN_TOKEN = 'a-token-for-admins';
const NOW = '2026-11-20T12:30:00Z';
const YESTERDAY = '2026-11-19';
const DAY_MS = 86_400_000;
/** Members that are counted; the others are copies of these. */
const COUNTED = 1000;
/** Writes each member of a sorted set so many times more, with its score. Marks and distinct scores are no members. */
const MULTIPLY = `
for _, key in ipairs(KEYS) do
  local found = redis.call('ZRANGEBYSCORE', key, '(-inf', '+inf', 'WITHSCORES')
  for copy = 1, ARGV[1] do
    local added = {}
    for i = 1, #found, 2 do
      added[i], added[i + 1] = found[i + 1], found[i] .. '-' .. copy
    end
    redis.call('ZADD', key, unpack(added))
  end
end`;
const WINDOWS = ['day', 'all', 'last-7-days'];
const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };
const BOARD = { weights: { view: 1 }, windows: WINDOWS, limit: 1000, max_members: 1_000_000 };
const SITES = {
  demo: {
    origins: ['*'],
    actors: 'any',
    actions: { view: { public: true } },
    boards: {
      articles: { ...BOARD, ties: 'first', ranking: 'dense', breakdown: true },
      plain: { ...BOARD, windows: [...WINDOWS, HOT], ranking: 'competition' },
      unindexed: { ...BOARD, windows: ['day'], ranking: 'dense' },
      people: { ...BOARD, members: 'actors', once: { view: 'day' } },
    },
  },
};

/** @param {string} path @returns {Attack['send']} */
const get = (path) => (on) => {
  on.edgeClock.advance(60_000); // no cache answers
  return on.fetch(`/v1/demo/${path}`);
};
/** @param {string} ranking @returns {Attack['send']} */
const ranks = (ranking) => (on) => {
  const ids = Array.from({ length: 100 }, (_, i) => item((i * 997) % COUNTED));
  return on.fetch(`/v1/demo/boards/${ranking}/ranks`, { method: 'POST', body: JSON.stringify({ ids }) });
};
const attacker = createTraffic({ seed: 2, items: COUNTED, actors: COUNTED });
const RANKINGS = [
  'articles/day',
  'articles/all',
  'articles/last-7-days',
  'plain/day',
  'plain/all',
  'plain/last-7-days',
  'plain/hot',
  'people/day',
];

/** @type {Attack[]} */
export const ATTACKS = [
  {
    name: 'a beacon of 100 events of as many actors',
    commands: 120,
    elements: 5000,
    send: (on) => on.beacon(attacker.views(100, { actors: true })),
  },
  { name: 'the deepest page', commands: 10, elements: 2100, send: get('boards/articles/day?limit=1000') },
  { name: 'the deepest page of a rolling window', commands: 10, elements: 2100, send: get('boards/articles/last-7-days?limit=1000') },
  { name: 'the deepest page of a half-life', commands: 10, elements: 1100, send: get('boards/plain/hot?limit=1000') },
  { name: 'eight rankings at once', commands: 80, elements: 4500, send: get(`top?limit=125&boards=${RANKINGS.join(',')}`) },
  { name: 'a past rolling window', commands: 12, elements: 60, send: get(`boards/articles/last-7-days?period=${YESTERDAY}`) },
  { name: 'a member with 100 around it', commands: 16, elements: 250, send: get('boards/articles/day/members/%2Fposts%2F999?around=50') },
  {
    name: 'why a member has its score',
    commands: 40,
    elements: 200,
    send: get('boards/articles/last-7-days/members/%2Fposts%2F9/explain'),
  },
  { name: 'ranks of 100 members, dense', commands: 20, elements: 400, send: ranks('articles/day') },
  { name: 'ranks of 100 members, dense without an index', commands: 20, elements: 400, send: ranks('unindexed/day') },
  { name: 'ranks of 100 members, competition', commands: 20, elements: 400, send: ranks('plain/last-7-days') },
  { name: 'the health of Redis', commands: 8, elements: 20, send: (on) => on.fetch('/readyz') },
];

/** A deployment with all members on all boards, today and yesterday. */
export async function startAttacked() {
  const deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars: { ADMIN_TOKEN } });
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
  try {
    for (const ago of [DAY_MS, 0]) {
      for (let first = 0; first < COUNTED; first += 100) {
        const events = Array.from({ length: 100 }, (_, i) => ({ action: 'view', item: item(first + i), actor: `u${first + i}`, ago }));
        const { status, text } = await deployment.events({ events });
        if (status !== 200) throw new Error(text);
      }
    }
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    await until('every window is complete', async () => {
      const { body } = await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
      return body.windows.every((/** @type {{ complete?: boolean }} */ window) => window.complete !== false);
    });
    await multiply(deployment.redis);
    for (const { send } of ATTACKS) await send(deployment); // so that Redis knows the scripts
    return deployment;
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

/** As many members as that, on every board; and one board without its index. @param {import('./redis.mjs').Redis} redis */
async function multiply(redis) {
  const keys = await redis.command('KEYS', 'eb:*');
  const types = await Promise.all(keys.map((/** @type {string} */ key) => redis.command('TYPE', key)));
  const isIndex = (/** @type {string} */ key) => /:(scores|holders)/.test(key);
  for (const key of keys.filter((/** @type {string} */ key, /** @type {number} */ i) => types[i] === 'zset' && !isIndex(key))) {
    await redis.command('EVAL', MULTIPLY, 1, key, MEMBERS / COUNTED - 1);
  }
  const unindexed = keys.filter((/** @type {string} */ key) => key.startsWith('eb:{demo:unindexed}') && isIndex(key));
  for (const key of unindexed) await redis.command('DEL', key);
}

/**
 * What an attack costs.
 *
 * @param {Deployment} on
 * @param {Attack} attack
 */
export async function costOf(on, { send }) {
  /** @type {Answer | undefined} */
  let answer;
  const [heard] = await overhear(on.redis, [
    async () => {
      answer = await send(on);
    },
  ]);
  // What a request leaves to the background is upkeep, which its client's misses pay.
  const upkeep = heard.findIndex(({ command: [name, script] }) => /^fcall$/i.test(name) && script.endsWith('_upkeep'));
  const ran = upkeep < 0 ? heard : heard.slice(0, upkeep);
  let elements = 0;
  for (const { command } of ran) elements += await elementsOf(on.redis, command);
  return { status: answer?.status, commands: ran.length, elements, ran };
}

/**
 * The elements that a command reads or writes, at most: those of a range, of a whole key, or its arguments.
 *
 * @param {import('./redis.mjs').Redis} redis
 * @param {string[]} command
 */
async function elementsOf(redis, [name, ...args]) {
  const key = args[0];
  const whole = { smembers: 'SCARD', hgetall: 'HLEN', hkeys: 'HLEN', hvals: 'HLEN' }[name.toLowerCase()];
  if (whole) return redis.command(whole, key);
  const count = args.findIndex((text) => /^(count|limit)$/i.test(text));
  switch (name.toLowerCase()) {
    case 'zrange':
    case 'zrevrange':
      if (args.some((text) => /^by(score|lex)$/i.test(text)) && count < 0) return redis.command('ZCARD', key);
      if (count >= 0) return Number(args[count + 2]);
      return Math.min(await redis.command('ZCARD', key), Number(args[2]) < 0 ? Infinity : Number(args[2]) - Number(args[1]) + 1);
    case 'zrangebyscore':
    case 'zrevrangebyscore':
      return count < 0 ? redis.command('ZCARD', key) : Number(args[count + 2]);
    case 'zscan':
    case 'sscan':
    case 'hscan':
      return count < 0 ? 10 : Number(args[count + 1]);
    case 'zunionstore':
    case 'zinterstore':
    case 'zunion':
      return Infinity;
    case 'fcall':
    case 'fcall_ro':
    case 'evalsha':
    case 'evalsha_ro':
    case 'eval':
      return 0;
    default:
      return args.length;
  }
}

/** @param {number} number */
const item = (number) => `/posts/${number}`;
