/**
 * What the operations cost Redis that Podium documents, a leaderboard service: https://github.com/TeneficGames/podium. Its own figures stand beside, as its
 * README has them. They are of the whole way of a request on another machine, and nobody measured both alike. Its commands are counted in its source.
 */
import { startDeployment } from '../../tests/support/deployment.mjs';
import { spentOf } from '../script/cpu.mjs';

/** Of version 1.0.8, `README.md` and `leaderboard/database/redis/tiebreak.go`: in milliseconds, on an Apple M4 Pro. */
const DOCUMENTED = {
  score: { ms: 0.305, commands: 12 },
  rank: { ms: 0.282, commands: 4 },
  top: { ms: 0.441, commands: 1 },
  boards: { ms: 3.58, commands: 1200 },
  members: { ms: 3.17, commands: 1504 },
};
const NAMES = {
  score: 'a score of a member',
  rank: "a member's rank",
  top: 'the first 20 members',
  boards: 'a member on 100 boards, in a request',
  members: 'ranks of 501 members, in six requests',
};
const BOARDS = 100;
const BOARDS_EACH = 25;
const MEMBERS = 501;
/** Events, and ids, of a request. */
const LARGEST_REQUEST = 100;

/** @param {import('../options.mjs').Effort} effort */
export async function benchPodium({ costedRequests }) {
  const board = (/** @type {string} */ action) => ({
    members: 'actors',
    score: 'max',
    actions: [action],
    decimals: 0,
    ties: 'first',
    windows: ['all'],
  });
  const on = await startDeployment({
    transport: 'redis://',
    sites: { demo: { activity: false, actions: { one: {}, many: {} }, boards: { players: board('one') } } },
    // A variable has at most 5 KB.
    vars: Object.fromEntries(
      Array.from({ length: BOARDS / BOARDS_EACH }, (_, part) => {
        const boards = Array.from({ length: BOARDS_EACH }, (_, at) => [`board-${part * BOARDS_EACH + at}`, board('many')]);
        return [`SITES_${part}`, { demo: { boards: Object.fromEntries(boards) } }];
      }),
    ),
  });
  const ids = Array.from({ length: MEMBERS }, (_, at) => `player-${at}`);
  let value = 0;
  const scored = (/** @type {string} */ action, /** @type {string[]} */ actors) => {
    value += 1;
    return expect(on.events({ events: actors.map((actor) => ({ action, actor, value })) }));
  };
  const id = () => ids[value % MEMBERS];
  const each = async (/** @type {(some: string[]) => Promise<void>} */ work) => {
    for (let first = 0; first < MEMBERS; first += LARGEST_REQUEST) await work(ids.slice(first, first + LARGEST_REQUEST));
  };
  const ranks = (/** @type {string[]} */ some) =>
    expect(on.fetch('/v1/demo/boards/players/all/ranks', { method: 'POST', body: JSON.stringify({ ids: some }) }));
  const operations = {
    score: () => scored('one', [id()]),
    rank: () => expect(on.freshTop('players/all', `/members/${id()}`)),
    top: () => expect(on.freshTop('players/all', '?limit=20')),
    boards: () => scored('many', [id()]),
    members: () => each(ranks),
  };
  try {
    await each((some) => scored('one', some));
    const rows = [];
    for (const [key, operation] of Object.entries(operations)) {
      await operation();
      let [calls, us] = [0, 0];
      for (let times = 0; times < costedRequests; times += 1) {
        // What has not changed is not read again.
        await scored('one', [id()]);
        await on.redis.command('CONFIG', 'RESETSTAT');
        await operation();
        const spent = spentOf(await on.redis.command('INFO', 'commandstats'));
        calls += spent.calls;
        us += spent.us;
      }
      const name = /** @type {keyof typeof NAMES} */ (key);
      rows.push({ name: NAMES[name], commands: calls / costedRequests, us: us / costedRequests, documented: DOCUMENTED[name] });
    }
    return { rows };
  } finally {
    await on.stop();
  }
}

/** @param {Promise<import('../../tests/support/deployment.mjs').Answer>} asked */
async function expect(asked) {
  const { status, text, body } = await asked;
  if (status !== 200 || body.rejected?.length > 0) throw new Error(`${status} ${text}`);
}
