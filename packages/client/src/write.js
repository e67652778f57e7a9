/** Sending events: a batch has one id, made once, so that sending it again counts nothing twice. */
import { ApiError, ask } from './http.js';

/**
 * @typedef {import('./api.js').ServerEvent} ServerEvent
 * @typedef {import('./api.js').Counts & { queued: boolean }} Sent `queued`: a queue keeps the events, and they count later
 * @typedef {{ events: ServerEvent[], sinces: number[], id: string, madeAt: number }} Batch
 * @typedef {{ code: string, detail: string }} Refusal
 *
 * @typedef {object} Tracking
 * @property {number} [flushAfterMs] how long a tracked event waits for others, 1,000
 * @property {number} [maxWaiting] how many events may wait while the worker does not answer, 10,000
 * @property {(event: ServerEvent, refusal: Refusal) => void} [onRejected] receives each tracked event that does not count
 *
 * @typedef {import('./http.js').Options & Tracking} WriterOptions
 */

/** What `/events` takes: 100 events and 65,536 bytes. The rest of the bytes is for the id, and for each event's `ago`. */
const MAX_EVENTS = 100;
const MAX_BATCH_BYTES = 65_536 - 200;
const AGO_BYTES = 24;
const FLUSH_AFTER_MS = 1000;
const MAX_WAITING = 10_000;
const AGAIN_AFTER_MS = 30_000;
/** Boards remember ids of servers for a day by default (`replay_window`); a batch that is older could count twice. */
const GIVE_UP_AFTER_MS = 20 * 60 * 60 * 1000;

