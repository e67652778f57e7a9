/**
 * What the proofs found, in pages of docs/ between two comments for each of them.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import { Problem } from '../../packages/edgeboard/report.mjs';
import { inProject } from '../../scripts/project.mjs';

/** What is not in the page of kills and restarts. @type {Record<string, string>} */
const PAGES = { days: 'docs/operations/memory.md', faults: 'docs/faults/each.md', attack: 'docs/faults/attack.md' };

/** @param {string} name */
const documentOf = (name) => PAGES[name] ?? 'docs/faults/killed.md';

/** @param {string} name @returns {[begin: string, end: string]} */
const marks = (name) => [`<!-- npm run prove ${name} -- --document writes this -->`, `<!-- end of ${name} -->`];

/** @param {string} name @param {string} text */
export function writeProof(name, text) {
  const document = readFileSync(inProject(documentOf(name)), 'utf8');
  const [begin, end] = marks(name);
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Problem(`${documentOf(name)} has no place for ${name}: ${begin} … ${end}`);
  writeFileSync(inProject(documentOf(name)), `${document.slice(0, from)}${begin}\n\n${text}\n\n${document.slice(to)}`);
}

/** @param {string} name @param {string} svg */
export function writePicture(name, svg) {
  writeFileSync(inProject(`docs/images/${name}.svg`), svg);
}

/** What stands there. @param {string} name */
export function documentedProof(name) {
  const document = readFileSync(inProject(documentOf(name)), 'utf8');
  const [begin, end] = marks(name);
  return document.slice(document.indexOf(begin) + begin.length, document.indexOf(end)).trim();
}

/** A table. @param {string[]} head @param {string[][]} rows */
export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
