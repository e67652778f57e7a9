/**
 * The worker: its everyday module, which starts at once, and behind it the whole one, which the first request that needs it loads.
 *
 * Both are the same crate. An isolate that serves clicks and rankings, as nearly all do, never compiles the rest.
 */
import { DurableObject, WorkerEntrypoint, env } from 'cloudflare:workers';

import { Registry } from './before.js';
import { COMMIT } from './commit.js';
import { countWith, tellDataset } from './counts.js';
import Everyday, { Counts } from './everyday.js';
import { liveClass, watch } from './live.js';
import { Watched } from './watched.js';

const UPGRADE_REQUIRED = 426;

globalThis.FinalizationRegistry = Registry;
/** For both modules. scripts/build.mjs writes it. */
globalThis.edgeboardCommit = COMMIT;

const { queueMicrotask } = globalThis;
const resolved = Promise.resolve();
/**
 * Rust wakes its tasks by this, several times in each request. The runtime's own costs seven times as much as a reaction to a promise.
 * What is thrown is thrown on by the runtime's, so that it is seen as ever.
 */
globalThis.queueMicrotask = (task) => {
  resolved.then(() => {
    try {
      task();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  });
};

countWith('everyday', () => JSON.parse(Counts.read(env)));

/** The other module, when there is need of it. */
async function whole() {
  const module = await import('./whole/index.js');
  countWith('whole', () => JSON.parse(module.Counts.read(env)));
  return module;
}

/** For the everyday module, which knows scripts by their digests. @param {string} name */
globalThis.edgeboardSource = async (name) => (await whole()).Scripts.source(name);

/** A message's body as text, whatever it was sent as. @param {unknown} body */
function textOf(body) {
  if (typeof body === 'string') return body;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return new TextDecoder().decode(body);
  try {
    return JSON.stringify(body) ?? String(body);
  } catch {
    return String(body); // it has a number or a loop that JSON has not
  }
}

/**
 * The everyday module's own answer. Its class is not used: that, each object of it and each of their methods are behind proxies, which
 * cost a beacon a tenth. They begin a module that trapped anew, and so does the module itself when it is called next.
 */
const ask = Everyday.prototype.fetch;

/** A module's answer, or a socket or a stream where it found that one may be opened. */
function watchedOr(response, request, env) {
  return response.status === UPGRADE_REQUIRED ? watch(request, response, env) : response;
}

export default class extends WorkerEntrypoint {
  fetch(request) {
    const answer = ask.call(this, request);
    tellDataset(this.env);
    // What is kept is answered at once, without a promise.
    if (answer instanceof Response) return answer;
    return answer.then((response) => {
      if (response) return watchedOr(response, request, this.env);
      return whole()
        .then(({ default: Whole }) => new Whole(this.ctx, this.env).fetch(request))
        .then((response) => watchedOr(response, request, this.env));
    });
  }

  async scheduled(controller) {
    await new (await whole()).default(this.ctx, this.env).scheduled(controller);
    tellDataset(this.env);
  }

  /** Counts messages, see `src/app/queue.rs`. What throws has all of them delivered again. */
  async queue({ messages }) {
    const { QueueConsumer } = await whole();
    const delivered = messages.map(({ id, timestamp, attempts, body }) => ({ id, sent: Number(timestamp), attempts, body: textOf(body) }));
    const delays = JSON.parse(await new QueueConsumer(this.env).consume(JSON.stringify(delivered)));
    messages.forEach((message, i) => {
      if (delays[i] === 0) message.ack();
      else message.retry({ delaySeconds: delays[i] });
    });
  }
}

/** What an answer of a group begins with when nothing was counted, see `src/app/grouped.rs`. */
const NOTHING_WRITTEN = '!';

/** Gathers the events of a site's partition, see `src/app/gather.rs`. */
export class IngestGroup extends DurableObject {
  #group;
  #watched = new Watched(this.env.LIVE);

  async count(message) {
    this.#group ??= whole().then(({ IngestGroup: Group }) => new Group(this.env));
    const counted = await (await this.#group).count(message);
    if (!counted.startsWith(NOTHING_WRITTEN)) this.#watched.tell();
    tellDataset(this.env);
    return counted;
  }

  /** Tells a live object of events, for a minute. */
  watch(id) {
    this.#watched.add(id);
  }
}

/** See `live.js`. */
export const LiveBoard = liveClass(
  async (life, request) => (await ask.call(life, request)) ?? new (await whole()).default(life.ctx, life.env).fetch(request),
);
