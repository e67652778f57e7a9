/** What one isolate counted, and what all did over time where the deployment reads that. */
import { draw, undraw } from './chart.js';
import { byId, element, row } from './page.js';
import { ask, onBegin } from './session.js';

/** @typedef {{ name: string, labels: Record<string, string>, value: number }} Sample */

const HISTORY_MS = 60_000;
/** Samples of a plot. */
const SAMPLES = 120;
/** The tables about an isolate: the metric of each, and the label that its rows have. */
const TABLES = [
  ['events by outcome', 'events_total', 'outcome'],
  ['clicks that do not count', 'dropped_clicks_total', 'reason'],
  ['requests that were refused', 'limited_requests_total', 'what'],
  ['reads by where they were answered from', 'reads_total', 'from'],
  ['requests by status', 'requests_total', 'status'],
  ['Redis', 'redis_total', 'what'],
  ['failures of Redis', 'redis_faults_total', 'fault'],
  ['live rankings', 'live_total', 'what'],
  ['jobs, runs', 'job_runs_total', 'job'],
  ['jobs, members', 'job_members_total', 'job'],
  ['jobs, milliseconds', 'job_milliseconds_total', 'job'],
  ['jobs, locks not got', 'jobs_busy_total', 'job'],
  ['messages of the queue', 'queue_messages_total', 'what'],
];
const PLOTS = {
  events: { metric: 'events_total', unit: 'events a second', what: undefined },
  commands: { metric: 'redis_total', unit: 'commands to Redis a second', what: 'commands' },
};
const NAMES = /** @type {(keyof typeof PLOTS)[]} */ (Object.keys(PLOTS));

const over = () => /** @type {HTMLSelectElement} */ (byId('over').querySelector('select'));

/** The last samples by isolate. @type {Map<string, Record<string, number>>} */
const last = new Map();
/** @type {Record<string, import('./chart.js').Point[]>} */
let samplesOf = { events: [], commands: [] };
/** When the history was asked for last, and for how many hours. */
let asked = { at: -Infinity, hours: '' };

onBegin(() => {
  last.clear();
  samplesOf = { events: [], commands: [] };
  asked = { at: -Infinity, hours: '' };
  byId('over').hidden = true;
  byId('counts').replaceChildren();
  undraw();
});

/** @param {Sample[]} samples of an isolate */
export function showCounts(samples) {
  const of = (/** @type {string} */ metric) => samples.filter(({ name }) => name === `isolate_${metric}`);
  const isolate = of('info')[0]?.labels.isolate ?? '';
  byId('isolate').textContent = `It is ${isolate.slice(0, 8)}.`;
  byId('counts').replaceChildren(
    ...TABLES.flatMap(([title, metric, label]) => {
      const sums = new Map();
      for (const { labels, value } of of(metric)) sums.set(labels[label], (sums.get(labels[label]) ?? 0) + value);
      if (sums.size === 0) return [];
      const lines = Array.from(sums, ([name, value]) => row(name, value.toLocaleString()));
      const table = element('table', '', element('tbody', '', ...lines));
      table.setAttribute('aria-label', title);
      return [element('section', '', element('h3', title), table)];
    }),
  );
  const before = last.get(isolate);
  /** @type {Record<string, number>} */
  const now = { at: Date.now() };
  for (const plot of NAMES) {
    const { metric, unit, what } = PLOTS[plot];
    now[plot] = of(metric).reduce((sum, { labels, value }) => sum + (what && labels.what !== what ? 0 : value), 0);
    if (before && now.at > before.at)
      samplesOf[plot].push({ at: now.at, value: (1000 * (now[plot] - before[plot])) / (now.at - before.at) });
    samplesOf[plot] = samplesOf[plot].slice(-SAMPLES);
    if (byId('over').hidden) draw(plot, samplesOf[plot], unit);
  }
  last.set(isolate, now);
}

/** Draws what all isolates did, where the deployment reads that. */
export async function showHistory() {
  const hours = over().value;
  if (hours === asked.hours && performance.now() < asked.at + HISTORY_MS) return;
  asked = { at: performance.now(), hours };
  const { status, body } = await ask('admin/metrics/history', { query: { hours }, but: [404, 500, 502, 503] });
  byId('over').hidden = status !== 200;
  if (status === 404) return;
  if (status !== 200) throw new Error(body.detail);
  byId('drawn').textContent = 'Drawn of all isolates, as they report.';
  const { step_s: stepS, points } = body;
  const counts = new Map(points.map((/** @type {any} */ point) => [Date.parse(point.at) / 1000, point]));
  // This step is not over.
  const now = Math.floor(Date.now() / 1000 / stepS) * stepS;
  const steps = Array.from({ length: Math.floor((body.hours * 3600) / stepS) }, (_, ago) => now - (ago + 1) * stepS).reverse();
  for (const plot of NAMES) {
    const line = steps.map((step) => ({ at: 1000 * step, value: (counts.get(step)?.[plot] ?? 0) / stepS }));
    draw(plot, line, PLOTS[plot].unit);
  }
}
