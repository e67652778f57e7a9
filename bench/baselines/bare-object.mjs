/**
 * The least an object with sockets can do: it takes them, and sends each something as long as a ranking.
 */
import { DurableObject } from 'cloudflare:workers';

const SOME = JSON.stringify({ entries: [{ score: 0 }], rest: ' '.repeat(400) });

export class LiveBoard extends DurableObject {
  fetch() {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    server.send(SOME);
    return new Response(null, { status: 101, webSocket: client });
  }
}

export default {
  /** @param {Request} request @param {any} env */
  fetch(request, { LIVE }) {
    return LIVE.getByName('one').fetch(request);
  },
};
