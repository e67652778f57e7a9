/**
 * Stories of what is done and undone.
 */
import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { HISTORY_MS, like, liked, likeOld, MINUTE_MS, NEXT_LANDMARK_MS, seal, START, undo, vote, voteFirst } from './site.mjs';

/**
 * @typedef {import('./site.mjs').Event} Event
 * @typedef {import('./site.mjs').Row} Row
 * @typedef {import('./site.mjs').Step} Step
 */

/** How long after its action an undo comes. @type {[what: string, ms: number][]} */
const DELAYS = [
  ['at once', 0],
  ['in the next hour', HOUR_MS],
  ['the next day', DAY_MS],
  ['the next week, when the hour is not kept any more', 4 * DAY_MS],
  ['when the last seven days have passed it', 8 * DAY_MS],
  ['the next month', 12 * DAY_MS],
  ['when a half-life board was replaced', NEXT_LANDMARK_MS + HOUR_MS],
  ['just before it is forgotten', HISTORY_MS - MINUTE_MS],
];
/** Likes of what nobody else liked, of what others saw, and of what stood below zero; a follow counts on the board of actors alone, a
 * save on none. @type {Event[]} */
const TRACKED = [
  like,
  likeOld,
  liked({ item: '/below' }),
  { action: 'dislike', item: '/old', actor: 'u1' },
  { action: 'follow', item: 'u3', actor: 'u4' },
  { action: 'save', item: '/old', actor: 'u1' },
];

/** Likes of five actors, one after the other, each of another half of the items. */
const SUMS = Array.from({ length: 5 }, (_, i) =>
  Array.from({ length: 31 }, (_, n) => n + 1).flatMap((n) => ((n >> i) % 2 === 1 ? [liked({ item: `/sum-${n}`, actor: `u${i}` })] : [])),
);

