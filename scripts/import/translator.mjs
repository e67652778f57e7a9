/**
 * What becomes of one log line: an event, or the reason why there is none. Pure but for the numbering of equal lines.
 */
import { createEventIds } from './event-ids.mjs';
import { createFilter } from './filter.mjs';
import { itemOf } from './item.mjs';
import { parseLogLine } from './log-line.mjs';

/**
 * @typedef {{ id: string, action: string, item: string, at: string }} Event as `POST /v1/{site}/events` takes it
 *
 * @typedef {{ unparsable: string } | { filtered: true } | { refused: string } | { event: Event }} Outcome
 */

/**
 * A translator for the lines of one file, in their order.
 *
 * @param {{ site: string, action: string, filters: import('./filter.mjs').Filters }} options
 * @returns {(line: string) => Outcome}
 */
export function createTranslator({ site, action, filters }) {
  const passes = createFilter(filters);
  const idOf = createEventIds(site, action);

  return (line) => {
    const request = parseLogLine(line);
    if ('fault' in request) return { unparsable: request.fault };

    const { path, fault } = itemOf(request.target);
    if (!passes({ ...request, path })) return { filtered: true };
    if (fault) return { refused: fault };

    return { event: { id: idOf(line), action, item: path, at: rfc3339(request.time) } };
  };
}

/** Log lines have whole seconds: `2015-05-17T10:05:03Z` */
function rfc3339(time) {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
