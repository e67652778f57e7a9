/**
 * Rankings as they change: `GET …/{window}/live`, as a WebSocket or an event stream.
 *
 * A Durable Object per ranking and limit looks for everybody who watches it, so that watching costs Redis the same for one viewer
 * and for a thousand. It asks the everyday module for the ranking, as any reader does: while nothing changes that is three
 * commands, and what many objects of a machine ask is answered from its caches.
 *
 * 1. Who comes is told the ranking at once; who comes back with the version that is shown is told nothing.
 * 2. It looks once a second. While nothing changes it looks less often, and then sleeps between two looks.
 * 3. A new version goes to all viewers as the JSON of the ranking.
 * 4. When nobody watches any more, it ends.
 *
 * In JavaScript and not in the whole module: it only carries answers of the everyday one to sockets, and wakes up without
 * compiling the other.
 */
import { DurableObject } from 'cloudflare:workers';

/** Each holds a socket, of which Cloudflare allows 32,768 per object; so many get a ranking of 10 KB within a second. */
const MAX_VIEWERS = 10_000;
const MIN_LOOK_MS = 1000;
/** So often it looks after a minute without a change. */
const MAX_LOOK_MS = 15_000;
/** Looks a second apart, before they become rarer. */
const EAGER_LOOKS = 30;
const SLOWER = 1.25;
/** From here on it sleeps between looks: an object is taken out of memory after 10 s without work. */
const SLEEP_MS = 10_000;
/** A timer is lost with the object's memory, as after an error; the alarm is not. */
const WATCHDOG_MS = 30_000;
const KEEP_ALIVE = new TextEncoder().encode(':\n\n');

/**
 * Answers a request for a live ranking, whose address the everyday module found right.
 *
 * @param {Request} request
 * @param {Response} refusal for who asks for neither a socket nor a stream, or where nothing is bound
 * @param {{ LIVE?: any }} env
 * @returns {Response | Promise<Response>}
 */
export function watch(request, refusal, { LIVE }) {
  const isStream = request.headers.get('accept')?.includes('text/event-stream');
  if (!LIVE || (!isStream && request.headers.get('upgrade')?.toLowerCase() !== 'websocket')) return refusal;
  const { pathname, search } = new URL(request.url);
  return LIVE.get(LIVE.idFromName(pathname + search)).fetch(request);
}

