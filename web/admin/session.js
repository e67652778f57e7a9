/**
 * The site that is shown, and by which token. Whatever is asked is asked of that site; an answer that comes when another one is
 * shown is dropped.
 */
import { Dropped } from './page.js';

/** @typedef {{ site: string, token: string, by: string }} Session */
/** @typedef {{ status: number, headers: Headers, body: any }} Answer */

const KEY = 'edgeboard-admin';

/** @type {Session} */
let session = { site: '', token: '', by: '' };
/** @type {(() => void)[]} */
const watchers = [];

/** Shows another site, or the same one anew. @param {Session} next */
export function begin(next) {
  session = next;
  for (const watcher of watchers) watcher();
}

/** Calls something whenever what is shown changes. @param {() => void} watcher */
export function onBegin(watcher) {
  watchers.push(watcher);
}

export const current = () => session;

/** The token is kept for the session of this tab only. */
export const keep = () => sessionStorage.setItem(KEY, JSON.stringify(session));
export const forget = () => sessionStorage.removeItem(KEY);
/** @returns {Session | null} */
export const kept = () => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

/**
 * @typedef {object} Asked
 * @property {string} [method]
 * @property {unknown} [body] becomes JSON
 * @property {Record<string, string>} [query] without what is empty
 * @property {string} [below] what it is below of, where that is not the site
 * @property {string} [token] another one than that of the session
 * @property {boolean} [isOpen] anyone may ask, and no token is sent
 * @property {number[]} [but] statuses that are no failures here
 */

/**
 * Asks for something below the site that is shown.
 *
 * @param {string} path
 * @param {Asked} [asked]
 * @returns {Promise<Answer>}
 */
export async function ask(path, { but = [], ...asked } = {}) {
  const on = session;
  const response = await request(path, asked);
  const text = await response.text();
  if (on !== session) throw new Dropped();
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  const body = isJson && text ? JSON.parse(text) : text;
  if (response.ok || but.includes(response.status)) return { status: response.status, headers: response.headers, body };
  throw new Error(body.detail ?? `the answer was ${response.status}`);
}

/** Asks below `admin/`. @param {string} path @param {Asked} [asked] */
export const admin = async (path, asked) => (await ask(`admin/${path}`, asked)).body;

/** The same for what the audit log notes. @param {string} path @param {Asked} asked */
export const noted = (path, { query, ...asked }) => admin(path, { ...asked, query: { ...query, by: session.by } });

/** Saves an answer as the file that it names. @param {string} path @param {Asked} asked */
export async function download(path, asked) {
  const on = session;
  const response = await request(`admin/${path}`, asked);
  if (!response.ok) throw new Error((await response.json()).detail);
  const blob = await response.blob();
  if (on !== session) throw new Dropped();
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? ['', 'export'];
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();
  // The browser has it by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
  return name;
}

/** Tokens go into a header, never into an address. @param {string} path @param {Omit<Asked, 'but'>} asked */
function request(path, { method = 'GET', body, query = {}, below = `/v1/${session.site}`, token = session.token, isOpen = false }) {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  const search = parameters.size > 0 ? `?${parameters}` : '';
  return fetch(`${below}/${path}${search}`, {
    method,
    headers: isOpen ? {} : { authorization: `Bearer ${token}` },
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: 'no-store',
  });
}
