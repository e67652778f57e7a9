/**
 * Words that the project once gave meanings of its own. Code names things by the field's words, so no identifier of Rust, Lua or
 * JavaScript has one of these. Strings and comments may: there they are English, or names that users know.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { kindOf } from '../prose/blocks.mjs';
import { inProject, ROOT } from '../project.mjs';

/** Words of identifiers, and what to call it instead. */
const COINED = new Map([
  ['aside', 'moved, added'],
  ['buried', 'deleted'],
  ['bury', 'delete'],
  ['choosy', 'filtered'],
  ['deed', 'action'],
  ['gone', 'missing, removed, expired'],
  ['goodbye', 'refusal'],
  ['greeting', 'handshake'],
  ['left', 'remaining'],
  ['ledger', 'log'],
  ['passing', 'transient'],
  ['said', 'message, reply, details'],
  ['seldom', 'rare'],
  ['stood', 'previous, held'],
  ['thawed', 'restored'],
  ['told', 'reported, received, sent'],
]);

/** @type {{ name: RegExp, files: RegExp, why: string }[]} */
const ALLOWED = [
  { name: /^(is_)?right_to_left$/i, files: /^crates\/serve\/src\/api\//, why: 'the direction of a script' },
  { name: /^left$/, files: /^(web\/admin\/chart\.js|tests\/browser\/)/, why: 'the side of a box' },
  { name: /^rotate_left$/, files: /\.rs$/, why: 'a method of the standard library' },
  { name: /^Left$/, files: /^crates\/serve\/src\/app\//, why: 'a variant of Either' },
  { name: /^left$/, files: /\/admin\/src\/api\/restore\.rs$/, why: 'a field of what a restore answers' },
  { name: /^left_out$/, files: /\/admin\/src\/api\/revocation\.rs$|^tests\//, why: 'a field of what a revocation answers' },
  { name: /^said_at_ms$/, files: /\/admin\/src\/app\/copies\//, why: 'a field of a stored document' },
  { name: /^Gone$/, files: /^(crates\/engine\/src\/store|tests\/lua)\//, why: 'the reply GONE of scripts' },
  { name: /^ItemGone$/, files: /^crates\//, why: 'the problem item-gone' },
];

/** @param {...RegExp} parts */
const anyOf = (...parts) => new RegExp(parts.map(({ source }) => source).join('|'), 'gs');

const COMMENT = /\/\/[^\n]*|\/\*.*?\*\//;
const QUOTED = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/;
/** With templates inside. */
const TEMPLATE = /`(?:\\.|\$\{(?:`(?:\\.|[^`\\])*`|\{[^{}]*\}|[^{}`])*\}|[^`\\])*`/;
const PATTERN = /(?<=(?:[=(,:?!&|[;{}>]|return)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//;

/** Comments and text. */
const NO_CODE = {
  rs: anyOf(COMMENT, /\br(#*)".*?"\1/, /"(?:\\.|[^"\\])*"/, /'(?:\\[^'\n]+|[^'\\\n])'/),
  lua: anyOf(/--\[\[.*?\]\]|--[^\n]*|\[\[.*?\]\]/, QUOTED),
  js: anyOf(COMMENT, QUOTED, TEMPLATE, PATTERN),
};

/**
 * The identifiers of a file that have a coined word.
 *
 * @param {string} path
 * @param {string} text
 * @returns {{ line: number, name: string, plain: string }[]} `plain` is what the field says
 */
export function coinedNames(path, text) {
  const kind = kindOf(path);
  if (!kind || kind === 'md') return [];
  const code = text.replaceAll(NO_CODE[kind], (match) => match.replaceAll(/[^\n]+/g, ' '));
  return code
    .split('\n')
    .flatMap((line, i) =>
      Array.from(line.matchAll(/[A-Za-z_]\w*/g), ([name]) => ({ line: i + 1, name, plain: plainOf(name) })).filter(
        ({ name, plain }) => plain !== '' && !ALLOWED.some((allowed) => allowed.name.test(name) && allowed.files.test(path)),
      ),
    );
}

/** What the field says for a word of a name; empty where it is the field's. @param {string} name */
function plainOf(name) {
  const words = name.split(/_|(?<=[a-z\d])(?=[A-Z])/).map((word) => word.toLowerCase());
  return COINED.get(words.find((word) => COINED.has(word)) ?? '') ?? '';
}

/** Those of the repository, a line each. */
export function findCoinedNames() {
  const paths = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  return paths.flatMap((path) => {
    const found = kindOf(path) ? coinedNames(path, readFileSync(inProject(path), 'utf8')) : [];
    return found.map(({ line, name, plain }) => `${path}:${line}: ${name} is a word of ours; the field's are ${plain}`);
  });
}
