/**
 * Undoing takes back exactly what a tracked action added, whenever it is undone: afterwards every board, window and day of activity is what
 * it would be had neither happened. And tracked actions count once, also when many requests do and undo the same at once.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment, ALL_TRANSPORTS, WRITE_TOKEN } from '../support/deployment.mjs';
import { createRandom, DAY_MS, HOUR_MS, scoresOf, readComplete } from '../support/windows.mjs';
import { startWorker } from '../support/worker.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/**
 * @typedef {{ action: string, item: string, actor?: string, undo?: boolean, at?: number, ago?: number, id?: string }} Event
 * @typedef {{ id?: string, events: Event[] }} Batch
 * @typedef {[wait: number, send: Event | Batch, became: string | string[], through?: 'reweighed']} Step after `wait`
 *   milliseconds it is sent, and that becomes of each event; `reweighed` is the worker of another configuration
 * @typedef {{ story: string, steps: Step[], stands?: number[], upkeep?: boolean, read?: boolean }} Row `stands` are the places,
 *   among all events of the steps, of those that are to have an effect; with `upkeep` the cron trigger runs before each step, with
 *   `read` somebody looks at all rankings then
 */

const WINDOWS = ['hour', 'day', 'week', 'month', 'all', 'last-7-days'];
/** What is older than an eighth of 512 half-lives has faded for good: of this window nothing does while an action can be undone. */
const HOT = { name: 'hot', kind: 'half-life', half_life: '2d' };
/** Its boards take turns every 512 hours. */
const QUICK = { name: 'quick', kind: 'half-life', half_life: '1h' };
const FADING = [
  HOT,
  QUICK,
  { name: 'fading', kind: 'step', every: 'day', factor: 0.5 },
  { name: 'smooth', kind: 'linear', resets: 'week', beta: 1.1 },
];
const SITE = {
  actions: {
    view: {},
    like: { reversible: true },
    dislike: { reversible: true },
    follow: { reversible: true },
    vote: { reversible: true },
    seal: { reversible: true },
    prize: { reversible: true },
    save: { reversible: true },
  },
  boards: {
    articles: {
      weights: { view: 1, like: 2, dislike: -1.5, vote: 4, prize: 1_000_000_000 },
      windows: [...WINDOWS, ...FADING],
      limit: 1000,
    },
    people: {
      members: 'actors',
      weights: { view: 0.1, like: 0.3, follow: 2 },
      windows: ['day', 'month', 'all', 'last-7-days', HOT],
      limit: 1000,
    },
    /** The order of ties is that of their sequence numbers. */
    ordered: { weights: { view: 1, like: 1 }, windows: ['day', 'all', 'last-7-days'], ties: 'first', breakdown: true },
    small: { weights: { vote: 1, seal: 1 }, windows: ['day', 'all', 'last-7-days', HOT], max_members: 1 },
  },
};
/** The same with other weights of a like. */
const REWEIGHED = structuredClone(SITE);
REWEIGHED.boards.articles.weights.like = 5;
REWEIGHED.boards.people.weights.like = -1;

/** A Friday; the hour that holds it ends long after a step. */
const START = Date.parse('2026-11-20T12:05:00Z');
const MINUTE_MS = 60_000;
const HISTORY_MS = 31 * DAY_MS;
/** Days are kept for 60 days. Stories that last longer than this are not asked for theirs. */
const DAYS_KEPT_MS = 50 * DAY_MS;
const NEXT_LANDMARK_MS = 512 * HOUR_MS - (START % (512 * HOUR_MS));

/** What stands on every board before a story begins. @type {Event[]} */
const BACKGROUND = [
  ...[0.5, 3, 20, 50, 200].flatMap((hours) => [
    { action: 'view', item: '/old', actor: 'u1', at: START - hours * HOUR_MS },
    { action: 'view', item: '/other', actor: 'u2', at: START - hours * HOUR_MS + 1 },
    { action: 'like', item: '/old', actor: `fan-${hours}`, at: START - hours * HOUR_MS + 2 },
  ]),
  { action: 'dislike', item: '/below', actor: 'u3', at: START - HOUR_MS },
];
const ACTORS = ['u1', 'u2', 'u3', 'u4'];

