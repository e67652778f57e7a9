/**
 * `npm run prose`: how long the sentences of the documentation and of comments are.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

import { command } from '../packages/edgeboard/command.mjs';
import { inProject, ROOT } from './project.mjs';
import { blocksOf, kindOf } from './prose/blocks.mjs';
import { sentencesOf } from './prose/sentences.mjs';

const USAGE = `
Usage: npm run prose [-- FILE…]

Measures the prose of Markdown files and of comments in Rust, Lua and JavaScript; without FILE, of every file in git.
Prints the words per sentence of each file, and the longest sentences.
`;

/** Sentences that are listed. */
const LONGEST = 20;

const KINDS = { md: 'Markdown', rs: 'Rust comments', lua: 'Lua comments', js: 'JavaScript comments' };

/**
 * @typedef {object} Measured
 * @property {string} path
 * @property {import('./prose/sentences.mjs').Sentence[]} sentences
 */

/** @param {string} path of a file below the project's folder @returns {Measured} */
export function measure(path) {
  const text = readFileSync(inProject(path), 'utf8');
  return { path, sentences: blocksOf(path, text).flatMap(sentencesOf) };
}

/** @param {import('./prose/sentences.mjs').Sentence[]} sentences */
export function wordsPerSentence(sentences) {
  const words = sentences.reduce((sum, sentence) => sum + sentence.words, 0);
  return sentences.length === 0 ? 0 : words / sentences.length;
}

/** The files of the project that hold prose. */
export function filesWithProse() {
  const names = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  return names.filter((name) => kindOf(name));
}

/** @param {string[]} args */
async function main(args) {
  const paths = args.length > 0 ? args.map((path) => relative(ROOT, resolve(path))) : filesWithProse();
  const measured = paths.map(measure);

  console.log('words per sentence');
  for (const { path, sentences } of measured) print(path, sentences);
  if (args.length === 0) {
    console.log('\nall');
    for (const [kind, name] of Object.entries(KINDS)) {
      print(
        name,
        measured.filter(({ path }) => kindOf(path) === kind).flatMap(({ sentences }) => sentences),
      );
    }
  }

  console.log('\nlongest sentences');
  const all = measured.flatMap(({ path, sentences }) => sentences.map((sentence) => ({ path, ...sentence })));
  for (const { path, line, words, text } of all.sort((a, b) => b.words - a.words).slice(0, LONGEST)) {
    console.log(`${String(words).padStart(4)}  ${path}:${line}  ${text}`);
  }
}

/** @param {string} name @param {import('./prose/sentences.mjs').Sentence[]} sentences */
function print(name, sentences) {
  if (sentences.length === 0) return;
  const average = wordsPerSentence(sentences).toFixed(1).padStart(6);
  console.log(`${average}  ${String(sentences.length).padStart(5)} sentences  ${name}`);
}

command(import.meta, { usage: USAGE, main });
