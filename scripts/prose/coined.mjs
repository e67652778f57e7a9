/**
 * Finds words that the project once coined, and says which plain word stands for each.
 *
 * A name in code is looked at word by word: `arrival_of` and `ArrivalOf` hold `arrival`. Words that are also plain English are
 * only found where they were coined. Sections called Glossary or Renamed may name them.
 */

/** @type {{ coined: RegExp, plain: string }[]} */
const WORDS = [
  { coined: word('deeds?'), plain: 'tracked action' },
  { coined: word('books?'), plain: 'counting target' },
  { coined: word('ledgers?'), plain: 'activity log' },
  { coined: word('told(?! apart)'), plain: 'reported' },
  { coined: word('arrivals?'), plain: 'sequence number' },
  { coined: word('place_of|(?:its|their|packed) places?(?! in)|places? (?:of|from) (?:a|the|its) scores?'), plain: 'sort key' },
  { coined: word('(?:kept|keeps?|packed|anything|everything|something|nothing|all|local) beside'), plain: 'indexes' },
  { coined: word('beside (?:a|an|the|each|its) (?:board|score|period|count)s?'), plain: 'indexes' },
  { coined: word('stretch(?:es)?'), plain: 'bucket' },
  { coined: word('calm'), plain: 'stable offset' },
  { coined: word('walk(?:s|ed|ing)?'), plain: 'scan' },
  { coined: word('pieces?'), plain: 'chunk' },
  { coined: word('puts? together(?: anew)?|putting together'), plain: 'built, rebuilt or assembled' },
  { coined: word('(?:among|between|of|by|for|where|until then|whose|and) equals|equals (?:stand|share|have|are|came)'), plain: 'ties' },
  { coined: word('greetings?'), plain: 'handshake' },
  { coined: word('goodbye'), plain: 'handshake refusal' },
  { coined: word('MOST|LEAST|(?:the|a|its) (?:least|greatest) scores?'), plain: 'max or min' },
  { coined: word('outcome letters?|(?:one|a|the) letters? (?:per event|that says)'), plain: 'outcome code' },
  { coined: word('mistakes?'), plain: 'configuration error' },
  { coined: word('a spare|spare entr(?:y|ies)|Freshness::Spare'), plain: 'stale-if-error entry' },
  { coined: /\bSought\b/g, plain: 'ReadRequest or WindowRef' },
  { coined: /\b(?:Waited::)?InVain\b/g, plain: 'WaitResult::TimedOut' },
  { coined: word('local function (?:settle|add_with_care|view)'), plain: 'what it does' },
];

/** A whole word of prose or of a name. @param {string} pattern */
function word(pattern) {
  return new RegExp(`(?<![a-z])(?:${pattern})(?![a-z])`, pattern.includes('MOST') ? 'g' : 'gi');
}

/**
 * @typedef {{ line: number, word: string, plain: string, text: string }} Finding
 */

/** @param {string} text @returns {Finding[]} */
export function coinedIn(text) {
  let allowed = false;
  return text.split('\n').flatMap((line, i) => {
    if (/^#+ /.test(line)) allowed = /^#+ (?:Glossary|Renamed)$/.test(line);
    if (allowed) return [];
    const parts = line.replaceAll(/([a-z])([A-Z])/g, '$1 $2');
    return WORDS.flatMap(({ coined, plain }) =>
      [...parts.matchAll(coined)].map(([found]) => ({ line: i + 1, word: found, plain, text: line.trim() })),
    );
  });
}
