/**
 * What this isolate did since it began: the rows of the module (`crates/serve/src/app/counters.rs`) and of live rankings, together.
 *
 * `GET …/admin/metrics` shows them as those of one isolate. Where a deployment binds an Analytics Engine dataset as `METRICS`, what was
 * added since the last time goes there every ten seconds, with a request: an isolate has no time of its own. So what an isolate did
 * in its last seconds is not reported, and a million clicks cost a few hundred data points instead of a million.
 *
 * The dataset gets sums, since a data point costs nearly as much as a request does.
 *
 * @typedef {[series: string, site: string, what: string, status: number, withinMs: number, count: number]} Row
 */

const TELL_AFTER_MS = 10_000;
/** https://developers.cloudflare.com/analytics/analytics-engine/limits/ */
const MAX_POINTS = 25;
/** Series whose rows say how many there are now, not how many there were. */
const GAUGES = new Set(['live-viewers', 'job-done']);

/** @type {(() => Row[])[]} */
const sources = [];
/** What JavaScript counts, by row. @type {Map<string, number>} */
const own = new Map();
let isolate = '';
/** What was reported before, by row. @type {Map<string, number>} */
const reported = new Map();
let reportedAt = 0;

/** @param {() => Row[]} source */
export function countWith(source) {
  sources.push(source);
}

/** @param {string} series @param {string} site @param {string} what */
export function count(series, site, what) {
  const key = `${series}\n${site}\n${what}`;
  own.set(key, (own.get(key) ?? 0) + 1);
}

countWith(() => Array.from(own, ([key, count]) => /** @type {any} */ ([...key.split('\n'), 0, 0, count])));

const rows = () => sources.flatMap((source) => source());

/** For the module, which writes the metrics. The first row names the isolate. */
globalThis.edgeboardCounts = () => {
  isolate ||= crypto.randomUUID();
  return JSON.stringify([['isolate', '', isolate, 0, 0, 1], ...rows()]);
};

/**
 * Tells the dataset what was added, when it is time.
 *
 * @param {{ METRICS?: { writeDataPoint: (point: { blobs: string[], doubles: number[], indexes: string[] }) => void } }} env
 */
export function tellDataset({ METRICS }) {
  if (!METRICS || Date.now() < reportedAt + TELL_AFTER_MS) return;
  reportedAt = Date.now();
  let points = 0;
  for (const [series, site, what, status, withinMs, count] of rows()) {
    const key = `${series}\n${site}\n${what}\n${status}\n${withinMs}`;
    const before = reported.get(key) ?? 0;
    // A module that trapped begins anew.
    const more = count < before ? count : count - before;
    // What there is no room for is reported the next time.
    if (more === 0 || points === MAX_POINTS) continue;
    points += 1;
    if (!GAUGES.has(series)) reported.set(key, count);
    METRICS.writeDataPoint({ blobs: [series, site, what, String(status), String(withinMs)], doubles: [more], indexes: [site || '-'] });
  }
}
