/**
 * Workers under load: what is the same for reads and writes.
 */
import { Problem } from '../../packages/edgeboard/report.mjs';
import { inTurn, mapValues, median } from '../rounds.mjs';
import { load } from './load.mjs';

/**
 * @typedef {object} Contender
 * @property {string} url
 * @property {string} [bodies] a file of bodies for POST, see load.lua
 *
 * @typedef {object} Figures medians over the rounds, but the sum of all errors
 * @property {number} requestsPerS
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} errors
 * @property {number[]} rounds requests per second of each round
 */

/**
 * @template {string} Name
 * @param {Record<Name, Contender>} contenders
 * @param {import('../options.mjs').Effort} effort
 * @returns {Promise<Record<Name, Figures>>}
 */
export async function measure(contenders, { rounds, seconds }) {
  /** @param {Contender} contender */
  const measured = (contender) => () => load({ ...contender, seconds });
  const turns = mapValues(contenders, measured);
  await inTurn(turns, 1); // to warm up
  const samples = await inTurn(turns, rounds);
  return mapValues(samples, figures);
}

/**
 * @param {import('./load.mjs').Load[]} loads
 * @returns {Figures}
 */
function figures(loads) {
  const all = (/** @type {keyof import('./load.mjs').Load} */ field) => loads.map((load) => load[field]);
  return {
    requestsPerS: median(all('requestsPerS')),
    p50Ms: median(all('p50Ms')),
    p99Ms: median(all('p99Ms')),
    errors: all('errors').reduce((sum, errors) => sum + errors),
    rounds: all('requestsPerS'),
  };
}

/**
 * @param {Response} response
 * @param {number} status
 * @returns {Promise<string>} its body
 */
export async function expectStatus(response, status) {
  const body = await response.text();
  if (response.status !== status) throw new Problem(`${response.url} answered ${response.status}: ${body}`);
  return body;
}
