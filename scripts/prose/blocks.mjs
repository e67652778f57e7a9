/**
 * Finds the prose in a file: paragraphs of Markdown, and comments of Rust, Lua and JavaScript.
 *
 * A block is a run of lines that belong together. Code, tables and headings of Markdown are no prose. A comment after code on
 * the same line is left out, since it is a phrase rather than a sentence.
 */

/**
 * @typedef {object} Block
 * @property {number} line the number of its first line, from 1
 * @property {string[]} lines without the markers of comments and lists
 */

/** What begins a comment line, and where a file of the kind may have block comments. */
const COMMENTS = {
  rs: /^\s*\/\/[/!]?(?:\s|$)/,
  lua: /^\s*--(?:\s|$)/,
  js: /^\s*\/\/(?:\s|$)/,
};

/** @type {Record<string, 'md' | keyof typeof COMMENTS | undefined>} */
const KINDS = { md: 'md', rs: 'rs', lua: 'lua', js: 'js', mjs: 'js' };

/** @param {string} path */
export function kindOf(path) {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  return KINDS[ending];
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {Block[]}
 */
export function blocksOf(path, text) {
  const lines = text.split('\n');
  const kind = kindOf(path);
  if (kind === 'md') return paragraphs(lines.map((line, i) => ({ line: i + 1, text: line })));
  if (kind === 'js') return paragraphs(javaScript(lines));
  return kind ? paragraphs(lineComments(lines, COMMENTS[kind])) : [];
}

/**
 * @typedef {{ line: number, text: string | undefined }} Line `undefined` where there is no prose
 */

/** @param {string[]} lines @param {RegExp} marker @returns {Line[]} */
function lineComments(lines, marker) {
  return lines.map((text, i) => ({ line: i + 1, text: marker.test(text) ? text.replace(marker, '') : undefined }));
}

/** Line comments, and block comments without their stars and types. @param {string[]} lines @returns {Line[]} */
function javaScript(lines) {
  let inside = false;
  return lines.map((text, i) => {
    const line = i + 1;
    if (!inside && COMMENTS.js.test(text)) return { line, text: text.replace(COMMENTS.js, '') };
    const begins = !inside && /^\s*\/\*\*?/.test(text);
    if (!inside && !begins) return { line, text: undefined };
    inside = !text.includes('*/');
    const bare = text
      .replace(/^\s*\/\*\*?/, '')
      .replace(/\*\/.*$/, '')
      .replace(/^\s*\*(?: |$)/, '');
    return { line, text: withoutTypes(bare) };
  });
}

/** A tag begins a block of its own and leaves its description. @param {string} text */
function withoutTypes(text) {
  const tag = /^\s*@\w+(?:\s+\{.*\})?(?:\s+(?:\[[^\]]*\]|[\w.]+))?/;
  return tag.test(text) ? `- ${text.replace(tag, '').replaceAll(/@\w+ \{[^}]*\}.*/g, '')}` : text.replace(/@\w+ .*$/, '');
}

/**
 * Joins lines that belong together. A list's item, a quotation and a header tag of a script begin a block.
 *
 * @param {Line[]} lines
 * @returns {Block[]}
 */
function paragraphs(lines) {
  /** @type {Block[]} */
  const blocks = [];
  /** @type {Block | undefined} */
  let block;
  let fenced = false;
  let commented = false;
  for (const { line, text } of lines) {
    if (text !== undefined && /^\s*(?:```|~~~)/.test(text)) {
      fenced = !fenced;
      block = undefined;
      continue;
    }
    if (text === undefined) fenced = false;
    const prose = text?.trim();
    commented ||= Boolean(prose?.startsWith('<!--'));
    const isCode = !block && /^(?: {4,}|\t)(?![-*+\d])/.test(text ?? ''); // it cannot interrupt a paragraph
    const skip = !prose || fenced || commented || isCode || isNoSentence(prose);
    if (prose?.includes('-->')) commented = false;
    if (skip) {
      block = undefined;
      continue;
    }
    const item = /^(?:[-*+>]|\d+\.)\s+/.exec(prose) ?? HEADER_TAG.exec(prose);
    if (!block || item) blocks.push((block = { line, lines: [] }));
    block.lines.push(item ? prose.slice(item[0].length) : prose);
  }
  return blocks;
}

/** A tag of a script's header, with a name and, after more than one space, a type. */
const HEADER_TAG = /^@\w+\s+(?:\w+\s+(?:(?<=\s{2})\w+\??\s{2,})?)?/;

/** Headings, tables, rules, and tags that only list names. @param {string} prose */
function isNoSentence(prose) {
  return /^(?:#{1,6}\s|\||[-=*]{3,}$|@(?:args|fields)\b)/.test(prose);
}
