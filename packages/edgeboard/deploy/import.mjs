/**
 * Putting back what a file has of a site. What is sent again counts nothing twice: a period that has members stays as it is.
 */
import { Problem, say } from '../report.mjs';
import { again } from './again.mjs';
import { lineOf, linesOf, stateOf } from './export.mjs';

/** A body has at most 5,000 lines and 1 MiB. */
const MAX_LINES = 1_000;
const MAX_BYTES = 512 * 1024;
const REPORT_EVERY_MS = 2_000;
const NAMED = 10;
const ANSWER_MS = 60_000;

/** @typedef {{ board: string, unit: string, number: number }} Kept */

/**
 * @param {import('./administrator.mjs').Ask} ask
 * @param {string} site
 * @param {string} file
 * @param {(configuration: object) => Promise<void>} begin makes the site, where it is not there
 */
export async function importSite(ask, site, file, begin) {
  const { first, isWhole } = await stateOf(file).catch((error) => {
    throw new Problem(`${file} cannot be read: ${error.message}`);
  });
  if (first?.kind !== 'site' || !first.configuration) throw new Problem(`${file} is no export of a site`);
  if (!isWhole) throw new Problem(`${file} is not whole: its export broke off, and goes on when it is started again`);
  await begin(first.configuration);
  let [members, reportedAt] = [0, performance.now()];
  /** @type {Kept[]} */
  const kept = [];
  for await (const { text, count } of bodiesOf(file)) {
    const response = await again(() =>
      ask('POST', `/v1/admin/sites/${encodeURIComponent(site)}/import`, { body: text, withinMs: ANSWER_MS }),
    );
    kept.push(...(await response.json()).kept);
    members += count;
    if (performance.now() - reportedAt < REPORT_EVERY_MS) continue;
    reportedAt = performance.now();
    say(`${members.toLocaleString('en')} members`);
  }
  say(`${members.toLocaleString('en')} members of ${file} were sent to ${site}`);
  if (kept.length === 0) return;
  const names = kept.slice(0, NAMED).map(({ board, unit, number }) => `${board}/${unit} ${number}`);
  const more = kept.length > NAMED ? ` and ${kept.length - NAMED} more` : '';
  say(`${kept.length} periods had members already, and stay as they were: ${names.join(', ')}${more}`);
}

/** @param {string} file @returns {AsyncGenerator<{ text: string, count: number }>} */
async function* bodiesOf(file) {
  /** @type {string[]} */
  let lines = [];
  let [bytes, count] = [0, 0];
  for await (const text of linesOf(file)) {
    const size = Buffer.byteLength(text) + 1;
    if (lines.length > 0 && (lines.length === MAX_LINES || bytes + size > MAX_BYTES)) {
      yield { text: lines.join('\n'), count };
      [lines, bytes, count] = [[], 0, 0];
    }
    lines.push(text);
    bytes += size;
    const { kind, ids } = lineOf(text) ?? {};
    if (kind === 'members') count += ids?.length ?? 0;
  }
  yield { text: lines.join('\n'), count };
}
