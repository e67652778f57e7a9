/** Lines over time, with axes and their units. */
import { byId } from './page.js';

/** @typedef {{ at: number, value: number }} Point `at` in Unix milliseconds */

const HEIGHT = 180;
/** Room for the axes. */
const ROOM = { left: 48, right: 8, top: 8, bottom: 38 };
const DAY_MS = 86_400_000;
/** Pixels that a time on the axis takes. */
const TIME_PX = 72;

/** What is drawn where, for another width. @type {Map<string, { points: Point[], unit: string }>} */
const drawn = new Map();

/**
 * @param {string} id of an svg element, whose caption is `id-caption`
 * @param {Point[]} points
 * @param {string} unit of the values
 */
export function draw(id, points, unit) {
  drawn.set(id, { points, unit });
  const most = Math.max(0, ...points.map(({ value }) => value));
  const [now, top] = [points.at(-1)?.value ?? 0, most].map((value) => value.toFixed(1));
  byId(`${id}-caption`).textContent = `${unit}: ${now}, at most ${top}`;
  paint(id);
}

/** Draws again what is drawn, after the page's width changed. */
export function redraw() {
  for (const id of drawn.keys()) paint(id);
}

/** Takes away what was drawn of another site. */
export function undraw() {
  for (const id of drawn.keys()) byId(id).replaceChildren(part('polyline', {}));
  drawn.clear();
}

/** @param {string} id */
function paint(id) {
  const { points, unit } = drawn.get(id) ?? { points: [], unit: '' };
  const svg = byId(id);
  const width = svg.clientWidth || 320;
  svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
  const [right, bottom] = [width - ROOM.right, HEIGHT - ROOM.bottom];
  const top = niceTop(Math.max(0, ...points.map(({ value }) => value)));
  const from = points.at(0)?.at ?? 0;
  const span = Math.max(1, (points.at(-1)?.at ?? 0) - from);
  const x = (/** @type {number} */ at) => round(ROOM.left + ((right - ROOM.left) * (at - from)) / span);
  const y = (/** @type {number} */ value) => round(bottom - ((bottom - ROOM.top) * value) / top);

  const rows = [0, top / 2, top].flatMap((value) => [
    part('line', { x1: ROOM.left, x2: right, y1: y(value), y2: y(value) }),
    part('text', { x: ROOM.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, numeral(value)),
  ]);
  const many = points.length < 2 ? 0 : Math.max(2, Math.min(6, Math.floor((right - ROOM.left) / TIME_PX)));
  const times = Array.from({ length: many }, (_, at) => from + (span * at) / (many - 1));
  const anchor = (/** @type {number} */ at) => (at === 0 ? 'start' : at === many - 1 ? 'end' : 'middle');
  const columns = times.map((time, at) => part('text', { x: x(time), y: bottom + 15, 'text-anchor': anchor(at) }, timeOf(time, span)));
  const names = [
    part('text', { x: ROOM.left, y: HEIGHT - 6, class: 'unit' }, `↑ ${unit}`),
    part('text', { x: right, y: HEIGHT - 6, 'text-anchor': 'end', class: 'unit' }, '→ time (UTC)'),
  ];
  const line = part('polyline', { points: points.map(({ at, value }) => `${x(at)},${y(value)}`).join(' ') });
  svg.replaceChildren(line, ...rows, ...columns, ...names);
}

/** The next of 1, 2 and 5 times a power of ten. @param {number} most */
function niceTop(most) {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return power * ([1, 2, 5].find((step) => step * power >= most) ?? 10);
}

/** @param {number} value */
const numeral = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3, notation: 'compact' });

/** @param {number} pixels */
const round = (pixels) => Math.round(pixels * 10) / 10;

/** @param {number} at @param {number} span */
function timeOf(at, span) {
  const text = new Date(at).toISOString();
  if (span > 2 * DAY_MS) return text.slice(5, 10);
  return span > 10 * 60_000 ? text.slice(11, 16) : text.slice(11, 19);
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} [text] */
function part(tag, attributes, text = '') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}
