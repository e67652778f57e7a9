/**
 * Kinds of counting: what is counted on which board, and the calls that the worker makes for it (recorded-calls.mjs) with
 * other members, actors and ids.
 */
import { Problem } from '../../scripts/report.mjs';
import { WINDOWS } from '../site.mjs';
import { expectStatus } from '../worker/contenders.mjs';
import { repeat } from './cpu.mjs';
import { encode } from './pipelines.mjs';
import { recordedCalls } from './recorded-calls.mjs';

export const BATCH = 10;
export const MEMBERS = 20_000;
/** Calls that are sent at once. */
const DEPTH = 20;
/** A member of a recorded call; what is remembered of a tracked action. */
const MARKED = /^any-(member|actor)-\d$/;
const TRACKED = /^(.*:)[\w-]{11}:(actor|visitor):[^:]+$/;
const ID_LENGTH = 16;
/** Lines of a reply of `record`: *3 $2 OK :now $n letters */
const LINES = 6;
const ACTORS = 20_000;
const TOKEN = 'bench';

/**
 * @typedef {object} Kind of counting; each on a site of its own, but those that name another's
 * @property {object} [board] options of its board
 * @property {object} [action] options of its action
 * @property {boolean} [activity] whether the site keeps the activity log of what its actors do
 * @property {string} [site] that of another kind
 * @property {string} [id] characters of which each event has an id
 * @property {boolean} [visitor] browsers send it, without an actor
 * @property {boolean} [undo]
 * @property {string} [after] the kind by which the same events are counted before, beside the measurement
 * @property {string} [letter] what becomes of each event; counted by default
 */

/** @type {Record<string, Kind>} */
export const KINDS = {
  plain: {},
  activityLog: { activity: true },
  id: { site: 'plain', id: 'any-id-of-16-cha' },
  duplicate: { site: 'plain', id: 'any-id-of-16-cha', after: 'id', letter: 'd' },
  once: { board: { once: { act: 'day' } } },
  onceAgain: { site: 'once', after: 'once', letter: 's' },
  visitor: { site: 'once', visitor: true },
  tracked: { action: { reversible: true } },
  trackedAgain: { site: 'tracked', after: 'tracked', letter: 's' },
  undo: { site: 'tracked', undo: true, after: 'tracked' },
  ties: { board: { ties: 'first' } },
  dense: { board: { ranking: 'dense' } },
  breakdown: { board: { breakdown: true } },
};

/** Kinds whose memory is measured as well. @type {Record<string, Kind>} */
export const MORE_KINDS = {
  longId: { site: 'plain', id: 'any-id-of-64-characters'.padEnd(64, '.') },
  trackedOnTies: { action: { reversible: true }, board: { ties: 'first' } },
};

/** @param {Record<string, Kind>} kinds */
export function varsOf(kinds) {
  const own = Object.entries(kinds).filter(([, { site }]) => site === undefined);
  const sites = own.map(([name, { board, action, activity = false }]) => [
    siteName(name),
    {
      origins: ['*'],
      activity,
      actions: { act: { public: true, ...action } },
      boards: { articles: { weights: { act: 1 }, windows: WINDOWS, ...board } },
    },
  ]);
  return { WRITE_TOKEN: TOKEN, SITES: Object.fromEntries(sites) };
}

/** @param {string} kind */
export const siteName = (kind) => kind.toLowerCase();

/**
 * An event whose texts are its own.
 *
 * @typedef {object} Drawn
 * @property {string} member
 * @property {string} actor
 * @property {string} visitor as long as what the worker knows of one
 * @property {string} id as long as the longest that are sent to Redis; no other event has it
 * @property {string} what as long as the worker's digest of action and item; no other event has it
 * @property {number} [worth] instead of 1
 *
 * @param {Partial<Drawn>} [wanted]
 * @returns {Drawn}
 */
export function draw(wanted) {
  drawn += 1;
  return {
    member: member(below(MEMBERS)),
    actor: `u${below(ACTORS)}`,
    visitor: visitor(below(ACTORS)),
    id: drawn.toString(36).padStart(ID_LENGTH, 'x'),
    what: drawn.toString(36).padStart(11, 'x'),
    ...wanted,
  };
}
let drawn = 0;

/** @param {number} number */
export const below = (number) => Math.floor(Math.random() * number);

