#!/usr/bin/env node
/**
 * `npm create edgeboard NAME`: asks what the site is, and writes the folder NAME.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

import { FOLDER, QUESTIONS } from './questions.mjs';
import { writeFolder } from './write.mjs';

const USAGE = `
Usage: npm create edgeboard NAME [-- OPTION…]

Writes the folder NAME: a worker that ranks what is on your site, to start on this machine and to deploy.

${QUESTIONS.map(({ name, text, usual }) => `  --${name.padEnd(8)} ${text} (${usual})`).join('\n')}
  --yes      ask nothing
`;

/** What a person can put right. */
class Problem extends Error {}

/** @param {import('./questions.mjs').Question} question @param {string} answer */
const refusal = ({ name, allowed }, answer) => `${name} is ${JSON.stringify(answer)}; allowed: ${allowed}`;

async function main() {
  const { values, positionals } = readArguments();
  if (values.help) return console.log(USAGE.trim());
  const [target] = positionals;
  if (target === undefined) throw new Problem(`a name is missing: npm create edgeboard my-rankings`);
  const name = basename(resolve(target));
  if (!FOLDER.test(name)) {
    throw new Problem(`the name is ${JSON.stringify(name)}; allowed: a lower-case letter, then up to 53 lower-case letters, digits and -`);
  }
  if (existsSync(target) && readdirSync(target).length > 0) throw new Problem(`${target} is there already, with files in it`);
  const answers = await answersOf(values);
  const files = writeFolder(target, /** @type {import('./write.mjs').Answers} */ ({ ...answers, name }));
  console.log(`\n${target} has ${files.sort().join(', ')}. Next:\n\n  cd ${target}\n  npm install\n  npm start\n`);
}

function readArguments() {
  const named = Object.fromEntries(QUESTIONS.map(({ name }) => [name, /** @type {const} */ ({ type: 'string' })]));
  const options = { ...named, yes: /** @type {const} */ ({ type: 'boolean' }), help: /** @type {const} */ ({ type: 'boolean' }) };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Problem(error.message);
  }
}

/**
 * @param {Record<string, string | boolean | undefined>} values
 * @returns {Promise<Record<string, string>>}
 */
async function answersOf(values) {
  const lines = createInterface({ input: process.stdin });
  const answers = lines[Symbol.asyncIterator]();
  /** @type {Record<string, string>} */
  const given = {};
  for (const question of QUESTIONS) {
    const { name, usual, isAllowed } = question;
    const value = values[name] ?? (values.yes ? usual : undefined);
    if (typeof value === 'string' && !isAllowed(value)) throw new Problem(refusal(question, value));
    given[name] = typeof value === 'string' ? value : await ask(question, answers);
  }
  lines.close();
  return given;
}

/** Until the answer is allowed. @param {import('./questions.mjs').Question} question @param {AsyncIterator<string>} answers */
async function ask(question, answers) {
  for (;;) {
    process.stdout.write(`${question.text} [${question.usual}]: `);
    const { value, done } = await answers.next();
    if (done) throw new Problem('no answer; --yes asks nothing');
    const answer = value.trim() || question.usual;
    if (question.isAllowed(answer)) return answer;
    console.log(refusal(question, answer));
  }
}

main().catch((error) => {
  console.error(error instanceof Problem ? error.message : error);
  process.exitCode = 2;
});
