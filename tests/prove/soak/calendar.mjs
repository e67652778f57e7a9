/**
 * Periods of a zone in plain arithmetic over what `Intl` says of it: independent of the product, which computes them in Lua.
 *
 * A day begins at the first instant whose local time reaches its start, and a clock that is set back does not bring the day before back.
 */

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** No zone is further from UTC. */
const FARTHEST_MS = 15 * HOUR_MS;

/** @typedef {'minute' | '5 minutes' | 'hour' | 'day' | 'week' | 'month' | 'year' | 'season' | 'all'} Unit */
/** @typedef {{ first: string, days: number, count: number }} Seasons they follow each other: `first` is a local date and time like `2027-10-20T18:00` */
/** @typedef {{ timezone: string, dayStartsAt: string, seasons?: Seasons }} Zone */
/** @typedef {ReturnType<typeof createCalendar>} Calendar */

/** Units that are the same in every zone. @type {Partial<Record<Unit, number>>} */
const FIXED_MS = { minute: MINUTE_MS, '5 minutes': 5 * MINUTE_MS, hour: HOUR_MS };

/** @param {string} time like `04:00` */
function sinceMidnight(time) {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * HOUR_MS + (minutes ?? 0) * MINUTE_MS;
}

/** @param {Zone} zone */
export function createCalendar({ timezone, dayStartsAt, seasons }) {
  const startMs = sinceMidnight(dayStartsAt);
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

  /** The first instant at which clocks show a time or a later one. @param {number} target as if it were UTC */
  function firstAt(target) {
    const known = starts.get(target);
    if (known !== undefined) return known;
    // Clocks go forward at quarters of an hour.
    let at = Math.floor((target - FARTHEST_MS) / QUARTER_MS) * QUARTER_MS;
    while (localTime(at) < target) at += QUARTER_MS;
    const early = at - ((localTime(at) - target) % QUARTER_MS);
    // A time that is no quarter of an hour, unless clocks skip it.
    if (localTime(early) >= target) at = early;
    starts.set(target, at);
    return at;
  }

  /** The instant at which a day begins, by its number since 1970. @param {number} day @param {number} [from] since midnight */
  const startOfDay = (day, from = startMs) => firstAt(day * DAY_MS + from);

  /** @param {number} at @param {number} [from] since midnight */
  function dayOf(at, from = startMs) {
    let day = Math.floor((localTime(at) - from) / DAY_MS);
    while (startOfDay(day + 1, from) <= at) day += 1;
    while (startOfDay(day, from) > at) day -= 1;
    return day;
  }

  const firstSeason = Date.parse(`${seasons?.first}Z`);
  /** Where seasons begin, and where the last one ends. */
  const bounds = seasons ? Array.from({ length: seasons.count + 1 }, (_, i) => firstAt(firstSeason + i * seasons.days * DAY_MS)) : [];

  /** The number of a season, or -1 between them. @param {number} at */
  const seasonOf = (at) => (at < bounds[bounds.length - 1] ? bounds.findLastIndex((from) => from <= at) : -1);

  /** The number of the period that holds an instant; periods of a unit are numbered without gaps. @param {Unit} unit @param {number} at */
  function periodOf(unit, at) {
    if (unit === 'all') return 0;
    const fixedMs = FIXED_MS[unit];
    if (fixedMs) return Math.floor(at / fixedMs);
    if (unit === 'season') return seasonOf(at);
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
    if (unit === 'season') return new Date(firstSeason + period * (seasons?.days ?? NaN) * DAY_MS).toISOString().slice(0, 16);
    if (unit === 'month') return `${Math.floor(period / 12)}-${String((period % 12) + 1).padStart(2, '0')}`;
    const thursday = new Date(period * 7 * DAY_MS);
    const week = 1 + Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0)) / (7 * DAY_MS));
    return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
  }

  return {
    periodOf,
    idOf,

    /** The period that a window shows at an instant; of seasons the last one, where none is on. @param {Unit} unit @param {number} at */
    currentOf: (unit, at) => (unit === 'season' && at >= bounds[bounds.length - 1] ? bounds.length - 2 : periodOf(unit, at)),

    /** When it was last a time of the day, like `02:01`, or a full hour. @param {string | undefined} time @param {number} at */
    lastAt: (time, at) =>
      time === undefined ? Math.floor(at / HOUR_MS) * HOUR_MS : startOfDay(dayOf(at, sinceMidnight(time)), sinceMidnight(time)),
  };
}
