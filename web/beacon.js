/**
 * Sends a page's clicks and views to the edgeboard worker this module is served by.
 *
 *     <script type="module" src="https://YOUR-WORKER/beacon.js" data-edgeboard-site="demo"></script>
 *     <a href="/posts/1" data-edgeboard-item="/posts/1">A post</a>
 *
 * On the script element:
 * - `data-edgeboard-site`: the site, required.
 * - `data-edgeboard-view`: counts a `view` of this item when the page is shown; empty means the path of the page's canonical address.
 * - `data-edgeboard-token`: who acts, by a token that the site's server signed.
 * - `data-edgeboard-actor`: who acts, for every event that names nobody else; believed where the site has `actors = "any"`.
 * - `data-edgeboard-debug`: tells the console why a batch was refused, or counted without its actor.
 *
 * On any other element: `data-edgeboard-item` counts its clicks (and its children's) as the action named by
 * `data-edgeboard-action`, `view` when absent.
 *
 * Events wait up to a second, so that a burst of clicks is one request. Nothing here throws into the page.
 */

// Before everything else, so that esbuild puts them where they are used.
const FLUSH_AFTER_MS = 1000;
const RETRY_AFTER_MS = 5000;
// Redis remembers ids of browsers for a minute at least (`replay_window`), so a batch of then may have been counted. The rest is
// for the way. The page's clock stands while a computer sleeps; the time of day does not.
const GIVE_UP_AFTER_MS = 50_000;
const MAX_TRIES = 2;
const MAX_EVENTS = 100;
const MAX_ID_BYTES = 256;
// The worker takes 65,536 bytes. One more event is at most 1,134 bytes. Its two ids of 256 bytes take 512 each when they are
// all escaped. Its action takes 32, its time 24, `undo` 12, and the JSON around them 42. The batch adds 35, and its token 430. The time of an
// event may be 13 longer when it is sent than when it was counted: 62,000 + 1,134 + 465 + 100 × 13 = 64,899.
const FULL_BYTES = 62_000;

/**
 * @typedef {{ action: string, item: string, actor?: string, undo?: boolean, ago: number }} Event `ago` is the page's clock until it is sent
 * @typedef {{ id: string, token?: string, events: Event[], tries: number, sentAt: number }} Batch
 * @typedef {{ actor?: string, token?: string, undo?: boolean }} By who acts, and whether they take it back
 * @typedef {Document & { prerendering?: boolean }} Page
 */

/** @type {DOMStringMap} */
const script = /** @type {HTMLScriptElement | null} */ (document.querySelector('script[data-edgeboard-site]'))?.dataset ?? {};
const isDebugged = 'edgeboardDebug' in script;
const endpoint = new URL(`v1/${script.edgeboardSite}/beacon`, import.meta.url);

const byteLength = (/** @type {string} */ text) => new Blob([text]).size;
const isId = (/** @type {unknown} */ text) =>
  typeof text === 'string' && !/^\.?\.?$|\p{Cc}|\p{Cs}/u.test(text) && byteLength(text) <= MAX_ID_BYTES;

/** @type {Event[]} */
let queue = [];
/** @type {string | undefined} */
let queueToken;
/** @type {Batch[]} */
let unsent = [];

/**
 * Counts one action.
 *
 * @param {string} action an action of the site that is public, or signed and the page has a token
 * @param {string} item the item's id, 1 to 256 bytes without control characters, other than . and ..
 * @param {string | By} [by] who acts, by name or token; by default what the script element says
 */
export function track(action, item, by) {
  const { actor = script.edgeboardActor, token = script.edgeboardToken, undo } = typeof by === 'string' ? { actor: by } : (by ?? {});
  const event = { action, item, actor: actor || undefined, undo, ago: performance.now() };
  // One bad event has the worker refuse its whole batch, so it must not join one.
  if (!/^[a-z\d][a-z\d-]{0,31}$/.test(action) || !isId(item) || (actor && !isId(actor))) return console.warn('edgeboard: invalid', event);
  // A batch has one token.
  if (token !== queueToken) flush();
  queueToken = token;
  enqueue(event);
}

/** @param {Event} event */
function enqueue(event) {
  const length = queue.push(event);
  if (length === MAX_EVENTS || byteLength(JSON.stringify(queue)) > FULL_BYTES || document.hidden) flush();
  else if (length === 1) setTimeout(flush, FLUSH_AFTER_MS);
}

function flush() {
  const batches = unsent;
  if (queue.length)
    batches.push({
      id: crypto.getRandomValues(new BigUint64Array(1))[0].toString(36),
      token: queueToken,
      events: queue,
      tries: 0,
      sentAt: Date.now(),
    });
  unsent = [];
  queue = [];
  batches.forEach(send);
}

/**
 * A lost batch is sent once more with the same id, so that it counts once; then as images, which other rules may let through. An
 * image names its event's place in the batch, so it counts once as well. It has no token, so it takes nothing back.
 *
 * @param {Batch} batch
 */
async function send(batch) {
  const { id, token, events } = batch;
  if (Date.now() - batch.sentAt > GIVE_UP_AFTER_MS) return;
  if (++batch.tries > MAX_TRIES)
    return events.forEach(({ action, item, undo }, index) => {
      if (!undo) new Image().src = `${endpoint}.gif?${new URLSearchParams({ action, item, id: `${id}/${index}` })}`;
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
    const actor = answer.headers.get('edgeboard-actor');
    warning = (await answer.text()) || (actor && `actor ${actor}`);
  } catch {
    unsent.push(batch);
    setTimeout(flush, RETRY_AFTER_MS);
  }
  if (warning) console.warn('edgeboard:', warning);
}

/** @param {MouseEvent} event */
function onClick(event) {
  const path = /** @type {HTMLElement[]} */ (event.composedPath());
  const element = path.find((node) => node.dataset?.edgeboardItem);
  if (element && event.button < 2) track(element.dataset.edgeboardAction || 'view', /** @type {string} */ (element.dataset.edgeboardItem));
}

function trackView() {
  // An anchor reads any address, and never throws.
  const page = document.createElement('a');
  page.href = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel=canonical]'))?.href || location.href;
  track('view', script.edgeboardView || page.pathname || location.pathname);
}

addEventListener('click', onClick, true);
addEventListener('auxclick', onClick, true); // the middle button opens links in a new tab
addEventListener('pagehide', flush, true);
addEventListener('visibilitychange', flush, true);

if ('edgeboardView' in script) {
  if (/** @type {Page} */ (document).prerendering) document.addEventListener('prerenderingchange', trackView);
  else trackView();
}
