/**
 * The folder: the template, with the answers in the place of what stands there. The template is a whole one by itself.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** npm leaves a .gitignore out of packages. @type {Record<string, string>} */
const RENAMED = { gitignore: '.gitignore' };
const TEMPLATE = { name: 'my-rankings', site: 'blog', origin: 'https://example.com', zone: 'UTC', ranked: 'pages' };
/** The part of each file that what is ranked decides. @type {Record<string, [from: string, until: string, ending: string]>} */
const RANKED = {
  'wrangler.toml': ['# What is ranked: ', '', 'toml'],
  'try.html': ['  <script type="module" src="/shelf.js"', '\n  <!-- The list. -->', 'html'],
};

/**
 * @typedef {{ name: string, site: string, origin: string, zone: string, ranked: string }} Answers
 *
 * @param {string} folder is made
 * @param {Answers} answers
 * @returns {string[]} the names of the files
 */
export function writeFolder(folder, answers) {
  mkdirSync(folder, { recursive: true });
  return readdirSync(join(HERE, 'template')).map((name) => {
    const written = RENAMED[name] ?? name;
    writeFileSync(join(folder, written), textOf(name, answers));
    return written;
  });
}

/** @param {string} name @param {Answers} answers */
function textOf(name, answers) {
  const { name: own, site, origin, zone, ranked } = answers;
  return ofRanked(name, readFileSync(join(HERE, 'template', name), 'utf8'), ranked)
    .replaceAll(TEMPLATE.name, own)
    .replaceAll(TEMPLATE.origin, origin)
    .replaceAll(`timezone = "${TEMPLATE.zone}"`, `timezone = "${zone}"`)
    .replaceAll(`board="${TEMPLATE.ranked}"`, `board="${ranked}"`)
    .replaceAll(/SITES\.blog|v1\/blog|(?<=site="|Rankings of |site `)blog/g, (text) => text.replace(TEMPLATE.site, site));
}

/** @param {string} name @param {string} text @param {string} ranked */
function ofRanked(name, text, ranked) {
  if (!RANKED[name] || ranked === TEMPLATE.ranked) return text;
  const [from, until, ending] = RANKED[name];
  const begin = text.indexOf(from);
  const end = until ? text.indexOf(until) : text.length;
  return text.slice(0, begin) + readFileSync(join(HERE, `ranked/${ranked}.${ending}`), 'utf8') + text.slice(end);
}
