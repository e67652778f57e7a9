/**
 * Sends a page's clicks and views to the edgeboard worker this module is served by.
 *
 *     <script type="module" src="https://YOUR-WORKER/shelf.js" data-edgeboard-site="demo"></script>
 *     <a href="/posts/1" data-edgeboard-item="/posts/1">A post</a>
 *
 * On the script element, or without `data-edgeboard-` as options of {@link init}:
 * - `data-edgeboard-site`: the site, required.
 * - `data-edgeboard-view`: counts a `view` of this item when the page is shown; empty means the path of the page's canonical address.
 * - `data-edgeboard-pushstate`: counts a `view` of each path that the page navigates to by itself.
 * - `data-edgeboard-token`: who acts, by a token that the site's server signed.
 * - `data-edgeboard-actor`: who acts, for every event that names nobody else; believed where the site has `actors = "any"`.
 * - `data-edgeboard-action`: the action of clicks that name no other, `view` when absent.
 * - `data-edgeboard-path`: the deployment's `BEACON_PATH`, where it is not the usual one.
 * - `data-edgeboard-debug`: tells the console why a batch was refused, not counted, or counted without its actor.
 *
 * On any other element: `data-edgeboard-item` counts its clicks (and its children's) as the action named by
 * `data-edgeboard-action`.
 *
 * Events wait up to a second, so that a burst of clicks is one request. A page that nobody ever saw sends nothing, nor does a
 * browser that a program drives, or that {@link exclude} left out. Nothing here throws into the page.
 */

// Before everything else, so that esbuild puts them where they are used.
const FLUSH_AFTER_MS = 1000;
const RETRY_AFTER_MS = 5000;
// Redis remembers ids of browsers for a minute at least (`replay_window`), so a batch of then may have been counted. The rest is
// for the way. The page's clock stands while a computer sleeps; the time of day does not.
const GIVE_UP_AFTER_MS = 50_000;
const MAX_TRIES = 2;
// `max_beacon_events` of a site, unless it says otherwise. An event is at most 1,147 bytes: its two ids of 256 bytes take 512 each
// when they are all escaped, its action takes 32, its time 37, `undo` 12, and the JSON around them 42. The batch adds 35, and its
// token 430. So a batch has less than half of the 65,536 bytes that the worker takes.
const MAX_EVENTS = 20;
const MAX_ID_BYTES = 256;
const EXCLUDED = 'edgeboard-exclude';

/**
 * @typedef {{ action: string, item: string, actor?: string, undo?: boolean, ago: number }} Event `ago` is the page's clock until it is sent
 * @typedef {{ id: string, token?: string, events: Event[], tries: number, sentAt: number }} Batch
 * @typedef {{ actor?: string, token?: string, undo?: boolean }} By who acts, and whether they take it back
 * @typedef {{ prerendering?: boolean }} Prerendered
 * @typedef {object} Options
 * @property {string} [site]
 * @property {string | boolean} [view] the item, or whether to count the page
 * @property {string | boolean} [pushstate]
 * @property {string} [token]
 * @property {string} [actor]
 * @property {string} [action]
 * @property {string} [path]
 * @property {string | boolean} [debug]
 */

// An attribute without a value is an empty text.
const isOn = (/** @type {unknown} */ option) => (option ?? false) !== false;
const byteLength = (/** @type {string} */ text) => new Blob([text]).size;
const isId = (/** @type {unknown} */ text) =>
  typeof text === 'string' && !/^\.?\.?$|\p{Cc}|\p{Cs}/u.test(text) && byteLength(text) <= MAX_ID_BYTES;
const isVisible = () => !document.hidden && !(/** @type {Prerendered} */ (document).prerendering);
const warn = (/** @type {unknown[]} */ ...what) => console.warn('edgeboard:', ...what);

/** @type {Options} */
const options = {};
/** @type {Event[]} */
let queue = [];
/** @type {string | undefined} */
let queueToken;
/** What was counted before the page was seen. @type {Parameters<typeof track>[]} */
let waiting = [];
/** @type {Batch[]} */
let unsent = [];
let isSeen = isVisible();
let lastPath = location.pathname;

/**
 * Sets options, as the attributes of the script element do. Pages without that element begin with it.
 *
 * @param {Options} given those that are not given stay
 */
export function init(given) {
  Object.assign(options, given);
  if (isOn(given.view)) {
    // An anchor reads any address, and never throws.
    const page = document.createElement('a');
    page.href = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel=canonical]'))?.href || location.href;
    track('view', (given.view !== true && given.view) || page.pathname || location.pathname);
  }
  if (isOn(given.pushstate)) {
    const { pushState } = history;
    history.pushState = (...state) => {
      pushState.apply(history, state);
      onNavigation();
    };
    addEventListener('popstate', onNavigation);
  }
}

/**
 * Counts one action.
 *
 * @param {string} action an action of the site that is public, or signed and the page has a token
 * @param {string} item the item's id, 1 to 256 bytes without control characters, other than . and ..
 * @param {string | By} [by] who acts, by name or token; by default what the options say
 */
export function track(action, item, by) {
  // It happens when the page is seen. Of a page that nobody sees, a batch is kept.
  if (!isSeen) return void (waiting.length < MAX_EVENTS && waiting.push([action, item, by]));
  const { actor = options.actor, token = options.token, undo } = typeof by === 'string' ? { actor: by } : (by ?? {});
  const event = { action, item, actor: actor || undefined, undo, ago: performance.now() };
  if (!options.site) return warn('no site: the script needs data-edgeboard-site, or the page init({ site })');
  // The worker leaves it out, and nobody would look for it there.
  if (!/^[a-z\d][a-z\d-]{0,31}$/.test(action) || !isId(item) || (actor && !isId(actor))) return warn('invalid', event);
  // A batch has one token.
  if (token !== queueToken) flush();
  queueToken = token;
  enqueue(event);
}

