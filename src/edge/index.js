/**
 * The worker: what the runtime calls, handed to the WebAssembly module. `./edgeboard.js` is what wasm-bindgen makes of it.
 *
 * A module that traps ends with all that it was doing. The next call of any of its functions begins it anew.
 */
import './shortcuts.js';
import { DurableObject, WorkerEntrypoint, env } from 'cloudflare:workers';

import { COMMIT } from './commit.js';
import { countWith, tellDataset } from './counts.js';
import { __worker_init_state, consume, counts, fetch, IngestGroup as Group, scheduled } from './edgeboard.js';
import { liveClass, watch } from './live.js';
import { Watched } from './watched.js';

const UPGRADE_REQUIRED = 426;

globalThis.edgeboardCommit = COMMIT;
countWith(() => JSON.parse(counts(env)));

addEventListener('error', ({ error }) => {
  if (error instanceof WebAssembly.RuntimeError) {
    console.error(JSON.stringify({ level: 'error', code: 'trapped', detail: `${error.stack ?? error}` }));
  }
});

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

export default class extends WorkerEntrypoint {
  fetch(request) {
    const answer = fetch(request, this.env, this.ctx);
    tellDataset(this.env);
    // What is kept is answered at once, without a promise.
    if (answer instanceof Response) return answer;
    // A socket or a stream, where the module found that one may be opened.
    return answer.then((response) => (response.status === UPGRADE_REQUIRED ? watch(request, response, this.env) : response));
  }

  async scheduled(controller) {
    await scheduled(controller, this.env, this.ctx);
    tellDataset(this.env);
  }

  /** Counts messages, see `crates/admin/src/app/deliveries/mod.rs`. What throws has all of them delivered again. */
  async queue({ messages }) {
    const delivered = messages.map(({ id, timestamp, attempts, body }) => ({ id, sent: Number(timestamp), attempts, body: textOf(body) }));
    const delays = JSON.parse(await consume(JSON.stringify(delivered), this.env));
    messages.forEach((message, i) => {
      if (delays[i] === 0) message.ack();
      else message.retry({ delaySeconds: delays[i] });
    });
  }
}

/** What an answer of a group begins with when nothing was counted, see `crates/serve/src/app/counting/grouped.rs`. */
const NOTHING_WRITTEN = '!';
/** Frees what the module keeps of an object that is taken out of memory. */
const ended = new FinalizationRegistry((group) => group.free());

/** Gathers the events of a site's partition, see `crates/serve/src/app/counting/gather.rs`, or is a relay. */
export class IngestGroup extends DurableObject {
  #group;
  /** Of which instance of the module it is. */
  #instanceId;
  #watched = new Watched(this.env.LIVE);

  async count(message) {
    const counted = await this.#current().count(message);
    if (!counted.startsWith(NOTHING_WRITTEN)) this.#watched.tell();
    tellDataset(this.env);
    return counted;
  }

  /** Sends to nodes of a cluster what is for more of them than a request may be connected to, see `crates/engine/src/adapter/cluster/relays.rs`. */
  relay(message) {
    return this.#current().relay(message);
  }

  #current() {
    const { instanceId } = __worker_init_state();
    if (instanceId !== this.#instanceId) {
      this.#group = new Group(this.env);
      this.#instanceId = instanceId;
      ended.register(this, this.#group);
    }
    return this.#group;
  }

  /** Tells a live object of events, for a minute. */
  watch(id) {
    this.#watched.add(id);
  }
}

/** See `live.js`. */
export const LiveBoard = liveClass((life, request) => fetch(request, life.env, life.ctx));
