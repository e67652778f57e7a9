/**
 * Four hundred days at a steady rate, by simulated clocks: Redis holds no more after them than after sixty, but for what all time and the
 * years must hold, and whatever is kept is answered as an independent model has it.
 */
import assert from 'node:assert/strict';

import { startDeployment } from '../support/deployment.mjs';
import { createRandom } from '../support/windows.mjs';
import { table } from './document.mjs';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FROM = Date.parse('2026-01-01T00:00:00Z');
/** Between two batches of clicks, which come in the last fifty minutes. */
const STEP_HOURS = 8;
const CLICKS = 80;
/** Items that are new each day; half of the clicks go to those of the last three days, the others to as many that stay. */
const NEW_ITEMS = 20;
const TOKEN = 'a-token-for-owners';
const ROLLING = { 'last-24-hours': 24 * HOUR_MS, 'last-7-days': 7 * DAY_MS, 'last-30-days': 30 * DAY_MS };
const SITE = {
  origins: ['*'],
  actor_history: '1d',
  actions: { view: { public: true } },
  boards: {
    articles: {
      weights: { view: 1 },
      windows: ['hour', 'day', 'week', 'month', 'year', 'all', ...Object.keys(ROLLING)],
      limit: 1000,
      archive: true,
      keep: { hour: '1d', day: '35d', week: '35d', month: '60d' },
    },
  },
};
/** The days that measure what is held: from the sixtieth on, when the longest retention but the month's has passed. */
const SETTLED = 100;
/** How much more the last hundred days may hold than those after which nothing new begins: months are of 28 to 31 days. */
const GROWTH = 1.1;

/** @typedef {{ at: number, item: string }} Click */
/** @typedef {{ day: number, lasting: number, rest: number, keys: number }} Sample bytes of all time and the years, and of the rest */
/** @typedef {{ days: number, clicks: number, checks: number, samples: Sample[], seconds: number }} Days */

/** @param {{ days: number, instants: number, seed?: number }} options @returns {Promise<Days>} */
export async function proveDays({ days, instants, seed = 1 }) {
  const random = createRandom(seed);
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN: TOKEN }, hasBucket: true });
  const started = Date.now();
  /** @type {Click[]} */
  const clicks = [];
  /** @type {Sample[]} */
  const samples = [];
  const steps = Math.round((days * 24) / STEP_HOURS);
  const looks = new Set(Array.from({ length: instants }, (_, i) => Math.max(1, Math.floor(((i + random()) / instants) * steps))));
  let checks = 0;
  try {
    for (let step = 0; step < steps; step += 1) {
      const now = FROM + (step + 1) * STEP_HOURS * HOUR_MS - 30_000;
      deployment.clock.set(now);
      deployment.edgeClock.set(now);
      const day = Math.floor((now - FROM) / DAY_MS);
      const sent = Array.from({ length: CLICKS }, () => ({
        at: now - 1000 - pick((50 / 60) * HOUR_MS),
        item: random() < 0.5 ? `day-${Math.max(0, day - pick(3))}-${pick(NEW_ITEMS)}` : `stays-${pick(3 * NEW_ITEMS)}`,
      }));
      clicks.push(...sent);
      const { status, body } = await deployment.events({ events: sent.map(({ at, item }) => ({ action: 'view', at, item })) });
      assert.deepEqual([status, body.accepted], [200, CLICKS], JSON.stringify(body));
      await upkeep(deployment);
      if (looks.has(step)) checks += await check({ deployment, clicks, now, pick });
      if (step % Math.round((24 * Math.max(1, days / 40)) / STEP_HOURS) === 0) samples.push({ day, ...(await held(deployment)) });
    }
  } finally {
    await deployment.stop();
  }
  return { days, clicks: clicks.length, checks, samples, seconds: Math.round((Date.now() - started) / 1000) };
}

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

