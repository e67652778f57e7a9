/**
 * Splits blocks into sentences and counts their words. Code in backquotes is one word, and so is an address.
 */

/** Periods that end no sentence. */
const ABBREVIATIONS = /\b(?:e\.g|i\.e|vs|etc|cf)\.$/;

/**
 * @typedef {{ line: number, words: number, text: string }} Sentence
 */

/** @param {import('./blocks.mjs').Block} block @returns {Sentence[]} */
export function sentencesOf({ line, lines }) {
  /** @type {Sentence[]} */
  const sentences = [];
  let text = '';
  let begins = line;
  const end = () => {
    const words = countWords(text);
    if (words > 0) sentences.push({ line: begins, words, text: text.trim() });
    text = '';
  };
  lines.forEach((part, i) => {
    for (const word of plain(part).split(/\s+/)) {
      if (text === '') begins = line + i;
      text += `${word} `;
      if (/[.!?]["'”’)*_\]]*$/.test(word) && !ABBREVIATIONS.test(word)) end();
    }
  });
  end();
  return sentences;
}

/** Without markup: code, links and emphasis. @param {string} text */
function plain(text) {
  return text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/https?:\/\/\S+?(?=[.,;:)]?(?:\s|$))/g, 'address')
    .replaceAll(/\*\*|__/g, '');
}

/** @param {string} text */
function countWords(text) {
  return text.match(/[\p{L}\p{N}][\p{L}\p{N}'’._/-]*/gu)?.length ?? 0;
}
