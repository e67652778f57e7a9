/**
 * Whether every window shows what the models have.
 */
import { readComplete } from '../../support/windows.mjs';
import { ADMIN_TOKEN } from './asking.mjs';
import { isDecaying } from './model.mjs';

/** Of a score that decays: events without an instant are known to the second, and scores are of the last tick. */
const DECAYING_TOLERANCE = 2e-3;
/** Below that, of the greatest one, a faded member may be gone. */
const FADED = 1e-6;
/** Of a linear window: what two seconds of the greatest weight are worth. */
const LINEAR_TOLERANCE = 10;
/** Of sums of weights that are no binary fractions. */
const SUM_TOLERANCE = 1e-9;

/**
 * @param {object} options
 * @param {import('./world.mjs').World} options.world
 * @param {Record<string, import('./model.mjs').Board>} options.boards
 * @param {Record<string, import('./model.mjs').Model>} options.models
 * @param {import('./calendar.mjs').Calendar} options.calendar
 * @param {import('./curation.mjs').Curation} options.curation
 * @param {Set<string>} options.tallied boards that keep counts by action
 */
export function createComparison({ world, boards, models, calendar, curation, tallied }) {
  /** @type {string[]} */
  const differences = [];
  let compared = 0;

  /** @param {string} name @param {string} window @param {number} [period] */
  async function compare(name, window, period) {
    const of = boards[name].windows[window];
    const query = period !== undefined && 'unit' in of ? `?period=${calendar.idOf(of.unit, period)}&limit=1000` : '?limit=1000';
    const { answer } = await readComplete(world.deployment, `${name}/${window}`, query);
    const { generated_at, scored_at, entries, total } = answer.body;
    const at = Date.parse(scored_at ?? generated_at);
    const expected = models[name].scores(window, at, period);
    const shown = models[name].shown(window, at, period);
    const { hidden, pinned } = curation.of(name);
    for (const id of pinned) shown.set(id, expected.get(id) ?? 0);
    for (const id of hidden) for (const scores of [expected, shown]) scores.delete(id);
    const tell = (/** @type {string} */ what) => differences.push(`${new Date(at).toISOString()} ${name}/${window}${query}: ${what}`);
    compareScores(entries, expected, shown, toleranceOf(of), tell);
    compareOrder(entries.slice([...pinned].filter((id) => !hidden.has(id)).length), boards[name].policy === 'min', tell);
    if (!isDecaying(of) && total !== shown.size) tell(`total ${total}, not ${shown.size}`);
    compared += 1;
  }

  /** The same of what an export has, with counts by action: also who is hidden, and whose sum is negative. @param {string} name @param {string} window */
  async function compareExport(name, window) {
    const path = `/v1/demo/admin/boards/${encodeURIComponent(name)}/export/${window}.ndjson`;
    const at = world.now();
    const { status, text } = await world.deployment.fetch(path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    const tell = (/** @type {string} */ what) => differences.push(`${new Date(at).toISOString()} ${path}: ${what}`);
    if (status !== 200) tell(`${status} ${text}`);
    const lines = text.split('\n').filter((line) => line !== '');
    const found = new Map(lines.map((line) => JSON.parse(line)).map(({ id, score, actions }) => [id, { score, actions }]));
    const tallies = models[name].tallies(window, at);
    const scores = models[name].scores(window, at);
    for (const id of new Set([...found.keys(), ...scores.keys()])) {
      const { score = 0, actions = {} } = found.get(id) ?? {};
      const [must, counts] = [scores.get(id) ?? 0, countsOf(tallies.get(id))];
      if (Math.abs(score - must) > SUM_TOLERANCE * Math.abs(must)) tell(`${id} has ${score}, not ${must}`);
      if (found.has(id) && counts !== countsOf(actions)) tell(`${id} has ${countsOf(actions)}, not ${counts}`);
    }
    compared += 1;
  }

  return {
    differences,
    get compared() {
      return compared;
    },

    /** The current period of every window, and one of the past. @param {(n: number) => number} pick @param {number} from no period before that */
    async all(pick, from) {
      for (const [name, { windows }] of Object.entries(boards)) {
        // Each reading moves the clock of the edge on.
        world.alignClocks();
        for (const [window, of] of Object.entries(windows)) {
          await compare(name, window);
          if (tallied.has(name) && !isDecaying(of) && of.length === undefined) await compareExport(name, window);
          if (isDecaying(of) || of.length !== undefined || of.unit === 'all') continue;
          const past = calendar.currentOf(of.unit, world.now()) - 1 - pick(of.unit === 'hour' ? 20 : 2);
          if (past >= Math.max(0, calendar.periodOf(of.unit, from))) await compare(name, window, past);
        }
      }
    },
  };
}

/** Counts by action that are not 0, in the order of their names. @param {Record<string, number>} [counts] */
function countsOf(counts = {}) {
  return JSON.stringify(
    Object.entries(counts)
      .filter(([, count]) => count !== 0)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** By what a score may differ. @param {import('./model.mjs').Window} window @returns {(must: number, most: number) => number} */
function toleranceOf(window) {
  if (!isDecaying(window)) return (must) => SUM_TOLERANCE * Math.abs(must);
  if ('resets' in window) return (must) => LINEAR_TOLERANCE + DECAYING_TOLERANCE * Math.abs(must);
  return (must, most) => DECAYING_TOLERANCE * Math.abs(must) + FADED * most;
}

/**
 * @param {{ id: string, score: number }[]} entries
 * @param {Map<string, number>} expected what members have, whether they are shown or not
 * @param {Map<string, number>} shown what those have that are shown
 * @param {(must: number, most: number) => number} toleranceFor @param {(what: string) => void} tell
 */
function compareScores(entries, expected, shown, toleranceFor, tell) {
  const most = Math.max(...[...expected.values()].map(Math.abs));
  const found = new Map(entries.map(({ id, score }) => [id, score]));
  for (const id of new Set([...shown.keys(), ...found.keys()])) {
    const must = expected.get(id) ?? 0;
    const tolerance = toleranceFor(must, most);
    const is = found.get(id);
    // A score of about nothing may be shown or not where it is not exact.
    const mayBeOff = tolerance > 0 && Math.abs(must) <= tolerance;
    if (is === undefined ? !mayBeOff : !shown.has(id) && !mayBeOff)
      tell(`${id} has ${must}, and is ${is === undefined ? 'not ' : ''}shown`);
    else if (is !== undefined && Math.abs(is - must) > tolerance) tell(`${id} has ${is}, not ${must}`);
  }
}

/** @param {{ rank: number, score: number }[]} entries @param {boolean} isAscending @param {(what: string) => void} tell */
function compareOrder(entries, isAscending, tell) {
  for (const [i, { rank, score }] of entries.entries()) {
    const before = entries[i - 1];
    if (before && (isAscending ? before.score > score : before.score < score))
      tell(`rank ${before.rank} has ${before.score}, rank ${rank} ${score}`);
  }
}
