/**
 * The ways to Redis that a test is run over, where the transport should make no difference: RESP in every run, and REST in
 * `npm test -- --engines`. What a transport does by itself (connections, retries, outages) is tested over both in every run.
 */
import { inPart } from './part.mjs';

/** @typedef {import('./deployment.mjs').Transport} Transport */

export const TRANSPORTS = inPart(/** @type {Transport[]} */ (['redis://']), ['http://']);