const like = { action: 'like', item: '/new', actor: 'u1' };
const likeOld = { ...like, item: '/old' };
const vote = { action: 'vote', item: '/new', actor: 'u1' };
const voteFirst = { action: 'vote', item: '/first', actor: 'u2' };
const seal = { action: 'seal', item: '/new', actor: 'u1' };
const undo = (/** @type {Event} */ event) => ({ ...event, undo: true });
/** @param {Partial<Event>} more */
const liked = (more) => ({ ...like, ...more });

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

/** @type {Row[]} */
const STORIES = [
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

/** Of years of the zone that a like of now does not need. A target that asked for them would count after the others. */
const LONG_AGO = { action: 'view', item: '/long-ago', at: Date.parse('2010-02-28T12:00:00Z') };
/**
 * `lost` is the share of Redis's replies that are lost; with `ids` what failed is sent again until it is acknowledged; what stands in
 * `alongside` is sent in one batch with each like; with `forgets` Redis forgets the scripts now and then.
 *
 * @type {{ what: string, rounds: number, lost?: number, ids?: boolean, alongside?: Event[], forgets?: boolean }[]}
 */
const RACES = [
  { what: 'on a quiet way to Redis', rounds: 20 },
  { what: 'each like after an event of years ago', rounds: 10, alongside: [LONG_AGO] },
  { what: 'while Redis forgets the scripts', rounds: 10, forgets: true },
  { what: 'on a way that loses one reply in five', rounds: 10, lost: 1 / 5 },
  { what: 'on such a way, sent again with ids until acknowledged', rounds: 10, lost: 1 / 5, ids: true },
];
const LIKES = 25;
/** Boards of articles, of people and ordered ones, but those that fade otherwise than by half; activity, and a ranking that is shown. */
const PLACES_OF_A_LIKE = 7 + 5 + 3 + 2;
const MAX_TRIES = 30;

for (const transport of ALL_TRANSPORTS) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    /** @type {import('../support/worker.mjs').Worker} */
    let reweighed;
    /** What is left of stories without what was undone, which many share. @type {Map<string, Promise<object>>} */
    const without = new Map();
    before(async () => {
      deployment = await startDeployment({ transport, relayed: true, sites: { demo: SITE } });
      // From here it goes on by some months, so that the worker's guess of the year is right.
      deployment.edgeClock.set(START);
      const vars = { REDIS_URL: deployment.redis.url, WRITE_TOKEN, SITES: { demo: REWEIGHED } };
      reweighed = await startWorker({ clock: deployment.edgeClock, vars });
    });
    after(async () => {
      await reweighed?.stop();
      await deployment?.stop();
    });

    /**
     * Tells a story, and then the same without the events that are to have no effect: both leave the same behind.
     *
     * @param {Row} row
     */
    async function check({ steps, stands = [], upkeep = false, read = false }) {
      const left = await tell(steps, upkeep, read);
      let place = 0;
      const rest = steps.flatMap(([wait, send, , through]) => {
        const events = eventsOf(send).filter(() => stands.includes(place++));
        const step = /** @type {Step} */ ([wait, { events }, events.map(() => 'accepted'), through]);
        return wait > 0 || events.length > 0 ? [step] : [];
      });
      const name = JSON.stringify([rest, upkeep]);
      if (!without.has(name)) without.set(name, tell(rest, upkeep, false));
      assertSame(left, await without.get(name));
    }

    /** Answers what is left in the end. @param {Step[]} steps @param {boolean} upkeep @param {boolean} read */
    async function tell(steps, upkeep, read) {
      const { clock, redis, worker } = deployment;
      await deployment.reset();
      clock.set(START);
      assertBecame(
        await post(worker, { events: BACKGROUND }),
        BACKGROUND.map(() => 'accepted'),
      );
      let elapsed = 0;
      for (const [i, [wait, send, became, through]] of steps.entries()) {
        elapsed += wait;
        if (wait > 0) clock.set(START + elapsed);
        if (upkeep) await worker.scheduled();
        if (read) await readRankings(elapsed);
        if (eventsOf(send).length === 0) continue;
        assertBecame(await post(through === 'reweighed' ? reweighed : worker, send), [became].flat(), `step ${i}`);
      }
      return { rankings: await readRankings(elapsed), activity: await readActivity(ACTORS), keys: await readKeys(redis, clock.now()) };
    }

    /** @param {import('../support/worker.mjs').Worker} worker @param {Event | Batch} send */
    async function post(worker, send) {
      const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
      const answer = await worker.fetch('/v1/demo/events', { method: 'POST', headers, body: JSON.stringify(send) });
      const text = await answer.text();
      return { status: answer.status, text, body: JSON.parse(text) };
    }

    /**
     * Boards as they are shown, also the last seven days when the story began. Longer and past periods of the calendar are read
     * from Redis only, all of them.
     *
     * @param {number} elapsed
     */
    async function readRankings(elapsed) {
      /** @type {Record<string, [string, number][]>} */
      const rankings = {};
      const queries = Object.entries(SITE.boards).flatMap(([board, { windows }]) =>
        windows.flatMap((known) => {
          const window = typeof known === 'string' ? known : known.name;
          if (['hour', 'week', 'month', 'all'].includes(window)) return [];
          const past = window === 'last-7-days' && elapsed < DAYS_KEPT_MS ? ['&period=2026-11-20'] : [];
          return ['', ...past].map((query) => [`${board}/${window}`, query]);
        }),
      );
      const read = async (/** @type {string[]} */ [ranking, query]) => {
        const { answer } = await readComplete(deployment, ranking, `?limit=100${query}`);
        assert.equal(answer.body.entries.length, answer.body.total, 'all are shown');
        rankings[ranking + query] = entriesOf(answer);
      };
      await Promise.all(queries.map(read));
      return rankings;
    }

    /** @param {string[]} actors */
    async function readActivity(actors) {
      /** @type {Record<string, { day: string, actions: Record<string, number> }[]>} */
      const activity = {};
      for (const actor of actors) {
        const { status, body, text } = await deployment.fetch(`/v1/demo/actors/${actor}/activity?days=31`, {
          headers: { authorization: `Bearer ${WRITE_TOKEN}` },
        });
        assert.equal(status, 200, text);
        activity[actor] = body.days;
      }
      return activity;
    }

    for (const row of STORIES) test(row.story, () => check(row));

    for (const [what, event, commands] of /** @type {const} */ ([
      ['a tracked action', like, { evalsha: 4, multi: 1, exec: 1 }],
      ['an undo', undo(like), { evalsha: 4, multi: 1, exec: 1 }],
      ['a like of nobody in particular, which is not tracked', { action: 'like', item: '/new' }, { evalsha: 2, multi: 0, exec: 0 }],
    ])) {
      test(`${what} reaches all boards and the activity log in one round trip${commands.exec ? ', as one transaction' : ''}`, async () => {
        await deployment.reset();
        deployment.clock.set(START);
        await deployment.events({ action: 'view', item: '/warm', actor: 'u9' }); // loads the script
        const trips = deployment.link.roundTrips;
        const { evalsha, multi = 0, exec = 0 } = await deployment.commandsDuring(() => deployment.events(event));
        assert.deepEqual([deployment.link.roundTrips - trips, { evalsha, multi, exec }], [1, commands]);
      });
    }

    describe(`${LIKES} likes and as many unlikes of one actor at once`, () => {
      beforeEach(async () => {
        await deployment.reset();
        deployment.clock.set(START);
      });

      for (const [i, { what, rounds, lost = 0, ids = false, alongside = [], forgets = false }] of RACES.entries()) {
        test(`${what}, ${rounds} times: all boards and the activity log know of the same like, or of none`, async (t) => {
          const random = createRandom(i + 1);
          const became = { standing: 0, undone: 0, requests: 0, lost: 0 };
          const loses = () => {
            const yes = random() < lost;
            if (yes) became.lost += 1;
            return yes;
          };
          for (let round = 0; round < rounds; round += 1) {
            const tracked = { action: 'like', item: `/race-${round}`, actor: `racer-${round}` };
            // What one like is worth in a fading window at this time.
            const standard = { action: 'like', item: `/standard-${round}`, actor: `standard-${round}` };
            assertBecame(await deployment.events(standard), ['accepted']);

            deployment.link.loseRepliesWhen(loses);
            /** @type {Event[]} */
            const sends = shuffled(
              random,
              Array.from({ length: 2 * LIKES }, (_, n) => (n % 2 === 0 ? tracked : undo(tracked))),
            );
            const codes = await Promise.all(
              sends.map(async (event, n) => {
                if (forgets && n % 10 === 9) await deployment.redis.command('SCRIPT', 'FLUSH');
                for (let tries = 1; ; tries += 1) {
                  const events = event.undo ? [event] : [...alongside, event];
                  const { status, body, text } = await deployment.events({ id: ids ? `${round}-${n}` : undefined, events });
                  became.requests += 1;
                  if (status === 200) return body.rejected[0]?.code ?? (body.duplicate > 0 ? 'duplicate' : event.undo ? 'undone' : 'done');
                  assert.ok(lost > 0 && (status === 503 || status === 504) && tries < MAX_TRIES, `${status}: ${text}`);
                  if (!ids) return 'unknown';
                }
              }),
            );
            deployment.link.loseRepliesWhen(() => false);

            const unclear = lost === 0 ? [] : [ids ? 'duplicate' : 'unknown'];
            const allowed = ['done', 'undone', 'already-done', 'already-undone', 'not-done', ...unclear];
            assert.deepEqual(
              codes.filter((code) => !allowed.includes(code)),
              [],
            );
            const stands = await countEverywhere(tracked, standard);
            const [done, undone] = ['done', 'undone'].map((which) => codes.filter((code) => code === which).length);
            if (lost === 0) assert.equal(done - undone, stands);
            became[stands === 1 ? 'standing' : 'undone'] += 1;

            assertBecame(await deployment.events(tracked), [stands === 1 ? 'already-done' : 'accepted']);
            assert.equal(await countEverywhere(tracked, standard), 1, 'a last like');
            assertBecame(await deployment.events(undo(tracked)), ['accepted']);
            assert.equal(await countEverywhere(tracked, standard), 0, 'a last undo');
          }
          t.diagnostic(JSON.stringify(became));
        });
      }

      /**
       * How often a like counts, 0 or 1, on which all boards agree, in each of their windows, and the activity log.
       *
       * @param {Event} tracked
       * @param {Event} standard a like that counts once
       * @returns {Promise<number>}
       */
      async function countEverywhere(tracked, standard) {
        const { redis, clock } = deployment;
        /** @type {Map<string, number>} */
        const counts = new Map();
        for (const [name, { members }] of Object.entries(await readKeys(redis, clock.now()))) {
          const [own, one] = [tracked, standard].map(({ item, actor = '' }) =>
            members.get(name.startsWith('eb:{demo:people}') ? actor : item),
          );
          if (typeof one === 'number') counts.set(name, Math.round((1e3 * Number(own ?? 0)) / one) / 1e3);
        }
        const { actor = '' } = tracked;
        const { [actor]: days } = await readActivity([actor]);
        counts.set('activity', days.length === 0 ? 0 : days[0].actions.like);
        const shown = entriesOf(await deployment.freshTop('articles/day', '?limit=1000'));
        counts.set('shown', shown.some(([id]) => id === tracked.item) ? 1 : 0);

        const names = [...counts.keys()].sort();
        const [never, once] = [0, 1].map((count) => names.filter((name) => counts.get(name) === count));
        assert.equal(names.length, PLACES_OF_A_LIKE, names.join(' '));
        assert.equal(never.length + once.length, names.length, JSON.stringify([...counts]));
        assert.ok(never.length === 0 || once.length === 0, `it counts on ${once.join(' ')}, and not on ${never.join(' ')}`);
        return once.length > 0 ? 1 : 0;
      }
    });
  });
}

