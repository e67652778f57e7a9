/**
 * Where an archive is. Everything above its objects is the same over each, so one of them is left to `npm test -- --engines`.
 */
import { inPart } from '../../support/part.mjs';

/** @typedef {'bucket' | 'redis'} Kept */

export const KEPT = inPart(/** @type {Kept[]} */ (['bucket']), ['redis']);
