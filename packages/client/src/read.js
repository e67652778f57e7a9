/** Reading rankings, members, items and actors. */
import { ApiError, ask } from './http.js';

/** @typedef {import('./api.js').Routes} Routes */

/**
 * @template {keyof Routes} R
 * @typedef {NonNullable<Routes[R]['asked']['query']> & { signal?: AbortSignal }} Query the parameters of a route, and what ends it
 */

const RANKING = 'GET /v1/{site}/boards/{board}/{window}';
const MEMBER = `${RANKING}/members/{id}`;

/** @param {import('./http.js').Options} options */
export function createReader(options) {
  /**
   * @param {string} route
   * @param {Record<string, string>} path
   * @param {{ signal?: AbortSignal }} [query]
   * @param {object} [body]
   */
  const read = async (route, path, { signal, ...query } = {}, body) =>
    (await ask(options, route, { path, query, signal, body: body && JSON.stringify(body), repeats: true })).body;

  /**
   * Where a member stands; `null` where it is not on the board in this period.
   *
   * @param {string} board
   * @param {string} window
   * @param {string} id
   * @param {Query<'GET /v1/{site}/boards/{board}/{window}/members/{id}'>} [query]
   * @returns {Promise<import('./api.js').Member | null>}
   */
  const member = (board, window, id, query) =>
    read(MEMBER, { board, window, id }, query).catch((error) => {
      if (error instanceof ApiError && error.code === 'not-on-board') return null;
      throw error;
    });

  return {
    /**
     * The site's boards and their windows.
     *
     * @param {{ signal?: AbortSignal }} [query]
     * @returns {Promise<import('./api.js').Boards>}
     */
    boards: (query) => read('GET /v1/{site}/boards', {}, query),

    /**
     * A page of a ranking, best first.
     *
     * @param {string} board
     * @param {string} window
     * @param {Query<'GET /v1/{site}/boards/{board}/{window}'>} [query]
     * @returns {Promise<import('./api.js').Ranking>}
     */
    ranking: (board, window, query) => read(RANKING, { board, window }, query),

    /**
     * The first pages of several rankings, each named as `board/window`.
     *
     * @param {string[]} boards
     * @param {Omit<Query<'GET /v1/{site}/top'>, 'boards'>} [query]
     * @returns {Promise<import('./api.js').Rankings>}
     */
    rankings: (boards, query) => read('GET /v1/{site}/top', {}, /** @type {{}} */ ({ boards: boards.join(','), ...query })),

    /**
     * A page of a ranking as a list for a page, a picture, a feed or a table.
     *
     * @template {'html' | 'svg' | 'rss' | 'csv'} Form
     * @param {string} board
     * @param {string} window
     * @param {Form} form
     * @param {Query<`GET /v1/{site}/boards/{board}/{window}.${Form}`>} [query]
     * @returns {Promise<string>}
     */
    rendered: (board, window, form, query) => read(`${RANKING}.${form}`, { board, window }, query),

    member,

    /**
     * A member and so many on either side of it; nobody where it is not on the board.
     *
     * @param {string} board
     * @param {string} window
     * @param {string} id
     * @param {Query<'GET /v1/{site}/boards/{board}/{window}/members/{id}'>} [query]
     */
    around: async (board, window, id, query) => (await member(board, window, id, { around: 5, ...query }))?.around ?? [],

    /**
     * Where up to 100 members stand; with `among`, also among themselves.
     *
     * @param {string} board
     * @param {string} window
     * @param {string[]} ids
     * @param {Query<'POST /v1/{site}/boards/{board}/{window}/ranks'> & { among?: boolean }} [query]
     * @returns {Promise<import('./api.js').Ranks>}
     */
    ranks: (board, window, ids, { among, ...query } = {}) =>
      read('POST /v1/{site}/boards/{board}/{window}/ranks', { board, window }, query, { ids, among }),

    /**
     * Between which ranks up to 1,000 members stand, by the distribution of the scores.
     *
     * @param {string} board
     * @param {string} window
     * @param {string[]} ids
     * @param {Query<'POST /v1/{site}/boards/{board}/{window}/ranks'>} [query]
     * @returns {Promise<import('./api.js').RankRanges>}
     */
    rankRanges: (board, window, ids, query) =>
      read('POST /v1/{site}/boards/{board}/{window}/ranks', { board, window }, query, { ids, exact: false }),

    /**
     * The rank that a `score` would have, or the score at a `rank`.
     *
     * @param {string} board
     * @param {string} window
     * @param {Query<'GET /v1/{site}/boards/{board}/{window}/rank'>} query
     * @returns {Promise<import('./api.js').Place>}
     */
    place: (board, window, query) => read(`${RANKING}/rank`, { board, window }, query),

    /**
     * How many members lie in each interval of the scores.
     *
     * @param {string} board
     * @param {string} window
     * @param {Query<'GET /v1/{site}/boards/{board}/{window}/distribution'>} [query]
     * @returns {Promise<import('./api.js').Distribution>}
     */
    distribution: (board, window, query) => read(`${RANKING}/distribution`, { board, window }, query),

    /**
     * What a member's score is made of.
     *
     * @param {string} board
     * @param {string} window
     * @param {string} id
     * @param {Query<'GET /v1/{site}/boards/{board}/{window}/members/{id}/explain'>} [query]
     * @returns {Promise<import('./api.js').Explanation>}
     */
    explain: (board, window, id, query) => read(`${MEMBER}/explain`, { board, window, id }, query),

    /**
     * What a member had in each of some periods.
     *
     * @param {string} board
     * @param {string} window
     * @param {string} id
     * @param {Query<'GET /v1/{site}/boards/{board}/{window}/members/{id}/series'>} [query]
     * @returns {Promise<import('./api.js').Series>}
     */
    series: (board, window, id, query) => read(`${MEMBER}/series`, { board, window, id }, query),

    /**
     * What up to 100 members had in each of some periods.
     *
     * @param {string} board
     * @param {string} window
     * @param {string[]} ids
     * @param {Query<'POST /v1/{site}/boards/{board}/{window}/series'>} [query]
     * @returns {Promise<import('./api.js').SeriesOfMany>}
     */
    seriesOf: (board, window, ids, query) => read('POST /v1/{site}/boards/{board}/{window}/series', { board, window }, query, { ids }),

    /**
     * The periods that are over, and who won them.
     *
     * @param {string} board
     * @param {string} window
     * @param {Query<'GET /v1/{site}/boards/{board}/{window}/periods'>} [query]
     * @returns {Promise<import('./api.js').Periods>}
     */
    periods: (board, window, query) => read(`${RANKING}/periods`, { board, window }, query),

    /**
     * A member's rank as a picture, in SVG.
     *
     * @param {string} board
     * @param {string} window
     * @param {string} id
     * @param {Query<'GET /v1/{site}/boards/{board}/{window}/members/{id}/badge.svg'>} [query]
     * @returns {Promise<string>}
     */
    badge: (board, window, id, query) => read(`${MEMBER}/badge.svg`, { board, window, id }, query),

    /**
     * The items that are described, the one that was changed last first.
     *
     * @param {Query<'GET /v1/{site}/items'>} [query]
     * @returns {Promise<import('./api.js').DescribedList>}
     */
    items: (query) => read('GET /v1/{site}/items', {}, query),

    /**
     * What is known of an item.
     *
     * @param {string} id
     * @param {{ signal?: AbortSignal }} [query]
     * @returns {Promise<import('./api.js').Described>}
     */
    item: (id, query) => read('GET /v1/{site}/items/{id}', { id }, query),

    /**
     * What is known of an actor.
     *
     * @param {string} id
     * @param {{ signal?: AbortSignal }} [query]
     * @returns {Promise<import('./api.js').Described>}
     */
    actor: (id, query) => read('GET /v1/{site}/actors/{id}', { id }, query),

    /**
     * What the actor of a signed token did: which of up to 100 items, by day, or one by one.
     *
     * @param {string} token that your server signed
     * @param {Omit<import('./api.js').Mine, 'token'> & { signal?: AbortSignal }} [about]
     * @returns {Promise<import('./api.js').MineAnswer>}
     */
    mine: (token, { signal, ...about } = {}) => read('POST /v1/{site}/mine', {}, { signal }, { token, ...about }),
  };
}
