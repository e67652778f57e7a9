/**
 * Where marks are. An archive in another Redis keeps them as one in a bucket does, so it is left to `npm test -- --engines`.
 */
import { inPart } from '../../support/part.mjs';

/** @typedef {'database' | 'bucket' | 'redis'} Kept */

export const KEPT = inPart(/** @type {Kept[]} */ (['database', 'bucket']), ['redis']);
