/**
 * Seasons by other means than the product's: local times are found with `Intl`, a quarter of an hour at a time.
 */

const QUARTER_MS = 15 * 60_000;

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** What a zone's clock shows, like `2026-12-01T18:00`. @param {string} timeZone @param {number} at */
function shown(timeZone, at) {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    formats.set(timeZone, format);
  }
  return format.format(at).replace(' ', 'T');
}

/**
 * The first instant at which a zone's clock shows a local time or a later one.
 *
 * @param {string} timeZone
 * @param {string} local `2026-12-01` or `2026-12-01T18:00`
 */
export function instantOf(timeZone, local) {
  const time = local.includes('T') ? local : `${local}T00:00`;
  let at = Date.parse(`${time}:00Z`) - 16 * 3_600_000;
  while (shown(timeZone, at) < time) at += QUARTER_MS;
  return at;
}

/**
 * Local times from one to another, each a number of days after the one before.
 *
 * @param {string} from
 * @param {string} until
 * @param {number} days
 */
export function everyDays(from, until, days) {
  const starts = [];
  for (let at = Date.parse(`${from}T00:00:00Z`); at < Date.parse(`${until}T00:00:00Z`); at += days * 86_400_000) {
    starts.push(new Date(at).toISOString().slice(0, 10));
  }
  return starts;
}

/** The Fridays of a year, at six in the evening. @param {number} year */
export function fridays(year) {
  return everyDays(`${year}-01-01`, `${year + 1}-01-01`, 1)
    .filter((date) => new Date(date).getUTCDay() === 5)
    .map((date) => `${date}T18:00`);
}

/**
 * Seasons in a row: each has its id, and when it starts and ends.
 *
 * @param {string} timeZone
 * @param {string[]} starts
 * @param {string} until
 */
export function seasonsOf(timeZone, starts, until) {
  const bounds = [...starts, until].map((local) => instantOf(timeZone, local));
  return starts.map((id, i) => ({ id, starts: bounds[i], ends: bounds[i + 1] }));
}