/**
 * Every sorted set and every count of actions that says something now, as Redis holds it, and when it expires. Left out are
 * boards of rolling windows of other days and those that fade and are replaced before actions are forgotten: nobody reads them.
 *
 * @param {import('../support/redis.mjs').Redis} redis
 * @param {number} now
 */
async function readKeys(redis, now) {
  /** @type {Record<string, { expires: number, members: Map<string, number | string> }>} */
  const keys = {};
  const current = `:window:last-7-days:${Math.floor(now / DAY_MS)}`;
  const read = async (/** @type {string} */ key) => {
    if (key.includes(':window:') && !key.endsWith(current) && !key.includes(`:window:${HOT.name}:`)) return;
    // The sequence numbers of ties are numbers that nobody sees; their order is in the rankings.
    if (key.startsWith('eb:{demo:ordered}') && key.endsWith(':first')) return;
    const type = await redis.command('TYPE', key);
    if (type !== 'zset' && !key.endsWith(':actions')) return;
    /** @type {string[]} */
    const flat = type === 'zset' ? [] : await redis.command('HGETALL', key);
    const fields = flat.flatMap((field, i) => (i % 2 === 0 ? [/** @type {[string, string]} */ ([field, flat[i + 1]])] : []));
    const members = type === 'zset' ? await scoresOf(redis, key) : new Map(fields);
    keys[key] = { expires: await redis.command('EXPIRETIME', key), members };
  };
  await Promise.all((await redis.command('KEYS', '*')).map(read));
  return keys;
}

