/**
 * Sums in the documents are right: `300 × 10 × 60 = 180,000` is computed again. Times and commands on the page "Scaling" are those that
 * a benchmark wrote into "Costs", rounded.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { filesWithProse } from '../../scripts/prose.mjs';

const NUMBER = String.raw`\d[\d,]*(?:\.\d+)?`;
const TERM = String.raw`\(?${NUMBER}\)?`;
const SUM = new RegExp(String.raw`(${TERM}(?:\s[×÷+−]\s${TERM})+)\s=\s(${NUMBER})`, 'g');
/** @type {Record<string, string>} */
const OPERATORS = { '×': '*', '÷': '/', '−': '-' };

const read = (/** @type {string} */ path) => readFileSync(inProject(path), 'utf8');

/** The sums of a document, with the figure that it says. @param {string} path */
function sumsOf(path) {
  return Array.from(read(path).matchAll(SUM), ([, sum, figure]) => ({ sum: sum.replaceAll(/\s+/g, ' '), figure }));
}

/** A sum has numbers, signs and parentheses alone. @param {string} sum @returns {number} */
function compute(sum) {
  const code = sum.replaceAll(',', '').replaceAll(/[×÷−]/g, (sign) => OPERATORS[sign]);
  assert.match(code, /^[\d.()*/+\- ]+$/);
  return new Function(`return ${code}`)();
}

/** A value with as many decimals as a figure has. @param {number} value @param {string} figure */
function rounded(value, figure) {
  const decimals = figure.split('.')[1]?.length ?? 0;
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

for (const path of filesWithProse().filter((path) => path.startsWith('docs/'))) {
  const sums = sumsOf(path);
  if (sums.length === 0) continue;
  test(`${path}: ${sums.length} sums are right`, () => {
    for (const { sum, figure } of sums) assert.equal(figure, rounded(compute(sum), figure), sum);
  });
}

describe('Scaling', () => {
  const scaling = read('docs/operations/scaling.md');
  const costs = read('docs/operations/costs.md');

  /** @param {string} request a row of the first table of "Costs" */
  function costOf(request) {
    const row = costs.split('\n').find((line) => line.startsWith(`| ${request} |`));
    assert.ok(row, request);
    const [, , commands, micros] = row.split('|').map((cell) => Number(cell));
    return { commands, micros };
  }

  test('has many sums', () => assert.ok(sumsOf('docs/operations/scaling.md').length >= 30));

  for (const [request, entry] of [
    ['a beacon with one view', '| a beacon with one view | 54 |'],
    ['a beacon with one view, by an actor', '| a view by an actor, on three targets | 93 |'],
    ['a like, on three targets', '| a like, on three targets | 175 |'],
    ['a beacon with ten views', '| views in groups of ten | 24 |'],
    ['a batch of 100 views', '| views in groups of 100 | 9 |'],
    ['a batch of 100 views, by actors', '| views by actors, in groups of 100 | 22 |'],
  ]) {
    test(`tells the time of ${request}`, () => {
      assert.ok(scaling.includes(entry), entry);
      assert.equal(Number(entry.split('|')[2]), Math.round(costOf(request).micros));
    });
  }

  test('tells commands as they are counted', () => {
    assert.equal(costOf('a beacon with one view').commands, 15);
    assert.equal(costOf('a beacon with ten views').commands, 2.5);
    assert.equal(costOf('the top 10 of a day').commands, 8);
    assert.equal(Math.round(costOf('the top 10 of a day').micros), 63);
  });
});
