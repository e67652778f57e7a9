/**
 * The numbers of one import, and the summary that is made of them.
 */

/** This many unparsable lines are shown, each cut to this many characters. */
const SHOWN_LINES = 3;
const SHOWN_CHARACTERS = 120;

const SHOWN_PATHS = 10;

/** @typedef {[count: number, label: string, details?: string[]]} Row of a summary */

/** Counts what happens to lines and events. Nothing here knows where they come from or go to. */
export class Tally {
  bytes = 0;
  lines = 0;
  unparsable = 0;
  /** @type {Record<import('./translator.mjs').Skipped, number>} */
  skipped = { filter: 0, asset: 0, bot: 0 };
  /** Events that lines became. */
  events = 0;
  /** Events that were handed to the network, of which the answer may still be out. */
  sent = 0;
  accepted = 0;
  duplicate = 0;
  retries = 0;
  lastRetry = '';
  /** For how long there has been no answer to a batch; 0 when the latest one was answered. */
  outageMs = 0;
  /** @type {Map<string, { count: number, detail?: string }>} by code */
  refused = new Map();
  /** @type {Map<string, number>} events by path */
  paths = new Map();
  /** @type {Map<string, Set<string>>} frozen periods that events are of, by `board/window` */
  frozen = new Map();
  /** Events of which the service did not know that. */
  unknown = 0;
  #rejected = 0;
  /** @type {string[]} */
  #shown = [];

  /**
   * @param {import('./translator.mjs').Outcome} outcome
   * @param {{ name: string, number: number, text: string }} line that it is of
   */
  outcome(outcome, { name, number, text }) {
    if ('event' in outcome) this.events += 1;
    else if ('skipped' in outcome) this.skipped[outcome.skipped] += 1;
    else if ('refused' in outcome) this.#refuse(outcome.refused);
    else {
      this.unparsable += 1;
      if (this.#shown.length < SHOWN_LINES) {
        this.#shown.push(`${name}:${number}: ${outcome.unparsable}: ${excerpt(text)}`);
      }
    }
  }

  /** @param {string} path */
  path(path) {
    this.paths.set(path, (this.paths.get(path) ?? 0) + 1);
  }

  /** @param {import('./sender.mjs').Answer} answer */
  answer({ accepted, duplicate, rejected, frozen = [] }) {
    this.outageMs = 0;
    this.accepted += accepted;
    this.duplicate += duplicate;
    for (const { code, detail } of rejected) this.#refuse(code, detail);
    this.#rejected += rejected.length;
    if (frozen === null) this.unknown += accepted + duplicate;
    for (const { board, window, periods } of frozen ?? []) {
      const ranking = `${board}/${window}`;
      this.frozen.set(ranking, new Set([...(this.frozen.get(ranking) ?? []), ...periods]));
    }
  }

  /**
   * A batch that was refused as a whole.
   *
   * @param {number} events
   * @param {{ code: string, detail?: string }} reason
   */
  refusal(events, { code, detail }) {
    for (let event = 0; event < events; event += 1) this.#refuse(code, detail);
    this.#rejected += events;
  }

  /**
   * @param {string} reason
   * @param {number} outageMs
   */
  retry(reason, outageMs) {
    this.outageMs = outageMs;
    this.retries += 1;
    this.lastRetry = reason;
  }

  /** Whether the service counted an event, now or in an import before. */
  get hasCounted() {
    return this.accepted + this.duplicate > 0;
  }

  /** Events that the service answered for. */
  get answered() {
    return this.accepted + this.duplicate + this.#rejected;
  }

  /**
   * @param {string} code
   * @param {string} [detail]
   */
  #refuse(code, detail) {
    const entry = this.refused.get(code) ?? { count: 0, detail };
    entry.count += 1;
    this.refused.set(code, entry);
  }

  /**
   * @param {{ seconds: number, dryRun: boolean, boards?: string }} run `boards` is the address below which an administrator's requests
   *   about boards go
   * @returns {string} lines that end with a line feed
   */
  summary({ seconds, dryRun, boards = '' }) {
    const refused = [...this.refused].sort(([, a], [, b]) => b.count - a.count);
    /** @type {Row[]} */
    const rows = [
      [this.lines, 'lines read'],
      [this.unparsable, 'unparsable', this.#shown],
      [this.skipped.filter, 'filtered out'],
      [this.skipped.asset, 'assets left out'],
      [this.skipped.bot, 'of bots left out'],
      ...(dryRun ? [/** @type {Row} */ ([this.events, 'events to send'])] : this.#sendingRows()),
      [
        refused.reduce((sum, [, { count }]) => sum + count, 0),
        'refused',
        refused.map(([code, { count, detail }]) => `${count} ${code}${detail ? ` (the first: ${detail})` : ''}`),
      ],
      ...this.#frozenRows(boards),
    ];
    const done = dryRun ? `${rate(this.lines, seconds)} lines/s` : `${rate(this.answered, seconds)} events/s`;

    return [
      ...rows.flatMap(([count, label, details = []]) => [
        `${String(count).padStart(10)} ${label}`,
        ...details.map((detail) => `${' '.repeat(13)}${detail}`),
      ]),
      `${seconds.toFixed(1).padStart(10)} seconds, ${done}`,
      ...(dryRun ? this.#topPaths() : []),
    ]
      .map((line) => `${line}\n`)
      .join('');
  }

  /** @returns {Row[]} */
  #sendingRows() {
    const unanswered = this.sent - this.answered;
    /** @type {Row[]} */
    const lost = unanswered > 0 ? [[unanswered, 'sent without an answer, so perhaps counted; run again to be sure']] : [];
    return [[this.sent, 'sent'], ...lost, [this.accepted, 'accepted'], [this.duplicate, 'duplicate']];
  }

  /** What is to be done about frozen periods. @param {string} boards @returns {Row[]} */
  #frozenRows(boards) {
    const commands = [...this.frozen].sort().map(([ranking, periods]) => {
      const [board, window] = ranking.split('/');
      const post = 'curl -X POST -H "Authorization: Bearer $ADMIN_TOKEN"';
      return `for p in ${[...periods].sort().join(' ')}; do ${post} "${boards}/${board}/freeze?window=${window}&period=$p"; done`;
    });
    const count = [...this.frozen.values()].reduce((sum, periods) => sum + periods.size, 0);
    /** @type {Row[]} */
    const rows = [];
    if (count > 0) rows.push([count, 'periods of these were frozen before; freeze them anew:', commands]);
    if (this.unknown > 0) rows.push([this.unknown, 'sent while the service could not tell whether their periods are frozen']);
    return rows;
  }

  #topPaths() {
    const top = [...this.paths].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, SHOWN_PATHS);
    const rows = top.map(([path, count]) => `${String(count).padStart(10)} ${path}`);
    return ['', `Top ${top.length} of ${this.paths.size} paths:`, ...rows];
  }
}

/**
 * @param {number} count
 * @param {number} seconds
 * @returns {number} whole units a second
 */
export function rate(count, seconds) {
  return seconds > 0 ? Math.round(count / seconds) : 0;
}

/** A stranger's bytes, cut short and with nothing in them that a terminal would obey. @param {string} text */
function excerpt(text) {
  const cut = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  return cut.replace(/[\0-\x1f\x7f-\xff]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
