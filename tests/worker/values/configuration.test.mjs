/**
 * What a board that ranks values may say, and the exact line of each refusal.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { sampled } from '../../support/part.mjs';
import { startWorker } from '../../support/worker.mjs';

const BOARD = { members: 'actors', score: 'max', actions: ['finish'], windows: ['day'] };
const ACTIONS = { finish: {}, view: { public: true }, like: { reversible: true }, star: { reversible: true, signed: true } };
const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };

/** What the worker says of a site with this board; `undefined` when it takes it. @param {object} board */
async function refusal(board) {
  const sites = { demo: { actions: ACTIONS, boards: { best: board } } };
  const worker = await startWorker({ vars: { REDIS_URL: 'redis://127.0.0.1:1', WRITE_TOKEN: 'token', SITES: sites } });
  try {
    const response = await worker.fetch('/healthz');
    return /** @type {{ detail?: string }} */ (await response.json()).detail;
  } finally {
    await worker.stop();
  }
}

describe('boards that rank values', () => {
  /** @type {[what: string, board: object][]} */
  const accepted = [
    ['as little as possible', BOARD],
    ['everything', { ...BOARD, order: 'ascending', decimals: 3, ties: 'first', ranking: 'dense', history: 10, details: true }],
    ['a rolling window of few', { ...BOARD, windows: ['day', 'last-7-days'], max_members: 14_285 }],
    ['the last of items', { ...BOARD, members: 'items', score: 'last', min_score: -5 }],
    ['decimals of sums', { weights: { view: 0.01 }, windows: ['day', HOT], decimals: 2 }],
  ];
  for (const [what, board] of sampled(accepted)) {
    test(`${what} is taken`, async () => assert.equal(await refusal(board), undefined));
  }

  /** @type {[what: string, board: object, line: string][]} */
  const refused = [
    ['score', { ...BOARD, score: 'avg' }, 'score = "avg" is not allowed; allowed: "sum", "max", "min" or "last"'],
    ['order', { ...BOARD, order: 'up' }, 'order = "up" is not allowed; allowed: "descending" or "ascending"'],
    ['decimals', { ...BOARD, decimals: 7 }, 'decimals = 7 is not allowed; allowed: a whole number from 0 to 6'],
    [
      'weights beside values',
      { ...BOARD, weights: { finish: 1 } },
      'weights = {"finish":1} is not allowed where score = "max": actions names those whose values count',
    ],
    [
      'actions beside sums',
      { weights: { view: 1 }, windows: ['day'], actions: ['view'] },
      'actions = ["view"] is not allowed where score = "sum": weights tell what counts and how much',
    ],
    [
      'ascending sums',
      { weights: { view: 1 }, windows: ['day'], order: 'ascending' },
      'order = "ascending" is not allowed; allowed: descending where score = "sum": who has the least sum has hardly begun',
    ],
    ['no actions', { ...BOARD, actions: undefined }, 'actions is missing; allowed: a list of actions, whose values are ranked'],
    [
      'an empty list of actions',
      { ...BOARD, actions: [] },
      "actions = [] is not allowed; allowed: a list of the site's actions, each once: finish, like, star, view",
    ],
    [
      'an unknown action',
      { ...BOARD, actions: ['finish', 'vew'] },
      'actions[1] = "vew" is not allowed; allowed: a list of the site\'s actions, each once: finish, like, star, view; did you mean view?',
    ],
    [
      'an action that can be undone',
      { ...BOARD, actions: ['like'] },
      'actions[0] = "like" is not allowed; allowed: actions that are not reversible: a value that is taken back does not tell which one it replaced',
    ],
    [
      'an action of browsers',
      { ...BOARD, actions: ['view'] },
      'actions[0] = "view" is not allowed; allowed: actions that browsers may not send: only the site\'s servers send values',
    ],
    [
      'once',
      { ...BOARD, once: { finish: 'day' } },
      'once = {"finish":"day"} is not allowed where score = "max": one value of a member\'s stands anyway',
    ],
    [
      'breakdown',
      { ...BOARD, breakdown: true },
      'breakdown = true is not allowed; allowed: false where score = "max": no value is made of others',
    ],
    [
      'archive',
      { ...BOARD, archive: true },
      'archive = true is not allowed; allowed: false where score = "max": what comes late is added to what is archived, and values are not added',
    ],
    [
      'a window that fades',
      { ...BOARD, windows: ['day', HOT] },
      `windows = ${JSON.stringify(['day', HOT])} is not allowed; allowed: calendar and rolling windows where score = "max", and not hot: a value does not fade`,
    ],
    [
      'a rolling window of last values',
      { ...BOARD, score: 'last', windows: ['last-7-days'], max_members: 10 },
      'windows = ["last-7-days"] is not allowed; allowed: calendar windows where score = "last", and not last-7-days: its base periods do not tell when each value happened',
    ],
    [
      'a rolling window of many',
      { ...BOARD, windows: ['last-7-days'], max_members: 14_286 },
      'windows = ["last-7-days"] is not allowed; allowed: windows of at most 100000 entries where score = "max", since they are united when they are asked for: last-7-days has 7 × max_members = 100002',
    ],
    [
      'ties where base periods do not tell them',
      { ...BOARD, order: 'ascending', ties: 'first', windows: ['last-7-days'], max_members: 10 },
      'ties = "first" is not allowed with the window last-7-days where score = "max" and order = "ascending": its base periods do not tell who came first',
    ],
    [
      'min_score of times',
      { ...BOARD, order: 'ascending', min_score: 3 },
      'min_score = 3 is not allowed where order = "ascending": the least values stand first, and everybody is shown',
    ],
  ];
  for (const [what, board, line] of sampled(refused)) {
    test(`${what} is refused`, async () => {
      const problem = await refusal(JSON.parse(JSON.stringify(board)));
      // Tables may come in another order of their keys.
      const plain = (/** @type {string | undefined} */ text) => text?.replace(/ = (\[|\{).*? is not allowed/, ' = … is not allowed');
      assert.equal(plain(problem), plain(`SITES.demo.boards.best.${line}`));
    });
  }
});