/**
 * The same rankings, activity and keys. Scores of fading windows are those of the instants, some milliseconds apart, at which the
 * stories begin.
 *
 * @param {any} left
 * @param {any} right
 */
function assertSame(left, right) {
  assert.deepEqual(left.activity, right.activity);
  const isFading = (/** @type {string} */ of) => FADING.some(({ name }) => of.includes(`/${name}`) || of.includes(`:window:${name}:`));
  const scores = (/** @type {Iterable<[string, number]>} */ entries) => new Map(entries);
  for (const [name, entries] of Object.entries(right.rankings)) {
    if (isFading(name)) assertClose(scores(left.rankings[name]), scores(entries), name);
    else assert.deepEqual(left.rankings[name], entries, name);
  }
  assert.deepEqual(Object.keys(left.keys).sort(), Object.keys(right.keys).sort());
  for (const [name, { expires, members }] of Object.entries(right.keys)) {
    assert.equal(left.keys[name].expires, expires, name);
    if (isFading(name)) assertClose(left.keys[name].members, members, name);
    else assert.deepEqual(left.keys[name].members, members, name);
  }
}

/** @param {Map<string, number>} left @param {Map<string, number>} right @param {string} what */
function assertClose(left, right, what) {
  assert.deepEqual([...left.keys()].sort(), [...right.keys()].sort(), what);
  for (const [member, score] of right) {
    const difference = Math.abs((left.get(member) ?? NaN) - score);
    assert.ok(difference <= Math.abs(score) / 1_000, `${what}: ${left.get(member)} instead of ${score} for ${member}`);
  }
}

/**
 * @param {{ status: number, body: any, text: string }} answer
 * @param {string[]} became what became of each event
 * @param {string} [what]
 */
function assertBecame({ status, body, text }, became, what) {
  assert.equal(status, 200, text);
  const rejected = body.rejected.map((/** @type {any} */ { index, code }) => ({ index, code }));
  const count = (/** @type {string} */ which) => became.filter((outcome) => outcome === which).length;
  const refused = became.flatMap((code, index) => (code === 'accepted' || code === 'duplicate' ? [] : [{ index, code }]));
  assert.deepEqual({ ...body, rejected }, { accepted: count('accepted'), duplicate: count('duplicate'), rejected: refused }, what);
}

/** @param {Event | Batch} send @returns {Event[]} */
function eventsOf(send) {
  return 'events' in send ? send.events : [send];
}

/** @template T @param {() => number} random @param {T[]} list @returns {T[]} */
function shuffled(random, list) {
  return list
    .map((entry) => ({ entry, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ entry }) => entry);
}
