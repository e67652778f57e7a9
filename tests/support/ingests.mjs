/**
 * The ways of an event to Redis that a test is run by, where the way should make no difference: straight in every run, and through
 * objects and a queue in `npm test -- --engines`. What is different about them is tested in tests/worker/ingest/ in every run.
 */
import { inPart } from './part.mjs';

export const INGESTS = inPart(['direct'], ['grouped', 'queue']);
