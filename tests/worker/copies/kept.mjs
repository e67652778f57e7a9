/**
 * Where marks are. Everything above them is the same, so the archive, in a bucket or a Redis, is left to `npm test -- --engines`.
 */
import { inPart } from '../../support/part.mjs';

/** @typedef {'database' | 'bucket' | 'redis'} Kept */

export const KEPT = inPart(/** @type {Kept[]} */ (['database']), ['bucket', 'redis']);
