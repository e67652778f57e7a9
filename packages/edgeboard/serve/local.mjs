/**
 * What the worker of `npm start` has and no deployment: it travels as one text in a variable, which dev-worker.mjs reads. A deployed
 * worker does not look at it.
 *
 * @typedef {object} Local
 * @property {Record<string, unknown>} [variables] those that are no texts, and `DEMO`, the table of the site `demo`
 * @property {Page} [page] what `/` answers
 *
 * @typedef {{ html: string, headers: Record<string, string> }} Page
 */

export const LOCAL = 'EDGEBOARD_LOCAL';

/** @param {Local} [local] */
export function localText({ variables = {}, page } = {}) {
  return Buffer.from(JSON.stringify({ variables, page })).toString('base64');
}
