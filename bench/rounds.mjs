/**
 * Measuring several things on a machine that is never quite quiet: in turn, in several rounds, and compared within
 * each round, so that what disturbs one disturbs its rivals too.
 */

/**
 * Measure each contender once per round. A round begins with another contender than the one before.
 *
 * @template {string} Name
 * @template Sample
 * @param {Record<Name, () => Promise<Sample>>} contenders
 * @param {number} rounds
 * @returns {Promise<Record<Name, Sample[]>>} one sample per round
 */
export async function inTurn(contenders, rounds) {
  const entries = /** @type {[Name, () => Promise<Sample>][]} */ (Object.entries(contenders));
  const samples = mapValues(contenders, () => /** @type {Sample[]} */ ([]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % entries.length;
    for (const [name, measure] of [...entries.slice(first), ...entries.slice(0, first)]) {
      samples[name].push(await measure());
    }
  }
  return samples;
}

/** @param {number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The median of the rounds' own ratios.
 *
 * @param {number[]} numerators one per round
 * @param {number[]} denominators
 */
export function medianRatio(numerators, denominators) {
  return median(numerators.map((numerator, round) => numerator / denominators[round]));
}

/**
 * @template {string} Name
 * @template A, B
 * @param {Record<Name, A>} object
 * @param {(value: A, name: Name) => B} map
 * @returns {Record<Name, B>}
 */
export function mapValues(object, map) {
  return /** @type {Record<Name, B>} */ (
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(/** @type {A} */ (value), /** @type {Name} */ (name))]))
  );
}
