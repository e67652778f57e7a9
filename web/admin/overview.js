/** How the site's windows are, and what Redis lost. */
import { byId, counted, element, row, say, shown } from './page.js';
import { admin, ask, noted, onBegin } from './session.js';
import { whenSure } from './sure.js';
import { showTemplates } from './templates.js';
import { showCounts } from './traffic.js';

/** @typedef {import('./traffic.js').Sample} Sample */

const LOOK_MS = 30_000;

/** What readers got, by ranking, and until when it is shown: who looks too often is the only reader. @type {Map<string, any>} */
const seen = new Map();
onBegin(() => {
  seen.clear();
  byId('windows').replaceChildren();
});

/** `{ name, labels, value }` of each sample. @param {string} text @returns {Sample[]} */
const parse = (text) =>
  Array.from(text.matchAll(/^edgeboard_(\w+)\{(.*)\} (-?\d+)$/gm), ([, name, labels, value]) => ({
    name,
    labels: Object.fromEntries(Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, label, text]) => [label, text])),
    value: Number(value),
  }));

export async function showOverview() {
  const samples = parse((await ask('admin/metrics')).body);
  /** @type {Map<string, any>} */
  const found = new Map();
  for (const { name, labels, value } of samples) {
    if (!labels.window) continue;
    const key = `${labels.board}/${labels.window}`;
    found.set(key, { ...found.get(key), [name]: value });
  }
  await Promise.all(Array.from(found, async ([name, of]) => Object.assign(of, await freshness(name))));
  showUnavailable(samples);
  showLoss(samples);
  showBehind(samples);
  showTemplates(samples);
  showCounts(samples.filter(({ name }) => name.startsWith('isolate_')));
  byId('windows').replaceChildren(...Array.from(found, ([name, of]) => rowOf(name, of)));
  byId('shown').hidden = false;
}

/** @param {string} name @param {any} of */
function rowOf(name, of) {
  const text = `${of.members} of ${of.members_max}`;
  const meter = Object.assign(document.createElement('meter'), { max: of.members_max, value: of.members, textContent: text });
  meter.setAttribute('aria-label', `${name}: ${text}`);
  const upkeep = of.upkeep_members === undefined ? '–' : `${of.upkeep_scanned_members} of ${of.upkeep_members}`;
  const state = of.complete ? 'complete' : 'being repaired';
  return row(name, of.members.toLocaleString(), meter, of.refused_events.toLocaleString(), state, upkeep, of.from, of.age);
}

/** The boards that Redis does not answer about. @param {Sample[]} samples */
function showUnavailable(samples) {
  const unavailable = samples.filter(({ name, value }) => name === 'board_available' && value === 0).map(({ labels }) => labels.board);
  byId('unavailable').hidden = unavailable.length === 0;
  byId('unavailable').textContent = `These boards do not answer, since their node of the cluster is gone: ${unavailable.join(', ')}.`;
}

/** What Redis lost, until it is restored or accepted. @param {Sample[]} samples */
function showLoss(samples) {
  const of = (/** @type {string} */ metric) => samples.find(({ name }) => name === metric)?.value ?? 0;
  byId('loss').hidden = !of('redis_lost') && !of('redis_behind');
  const since = shown(new Date(1000 * of('redis_behind_since_timestamp_seconds')).toISOString());
  const behind = `redis-behind: what it counted since ${since} may be missing.`;
  const what = of('redis_lost') ? 'redis-lost: it has only what it counted since.' : behind;
  const rest = 'Nothing is copied from it to totals, snapshots, history and the archive until it is restored, or you say that it is fine.';
  byId('loss-note').textContent = `${what} ${rest}`;
}

/** How many archived periods of each board changed, and are not in the archive yet. @param {Sample[]} samples */
function showBehind(samples) {
  const behind = samples.filter(({ name, value }) => name === 'archive_behind_periods' && value > 0);
  byId('behind').hidden = behind.length === 0;
  const until = (/** @type {string} */ board) =>
    samples.find(({ name, labels }) => name === 'archive_until_timestamp_seconds' && labels.board === board)?.value ?? 0;
  const lagging = behind.map(
    ({ labels: { board }, value }) => `${board}: ${counted(value, 'period')}, since ${shown(new Date(1000 * until(board)).toISOString())}`,
  );
  byId('behind').textContent = `The archive is behind in ${lagging.join('; ')}. Upkeep goes on with it.`;
}

/** Where a reader's answer comes from, and how old it is. @param {string} ranking */
async function freshness(ranking) {
  const before = seen.get(ranking);
  if (before && performance.now() < before.until) return before;
  const but = [400, 404, 429, 503, 504];
  const { headers, body } = await ask(`boards/${ranking}`, { query: { limit: '1' }, isOpen: true, but });
  const [, ...parameters] = (headers.get('cache-status') ?? '').split('; ');
  const from = parameters.join(' ').replace('detail=', '').replace('fwd=', '') || '–';
  const age = body.generated_at ? `${Math.max(0, (Date.now() - Date.parse(body.generated_at)) / 1000).toFixed(1)} s` : '–';
  seen.set(ranking, { from, age, until: performance.now() + LOOK_MS });
  return { from, age };
}

/** What is lost, and what a restore would bring back. */
export async function showRestore() {
  const { loss } = await admin('restore');
  const known = loss ? `${loss.code}, noticed ${shown(loss.noticed_at)}` : 'Redis lost nothing that is known.';
  const { boards } = await admin('restore', { method: 'POST', query: { dry_run: '1' } });
  const lines = boards.map((/** @type {any} */ { board, periods, members }) => row(board, String(periods ?? 0), String(members ?? 0)));
  byId('restore-note').textContent = known;
  byId('restorable').replaceChildren(...(lines.length > 0 ? lines : [element('tr', '', element('td', 'no board has an archive'))]));
}

/** Puts back what Redis lost, or accepts that it is lost. @param {boolean} accept */
export function settle(accept) {
  const text = accept
    ? 'What Redis has is right, and what it lacks is lost: copies in the database and the archive follow it from now on.'
    : 'What the archive has replaces what Redis has of periods that are over, and the current ones are rebuilt.';
  return whenSure({ what: accept ? 'Accept the loss' : 'Restore', text }, async () => {
    say('It takes up to 20 seconds.');
    const { done } = await noted('restore', { method: 'POST', body: accept ? { accept } : undefined });
    await showOverview();
    return done ? 'Nothing is missing any more.' : 'Something is left: restore again.';
  });
}
