/**
 * The shape of a beacon's body: everything about it but which items, actors and moments they are.
 */

/** Longer than events wait in a page, and shorter than anything that was not measured in milliseconds. */
const MAX_AGO_MS = 5000;

/**
 * @param {string} body
 * @returns {{ fields: string[], id: string, events: number, event: string[] }} `event` has the fields of each, in their order
 */
export function shapeOf(body) {
  const batch = JSON.parse(body);
  return {
    fields: Object.keys(batch),
    id: /^[0-9a-z]{9,13}$/.test(batch.id) ? 'a number below 2^64 in base 36' : batch.id,
    events: batch.events.length,
    event: [...new Set(batch.events.map(shapeOfEvent))].toSorted(),
  };
}

/** @param {Record<string, unknown>} event */
function shapeOfEvent(event) {
  const fields = Object.entries(event).map(([name, value]) => `${name}: ${name === 'ago' ? shapeOfAgo(value) : typeof value}`);
  return fields.join(', ');
}

/** @param {unknown} ago */
function shapeOfAgo(ago) {
  return Number.isInteger(ago) && Number(ago) >= 0 && Number(ago) <= MAX_AGO_MS ? 'milliseconds' : `${ago}`;
}
