/**
 * What the contract says about every address, written by hand: the worker's own table must not say what is expected of it.
 */
import { signActor } from '../../../packages/edgeboard/serve/actor-token.mjs';

export const LISTED = 'https://demo.example';
export const METHODS = /** @type {const} */ (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export const ACTOR_SECRET = 'a-secret-of-the-site';
const TOKEN = signActor({ secret: ACTOR_SECRET, site: 'demo', actor: 'u7', expiry: Date.parse('2030-01-01') / 1000 });
const EXPOSED = 'ETag, Age, Cache-Status, Retry-After, Edgeboard-Actor, Edgeboard-Counted, Edgeboard-Refused';
const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

/**
 * @typedef {'anyone' | 'page' | 'write' | 'admin' | 'metrics'} Who whom an address is for: `page` is a page of a listed origin or no page at
 *   all, `write`, `admin` and `metrics` are who has that token
 *
 * @typedef {object} Answer what a right request gets
 * @property {number} status
 * @property {string | null} type
 * @property {'no-store' | 'no-cache' | 'public'} cache
 * @property {string} [code] of a problem
 * @property {Record<string, string>} [headers] that only this answer has
 * @property {Who} [who] whom the method is for, where that is not whom the address is for
 *
 * @typedef {object} Address
 * @property {string} path as the description of the API has it
 * @property {Who} who
 * @property {Record<string, Answer>} methods
 * @property {string} [board] the one that `{board}` stands for
 * @property {(item: string) => string} [query] what every request must have
 * @property {(item: string, method: string) => unknown} [body] of a POST, PUT or PATCH
 * @property {(item: string, method: string) => string} [id] what `{id}` stands for; the item by default
 * @property {boolean} [alone] asked one after the other: a request changes what another one is answered, such as whether an item is an alias,
 *   or a rebuild that begins windows again which the first one has made
 *
 * @typedef {object} Case
 * @property {Address} address
 * @property {(typeof METHODS)[number]} method
 * @property {string} site
 * @property {'none' | 'wrong' | 'right'} token
 * @property {string | undefined} origin
 * @property {boolean} hasUnknownParameter
 * @property {string} item an id in the path, the query or the body
 *
 * @typedef {object} Expected `null`: the header is not there
 * @property {number} status
 * @property {string | undefined} code of a problem
 * @property {Record<string, string | null>} headers
 */

const page = (/** @type {string} */ type, status = 200) => ({ status, type, cache: /** @type {const} */ ('no-store') });
const JSON_ANSWER = page(JSON_TYPE);
const NO_CONTENT = { status: 204, type: null, cache: /** @type {const} */ ('no-store') };
const REVALIDATED = { status: 200, type: JSON_TYPE, cache: /** @type {const} */ ('no-cache') };
const RANKING = { status: 200, type: JSON_TYPE, cache: /** @type {const} */ ('public') };

const NO_SITES = { ...page(PROBLEM_TYPE, 404), code: 'no-sites-secret' };
const NO_TEMPLATE = { ...page(PROBLEM_TYPE, 400), code: 'invalid-board' };

const rendered = (/** @type {string} */ type) => ({ ...RANKING, type });

/** @type {Address[]} */
export const ADDRESSES = [
  { path: '/', who: 'anyone', methods: { GET: page('text/plain; charset=utf-8') } },
  {
    path: '/admin',
    who: 'anyone',
    methods: { GET: { ...page('text/html; charset=utf-8'), headers: { 'referrer-policy': 'same-origin' } } },
  },
  { path: '/beacon.js', who: 'anyone', methods: { GET: { ...page('text/javascript; charset=utf-8'), cache: 'no-cache' } } },
  { path: '/v/{file}', who: 'anyone', methods: { GET: { ...page('text/javascript; charset=utf-8'), cache: 'public' } } },
  { path: '/board.js', who: 'anyone', methods: { GET: { ...page('text/javascript; charset=utf-8'), cache: 'no-cache' } } },
  { path: '/board-texts.js', who: 'anyone', methods: { GET: { ...page('text/javascript; charset=utf-8'), cache: 'no-cache' } } },
  { path: '/openapi.json', who: 'anyone', methods: { GET: JSON_ANSWER } },
  { path: '/healthz', who: 'anyone', methods: { GET: JSON_ANSWER } },
  { path: '/readyz', who: 'anyone', methods: { GET: JSON_ANSWER } },
  // Sites come and go; tests/worker/sites/ has what each is answered.
  { path: '/v1/admin/sites', who: 'admin', methods: { GET: NO_SITES } },
  { path: '/v1/admin/sites/{site}', who: 'admin', methods: { GET: NO_SITES, PUT: NO_SITES, DELETE: NO_SITES } },
  { path: '/v1/admin/sites/{site}/state', who: 'admin', methods: { PUT: NO_SITES } },
  { path: '/v1/admin/sites/{site}/tokens/{kind}', who: 'admin', methods: { POST: NO_SITES, DELETE: NO_SITES } },
  { path: '/v1/admin/sites/{site}/export', who: 'admin', methods: { GET: NO_SITES } },
  { path: '/v1/admin/sites/{site}/import', who: 'admin', methods: { POST: NO_SITES } },
  { path: '/v1/{site}/beacon', who: 'page', methods: { POST: NO_CONTENT }, body: (item) => ({ action: 'view', item }) },
  {
    path: '/v1/{site}/beacon.gif',
    who: 'page',
    methods: { GET: page('image/gif') },
    query: (item) => `action=view&item=${encodeURIComponent(item)}`,
  },
  {
    path: '/v1/{site}/events',
    who: 'write',
    methods: { POST: JSON_ANSWER },
    body: (item) => ({ events: [{ action: 'like', item, actor: 'u1' }] }),
  },
  { path: '/v1/{site}/boards', who: 'anyone', methods: { GET: JSON_ANSWER } },
  { path: '/v1/{site}/boards/{board}/{window}.html', who: 'anyone', methods: { GET: rendered('text/html; charset=utf-8') } },
  { path: '/v1/{site}/boards/{board}/{window}.svg', who: 'anyone', methods: { GET: rendered('image/svg+xml') } },
  { path: '/v1/{site}/boards/{board}/{window}/frame.html', who: 'anyone', methods: { GET: rendered('text/html; charset=utf-8') } },
  { path: '/v1/{site}/boards/{board}/{window}.rss', who: 'anyone', methods: { GET: rendered('application/rss+xml; charset=utf-8') } },
  { path: '/v1/{site}/boards/{board}/{window}.csv', who: 'anyone', methods: { GET: rendered('text/csv; charset=utf-8') } },
  { path: '/v1/{site}/boards/{board}/{window}', who: 'anyone', methods: { GET: RANKING } },
  {
    path: '/v1/{site}/boards/{board}/{window}/live',
    who: 'anyone',
    methods: { GET: { ...page(PROBLEM_TYPE, 426), code: 'upgrade-required' } },
  },
  { path: '/v1/{site}/boards/{board}/{window}/members/{id}', who: 'anyone', methods: { GET: RANKING } },
  {
    path: '/v1/{site}/boards/{board}/{window}/members/{id}/badge.svg',
    who: 'anyone',
    methods: { GET: rendered('image/svg+xml') },
  },
  { path: '/v1/{site}/boards/{board}/{window}/members/{id}/explain', who: 'anyone', methods: { GET: RANKING } },
  { path: '/v1/{site}/boards/{board}/{window}/rank', who: 'anyone', methods: { GET: RANKING }, query: () => 'score=1' },
  { path: '/v1/{site}/boards/{board}/{window}/distribution', who: 'anyone', methods: { GET: RANKING } },
  { path: '/v1/{site}/boards/{board}/{window}/members/{id}/series', who: 'anyone', methods: { GET: RANKING } },
  { path: '/v1/{site}/boards/{board}/{window}/series', who: 'anyone', methods: { POST: JSON_ANSWER }, body: (item) => ({ ids: [item] }) },
  { path: '/v1/{site}/boards/{board}/{window}/periods', who: 'anyone', methods: { GET: JSON_ANSWER } },
  { path: '/v1/{site}/boards/{board}/{window}/ranks', who: 'anyone', methods: { POST: JSON_ANSWER }, body: (item) => ({ ids: [item] }) },
  { path: '/v1/{site}/top', who: 'anyone', methods: { GET: RANKING }, query: () => 'boards=articles/day,curated/day' },
  {
    path: '/v1/{site}/items',
    who: 'anyone',
    methods: { GET: JSON_ANSWER, POST: { ...page(JSON_TYPE, 201), who: 'admin' }, PUT: { ...JSON_ANSWER, who: 'admin' } },
    body: (item) => ({ title: item }),
  },
  {
    path: '/v1/{site}/items/{id}',
    who: 'anyone',
    methods: {
      GET: REVALIDATED,
      PUT: { ...JSON_ANSWER, who: 'admin' },
      PATCH: { ...JSON_ANSWER, who: 'admin' },
      DELETE: { ...NO_CONTENT, who: 'admin' },
    },
    body: (item) => ({ title: item }),
    id: idOfDescribed,
  },
  {
    path: '/v1/{site}/items/{id}/alias',
    who: 'admin',
    methods: { GET: { ...page(PROBLEM_TYPE, 404), code: 'no-alias' }, POST: JSON_ANSWER },
    body: (item) => ({ to: `${item} that it becomes` }),
    alone: true,
  },
  { path: '/v1/{site}/actors', who: 'admin', methods: { PUT: JSON_ANSWER }, body: (item) => ({ id: item }) },
  {
    path: '/v1/{site}/actors/{id}',
    who: 'anyone',
    methods: {
      GET: REVALIDATED,
      PUT: { ...JSON_ANSWER, who: 'admin' },
      PATCH: { ...JSON_ANSWER, who: 'admin' },
      DELETE: { ...NO_CONTENT, who: 'write' },
    },
    body: (item) => ({ name: item }),
    id: idOfDescribed,
  },
  { path: '/v1/{site}/actors/{id}/activity', who: 'write', methods: { GET: JSON_ANSWER } },
  {
    path: '/v1/{site}/mine',
    who: 'page',
    methods: { POST: JSON_ANSWER },
    body: (item) => ({ token: TOKEN, action: 'save', items: [item] }),
  },
  { path: '/v1/{site}/admin/boards/{board}/hidden', who: 'admin', board: 'curated', methods: { GET: JSON_ANSWER } },
  { path: '/v1/{site}/admin/boards/{board}/hidden/{id}', who: 'admin', board: 'curated', methods: { PUT: NO_CONTENT, DELETE: NO_CONTENT } },
  { path: '/v1/{site}/admin/hidden/{id}', who: 'admin', methods: { PUT: NO_CONTENT, DELETE: NO_CONTENT } },
  { path: '/v1/{site}/admin/boards/{board}/pinned', who: 'admin', board: 'curated', methods: { GET: JSON_ANSWER } },
  { path: '/v1/{site}/admin/boards/{board}/pinned/{id}', who: 'admin', board: 'curated', methods: { PUT: NO_CONTENT, DELETE: NO_CONTENT } },
  {
    path: '/v1/{site}/admin/boards/{board}/members/{id}',
    who: 'admin',
    board: 'curated',
    methods: { DELETE: JSON_ANSWER, PUT: NO_CONTENT },
  },
  {
    path: '/v1/{site}/admin/boards/{board}/members',
    who: 'admin',
    board: 'curated',
    methods: { DELETE: JSON_ANSWER, PUT: NO_CONTENT },
    query: (item) => `prefix=${encodeURIComponent(item)}`,
  },
  { path: '/v1/{site}/admin/boards/{board}/removed', who: 'admin', board: 'curated', methods: { GET: JSON_ANSWER } },
  { path: '/v1/{site}/admin/boards/{board}/reset', who: 'admin', board: 'curated', methods: { POST: JSON_ANSWER, GET: JSON_ANSWER } },
  { path: '/v1/{site}/admin/boards/{board}/rebuild', who: 'admin', board: 'rolled', methods: { POST: JSON_ANSWER }, alone: true },
  {
    path: '/v1/{site}/admin/boards/{board}/freeze',
    who: 'admin',
    methods: { POST: { ...page(PROBLEM_TYPE, 400), code: 'invalid-period' } },
    query: () => 'window=day&period=never',
  },
  {
    path: '/v1/{site}/admin/boards/{board}/export/{window}.ndjson',
    who: 'admin',
    methods: { GET: page('application/x-ndjson') },
  },
  {
    path: '/v1/{site}/admin/boards/{board}/export/{window}.csv',
    who: 'admin',
    methods: { GET: page('text/csv; charset=utf-8') },
  },
  { path: '/v1/{site}/admin/revoke', who: 'admin', methods: { POST: JSON_ANSWER }, body: (item) => ({ item }) },
  { path: '/v1/{site}/admin/restore', who: 'admin', methods: { GET: JSON_ANSWER, POST: JSON_ANSWER } },
  { path: '/v1/{site}/admin/boards', who: 'admin', methods: { GET: JSON_ANSWER } },
  {
    path: '/v1/{site}/admin/unconfigured',
    who: 'admin',
    methods: { GET: JSON_ANSWER, DELETE: JSON_ANSWER },
    query: () => 'board=gone',
  },
  { path: '/v1/{site}/admin/templates/{board}', who: 'admin', methods: { GET: JSON_ANSWER }, board: 'level' },
  {
    // Boards come and go; tests/worker/templates/ has what each state is answered.
    path: '/v1/{site}/admin/boards/{board}',
    who: 'admin',
    methods: { GET: NO_TEMPLATE, PUT: NO_TEMPLATE, DELETE: NO_TEMPLATE },
  },
  { path: '/v1/{site}/admin/boards/{board}/archive', who: 'admin', methods: { PUT: NO_TEMPLATE, DELETE: NO_TEMPLATE } },
  { path: '/v1/{site}/admin/audit', who: 'admin', methods: { GET: JSON_ANSWER } },
  { path: '/v1/{site}/admin/dead', who: 'admin', methods: { GET: JSON_ANSWER, DELETE: NO_CONTENT } },
  { path: '/v1/{site}/admin/dead/replay', who: 'admin', methods: { POST: JSON_ANSWER }, body: () => ({ all: true }) },
  { path: '/v1/{site}/admin/dead/{id}', who: 'admin', methods: { DELETE: NO_CONTENT }, id: () => '1-1' },
  { path: '/v1/{site}/admin/metrics', who: 'metrics', methods: { GET: page('text/plain; version=0.0.4; charset=utf-8') } },
  { path: '/v1/{site}/admin/metrics/history', who: 'metrics', methods: { GET: { ...page(PROBLEM_TYPE, 404), code: 'no-dataset' } } },
  { path: '/v1/{site}/admin/upkeep', who: 'admin', methods: { GET: JSON_ANSWER, POST: JSON_ANSWER } },
];

/** What is deleted is something else than what is read at the same time. @param {string} item @param {string} method */
function idOfDescribed(item, method) {
  return method === 'DELETE' ? `${item} that is deleted` : item;
}

/** Whom a method of an address is for. @param {Address} address @param {string} method */
export function whoOf(address, method) {
  return answerOf(address, method)?.who ?? address.who;
}

/** @param {Who} who */
function needsToken(who) {
  return who === 'write' || who === 'admin' || who === 'metrics';
}

/**
 * 1. 405 for a method that the address has not; preflights are answered where pages may ask.
 * 2. 404 for a site that does not exist.
 * 3. 401 without the right token, 403 for a foreign page.
 * 4. 400 for a parameter that the address does not take, which a preflight does not look at.
 *
 * @param {Case} asked
 * @returns {Expected}
 */
export function expectedOf(asked) {
  const { address, method, site, token, origin, hasUnknownParameter } = asked;
  const who = whoOf(address, method);
  const isTokens = needsToken(who);
  const isPreflight = method === 'OPTIONS' && !isTokens;
  const answer = answerOf(address, method);
  const ofPages = Object.keys(address.methods).filter((of) => !needsToken(whoOf(address, of)));
  const methods = Object.keys(address.methods).join(', ');

  if (!answer && !isPreflight) return refused(asked, 405, 'method-not-allowed', { allow: methods });
  if (!isKnown(address, site)) return refused(asked, 404, 'unknown-site');
  if (isTokens && token !== 'right') return refused(asked, 401, 'unauthorized', { 'www-authenticate': 'Bearer' });
  if (who === 'page' && !isTrusted(origin)) return refused(asked, 403, 'origin-not-allowed');
  if (isPreflight) {
    const isCached = ofPages
      .map((of) => answerOf(address, of))
      .some((of) => of?.cache === 'no-cache' || (of?.cache === 'public' && address.path.startsWith('/v1/')));
    const hasBody = address.body && ofPages.includes('POST');
    return {
      status: 204,
      code: undefined,
      headers: {
        ...headersOf(asked, NO_CONTENT),
        'access-control-allow-methods': ofPages.join(', '),
        'access-control-allow-headers': [hasBody && 'content-type', isCached && 'if-none-match'].filter(Boolean).join(', '),
        'access-control-max-age': '86400',
      },
    };
  }
  if (hasUnknownParameter) return refused(asked, 400, 'unknown-parameter');
  const { status, code } = /** @type {Answer} */ (answer);
  return { status, code: method === 'HEAD' ? undefined : code, headers: headersOf(asked, /** @type {Answer} */ (answer)) };
}

/** HEAD is answered as GET is. @param {Address} address @param {string} method */
export function answerOf(address, method) {
  return address.methods[method === 'HEAD' ? 'GET' : method];
}

/**
 * @param {Case} asked
 * @param {number} status
 * @param {string} code
 * @param {Record<string, string>} [more]
 * @returns {Expected}
 */
function refused(asked, status, code, more) {
  // That a ranking is not there may be kept.
  const isKept = status === 404 && answerOf(asked.address, asked.method)?.cache === 'public';
  const cache = isKept ? 'public' : 'no-store';
  const headers = { ...headersOf(asked, { status, type: PROBLEM_TYPE, cache }), ...more };
  return { status, code: asked.method === 'HEAD' ? undefined : code, headers };
}

/**
 * @param {Case} asked
 * @param {Answer} answer
 * @returns {Record<string, string | null>}
 */
function headersOf({ address, method, site, origin }, { type, cache, headers }) {
  const who = whoOf(address, method);
  const isRead = who === 'page' && origin !== undefined && (!isKnown(address, site) || isTrusted(origin));
  return {
    'content-type': type,
    'cache-control': cache,
    'x-content-type-options': 'nosniff',
    'x-robots-tag': isListed(address.path, type) ? null : 'noindex',
    'referrer-policy': null,
    allow: null,
    'www-authenticate': null,
    vary: isRead ? 'Origin' : null,
    'access-control-allow-origin': who === 'anyone' ? '*' : isRead ? /** @type {string} */ (origin) : null,
    'access-control-allow-credentials': isRead ? 'true' : null,
    'access-control-expose-headers': who === 'anyone' || isRead ? EXPOSED : null,
    'access-control-allow-methods': null,
    'access-control-allow-headers': null,
    'access-control-max-age': null,
    ...headers,
  };
}

/** Whether search engines may list what is there. @param {string} path @param {string | null} type */
function isListed(path, type) {
  return path !== '/admin' && !path.endsWith('.html') && type !== JSON_TYPE && type !== PROBLEM_TYPE;
}

/** @param {string | undefined} origin */
function isTrusted(origin) {
  return origin === undefined || origin === LISTED;
}

/** @param {Address} address @param {string} site */
function isKnown({ path }, site) {
  return !path.startsWith('/v1/{site}') || site === 'demo';
}