/** @param {any} Everyday the module that answers rankings */
export function liveClass(Everyday) {
  return class LiveBoard extends DurableObject {
    /** Writers of event streams. @type {Set<WritableStreamDefaultWriter<Uint8Array>>} */
    #streams = new Set();
    #address = '';
    #json = '';
    #version = '';
    #lookedAt = 0;
    /** A look under way. @type {Promise<void> | undefined} */
    #looking;
    #lookMs = MIN_LOOK_MS;
    #unchanged = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    #timer;

    /** @param {any} ctx @param {any} env */
    constructor(ctx, env) {
      super(ctx, env);
      ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    }

    /** @param {Request} request */
    async fetch(request) {
      if (this.#sockets.length + this.#streams.size >= MAX_VIEWERS) return refuse();
      const address = request.url.replace(/\/live(?=\?|$)/, '');
      if (this.#address !== address) await this.ctx.storage.put('address', (this.#address = address));
      if (this.#looking || Date.now() - this.#lookedAt >= MIN_LOOK_MS) await this.#look();
      if (!this.#json) return this.#ask({}); // the problem that there is
      this.#lookMs = MIN_LOOK_MS;
      this.#unchanged = 0;
      await this.#lookLater();
      if (request.headers.get('upgrade')) {
        const { 0: client, 1: server } = new WebSocketPair();
        this.ctx.acceptWebSocket(server);
        server.send(this.#json);
        return new Response(null, { status: 101, webSocket: client });
      }
      const { readable, writable } = new TransformStream();
      const writer = writable.getWriter();
      this.#streams.add(writer);
      writer.closed.catch(() => this.#streams.delete(writer));
      if (request.headers.get('last-event-id') === this.#version) this.#write(writer, KEEP_ALIVE);
      else this.#write(writer, this.#event);
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'access-control-allow-origin': '*' };
      return new Response(readable, { headers });
    }

    async alarm() {
      await this.#tick();
    }

    /** @param {WebSocket} socket @param {number} code */
    webSocketClose(socket, code) {
      // 1005 and 1006 say that no code was sent, and may not be.
      socket.close(code === 1005 || code === 1006 ? 1000 : code);
    }

    /** @returns {WebSocket[]} */
    get #sockets() {
      return this.ctx.getWebSockets();
    }

    get #event() {
      return new TextEncoder().encode(`id: ${this.#version}\ndata: ${this.#json}\n\n`);
    }

    /** One look, and the time of the next one. */
    async #tick() {
      if (this.#sockets.length + this.#streams.size === 0) {
        clearTimeout(this.#timer);
        this.#address = '';
        return this.ctx.storage.deleteAll();
      }
      // An object that was out of memory knows no version either, so it sends everybody what there is: nobody misses a change.
      this.#address ||= await this.ctx.storage.get('address');
      const before = this.#version;
      await this.#look();
      if (this.#version === before) this.#unchanged += 1;
      else this.#unchanged = 0;
      this.#lookMs = this.#unchanged < EAGER_LOOKS ? MIN_LOOK_MS : Math.min(this.#lookMs * SLOWER, MAX_LOOK_MS);
      for (const writer of this.#streams) this.#write(writer, KEEP_ALIVE);
      await this.#lookLater();
    }

    async #lookLater() {
      clearTimeout(this.#timer);
      const sleeps = this.#lookMs >= SLEEP_MS;
      if (!sleeps) this.#timer = setTimeout(() => this.#tick(), this.#lookMs);
      const alarm = await this.ctx.storage.getAlarm();
      const due = Date.now() + (sleeps ? this.#lookMs : WATCHDOG_MS);
      // It costs a write, so the watchdog is moved only when half of its time is over.
      if (alarm === null || sleeps || alarm < due - WATCHDOG_MS / 2) await this.ctx.storage.setAlarm(due);
    }

    /** One look at a time, whoever asks for it. */
    #look() {
      this.#looking ??= this.#renew().finally(() => (this.#looking = undefined));
      return this.#looking;
    }

    /** Sends a new version to everybody. What cannot be had is not sent: viewers keep what they have. */
    async #renew() {
      this.#lookedAt = Date.now();
      try {
        // Who names what he has gets what is new instead of what is stale.
        const response = await this.#ask({ 'if-none-match': `W/"${this.#version}"` });
        if (!response.ok) return;
        const json = await response.text();
        const { version } = JSON.parse(json);
        if (version === this.#version) return;
        [this.#json, this.#version] = [json, version];
        this.#tell();
      } catch (error) {
        console.warn(JSON.stringify({ level: 'warn', code: 'live', detail: String(error) }));
      }
    }

    /** @param {Record<string, string>} headers @returns {Promise<Response>} */
    async #ask(headers) {
      return Everyday.prototype.fetch.call({ env: this.env, ctx: this.ctx }, new Request(this.#address, { headers }));
    }

    #tell() {
      for (const socket of this.#sockets) {
        try {
          socket.send(this.#json);
        } catch {
          // It is closing; its viewer comes back.
        }
      }
      for (const writer of this.#streams) this.#write(writer, this.#event);
    }

    /** @param {WritableStreamDefaultWriter<Uint8Array>} writer @param {Uint8Array} bytes */
    #write(writer, bytes) {
      // Who does not read what was written is too slow, and comes back.
      if ((writer.desiredSize ?? 0) < -8) writer.abort().catch(() => {});
      else writer.write(bytes).catch(() => this.#streams.delete(writer));
    }
  };
}

/** Too many watch already: others ask now and then. */
function refuse() {
  const problem = {
    title: 'Service Unavailable',
    status: 503,
    code: 'too-many-viewers',
    detail: 'too many watch this ranking; ask for it now and then',
  };
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'retry-after': '60',
    'access-control-allow-origin': '*',
  };
  return new Response(JSON.stringify(problem), { status: 503, headers });
}