const now = () => performance.now();
const bytesOf = (/** @type {unknown} */ value) => new TextEncoder().encode(JSON.stringify(value)).length;
const createId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @param {WriterOptions} options */
export function createWriter(options) {
  const { flushAfterMs = FLUSH_AFTER_MS, maxWaiting = MAX_WAITING } = options;
  const { onRejected = (event, refusal) => console.warn('edgeboard:', event, refusal) } = options;
  /** @type {{ event: ServerEvent, since: number }[]} */
  const waiting = [];
  /** What is under way, or failed and is sent again. @type {Batch | undefined} */
  let batch;
  /** @type {Promise<void> | undefined} */
  let flushing;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /**
   * @param {Omit<Batch, 'madeAt'>} batch
   * @param {{ standing?: string, signal?: AbortSignal }} [query]
   */
  const post = ({ id, events, sinces }, { signal, ...query } = {}) => {
    const body = () => JSON.stringify({ id, events: events.map((event, i) => aged(event, now() - sinces[i])) });
    return ask(options, 'POST /v1/{site}/events', { query, body, signal, repeats: true });
  };

  /**
   * Counts events, up to 100 in a request. An error has the id as `batch`: with it, the same events can be sent again.
   *
   * @param {ServerEvent[]} events
   * @param {{ id?: string, standing?: string, signal?: AbortSignal }} [query] `id`: 1 to 56 printable letters. `standing`: a
   *   ranking, as `board/window`, in which the answer says how members moved; of up to 100 events
   * @returns {Promise<Sent>}
   */
  async function send(events, { id = createId(), ...query } = {}) {
    const since = now();
    const parts = partsOf(events);
    if (query.standing && parts.length > 1) throw new RangeError('standing is of one request: at most 100 events and 64 KiB');
    /** @type {Sent} */
    const sent = { accepted: 0, duplicate: 0, rejected: [], queued: false };
    let first = 0;
    for (const [n, part] of parts.entries()) {
      const one = { id: n === 0 ? id : `${id}.${n}`, events: part, sinces: part.map(() => since) };
      const { status, body } = await post(one, query).catch((error) => {
        if (error instanceof ApiError) error.batch = id;
        throw error;
      });
      sent.accepted += body.accepted;
      sent.duplicate += body.duplicate;
      sent.rejected.push(...body.rejected.map((/** @type {{ index: number }} */ each) => ({ ...each, index: first + each.index })));
      sent.queued ||= status === 202;
      if (body.standing) sent.standing = body.standing;
      if (body.frozen !== undefined) sent.frozen = body.frozen && [...(sent.frozen ?? []), ...body.frozen];
      first += part.length;
    }
    return sent;
  }

  /**
   * Counts an event soon, with others in one request.
   *
   * @param {ServerEvent} event
   * @returns {boolean} whether it is kept: not while too many wait
   */
  function track(event) {
    if (waiting.length + (batch?.events.length ?? 0) >= maxWaiting) return false;
    waiting.push({ event, since: now() });
    if (waiting.length === MAX_EVENTS && !batch) later(0);
    else timer ?? later(flushAfterMs);
    return true;
  }

  /** @param {number} ms */
  function later(ms) {
    clearTimeout(timer);
    timer = setTimeout(() => flush().catch(() => {}), ms);
  }

  /** Sends what was tracked. Rejects if the worker does not answer: the events are kept, and sent again with their ids. */
  function flush() {
    clearTimeout(timer);
    timer = undefined;
    flushing ??= drain()
      .catch((error) => {
        later(AGAIN_AFTER_MS);
        throw error;
      })
      .finally(() => {
        flushing = undefined;
      });
    return flushing;
  }

  async function drain() {
    while (batch || waiting.length > 0) {
      batch ??= nextBatch();
      const { events, madeAt } = batch;
      try {
        const { body } = await post(batch);
        for (const { index, code, detail } of body.rejected) onRejected(events[index], { code, detail });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.isTransient && now() - madeAt < GIVE_UP_AFTER_MS) throw error;
        for (const event of events) onRejected(event, error);
      }
      batch = undefined;
    }
  }

  /** @returns {Batch} */
  function nextBatch() {
    const [{ length }] = partsOf(waiting.slice(0, MAX_EVENTS).map(({ event }) => event));
    const taken = waiting.splice(0, length);
    return { id: createId(), events: taken.map(({ event }) => event), sinces: taken.map(({ since }) => since), madeAt: now() };
  }

  /**
   * Counts the events of a page that has no token of the site, as browsers send them. A page usually loads the worker's own module,
   * which also collects clicks and sends them while the page closes.
   *
   * @param {import('./api.js').Event[]} events up to the site's `max_beacon_events`
   * @param {{ actor?: string, id?: string, signal?: AbortSignal }} [by] `actor`: a token that your server signed
   * @returns {Promise<{ counted: boolean, refused: string[], actor: string | undefined }>} the codes of what was refused, and why events
   *   count without the actor
   */
  async function beacon(events, { actor, id = createId(), signal } = {}) {
    const since = now();
    const body = () => JSON.stringify({ id, token: actor, events: events.map((event) => aged(event, now() - since)) });
    const { headers } = await ask({ ...options, token: undefined }, 'POST /v1/{site}/beacon', { body, signal, repeats: true });
    return {
      counted: headers.get('edgeboard-counted') !== '0',
      refused: (headers.get('edgeboard-refused') ?? '').split(/[, ]+/).filter(Boolean),
      actor: headers.get('edgeboard-actor') ?? undefined,
    };
  }

  return { send, track, flush, beacon };
}

/**
 * An event as it is sent so much later: it counts when it happened.
 *
 * @template {{ ago?: number, at?: unknown }} E
 * @param {E} event
 * @param {number} ms
 */
const aged = (event, ms) => (ms < 1 || event.at != null ? event : { ...event, ago: Math.round((event.ago ?? 0) + ms) });

/** Events in as few requests as take them. @param {ServerEvent[]} events */
function partsOf(events) {
  /** @type {ServerEvent[][]} */
  const parts = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const event of events) {
    const more = bytesOf(event) + AGO_BYTES;
    if (bytes + more > MAX_BATCH_BYTES || parts[parts.length - 1].length === MAX_EVENTS) {
      parts.push([]);
      bytes = 0;
    }
    parts[parts.length - 1].push(event);
    bytes += more;
  }
  return parts;
}