/** Counts nothing of this browser on this origin any more, for the site's own people. */
export function exclude() {
  store((storage) => storage.setItem(EXCLUDED, ''));
}

/** Takes {@link exclude} back. */
export function include() {
  store((storage) => storage.removeItem(EXCLUDED));
}

/** A page may not be allowed to store anything. @template T @param {(storage: Storage) => T} use */
function store(use) {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
}

/** @param {Event} event */
function enqueue(event) {
  const length = queue.push(event);
  if (length === MAX_EVENTS || document.hidden) flush();
  else if (length === 1) setTimeout(flush, FLUSH_AFTER_MS);
}

function flush() {
  const batches = unsent;
  const isExcluded = navigator.webdriver || store((storage) => storage.getItem(EXCLUDED)) !== null;
  if (queue.length && !isExcluded)
    batches.push({
      id: crypto.getRandomValues(new BigUint64Array(1))[0].toString(36),
      token: queueToken,
      events: queue,
      tries: 0,
      sentAt: Date.now(),
    });
  else if (queue.length && isOn(options.debug)) warn('this browser is not counted');
  unsent = [];
  queue = [];
  batches.forEach(send);
}

/**
 * A lost batch is sent once more with the same id, so that it counts once; then as images, which other rules may let through. An
 * image names its event's place in the batch, so it counts once as well. It has no token, so it takes nothing back. Of what was refused
 * only what came too often is sent again.
 *
 * @param {Batch} batch
 */
async function send(batch) {
  const { id, token, events } = batch;
  const isDebugged = isOn(options.debug);
  // The module lies at the root of the worker, or in its folder of versions.
  const root = new URL(import.meta.url).pathname.replace(/(\/v)?\/[^/]*$/, '');
  const endpoint = new URL(`${root}/v1/${options.site}/${options.path ?? 'shelf'}`, import.meta.url);
  if (Date.now() - batch.sentAt > GIVE_UP_AFTER_MS) return;
  if (++batch.tries > MAX_TRIES)
    return events.forEach(({ action, item, actor, undo }, index) => {
      if (!undo)
        new Image().src = `${endpoint}.gif?${new URLSearchParams({ action, item, ...(actor && { actor }), id: `${id}/${index}` })}`;
    });
  const body = JSON.stringify({ id, token, events }, (name, value) => (name === 'ago' ? Math.round(performance.now() - value) : value));
  /** @type {string | false | null} */
  let warning = isDebugged && 'is the page in `origins`?';
  try {
    // A string travels as text/plain, which needs no preflight. Without CORS, `fetch` fails only when the network
    // does, never because an answer may not be read. Debugging needs to read it; only refusals have a text.
    if (!isDebugged && navigator.sendBeacon?.(endpoint, body)) return;
    const mode = isDebugged ? 'cors' : 'no-cors';
    const answer = await fetch(endpoint, { method: 'POST', body, keepalive: true, credentials: 'omit', mode });
    const header = (/** @type {string} */ name) => answer.headers.get(`edgeboard-${name}`);
    // Whatever else was refused is refused again.
    if (answer.status === 429 && batch.tries < MAX_TRIES) again(batch, Number(answer.headers.get('retry-after')) * 1000);
    warning =
      (await answer.text()) ||
      (header('counted') === '0' && 'not counted: a bot, or an address left out') ||
      (header('refused') && `refused ${header('refused')}`) ||
      (header('actor') && `actor ${header('actor')}`);
  } catch {
    // An answer that may not be read may be a refusal.
    if (!isDebugged) again(batch);
  }
  if (warning) warn(warning);
}

/** @param {Batch} batch */
function again(batch, afterMs = 0) {
  unsent.push(batch);
  setTimeout(flush, Math.max(afterMs, RETRY_AFTER_MS));
}

/** @param {MouseEvent} event */
function onClick(event) {
  const path = /** @type {HTMLElement[]} */ (event.composedPath());
  const data = path.find((node) => node.dataset?.edgeboardItem)?.dataset;
  if (data && event.button < 2) track(data.edgeboardAction || options.action || 'view', /** @type {string} */ (data.edgeboardItem));
}

function onVisibility() {
  if (!isSeen && isVisible()) {
    isSeen = true;
    for (const call of waiting) track(...call);
    waiting = [];
  }
  flush();
}

function onNavigation() {
  if (lastPath === location.pathname) return;
  lastPath = location.pathname;
  track('view', lastPath);
}

addEventListener('click', onClick, true);
addEventListener('auxclick', onClick, true); // the middle button opens links in a new tab
addEventListener('pagehide', flush, true);
addEventListener('visibilitychange', onVisibility, true);
document.addEventListener('prerenderingchange', onVisibility);

// For consoles and scripts that import nothing.
Object.assign(self, { edgeboard: { exclude, include, init, track } });

const script = /** @type {HTMLScriptElement | null} */ (document.querySelector('script[data-edgeboard-site]'));
// `edgeboardView` is `view`.
init(Object.fromEntries(Object.entries(script?.dataset ?? {}).map(([name, value]) => [name.slice(9).toLowerCase(), value])));
