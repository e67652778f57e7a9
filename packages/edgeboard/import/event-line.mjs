/**
 * What becomes of a line of an event file: one event as `POST /v1/{site}/events` takes it, or a message of many as `forward` hands
 * them on. Fields go as they are, since the service checks them.
 */
import { createEventIds } from './event-ids.mjs';
import { createFilter } from './filter.mjs';
import { readObject } from './json-line.mjs';
import { MAX_LINE_BYTES } from './log-line.mjs';

/** @typedef {import('./translator.mjs').Outcome} Outcome */

/**
 * A reader for the lines of one file, in their order.
 *
 * @param {object} options
 * @param {string} options.site whose events are read; messages of other sites may stand beside them
 * @param {string} [options.action] of which alone events are read
 * @param {import('./filter.mjs').Filters} options.filters
 * @returns {(line: string) => Outcome[]} from a line, one character per byte
 */
export function createEventReader({ site, action, filters }) {
  const passes = createFilter(filters);
  const idOf = createEventIds(site, '');

  /** @param {unknown} value @param {() => string} id that it has where it names none @returns {Outcome} */
  function outcome(value, id) {
    const event = /** @type {Record<string, unknown>} */ (value);
    if (typeof event?.action !== 'string') return { unparsable: 'an event without an action' };
    const time = instant(event.at);
    if (time === undefined) return { unparsable: 'an event without an instant: at is RFC 3339 or Unix milliseconds' };
    const path = typeof event.item === 'string' ? event.item : '';
    if ((action && event.action !== action) || !passes({ time, path, method: '', status: 0 })) return { skipped: 'filter' };
    return { event: /** @type {import('./translator.mjs').Event} */ ({ ...event, id: event.id ?? id() }) };
  }

  return (line) => {
    if (line.length > MAX_LINE_BYTES) return [{ unparsable: `longer than ${MAX_LINE_BYTES} bytes` }];
    const json = readObject(line);
    if (json === undefined) return [{ unparsable: 'not a JSON object' }];
    if (json.site !== undefined && json.site !== site) return [{ skipped: 'filter' }];
    // What else is handed on: periods that are over, and totals.
    if (json.site !== undefined && json.events === undefined) return [{ skipped: 'filter' }];
    if (json.events === undefined) return [outcome(json, () => idOf(line))];
    if (!Array.isArray(json.events)) return [{ unparsable: 'events is not a list' }];
    const batch = json.id ?? idOf(line);
    return json.events.map((event, index) => outcome(event, () => `${batch}/${index}`));
  };
}

/** Unix milliseconds. @param {unknown} at @returns {number | undefined} */
function instant(at) {
  const time = typeof at === 'string' ? Date.parse(at) : at;
  return typeof time === 'number' && !Number.isNaN(time) ? time : undefined;
}
