/**
 * All that a site has, in a file. Whatever breaks off, the file ends where a piece does, and the next one goes on there.
 */
import { closeSync, createReadStream, existsSync, ftruncateSync, openSync, writeSync } from 'node:fs';

import { Problem, say } from '../report.mjs';
import { Refused } from './administrator.mjs';
import { again } from './again.mjs';

const REPORT_EVERY_MS = 2_000;

/** @typedef {{ kind: string, cursor?: string, ids?: string[], site?: string, configuration?: object, [field: string]: unknown }} Line */

/**
 * Lines that are whole. Ids may have what other programs take for an end of a line, so a line feed alone is one.
 *
 * @param {AsyncIterable<Uint8Array>} chunks
 * @returns {AsyncGenerator<string>}
 */
async function* split(chunks) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** @param {string} file */
export const linesOf = (file) => split(createReadStream(file));

/** Which site a file is of, where it goes on, and whether it is whole. @param {string} file */
export async function stateOf(file) {
  let [place, cursor, isWhole] = [0, '', false];
  /** @type {Line | undefined} */
  let first;
  let end = 0;
  for await (const text of linesOf(file)) {
    end += Buffer.byteLength(text) + 1;
    const line = lineOf(text);
    first ??= line;
    if (line?.kind === 'next') [place, cursor] = [end, line.cursor ?? ''];
    isWhole = line?.kind === 'end';
  }
  return { first, place, cursor, isWhole };
}

/** @param {string} text @returns {Line | undefined} */
export function lineOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {import('./administrator.mjs').Ask} ask
 * @param {string} site
 * @param {string} file
 */
export async function exportSite(ask, site, file) {
  let [place, cursor] = [0, ''];
  if (existsSync(file)) {
    const state = await stateOf(file);
    if (state.first && (state.first.kind !== 'site' || state.first.site !== site))
      throw new Problem(`${file} is no export of ${site}; name another file`);
    if (state.isWhole) throw new Problem(`${file} is whole; name another file`);
    ({ place, cursor } = state);
    if (place > 0) say(`${file} has a part of ${site}, and goes on`);
  }
  const opened = openSync(file, existsSync(file) ? 'r+' : 'wx', 0o600);
  let [members, isWhole, reportedAt] = [0, false, performance.now()];
  try {
    ftruncateSync(opened, place);
    while (!isWhole) {
      await again(async () => {
        const response = await ask('GET', `/v1/admin/sites/${encodeURIComponent(site)}/export`, { query: cursor ? { cursor } : {} });
        const before = place;
        for await (const piece of piecesOf(response)) {
          place += writeSync(opened, piece.text, place);
          members += piece.members;
          cursor = piece.last.cursor ?? '';
          isWhole = piece.last.kind === 'end';
          if (performance.now() - reportedAt < REPORT_EVERY_MS) continue;
          reportedAt = performance.now();
          say(`${members.toLocaleString('en')} members, ${place.toLocaleString('en')} bytes`);
        }
        if (place === before) throw new Problem('the export broke off');
      });
    }
  } finally {
    closeSync(opened);
  }
  say(`${site} is in ${file}: ${members.toLocaleString('en')} members, ${place.toLocaleString('en')} bytes`);
}

/**
 * Lines up to one of kind `next` or `end`. What comes behind the last of these is not whole, and is asked for again.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<{ text: string, members: number, last: Line }>}
 */
async function* piecesOf({ body }) {
  let [text, members] = ['', 0];
  for await (const line of split(/** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (body ?? [])))) {
    text += `${line}\n`;
    const read = lineOf(line);
    if (!read) throw new Refused(`the deployment answers something else than lines of JSON: ${line.slice(0, 100)}`);
    if (read.kind === 'members') members += read.ids?.length ?? 0;
    if (read.kind !== 'next' && read.kind !== 'end') continue;
    yield { text, members, last: read };
    [text, members] = ['', 0];
  }
}
