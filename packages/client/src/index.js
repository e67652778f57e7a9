/**
 * Reads rankings of an edgeboard worker, and sends events to it. Runs where `fetch` does: browsers, Node 20, Deno, Workers.
 *
 * A page that only reads takes {@link createReader}; bundlers leave the rest out.
 */
import { requestOf } from './http.js';
import { createReader } from './read.js';
import { createWriter } from './write.js';

export { ApiError } from './http.js';
export { createReader, createWriter };

/** @typedef {import('./http.js').Options} Options */
/** @typedef {import('./write.js').WriterOptions} WriterOptions */
/** @typedef {ReturnType<typeof createClient>} Client */
/** @typedef {ReturnType<typeof createReader>} Reader */
/** @typedef {import('./api.js').Routes} Routes */
/** @typedef {import('./api.js').Ranking} Ranking */
/** @typedef {import('./api.js').Entry} Entry */
/** @typedef {import('./api.js').Member} Member */
/** @typedef {import('./api.js').ServerEvent} ServerEvent */
/** @typedef {import('./api.js').Counts} Counts */

/**
 * Everything of the API: what readers and writers do, and `request` for every other route.
 *
 * @param {WriterOptions} options
 */
export const createClient = (options) => ({ ...createReader(options), ...createWriter(options), request: requestOf(options) });
