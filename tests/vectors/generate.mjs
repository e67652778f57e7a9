/**
 * Golden vectors of periods: which hour, day, week, month and year hold an instant, and when these begin and end.
 *
 *     node tests/vectors/generate.mjs     writes tests/vectors/periods.json
 *
 * Everything is found from the definition alone, by trying. A period begins at the first instant at which the zone's
 * clock (the runtime's Intl) has reached the period's start. An instant belongs to the last period that has begun.
 * Nothing here is taken from src/ or lua/, which the vectors check.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const FILE = fileURLToPath(new URL('periods.json', import.meta.url));

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Every zone of the world is between 12 hours behind UTC and 14 hours ahead. */
const MAX_AHEAD = 14 * HOUR;
const MAX_BEHIND = 12 * HOUR;

/** The second before an instant, and the instant. @param {string[]} instants */
const around = (...instants) => instants.flatMap((at) => [unix(at) - 1, unix(at)]);
/** @param {string[]} instants */
const at = (...instants) => instants.map(unix);

const CASES = [
  {
    name: 'days of 23 and 25 hours in London',
    timezone: 'Europe/London',
    instants: [
      ...around('2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z', '2026-03-29T23:00:00Z'),
      ...around('2026-10-24T23:00:00Z', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00Z'),
      ...around('2026-10-26T00:00:00Z', '2025-12-31T00:00:00Z', '2026-01-01T00:00:00Z'),
      ...at('2026-07-15T12:34:56Z'),
    ],
  },
  {
    name: 'a start that is skipped: half past one in London on the last Sunday of March',
    timezone: 'Europe/London',
    day_starts_at: '01:30',
    instants: around(
      '2026-03-29T01:00:00Z',
      '2026-03-29T01:30:00Z',
      '2026-03-30T00:30:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:30:00Z',
    ),
  },
  {
    name: 'days of 23 and 25 hours in New York',
    timezone: 'America/New_York',
    week_starts_on: 'sunday',
    instants: [
      ...around('2026-03-08T05:00:00Z', '2026-03-08T07:00:00Z', '2026-03-09T04:00:00Z'),
      ...around('2026-11-01T04:00:00Z', '2026-11-01T06:00:00Z', '2026-11-01T07:00:00Z', '2026-11-02T05:00:00Z'),
      ...around('2026-01-01T05:00:00Z'),
    ],
  },
  {
    name: 'New York sets its clock back across the start of the day, and the old day does not come back',
    timezone: 'America/New_York',
    day_starts_at: '01:30',
    instants: around('2026-11-01T05:30:00Z', '2026-11-01T06:00:00Z', '2026-11-01T06:30:00Z', '2026-11-02T06:30:00Z'),
  },
  {
    name: 'Troll sets its clock back by two hours across the start of the day',
    timezone: 'Antarctica/Troll',
    day_starts_at: '01:30',
    instants: around(
      '2026-10-24T23:30:00Z',
      '2026-10-25T01:00:00Z',
      '2026-10-25T01:30:00Z',
      '2026-10-25T03:00:00Z',
      '2026-10-26T01:30:00Z',
    ),
  },
  {
    name: 'midnight does not exist in São Paulo on 2017-10-15, and comes late on 2018-02-18',
    timezone: 'America/Sao_Paulo',
    instants: around(
      '2017-10-15T03:00:00Z',
      '2017-10-16T02:00:00Z',
      '2018-02-18T02:00:00Z',
      '2018-02-18T03:00:00Z',
      '2018-01-01T02:00:00Z',
    ),
  },
  {
    name: 'Friday 2011-12-30 does not exist in Apia',
    timezone: 'Pacific/Apia',
    instants: around('2011-12-29T10:00:00Z', '2011-12-30T10:00:00Z', '2011-12-31T10:00:00Z', '2011-12-30T11:00:00Z'),
  },
  {
    name: 'Friday 2011-12-30 does not exist in Apia, where weeks start on it',
    timezone: 'Pacific/Apia',
    week_starts_on: 'friday',
    instants: around('2011-12-23T10:00:00Z', '2011-12-30T10:00:00Z', '2012-01-05T10:00:00Z'),
  },
  {
    name: 'Lord Howe moves its clock by half an hour: hours of 30 and of 90 minutes',
    timezone: 'Australia/Lord_Howe',
    instants: [
      ...around('2026-04-04T13:00:00Z', '2026-04-04T14:00:00Z', '2026-04-04T15:00:00Z', '2026-04-04T15:30:00Z', '2026-04-04T16:30:00Z'),
      ...around('2026-10-03T13:30:00Z', '2026-10-03T14:30:00Z', '2026-10-03T15:00:00Z', '2026-10-03T15:30:00Z', '2026-10-03T16:00:00Z'),
      ...around('2026-10-03T17:00:00Z'),
    ],
  },
  {
    name: 'Kathmandu is 05:45 ahead, and was 05:30 ahead until its clock skipped midnight of 1986',
    timezone: 'Asia/Kathmandu',
    instants: around(
      '2026-11-20T18:15:00Z',
      '2026-11-20T18:00:00Z',
      '2026-12-31T18:15:00Z',
      '1985-12-31T18:30:00Z',
      '1985-12-31T19:15:00Z',
    ),
  },
  {
    name: "St. John's set its clock back at 00:01, and the old day does not come back",
    timezone: 'America/St_Johns',
    instants: [
      ...around('2009-11-01T02:30:00Z', '2009-11-01T02:31:00Z', '2009-11-01T03:30:00Z', '2009-11-02T03:30:00Z'),
      ...around('2009-03-08T03:30:00Z', '2009-03-08T03:31:00Z'),
      ...around('1988-10-30T01:30:00Z', '1988-10-30T01:31:00Z', '1988-10-30T02:30:00Z', '1988-10-30T03:30:00Z'),
    ],
  },
  {
    name: 'ISO weeks, among them the 53rd',
    timezone: 'UTC',
    instants: [
      ...around('2020-12-28T00:00:00Z', '2021-01-01T00:00:00Z', '2021-01-04T00:00:00Z', '2024-12-30T00:00:00Z', '2025-01-01T00:00:00Z'),
      ...around('2026-12-28T00:00:00Z', '2027-01-01T00:00:00Z', '2027-01-04T00:00:00Z'),
    ],
  },
  {
    name: 'weeks that start on Sunday',
    timezone: 'UTC',
    week_starts_on: 'sunday',
    instants: around(
      '2020-12-27T00:00:00Z',
      '2021-01-03T00:00:00Z',
      '2025-01-05T00:00:00Z',
      '2025-12-28T00:00:00Z',
      '2026-01-04T00:00:00Z',
      '2027-01-03T00:00:00Z',
    ),
  },
  {
    name: 'weeks that start on Saturday, at four in the morning',
    timezone: 'Asia/Shanghai',
    day_starts_at: '04:00',
    week_starts_on: 'saturday',
    instants: around(
      '2026-01-01T20:00:00Z',
      '2025-12-31T20:00:00Z',
      '2026-11-20T20:00:00Z',
      '2026-11-20T16:00:00Z',
      '1991-09-14T15:00:00Z',
    ),
  },
  {
    name: 'leap years and none',
    timezone: 'UTC',
    day_starts_at: '23:59',
    instants: around(
      '2000-02-28T23:59:00Z',
      '2000-02-29T23:59:00Z',
      '2024-02-29T23:59:00Z',
      '2100-02-28T23:59:00Z',
      '2100-03-01T23:59:00Z',
    ),
  },
  {
    name: 'the first periods',
    timezone: 'UTC',
    instants: [
      ...at('1970-01-01T00:00:00Z'),
      ...around('1970-01-01T01:00:00Z', '1970-01-02T00:00:00Z', '1970-01-05T00:00:00Z', '1971-01-01T00:00:00Z'),
    ],
  },
  {
    name: 'behind UTC, 1970 begins late',
    timezone: 'America/New_York',
    instants: [...at('1970-01-01T00:00:00Z'), ...around('1970-01-01T05:00:00Z', '1970-04-26T07:00:00Z')],
  },
  {
    name: 'an offset with seconds: Monrovia until 1972',
    timezone: 'Africa/Monrovia',
    instants: around(
      '1971-06-01T00:44:30Z',
      '1971-06-01T11:44:30Z',
      '1972-01-07T00:44:30Z',
      '1972-01-07T01:00:00Z',
      '1972-01-08T00:00:00Z',
    ),
  },
  {
    name: 'the last periods',
    timezone: 'UTC',
    instants: around('2199-01-01T00:00:00Z', '2199-12-30T00:00:00Z', '2200-01-01T00:00:00Z'),
  },
  {
    name: 'ahead of UTC, 2199 ends early',
    timezone: 'Asia/Kathmandu',
    week_starts_on: 'sunday',
    instants: around('2199-12-31T18:15:00Z', '2199-12-31T17:15:00Z'),
  },
];

/** The file's text: one line per instant, so that a change shows what it changes. */
export function generate() {
  const cases = CASES.map(({ name, timezone, day_starts_at = '00:00', week_starts_on = 'monday', instants }) => {
    const calendar = calendarOf(timezone, secondsOf(day_starts_at), WEEKDAYS.indexOf(week_starts_on));
    const lines = instants.map((instant) => `    ${JSON.stringify({ at: iso(instant), ...calendar(instant) })}`);
    const head = JSON.stringify({ name, timezone, day_starts_at, week_starts_on }).slice(0, -1);
    return `  ${head},"instants":[\n${lines.join(',\n')}\n  ]}`;
  });
  return `[\n${cases.join(',\n')}\n]\n`;
}

/**
 * A function from an instant to the five periods that hold it.
 *
 * @param {string} timezone
 * @param {number} dayStartsAt seconds after midnight
 * @param {number} weekStartsOn an index into `WEEKDAYS`
 * @returns {(instant: number) => Record<string, { number: number, id: string, starts_at: string, ends_at: string }>}
 */
function calendarOf(timezone, dayStartsAt, weekStartsOn) {
  const offsetAt = offsets(timezone);

  /** The first instant at which the zone's clock shows this many local seconds since 1970, or more. */
  const reached = memoized((local) =>
    firstInstant(local - MAX_AHEAD, local + MAX_BEHIND, (instant) => instant + offsetAt(instant) >= local),
  );
  const dayStart = (/** @type {number} */ day) => reached(day * DAY + dayStartsAt);
  const hourStart = memoized((hour) =>
    firstInstant((hour - 1) * HOUR, hour * HOUR, (instant) => instant + modulo(offsetAt(instant), HOUR) >= hour * HOUR),
  );

  const weekFirstDay = (/** @type {number} */ week) => {
    // Weeks count from the one that holds 1970-01-01, a Thursday.
    let first = 0;
    while (weekdayOf(first) !== weekStartsOn) first -= 1;
    return first + week * 7;
  };
  const weekName = (/** @type {number} */ week) => {
    const fourth = new Date((weekFirstDay(week) + 3) * DAY * 1000);
    const year = fourth.getUTCFullYear();
    const dayOfYear = (fourth.getTime() - Date.UTC(year, 0, 1)) / (DAY * 1000);
    return `${year}-W${pad(Math.floor(dayOfYear / 7) + 1)}`;
  };
  const monthFirstDay = (/** @type {number} */ month) => Date.UTC(Math.floor(month / 12), month % 12, 1) / (DAY * 1000);

  /**
   * The last period that has begun at an instant: a guess is near it.
   *
   * @param {number} instant
   * @param {number} guess
   * @param {(number: number) => number} start
   * @param {(number: number, starts: number) => string} name
   */
  const holding = (instant, guess, start, name) => {
    let number = guess + 3;
    while (start(number) > instant) number -= 1;
    const [starts, ends] = [start(number), start(number + 1)];
    return { number, id: name(number, starts), starts_at: iso(starts), ends_at: iso(ends) };
  };

  return (instant) => {
    const day = Math.floor(instant / DAY);
    const date = new Date(day * DAY * 1000);
    return {
      hour: holding(instant, Math.floor(instant / HOUR), hourStart, (_, starts) => hourName(starts)),
      day: holding(instant, day, dayStart, (number) => iso(number * DAY).slice(0, 10)),
      week: holding(instant, Math.floor(day / 7), (week) => dayStart(weekFirstDay(week)), weekName),
      month: holding(
        instant,
        date.getUTCFullYear() * 12 + date.getUTCMonth(),
        (month) => dayStart(monthFirstDay(month)),
        (month) => iso(monthFirstDay(month) * DAY).slice(0, 7),
      ),
      year: holding(
        instant,
        date.getUTCFullYear(),
        (year) => dayStart(monthFirstDay(year * 12)),
        (year) => String(year),
      ),
    };
  };
}

/**
 * The first instant after `from` and not after `until` for which `is` holds; it holds at `until`.
 *
 * @param {number} from
 * @param {number} until
 * @param {(instant: number) => boolean} is
 */
function firstInstant(from, until, is) {
  let minute = from;
  while (minute < until && !is(minute)) minute += MINUTE;
  let second = minute - MINUTE + 1;
  while (second < minute && !is(second)) second += 1;
  return second;
}

/** A function from an instant to the seconds by which the zone's clock is ahead of UTC. @param {string} timezone */
function offsets(timezone) {
  /** @type {Intl.DateTimeFormatOptions} */
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' };
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, hourCycle: 'h23', ...fields });
  return memoized((instant) => {
    const shown = format.format(instant * 1000).match(/\d+/g) ?? [];
    const [month, day, year, hour, minute, second] = shown.map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - instant;
  });
}

/** @param {number} starts */
function hourName(starts) {
  const text = iso(starts);
  return text.slice(14, 16) === '00' ? `${text.slice(0, 13)}Z` : `${text.slice(0, 16)}Z`;
}

/** @param {(key: number) => number} compute @returns {(key: number) => number} */
function memoized(compute) {
  /** @type {Map<number, number>} */
  const known = new Map();
  return (key) => {
    const found = known.get(key) ?? compute(key);
    known.set(key, found);
    return found;
  };
}

/** @param {string} timeOfDay */
function secondsOf(timeOfDay) {
  const [hours, minutes] = timeOfDay.split(':').map(Number);
  return hours * HOUR + minutes * MINUTE;
}

/** @param {string} text */
function unix(text) {
  return Date.parse(text) / 1000;
}

/** @param {number} instant */
function iso(instant) {
  return new Date(instant * 1000).toISOString().replace('.000Z', 'Z');
}

/** @param {number} day */
function weekdayOf(day) {
  return new Date(day * DAY * 1000).getUTCDay();
}

/** @param {number} number @param {number} by */
function modulo(number, by) {
  return ((number % by) + by) % by;
}

/** @param {number} number */
function pad(number) {
  return String(number).padStart(2, '0');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, generate());
