/** A ranking each time that it changes. */
import { ApiError, addressOf, ask, problemOf, sleep, waitMs } from './http.js';

const RANKING = 'GET /v1/{site}/boards/{board}/{window}';
/** How long it is asked for now and then, where a stream is not to be had. */
const POLLED_FOR_MS = 60_000;
const POLL_EVERY_MS = 5000;
const DEFAULT_LIMIT = 10;

/**
 * Gives the ranking at once, and each new version of it, until the loop is left or the signal ends it. A reader that is slow gets the
 * newest version next. While the worker cannot be reached, nothing comes. Only a ranking that does not exist is an error.
 *
 * @param {import('./http.js').Options} options
 * @param {string} board
 * @param {string} window
 * @param {{ limit?: number, details?: boolean, signal?: AbortSignal, onReaders?: (readers: number) => void }} [query] `onReaders` receives how
 *   many watch
 * @returns {AsyncGenerator<import('./api.js').Ranking, void, void>}
 */
export async function* live(options, board, window, { signal, onReaders, ...query } = {}) {
  const path = { board, window };
  const { limit = DEFAULT_LIMIT } = query;
  const ended = new AbortController();
  const until = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  let version = '';
  let failed = 0;
  let polledUntil = 0;

  /** Every version, over a stream or by asking once. */
  async function* versions() {
    if (performance.now() < polledUntil) {
      const { body } = await ask(options, RANKING, { path, query, signal: until, repeats: false });
      yield body;
      return;
    }
    const address = addressOf(options, `${RANKING}/live`, path, query);
    for await (const { event, data } of messages(options.fetch ?? globalThis.fetch, address, until)) {
      if (event === 'readers') onReaders?.(data.readers);
      else yield data;
    }
  }

  try {
    while (!until.aborted) {
      let pauseMs = performance.now() < polledUntil ? POLL_EVERY_MS : waitMs(3);
      try {
        for await (const ranking of versions()) {
          failed = 0;
          if (ranking.version === version) continue;
          version = ranking.version;
          // A live ranking may have more than were asked for.
          yield { ...ranking, entries: ranking.entries.slice(0, limit) };
        }
      } catch (error) {
        if (until.aborted) return;
        if (error instanceof ApiError && [400, 404].includes(error.status)) throw error;
        // A stream that was refused: there are too many, or none.
        if (error instanceof ApiError) polledUntil = Math.max(polledUntil, performance.now() + POLLED_FOR_MS);
        failed += 1;
        pauseMs = error instanceof ApiError && failed === 1 ? 0 : waitMs(failed + 1);
      }
      await sleep(pauseMs, until).catch(() => {});
    }
  } finally {
    ended.abort();
  }
}

/**
 * The messages of an event stream.
 *
 * @param {typeof globalThis.fetch} fetch
 * @param {string} address
 * @param {AbortSignal} signal
 */
async function* messages(fetch, address, signal) {
  const response = await fetch(address, { headers: { accept: 'text/event-stream' }, signal });
  if (!response.ok || !response.body) throw await problemOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const whole = (text + part.value).split('\n\n');
    text = whole.pop() ?? '';
    for (const message of whole) {
      const fields = Object.fromEntries(message.split('\n').map((line) => /** @type {[string, string]} */ (line.split(/:(.*)/, 2))));
      if (fields.data) yield { event: fields.event?.trim(), data: JSON.parse(fields.data) };
    }
  }
}
