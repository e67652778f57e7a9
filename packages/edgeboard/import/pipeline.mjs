/**
 * Lines in, batches out: reads the sources in order and keeps a bounded number of batches on their way.
 */
import { createEventReader } from './event-line.mjs';
import { createTranslator } from './translator.mjs';

/** The service takes bodies of up to 64 KiB; the rest of them is `{"events":[` and `]}`. */
const MAX_EVENTS_BYTES = 64 * 1024 - '{"events":[]}'.length;

/**
 * @typedef {import('./options.mjs').Options & { isBot: (agent: string) => boolean }} PipelineOptions
 * @typedef {(events: import('./translator.mjs').Event[]) => Promise<void>} Deliver
 */

/**
 * Runs until every line is answered for, or until `halt` fires. A caller fires it, a batch that failed for good, or a
 * source that cannot be read. All three stop the reading and the sending at once.
 *
 * @param {object} options
 * @param {import('./source.mjs').Source[]} options.sources
 * @param {PipelineOptions} options.options
 * @param {Deliver} options.deliver
 * @param {import('./tally.mjs').Tally} options.tally
 * @param {AbortController} options.halt
 * @throws the reason of `halt`
 */
export async function runPipeline({ sources, options, deliver, tally, halt }) {
  /** @type {Set<Promise<void>>} */
  const onTheirWay = new Set();
  /** @type {import('./translator.mjs').Event[]} */
  let batch = [];
  let batchBytes = 0;
  let isFirst = true;

  async function flush() {
    if (batch.length === 0) return;
    const delivery = deliver(batch)
      .catch((error) => halt.abort(error))
      .finally(() => onTheirWay.delete(delivery));
    onTheirWay.add(delivery);
    batch = [];
    batchBytes = 0;
    // The first goes alone, so that a wrong token or site is found out with one request.
    if (isFirst || onTheirWay.size >= options.concurrency) await Promise.race(onTheirWay);
    isFirst = false;
    halt.signal.throwIfAborted();
  }

  try {
    for (const source of sources) {
      for await (const event of eventsOf({ source, options, tally, signal: halt.signal })) {
        const bytes = Buffer.byteLength(JSON.stringify(event)) + ','.length;
        if (batchBytes + bytes > MAX_EVENTS_BYTES) await flush();
        batch.push(event);
        batchBytes += bytes;
        if (batch.length === options.batch) await flush();
      }
    }
    await flush();
  } catch (error) {
    halt.abort(error);
  }
  await Promise.all(onTheirWay);
  halt.signal.throwIfAborted();
}

/**
 * The events of one source; every line is tallied.
 *
 * @param {object} options
 * @param {import('./source.mjs').Source} options.source
 * @param {PipelineOptions} options.options
 * @param {import('./tally.mjs').Tally} options.tally
 * @param {AbortSignal} options.signal
 */
async function* eventsOf({ source, options, tally, signal }) {
  const read = readerFor(options);
  let number = 0;
  const onBytes = (/** @type {number} */ count) => {
    tally.bytes += count;
  };
  for await (const lines of source.lines(signal, onBytes)) {
    for (const text of lines) {
      number += 1;
      tally.lines += 1;
      for (const outcome of read(text)) {
        tally.outcome(outcome, { name: source.name, number, text });
        if ('event' in outcome) yield outcome.event;
      }
    }
  }
}

/** From a line of one file to what becomes of it. @param {PipelineOptions} options */
function readerFor({ action, ...options }) {
  return options.events ? createEventReader({ action, ...options }) : createTranslator({ action: String(action), ...options });
}
