/** What administers sites and boards that are made at run time: with the `ADMIN_TOKEN` of the deployment, on servers only. */
import { ApiError, addressOf, ask, problemOf, requestOf, sleep, waitMs } from './http.js';

export { ApiError };

/**
 * @typedef {import('./api.js').MadeSite} MadeSite
 * @typedef {import('./api.js').MadeSites['sites'][number]} ListedSite
 * @typedef {import('./api.js').MadeBoards['boards'][number]} ListedBoard
 * @typedef {'write' | 'admin' | 'actor' | 'forward'} TokenKind
 * @typedef {{ title?: string | null, starts_at?: string | null, ends_at?: string | null }} BoardDetails
 * @typedef {{ kind: string, [field: string]: unknown }} Line a thing that a site has, as `/export` writes it
 * @typedef {{ signal?: AbortSignal }} Signalled
 */

const PAGE = 1000;
/** A body of an import, in lines and characters: it may have 5,000 lines and 1 MiB. */
const MAX_LINES = 1000;
const MAX_LENGTH = 256 * 1024;
const IMPORT_MS = 60_000;

/**
 * @param {Omit<import('./http.js').Options, 'site'>} options `token`: the `ADMIN_TOKEN` of the deployment; boards take that of their site as well
 */
export function createAdmin(options) {
  const on = (/** @type {string} */ site) => ({ ...options, site });
  const request = (/** @type {string} */ site) => requestOf(on(site));

  return {
    /**
     * The sites that were made at run time, in the order of their names.
     *
     * @param {Signalled} [query]
     * @returns {AsyncGenerator<ListedSite>}
     */
    async *sites({ signal } = {}) {
      for (let cursor; cursor !== null; ) {
        const query = { limit: PAGE, ...(cursor && { cursor }) };
        const page = /** @type {import('./api.js').MadeSites} */ ((await ask(on(''), 'GET /v1/admin/sites', { query, signal })).body);
        yield* page.sites;
        cursor = page.next;
      }
    },

    /** A site, its configuration and what it uses of its quota. @param {string} site */
    site: (site) => request(site)('GET /v1/admin/sites/{site}', {}),

    /**
     * Makes a site, and answers what is issued to it as `issued`, once; or replaces the configuration of one that is there.
     *
     * @param {string} site
     * @param {Record<string, unknown>} configuration the options of `[vars.SITES.NAME]`
     */
    putSite: (site, configuration) => request(site)('PUT /v1/admin/sites/{site}', { body: configuration }),

    /** Has a site count and change nothing. It is read on. @param {string} site */
    suspendSite: (site) => request(site)('PUT /v1/admin/sites/{site}/state', { body: { state: 'suspended' } }),

    /** @param {string} site */
    resumeSite: (site) => request(site)('PUT /v1/admin/sites/{site}/state', { body: { state: 'active' } }),

    /**
     * Issues another token or secret. The old one stays valid until `endToken`.
     *
     * @param {string} site
     * @param {TokenKind} kind
     */
    issueToken: async (site, kind) =>
      (await request(site)('POST /v1/admin/sites/{site}/tokens/{kind}', { path: { kind }, repeats: true })).issued,

    /** Ends the older one of two. @param {string} site @param {TokenKind} kind @returns {Promise<void>} */
    async endToken(site, kind) {
      await request(site)('DELETE /v1/admin/sites/{site}/tokens/{kind}', { path: { kind } });
    },

    /** Deletes a site with all that it has, some minutes later. @param {string} site */
    deleteSite: (site) => request(site)('DELETE /v1/admin/sites/{site}', {}),

    /**
     * All that a site has, line by line. A connection that breaks is begun again where it was.
     *
     * @param {string} site
     * @param {Signalled} [query]
     * @returns {AsyncGenerator<Line>} without those that say where to go on
     */
    async *exportSite(site, { signal } = {}) {
      const { token, fetch = globalThis.fetch, tries = 6 } = options;
      let [cursor, failed] = ['', 0];
      for (;;) {
        const address = addressOf(on(site), 'GET /v1/admin/sites/{site}/export', {}, cursor ? { cursor } : {});
        /** @type {Line[]} */
        let piece = [];
        const before = cursor;
        try {
          const response = await fetch(address, { headers: token ? { authorization: `Bearer ${token}` } : {}, signal });
          if (!response.ok) throw await problemOf(response);
          for await (const line of linesOf(response)) {
            if (line.kind !== 'next') piece.push(line);
            if (line.kind !== 'next' && line.kind !== 'end') continue;
            yield* piece;
            if (line.kind === 'end') return;
            [piece, cursor, failed] = [[], String(line.cursor), 0];
          }
          if (cursor === before) throw new ApiError({ status: 0, code: 'no-answer', detail: 'the export broke off' });
        } catch (error) {
          signal?.throwIfAborted();
          failed += 1;
          if (failed >= tries || (error instanceof ApiError && !error.isTransient)) throw error;
          await sleep(waitMs(failed), signal);
        }
      }
    },

    /**
     * Puts back lines of an export. A period that has members stays as it is, so that the same may be done again.
     *
     * @param {string} site that is there
     * @param {Iterable<Line> | AsyncIterable<Line>} lines in their order
     * @param {Signalled} [query]
     * @returns {Promise<import('./api.js').Imported['kept']>} the periods that stay as they are
     */
    async importSite(site, lines, { signal } = {}) {
      /** @type {import('./api.js').Imported['kept']} */
      const kept = [];
      /** @type {string[]} */
      let texts = [];
      let length = 0;
      const send = async () => {
        const body = texts.join('\n');
        const slow = { timeoutMs: IMPORT_MS, ...on(site) };
        if (body) kept.push(...(await ask(slow, 'POST /v1/admin/sites/{site}/import', { body, signal, repeats: true })).body.kept);
        [texts, length] = [[], 0];
      };
      for await (const line of lines) {
        const text = JSON.stringify(line);
        if (texts.length === MAX_LINES || length + text.length > MAX_LENGTH) await send();
        texts.push(text);
        length += text.length;
      }
      await send();
      return kept;
    },

    /**
     * The boards of a template, in the order of their names.
     *
     * @param {string} site
     * @param {string} template
     * @param {Signalled} [query]
     * @returns {AsyncGenerator<ListedBoard>}
     */
    async *boards(site, template, { signal } = {}) {
      for (let cursor; cursor !== null; ) {
        const query = { limit: PAGE, ...(cursor && { cursor }) };
        /** @type {import('./api.js').MadeBoards} */
        const page = await request(site)('GET /v1/{site}/admin/templates/{board}', { path: { board: template }, query, signal });
        yield* page.boards;
        cursor = page.next;
      }
    },

    /** A board of a template, and its state. @param {string} site @param {string} board such as `level:42` */
    board: (site, board) => request(site)('GET /v1/{site}/admin/boards/{board}', { path: { board } }),

    /**
     * Makes a board of a template, or replaces its details.
     *
     * @param {string} site
     * @param {string} board
     * @param {BoardDetails} [details]
     */
    putBoard: (site, board, details = {}) => request(site)('PUT /v1/{site}/admin/boards/{board}', { path: { board }, body: details }),

    /** Deletes a board with all that it counted, some minutes later. @param {string} site @param {string} board */
    deleteBoard: (site, board) => request(site)('DELETE /v1/{site}/admin/boards/{board}', { path: { board } }),
  };
}

/** @param {Response} response @returns {AsyncGenerator<Line>} those that came whole */
async function* linesOf({ body }) {
  const decoder = new TextDecoder();
  let rest = '';
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    const lines = (rest + decoder.decode(read.value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}
