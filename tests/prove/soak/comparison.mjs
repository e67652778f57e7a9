/**
 * Whether every window shows what the models have.
 */
import { readComplete } from '../../support/windows.mjs';

/** Of a score of a half-life: events without an instant are known to the second, and scores are of the last tick. */
const HOT_TOLERANCE = 2e-3;
/** Below that, of the greatest one, a faded member may be gone. */
const FADED = 1e-6;

/**
 * @param {object} options
 * @param {import('./world.mjs').World} options.world
 * @param {Record<string, import('./model.mjs').Board>} options.boards
 * @param {Record<string, import('./model.mjs').Model>} options.models
 * @param {import('./calendar.mjs').Calendar} options.calendar
 * @param {(board: string) => Set<string>} options.hiddenOn
 */
export function createComparison({ world, boards, models, calendar, hiddenOn }) {
  /** @type {string[]} */
  const differences = [];
  let compared = 0;

  /** @param {string} name @param {string} window @param {number} [period] */
  async function compare(name, window, period) {
    const of = boards[name].windows[window];
    const query = period !== undefined && 'unit' in of ? `?period=${calendar.idOf(of.unit, period)}&limit=1000` : '?limit=1000';
    const { answer } = await readComplete(world.deployment, `${name}/${window}`, query);
    const at = Date.parse(answer.body.generated_at);
    const expected = models[name].scores(window, at, period);
    for (const id of hiddenOn(name)) expected.delete(id);
    /** @type {Map<string, number>} */
    const shown = new Map(answer.body.entries.map((/** @type {any} */ { id, score }) => [id, score]));
    const tell = (/** @type {string} */ what) => differences.push(`${new Date(at).toISOString()} ${name}/${window}${query}: ${what}`);
    const isHot = 'halfLifeMs' in of;
    compareScores(shown, expected, isHot, tell);
    if (!isHot && answer.body.total !== expected.size) tell(`total ${answer.body.total}, not ${expected.size}`);
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
        for (const [window, of] of Object.entries(windows)) {
          await compare(name, window);
          if (!('unit' in of) || 'length' in of || of.unit === 'all') continue;
          const past = calendar.periodOf(of.unit, world.now()) - 1 - pick(of.unit === 'hour' ? 20 : 2);
          if (past >= calendar.periodOf(of.unit, from)) await compare(name, window, past);
        }
      }
    },
  };
}

/** @param {Map<string, number>} shown @param {Map<string, number>} expected @param {boolean} isHot @param {(what: string) => void} tell */
function compareScores(shown, expected, isHot, tell) {
  const most = Math.max(...expected.values());
  // Scores of a half-life stand still for a tick: they are those of an instant that is at most a 64th of it before.
  const sum = (/** @type {Map<string, number>} */ scores) => [...scores.values()].reduce((sum, score) => sum + score, 0);
  const scale = isHot ? Math.min(Math.max(sum(shown) / sum(expected), 1), 2 ** (1 / 64)) : 1;
  for (const id of new Set([...expected.keys(), ...shown.keys()])) {
    const [must, is] = [(expected.get(id) ?? 0) * scale, shown.get(id) ?? 0];
    const isRight = isHot ? Math.abs(is - must) <= HOT_TOLERANCE * must + FADED * most : is === must;
    if (!isRight) tell(`${id} has ${is}, not ${must}`);
  }
}
