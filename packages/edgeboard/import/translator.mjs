/**
 * What becomes of one log line: an event, or the reason why there is none. Pure but for the numbering of equal lines.
 */
import { isAsset } from './assets.mjs';
import { createEventIds } from './event-ids.mjs';
import { createFilter } from './filter.mjs';
import { itemOf } from './item.mjs';
import { parseJsonLine } from './json-line.mjs';
import { parseLogLine } from './log-line.mjs';
import { agentOf, visitorOf } from './visitor.mjs';

/**
 * @typedef {object} Event as `POST /v1/{site}/events` takes it. One of an event file has what was written there
 * @property {string} id
 * @property {string} action
 * @property {string} item
 * @property {string} at
 * @property {import('./visitor.mjs').Visitor} [visitor]
 *
 * @typedef {{ unparsable: string } | { skipped: Skipped } | { refused: string } | { event: Event }} Outcome
 *
 * @typedef {'filter' | 'asset' | 'bot'} Skipped why a line that could be an event is none
 */

/**
 * A translator for the lines of one file, in their order.
 *
 * @param {object} options
 * @param {string} options.site
 * @param {string} options.action
 * @param {import('./filter.mjs').Filters} options.filters
 * @param {boolean} options.assets whether assets become events
 * @param {(agent: string) => boolean} options.isBot whose lines become no events
 * @param {boolean} options.visitors whether events say who sent the request
 * @returns {(line: string) => Outcome[]} always one
 */
export function createTranslator({ site, action, filters, assets, isBot, visitors }) {
  const passes = createFilter(filters);
  const idOf = createEventIds(site, action);

  /** @param {string} line @returns {Outcome} */
  function translated(line) {
    const request = line.startsWith('{') ? parseJsonLine(line) : parseLogLine(line);
    if ('fault' in request) return { unparsable: request.fault };

    const { path, fault } = itemOf(request.target);
    if (!passes({ ...request, path })) return { skipped: 'filter' };
    if (!assets && isAsset(path)) return { skipped: 'asset' };
    const agent = agentOf(request.agent);
    if (isBot(agent)) return { skipped: 'bot' };
    if (fault) return { refused: fault };

    const visitor = visitors ? visitorOf(request.host, agent) : undefined;
    return { event: { id: idOf(line), action, item: path, at: rfc3339(request.time), ...(visitor && { visitor }) } };
  }

  return (line) => [translated(line)];
}

/** Most log lines have whole seconds: `2015-05-17T10:05:03Z` @param {number} time */
function rfc3339(time) {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
