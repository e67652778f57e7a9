/**
 * Periods of a zone in plain arithmetic over what `Intl` says of it: independent of the product, which computes them in Lua.
 *
 * A day begins at the first instant whose local time reaches its start, and a clock that is set back does not bring the day before back.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** No zone is further from UTC. */
const FARTHEST_MS = 15 * HOUR_MS;

/** @typedef {'hour' | 'day' | 'week' | 'month' | 'year' | 'all'} Unit */
/** @typedef {ReturnType<typeof createCalendar>} Calendar */

/** @param {{ timezone: string, dayStartsAt: string }} zone */
export function createCalendar({ timezone, dayStartsAt }) {
  const [hours, minutes] = dayStartsAt.split(':').map(Number);
  const startMs = (hours ?? 0) * HOUR_MS + (minutes ?? 0) * MINUTE_MS;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  /** @type {Map<number, number>} */
  const starts = new Map();

  /** What the zone's clocks show, to the minute, as if it were UTC. @param {number} at */
  function localTime(at) {
    const of = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(of.year ?? 0, (of.month ?? 0) - 1, of.day, of.hour, of.minute);
  }

  /** The instant at which a day begins, by its number since 1970. @param {number} day */
  function startOfDay(day) {
    const known = starts.get(day);
    if (known !== undefined) return known;
    const target = day * DAY_MS + startMs;
    let at = target - FARTHEST_MS;
    while (localTime(at) < target) at += 15 * MINUTE_MS;
    starts.set(day, at);
    return at;
  }

  /** @param {number} at */
  function dayOf(at) {
    let day = Math.floor((localTime(at) - startMs) / DAY_MS);
    while (startOfDay(day + 1) <= at) day += 1;
    while (startOfDay(day) > at) day -= 1;
    return day;
  }

  /** The number of the period that holds an instant; periods of a unit are numbered without gaps. @param {Unit} unit @param {number} at */
  function periodOf(unit, at) {
    if (unit === 'all') return 0;
    if (unit === 'hour') return Math.floor(at / HOUR_MS);
    const day = dayOf(at);
    if (unit === 'day') return day;
    // The epoch was a Thursday, and weeks begin on Monday.
    if (unit === 'week') return Math.floor((day + 3) / 7);
    const date = new Date(day * DAY_MS);
    return unit === 'year' ? date.getUTCFullYear() : date.getUTCFullYear() * 12 + date.getUTCMonth();
  }

  /** What the API calls a period. @param {Unit} unit @param {number} period */
  function idOf(unit, period) {
    if (unit === 'all') return 'all';
    if (unit === 'hour') return `${new Date(period * HOUR_MS).toISOString().slice(0, 13)}Z`;
    if (unit === 'day') return new Date(period * DAY_MS).toISOString().slice(0, 10);
    if (unit === 'year') return String(period);
    if (unit === 'month') return `${Math.floor(period / 12)}-${String((period % 12) + 1).padStart(2, '0')}`;
    const thursday = new Date(period * 7 * DAY_MS);
    const week = 1 + Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0)) / (7 * DAY_MS));
    return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
  }

  return { periodOf, idOf };
}