/** @param {number} number */
export const member = (number) => `/posts/${number}`;

/** @param {number} number */
export const visitor = (number) => number.toString(16).padStart(40, '0');

/**
 * @typedef {object} Calls
 * @property {number} length events that they count
 * @property {number} commands
 * @property {(events: Drawn[]) => string[][]} of commands that count so many events
 *
 * @param {import('../../tests/support/redis.mjs').Redis} redis
 * @param {import('../../tests/support/worker.mjs').Worker} worker
 * @param {string} name of the kind
 * @param {Kind} kind
 * @param {number} length
 * @returns {Promise<Calls>}
 */
export async function callsOf(redis, worker, name, { site = name, activity, id, visitor, undo }, length) {
  const events = repeat(length, (i) => ({
    action: 'act',
    item: `any-member-${i}`,
    ...(visitor ? {} : { actor: `any-actor-${i}` }),
    ...(id && { id: `${i}${id.slice(1)}` }),
    ...(undo && { undo }),
  }));
  const send = async () => {
    const path = `/v1/${siteName(site)}/${visitor ? 'beacon' : 'events'}`;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await worker.fetch(path, { method: 'POST', headers, body: JSON.stringify({ events }) });
    await expectStatus(response, visitor ? 204 : 200);
  };
  const recorded = await recordedCalls(redis, activity ? 2 : 1, send);
  const calls = recorded.map((call) => ({ call, places: placesOf(call, length) }));
  const lacksId = calls.some(({ places }) => places.some((place) => place.id === undefined));
  if (id && lacksId) throw new Problem(`the worker sent no ids of ${ID_LENGTH} characters`);
  return { length, commands: calls.length, of: (drawn) => calls.map((call) => varied(call, drawn)) };
}

/**
 * The calls that count some events, ready to be sent.
 *
 * @param {Calls} calls
 * @param {Drawn[]} events a multiple of the 20 calls that are sent at once
 * @returns {(sender: import('./pipelines.mjs').Sender) => Promise<void>}
 */
export function counting(calls, events) {
  const { length, commands, of } = calls;
  const call = (/** @type {number} */ i) => of(events.slice(i * length, (i + 1) * length));
  const pipelines = repeat(events.length / length / DEPTH, (p) => encode(repeat(DEPTH, (c) => call(p * DEPTH + c)).flat()));
  return (sender) => sender.send(pipelines, DEPTH * commands * LINES);
}

/**
 * Where in a recorded call what is varied stands. Its events are its last arguments. The fields of each event begin with the
 * member and what the event is worth. An id that is sent to Redis has 16 characters. What is remembered of a tracked action ends
 * with what was done and by whom.
 *
 * @param {string[]} call
 * @param {number} events
 */
function placesOf(call, events) {
  const first = call.findIndex((argument) => MARKED.test(argument));
  const fields = (call.length - first) / events;
  return repeat(events, (event) => {
    const at = first + event * fields;
    const isAt = (/** @type {(field: string) => boolean} */ is) => {
      const found = call.slice(at + 1, at + fields).findIndex(is);
      return found < 0 ? undefined : at + 1 + found;
    };
    const ranked = MARKED.exec(call[at])?.[1];
    if (ranked === undefined) throw new Problem(`the worker sent ${call[at]} as a member`);
    const id = isAt((field) => field.length === ID_LENGTH);
    const tracked = isAt((field) => TRACKED.test(field));
    const [, verb, who] = TRACKED.exec(call[tracked ?? at]) ?? [];
    return { member: at, ranked, worth: at + 1, id, tracked, verb, who };
  });
}

/**
 * A recorded call with other events.
 *
 * @param {{ call: string[], places: ReturnType<typeof placesOf> }} recorded
 * @param {Drawn[]} events
 */
function varied({ call, places }, events) {
  const made = [...call];
  places.forEach((place, i) => {
    const event = events[i];
    made[place.member] = event[/** @type {'member' | 'actor'} */ (place.ranked)];
    if (event.worth !== undefined) made[place.worth] = String(event.worth);
    if (place.id !== undefined) made[place.id] = event.id;
    // All events of a browser are of one visitor.
    if (place.tracked !== undefined) {
      made[place.tracked] = `${place.verb}${event.what}:${place.who}:${place.who === 'actor' ? event.actor : events[0].visitor}`;
    }
  });
  return made;
}