/** What happens, with which answers, and what of it is to have an effect. @type {Row[]} */
export const STORIES = [
  ...DELAYS.flatMap(([when, delay]) =>
    [false, true].map((upkeep) => ({
      story: `undone ${when}${upkeep ? ', with upkeep' : ''}`,
      upkeep,
      steps: /** @type {Step[]} */ ([
        [0, { events: TRACKED }, TRACKED.map(() => 'accepted')],
        [delay, { events: TRACKED.map(undo) }, TRACKED.map(() => 'accepted')],
      ]),
    })),
  ),
  {
    story: 'done shortly before a half-life board is replaced, undone shortly after',
    steps: [
      [NEXT_LANDMARK_MS - 2 * HOUR_MS, like, 'accepted'],
      [0, likeOld, 'accepted'],
      [4 * HOUR_MS, undo(like), 'accepted'],
      [0, undo(likeOld), 'accepted'],
    ],
  },
  {
    story: 'undone when everybody has seen it, also in the last seven days that are over',
    read: true,
    steps: [
      [0, like, 'accepted'],
      [0, likeOld, 'accepted'],
      [DAY_MS, { ...like, action: 'save' }, 'accepted'],
      [30 * MINUTE_MS, undo(likeOld), 'accepted'],
      [0, undo(like), 'accepted'],
      [0, undo({ ...like, action: 'save' }), 'accepted'],
    ],
  },
  {
    story: 'done twice',
    steps: [
      [0, like, 'accepted'],
      [0, like, 'already-done'],
      [DAY_MS, like, 'already-done'],
      [29 * DAY_MS, like, 'already-done'],
    ],
    stands: [0],
  },
  {
    story: 'undone twice',
    steps: [
      [0, like, 'accepted'],
      [DAY_MS, undo(like), 'accepted'],
      [0, undo(like), 'already-undone'],
      [3 * DAY_MS, undo(like), 'already-undone'],
    ],
  },
  {
    story: 'undone, but not done: by this actor, with this item, this action',
    steps: [
      [0, like, 'accepted'],
      [0, undo(liked({ actor: 'u2' })), 'not-done'],
      [0, undo(liked({ item: '/old' })), 'not-done'],
      [0, undo(liked({ action: 'dislike' })), 'not-done'],
      [0, undo(liked({ action: 'save' })), 'not-done'],
      [0, undo({ ...like, actor: 'U1' }), 'not-done'],
    ],
    stands: [0],
  },
  {
    story: 'undone too late, refused for another actor history, and then forgotten',
    steps: [
      [0, like, 'accepted'],
      [HISTORY_MS + MINUTE_MS, undo(like), 'undo-too-late'],
      [HISTORY_MS - 2 * MINUTE_MS, undo(like), 'undo-too-late'],
      [HISTORY_MS + DAY_MS, undo(like), 'not-done'],
    ],
    stands: [0],
  },
  {
    story: 'undone, done and undone',
    steps: [
      [0, undo(like), 'not-done'],
      [0, like, 'accepted'],
      [0, undo(like), 'accepted'],
    ],
  },
  ...[0, HOUR_MS, DAY_MS, 10 * DAY_MS].map((wait) => ({
    story: `done, undone ${wait / HOUR_MS} hours later, and done as much later`,
    steps: /** @type {Step[]} */ ([
      [0, like, 'accepted'],
      [wait, undo(like), 'accepted'],
      [wait, like, 'accepted'],
      [0, like, 'already-done'],
    ]),
    stands: [2],
  })),
  {
    story: 'done and undone again and again',
    steps: Array.from({ length: 9 }, (_, i) => [i % 3 === 0 ? DAY_MS : 0, i % 2 === 0 ? likeOld : undo(likeOld), 'accepted']),
    stands: [8],
  },
  {
    story: 'done, undone and done in one batch',
    steps: [[0, { events: [like, undo(like), like] }, ['accepted', 'accepted', 'accepted']]],
    stands: [2],
  },
  {
    story: 'undone, done and undone in one batch, between clicks',
    steps: [
      [
        0,
        {
          events: [
            { action: 'view', item: '/new', actor: 'u2' },
            undo(like),
            like,
            { action: 'view', item: '/new', actor: 'u1' },
            like,
            undo(like),
            undo(like),
            { action: 'view', item: '/new' },
          ],
        },
        ['accepted', 'not-done', 'accepted', 'accepted', 'already-done', 'accepted', 'already-undone', 'accepted'],
      ],
    ],
    stands: [0, 3, 7],
  },
  {
    story: 'the same actions of some actors in one batch',
    steps: [
      [
        0,
        { events: ['u1', 'u2', 'u1', 'u4', 'u2'].map((actor) => liked({ actor })) },
        ['accepted', 'accepted', 'already-done', 'accepted', 'already-done'],
      ],
      [
        DAY_MS,
        { events: ['u2', 'u3', 'u2', 'u1'].map((actor) => undo(liked({ actor }))) },
        ['accepted', 'not-done', 'already-undone', 'accepted'],
      ],
    ],
    stands: [3],
  },
  {
    story: 'an undo that is sent twice with one id',
    steps: [
      [0, like, 'accepted'],
      [DAY_MS, { ...undo(like), id: 'undo-1' }, 'accepted'],
      [0, { ...undo(like), id: 'undo-1' }, 'duplicate'],
      [0, like, 'accepted'],
      [0, { ...undo(like), id: 'undo-1' }, 'duplicate'],
    ],
    stands: [3],
  },
  {
    story: 'an action that is sent again, with its id, after it was undone',
    steps: [
      [0, { ...like, id: 'like-1' }, 'accepted'],
      [0, undo(like), 'accepted'],
      [0, { ...like, id: 'like-1' }, 'duplicate'],
    ],
  },
  {
    story: 'a batch of an action and its undo that is sent twice',
    steps: [
      [0, { id: 'both', events: [like, undo(like)] }, ['accepted', 'accepted']],
      [0, { id: 'both', events: [like, undo(like)] }, ['duplicate', 'duplicate']],
    ],
  },
  {
    story: 'of two actors one takes it back',
    steps: [
      [0, like, 'accepted'],
      [0, liked({ actor: 'u2' }), 'accepted'],
      [DAY_MS, undo(like), 'accepted'],
    ],
    stands: [1],
  },
  {
    story: 'many actors at many times, all of whom take it back: nothing is left of sums of fractions',
    upkeep: true,
    steps: [
      ...SUMS.map((events) => /** @type {Step} */ ([1_111_000, { events }, events.map(() => 'accepted')])),
      [HOUR_MS, { events: SUMS.flat().map(undo) }, SUMS.flat().map(() => 'accepted')],
      [HOUR_MS, undo(SUMS[0][0]), 'already-undone'],
    ],
  },
  {
    story: 'what is worth a billion clicks: a click of the day before is as good as without',
    steps: [
      [0, { action: 'view', item: '/new' }, 'accepted'],
      [DAY_MS, { ...like, action: 'prize' }, 'accepted'],
      [0, undo({ ...like, action: 'prize' }), 'accepted'],
    ],
    stands: [0],
  },
  ...[0, 2 * DAY_MS].map((wait) => ({
    story: `of two equals the first is the first again, ${wait / DAY_MS} days later`,
    upkeep: true,
    steps: /** @type {Step[]} */ ([
      [0, { action: 'view', item: '/b' }, 'accepted'],
      [0, { action: 'view', item: '/a' }, 'accepted'],
      [0, liked({ item: '/b' }), 'accepted'],
      [wait, undo(liked({ item: '/b' })), 'accepted'],
    ]),
    stands: [0, 1],
  })),
  {
    story: 'of two items and of two actions one is taken back',
    steps: [
      [0, like, 'accepted'],
      [0, likeOld, 'accepted'],
      [0, { ...likeOld, action: 'dislike' }, 'accepted'],
      [9 * DAY_MS, undo(likeOld), 'accepted'],
    ],
    stands: [0, 2],
  },
  {
    story: 'undone after clicks of other days',
    steps: [
      [0, like, 'accepted'],
      [DAY_MS, { action: 'view', item: '/new', actor: 'u1' }, 'accepted'],
      [DAY_MS, { action: 'view', item: '/new' }, 'accepted'],
      [6 * DAY_MS, undo(like), 'accepted'],
    ],
    stands: [1, 2],
  },
  ...[1, 6, 20, 59].flatMap((days) => [
    {
      story: `undone at once: an action of ${days} days ago`,
      steps: /** @type {Step[]} */ ([
        [0, liked({ at: START - days * DAY_MS }), 'accepted'],
        [0, undo(like), 'accepted'],
      ]),
    },
    {
      story: `undone three days later: an action of ${days} days ago`,
      steps: /** @type {Step[]} */ ([
        [0, { ...likeOld, ago: days * DAY_MS }, 'accepted'],
        [3 * DAY_MS, undo(likeOld), 'accepted'],
      ]),
    },
  ]),
  {
    story: 'undone: an action of a year ago, in one batch with another',
    steps: [
      [0, { events: [liked({ at: START - 365 * DAY_MS }), likeOld] }, ['accepted', 'accepted']],
      [30 * DAY_MS, { events: [undo(likeOld), undo(like)] }, ['accepted', 'accepted']],
    ],
  },
  {
    story: 'undone, but years too late: it stays done',
    steps: [
      [0, { events: [liked({ at: Date.parse('2019-02-28T12:00:00Z') }), likeOld] }, ['accepted', 'accepted']],
      [0, { events: [undo(likeOld), undo(like)] }, ['accepted', 'undo-too-late']],
    ],
    stands: [0],
  },
  {
    story: 'undone thirty days after it was sent, which was twenty days after it was done',
    steps: [
      [0, liked({ at: START - 20 * DAY_MS }), 'accepted'],
      [30 * DAY_MS, undo(like), 'accepted'],
    ],
  },
  {
    story: 'an undo that says when: the instant is the action’s all the same',
    steps: [
      [0, liked({ at: START - 3 * DAY_MS }), 'accepted'],
      [2 * DAY_MS, { ...undo(like), at: START - DAY_MS }, 'accepted'],
      [0, { ...undo(like), at: START + 9 * DAY_MS }, 'at-in-future'],
    ],
  },
  {
    story: 'what cannot be undone',
    steps: [
      [0, { action: 'view', item: '/new', actor: 'u1' }, 'accepted'],
      [0, undo({ action: 'view', item: '/new', actor: 'u1' }), 'undo-not-possible'],
      [0, undo({ action: 'like', item: '/new' }), 'invalid-actor'],
      [0, { ...like, undo: /** @type {any} */ ('yes') }, 'invalid-undo'],
    ],
    stands: [0],
  },
  {
    story: 'likes of nobody in particular count each time',
    steps: [
      [0, { action: 'like', item: '/new' }, 'accepted'],
      [0, { action: 'like', item: '/new', undo: false }, 'accepted'],
    ],
    stands: [0, 1],
  },
  {
    story: 'undone: an action that one board refused, since it was full',
    steps: [
      [0, voteFirst, 'accepted'],
      [0, vote, 'accepted'],
      [HOUR_MS, undo(vote), 'accepted'],
    ],
    stands: [0],
  },
  {
    story: 'undone: an action that one board refused and would have room for by now',
    steps: [
      [0, voteFirst, 'accepted'],
      [0, vote, 'accepted'],
      [HOUR_MS, undo(voteFirst), 'accepted'],
      [0, undo(vote), 'accepted'],
    ],
  },
  {
    story: 'undone: an action that a board took into some periods and refused in others',
    steps: [
      [0, voteFirst, 'accepted'],
      [DAY_MS, vote, 'accepted'],
      [2 * DAY_MS, undo(vote), 'accepted'],
    ],
    stands: [0],
  },
  {
    story: 'undone: an action whose only board refused it',
    steps: [
      [0, voteFirst, 'accepted'],
      [0, seal, 'board-full'],
      [0, undo(seal), 'not-done'],
    ],
    stands: [0],
  },
  {
    story: 'undone when its weight is another: what it added is taken back',
    steps: [
      [0, likeOld, 'accepted'],
      [0, like, 'accepted'],
      [DAY_MS, undo(likeOld), 'accepted', 'reweighed'],
      [0, likeOld, 'accepted', 'reweighed'],
      [0, undo(like), 'accepted', 'reweighed'],
      [3 * DAY_MS, undo(likeOld), 'accepted'],
    ],
  },
];