/** @param {Deployment} deployment */
async function upkeep(deployment) {
  const { status, text } = await deployment.fetch('/v1/demo/admin/upkeep', {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  assert.equal(status, 200, text);
}

/** The bytes that Redis holds. @param {Deployment} deployment */
async function held({ redis }) {
  const keys = await redis.command('KEYS', '*');
  let [lasting, rest] = [0, 0];
  for (const key of keys) {
    const bytes = Number(await redis.command('MEMORY', 'USAGE', key, 'SAMPLES', '0'));
    if (/:(all|year):\d+$/.test(key)) lasting += bytes;
    else rest += bytes;
  }
  return { lasting, rest, keys: keys.length };
}

/**
 * Compares every window, and a past period of each calendar window, with what was clicked. Answers how many rankings.
 *
 * @param {{ deployment: Deployment, clicks: Click[], now: number, pick: (n: number) => number }} about
 */
async function check({ deployment, clicks, now, pick }) {
  let checks = 0;
  for (const unit of ['hour', 'day', 'week', 'month', 'year', 'all']) {
    const current = starts(unit, now);
    await compare(deployment, clicks, unit, current, Infinity);
    checks += 1;
    // One of a click: from Redis, or long since from the archive.
    const { at } = clicks[pick(clicks.length)] ?? assert.fail();
    const past = starts(unit, at);
    if (past === current) continue;
    await compare(deployment, clicks, unit, past, starts(unit, past + LONGER_MS[unit]), `?period=${idOf(unit, past)}`);
    checks += 1;
  }
  for (const [window, length] of Object.entries(ROLLING)) {
    const unit = window.endsWith('hours') ? HOUR_MS : DAY_MS;
    await compare(deployment, clicks, window, Math.floor(now / unit) * unit + unit - length, Infinity);
    checks += 1;
  }
  return checks;
}

/** @param {Deployment} deployment @param {Click[]} clicks @param {string} window @param {number} from @param {number} until @param {string} [query] */
async function compare(deployment, clicks, window, from, until, query = '?') {
  /** @type {Map<string, number>} */
  const scores = new Map();
  for (const { at, item } of clicks) if (at >= from && at < until) scores.set(item, (scores.get(item) ?? 0) + 1);
  const expected = [...scores].sort(([one, a], [other, b]) => b - a || (one < other ? 1 : -1));
  const { status, body, text } = await deployment.freshTop(`articles/${window}`, `${query}&limit=1000`.replace('?&', '?'));
  assert.equal(status, 200, `${window} ${query}: ${text}`);
  assert.equal(body.complete, true, window);
  assert.equal(body.total, expected.length, `${window} ${query}`);
  const shown = body.entries.map((/** @type {any} */ { id, score }) => [id, score]);
  assert.deepEqual(shown, expected.slice(0, 1000), `${window} ${query}`);
}

/** Longer than a period, and shorter than two. @type {Record<string, number>} */
const LONGER_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 32 * DAY_MS, year: 367 * DAY_MS, all: Infinity };

/** When the period of a unit starts that holds an instant. @param {string} unit @param {number} at */
function starts(unit, at) {
  if (unit === 'all' || at === Infinity) return unit === 'all' ? -Infinity : Infinity;
  const date = new Date(at);
  if (unit === 'hour') return at - (at % HOUR_MS);
  if (unit === 'day') return at - (at % DAY_MS);
  // The epoch was a Thursday.
  if (unit === 'week') return at - ((at + 3 * DAY_MS) % (7 * DAY_MS));
  return unit === 'month' ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) : Date.UTC(date.getUTCFullYear(), 0);
}

/** @param {string} unit @param {number} start */
function idOf(unit, start) {
  const iso = new Date(start).toISOString();
  if (unit === 'hour') return `${iso.slice(0, 13)}Z`;
  if (unit !== 'week') return iso.slice(0, { day: 10, month: 7, year: 4 }[unit]);
  const thursday = start + 3 * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const week = 1 + Math.floor((thursday - Date.UTC(year, 0)) / (7 * DAY_MS));
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** Why it does not hold. @param {Days} found @returns {string[]} */
export function wrongInDays({ samples, days }) {
  const settled = samples.filter(({ day }) => day >= SETTLED);
  const most = (/** @type {Sample[]} */ of) => Math.max(...of.map(({ rest }) => rest));
  const [first, last] = [settled.filter(({ day }) => day < SETTLED + 100), settled.filter(({ day }) => day >= days - 100)];
  if (first.length === 0 || last.length === 0) return [];
  const isFlat = most(last) <= GROWTH * most(first);
  return isFlat ? [] : [`the last hundred days hold ${most(last)} bytes, those from the ${SETTLED}th on ${most(first)}`];
}

/** @param {Days} found */
export function renderDays({ days, clicks, checks, samples, seconds }) {
  const kb = (/** @type {number} */ bytes) => Math.round(bytes / 1024).toLocaleString('en');
  const each = Math.max(1, Math.floor(samples.length / 10));
  const rows = samples
    .filter((_, i) => i % each === 0 || i === samples.length - 1)
    .map(({ day, lasting, rest, keys }) => [String(day), kb(rest), kb(lasting), String(keys)]);
  const figures = `${clicks.toLocaleString('en')} clicks of ${days} days, in ${seconds} s. ${checks} rankings, now and of the past, were as the model has them.`;
  return `${figures}\n\n${table(['day', 'KB of hours, days, weeks, months and rolling windows', 'KB of all time and years', 'keys'], rows)}`;
}

/** A plot of both. @param {Days} found */
export function drawDays({ samples, days }) {
  const [width, height, margin, bottom] = [640, 240, 60, 30];
  const most = Math.max(...samples.map(({ lasting, rest }) => Math.max(lasting, rest)));
  const x = (/** @type {number} */ day) => (margin + (day / days) * (width - margin - 10)).toFixed(1);
  const y = (/** @type {number} */ bytes) => (height - bottom - (bytes / most) * (height - bottom - 20)).toFixed(1);
  const line = (/** @type {'lasting' | 'rest'} */ of, /** @type {string} */ color) =>
    `<polyline fill="none" stroke="${color}" stroke-width="2" points="${samples.map((sample) => `${x(sample.day)},${y(sample[of])}`).join(' ')}"/>`;
  const text = (/** @type {string} */ at, /** @type {string} */ label) =>
    `<text ${at} font-family="sans-serif" font-size="12">${label}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Memory over ${days} days">
<rect width="${width}" height="${height}" fill="white"/>
<path d="M${margin} 10V${height - bottom}H${width - 10}" fill="none" stroke="gray"/>
${text(`x="4" y="24"`, `${Math.round(most / 1024)} KB`)}${text(`x="${width - 70}" y="${height - 8}"`, `day ${days}`)}
${line('rest', '#0969da')}${line('lasting', '#9a6700')}
${text(`x="${margin + 10}" y="24" fill="#0969da"`, 'hours, days, weeks, months, rolling windows')}${text(`x="${margin + 320}" y="24" fill="#9a6700"`, 'all time, years')}
</svg>
`;
}
