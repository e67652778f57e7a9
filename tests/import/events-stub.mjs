/**
 * A stand-in for `POST /v1/{site}/events` that counts each event id once, as the service does, and misbehaves on
 * demand.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * What one request meets instead of a good answer: a status with its headers and body, `lost` or `held`. `lost` counts the
 * events and then hangs up. `held` does not answer before the stub stops.
 *
 * @typedef {import('../../packages/edgeboard/import/translator.mjs').Event} Event
 * @typedef {import('../../packages/edgeboard/import/sender.mjs').Answer} Answer
 *
 * @typedef {{ status: number, headers?: Record<string, string>, body?: unknown } | 'lost' | 'held'} Fault
 *
 * @typedef {object} EventsStub
 * @property {string} url
 * @property {{ path?: string, authorization?: string, ids: string[], bytes: number }[]} requests in the order in which they came
 * @property {Map<string, Event>} events those counted, by id
 * @property {number} busiest the most requests there were at a time
 * @property {(Fault | undefined)[]} faults taken from the front, one by each request; undefined is a good answer
 * @property {() => Promise<void>} stop
 */

/**
 * @param {object} [options]
 * @param {(Fault | undefined)[]} [options.faults]
 * @param {(event: Event) => string | undefined} [options.refuse] the code for an event that is rejected
 * @param {() => Answer['frozen']} [options.frozen] the frozen periods that each answer names
 * @param {number} [options.status] of a good answer
 * @returns {Promise<EventsStub>}
 */
export async function startEventsStub({ faults = [], refuse = () => undefined, frozen = () => undefined, status = 200 } = {}) {
  /** @type {Omit<EventsStub, 'url' | 'stop'>} */
  const stub = { requests: [], events: new Map(), busiest: 0, faults };
  let busy = 0;

  const server = createServer(async (request, response) => {
    busy += 1;
    stub.busiest = Math.max(stub.busiest, busy);
    response.on('close', () => {
      busy -= 1;
    });

    const body = await readBody(request);
    /** @type {{ events: Event[] }} */
    const { events } = JSON.parse(body.toString());
    stub.requests.push({
      path: request.url,
      authorization: request.headers.authorization,
      ids: events.map(({ id }) => id),
      bytes: body.length,
    });

    const fault = stub.faults.shift();
    if (fault === 'held') return;
    if (fault && fault !== 'lost') {
      response.writeHead(fault.status, { 'content-type': 'application/problem+json', ...fault.headers });
      response.end(JSON.stringify(fault.body ?? {}));
      return;
    }
    const answer = apply(stub.events, events, refuse);
    if (fault === 'lost') {
      response.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...answer, frozen: frozen() }));
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return Object.assign(stub, {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  });
}

/**
 * @param {Map<string, Event>} counted
 * @param {Event[]} events
 * @param {(event: Event) => string | undefined} refuse
 */
function apply(counted, events, refuse) {
  /** @type {Answer} */
  const answer = { accepted: 0, duplicate: 0, rejected: [] };
  for (const [index, event] of events.entries()) {
    const code = refuse(event);
    if (code) {
      answer.rejected.push({ index, code, detail: `${event.item} is not welcome` });
    } else if (counted.has(event.id)) {
      answer.duplicate += 1;
    } else {
      counted.set(event.id, event);
      answer.accepted += 1;
    }
  }
  return answer;
}

/** @param {import('node:http').IncomingMessage} request */
async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
