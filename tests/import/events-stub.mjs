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
 * @typedef {{ status: number, headers?: Record<string, string>, body?: unknown } | 'lost' | 'held'} Fault
 *
 * @typedef {object} EventsStub
 * @property {string} url
 * @property {{ path: string, authorization: string, ids: string[], bytes: number }[]} requests in the order in which they came
 * @property {Map<string, object>} events those counted, by id
 * @property {number} busiest the most requests there were at a time
 * @property {Fault[]} faults taken from the front, one by each request
 * @property {() => Promise<void>} stop
 */

/**
 * @param {object} [options]
 * @param {Fault[]} [options.faults]
 * @param {(event: object) => string | undefined} [options.refuse] the code for an event that is rejected
 * @returns {Promise<EventsStub>}
 */
export async function startEventsStub({ faults = [], refuse = () => undefined } = {}) {
  const stub = { requests: [], events: new Map(), busiest: 0, faults };
  let busy = 0;

  const server = createServer(async (request, response) => {
    busy += 1;
    stub.busiest = Math.max(stub.busiest, busy);
    response.on('close', () => {
      busy -= 1;
    });

    const body = await readBody(request);
    const { events } = JSON.parse(body);
    stub.requests.push({
      path: request.url,
      authorization: request.headers.authorization,
      ids: events.map(({ id }) => id),
      bytes: body.length,
    });

    const fault = stub.faults.shift();
    if (fault === 'held') return;
    if (fault?.status) {
      response.writeHead(fault.status, { 'content-type': 'application/problem+json', ...fault.headers });
      response.end(JSON.stringify(fault.body ?? {}));
      return;
    }
    const answer = apply(stub.events, events, refuse);
    if (fault === 'lost') {
      response.destroy();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stub.url = `http://127.0.0.1:${server.address().port}`;
  stub.stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return stub;
}

function apply(counted, events, refuse) {
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

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
