/**
 * Rankings as they change: `GET …/{window}/live`, as a WebSocket or an event stream.
 *
 * A Durable Object per ranking and limit, of which there are a few (`crates/serve/src/api/live.rs`), looks for all viewers, so that
 * watching costs Redis the same for one viewer and for a thousand. It asks the module for the ranking, as any reader does: while
 * nothing changes that is three commands, and what many objects of a machine ask is answered from its caches.
 *
 * 1. A new viewer gets the ranking at once; a viewer that comes back with the version that is shown gets nothing.
 * 2. It looks once a second. While nothing changes it looks less often, and then sleeps between two looks.
 *    While Redis is out it goes on looking once a second.
 * 3. Where events are gathered, the objects that gather them say when they counted some (`src/edge/watched.js`): it looks at once, and
 *    sleeps as soon as nothing changes.
 * 4. A new version goes to all viewers as the JSON of the ranking. How many they are goes to those who asked for it.
 * 5. An address has a few sockets and streams at once. It is known as a digest under a key that the object makes up. The key is attached
 *    to each socket and goes with it: storage can be restored for 30 days, and memory is lost while the object sleeps.
 * 6. When nobody watches any more, it ends, and what it knew with it.
 *
 * In JavaScript, since it only carries answers of the module to sockets.
 */
import { DurableObject } from 'cloudflare:workers';

import { count, countWith, tellDataset } from './counts.js';
import { Streams } from './streams.js';

/** Each holds a socket, of which Cloudflare allows 32,768 per object; so many get a ranking of 10 KB within a second. */
const VIEWERS = 10_000;
/** Of one address: a reader has one for each page that is seen, and some share an address. */
const VIEWERS_OF_ADDRESS = 8;
/** A little longer than what is asked for is due for who has a copy: half of the 2 s for which a ranking is fresh. */
const MIN_LOOK_MS = 1050;
/** So often it looks after a minute without a change. */
const MAX_LOOK_MS = 15_000;
/** Looks a second apart, before they become rarer; and the same where it is notified of events. */
const EAGER_LOOKS = 30;
const EAGER_LOOKS_NOTIFIED = 3;
const SLOWER = 1.25;
/** From here on it sleeps between looks: an object is taken out of memory after 10 s without work. */
const SLEEP_MS = 10_000;
/** A timer is lost with the object's memory, as after an error; the alarm is not. */
const WATCHDOG_MS = 30_000;
/** Less than what those who gather events remember it for, see `watched.js`. */
const ASK_AGAIN_MS = 20_000;
/** The header with which the module names the ranking, and the one with which the object gets the network. */
const ADDRESS = 'edgeboard-live';
const NETWORK = 'edgeboard-network';
/** What else the object gets of a request. */
const HANDED_ON = /^(accept|upgrade|last-event-id|sec-websocket-.*)$/;
const KEY_BYTES = 16;
const DIGEST_BYTES = 8;
/** What a viewer says over its socket who wants to know how many there are; also the name of the events that tell it. */
const READERS = 'readers';
/** The kind of the other events. */
const RANKING = 'ranking';

/** Of the objects of this isolate: their sites, and how many watch. @type {Map<string, [site: string, viewers: number]>} */
const watched = new Map();
countWith(() => Array.from(watched.values(), ([site, viewers]) => ['live-viewers', site, 'now', 0, 0, viewers]));

/**
 * Answers a request for a live ranking, whose address the module found right.
 *
 * @param {Request} request
 * @param {Response} refusal for who asks for neither a socket nor a stream, or where nothing is bound. It says who asks, by network, and
 *   for which ranking, by the one address that all addresses of it are written as
 * @param {{ LIVE?: any }} env
 * @returns {Response | Promise<Response>}
 */
export function watch(request, refusal, { LIVE }) {
  const [network, address] = (refusal.headers.get(ADDRESS) ?? '').split(' ');
  refusal.headers.delete(ADDRESS);
  const isStream = request.method === 'GET' && request.headers.get('accept')?.includes('text/event-stream');
  if (!LIVE || (!isStream && request.headers.get('upgrade')?.toLowerCase() !== 'websocket')) return refusal;
  const headers = new Headers([...request.headers].filter(([name]) => HANDED_ON.test(name)));
  headers.set(NETWORK, network);
  return LIVE.get(LIVE.idFromName(address)).fetch(new Request(new URL(address, request.url), { headers }));
}

/**
 * How many objects gather the events of a site, as its configuration says.
 *
 * @param {Record<string, any>} env
 * @param {string} site
 */
function partitionsOf(env, site) {
  const tables = Object.keys(env).filter((name) => name.startsWith('SITES'));
  const { ingest, ingest_partitions = 1 } = Object.assign({}, ...tables.map((name) => env[name]?.[site]));
  return ingest === 'grouped' ? ingest_partitions : 0;
}

/** @param {(life: { env: any, ctx: any }, request: Request) => Promise<Response>} ask answers a request for a ranking */
export function liveClass(ask) {
  return class LiveBoard extends DurableObject {
    #streams = new Streams();
    /** Under which addresses are known. It lies beside the sockets as well, and nowhere else. */
    #key = '';
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
    /** How many are being let in. It does not end meanwhile. */
    #coming = 0;
    /** When it asked to be notified of events. */
    #askedAt = 0;
    /** The number of viewers that those who asked got last. */
    #readers = 0;

    /** @param {any} ctx @param {any} env */
    constructor(ctx, env) {
      super(ctx, env);
      ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    }

    /** @param {Request} request */
    async fetch(request) {
      this.#coming += 1;
      try {
        return await this.#letIn(request);
      } finally {
        this.#coming -= 1;
      }
    }

    /** @param {Request} request */
    async #letIn(request) {
      const site = siteOf(request.url);
      if (this.#viewers >= (this.env.LIVE_VIEWERS ?? VIEWERS)) {
        count('live', site, 'refused');
        return refuse(request.url);
      }
      const who = await this.#digestOf(request.headers.get(NETWORK) ?? '');
      if (this.#isCrowded(who)) return refuseAddress(site);
      const address = request.url.replace(/\/live(?=\?|$)/, '');
      const isNew = this.#address !== address;
      this.#address = address;
      if (this.#looking || Date.now() - this.#lookedAt >= MIN_LOOK_MS) await this.#look();
      if (!this.#json) return this.#ask({}); // the problem that there is
      if (isNew) await this.ctx.storage.put('address', address);
      this.#wake();
      await this.#lookLater(MIN_LOOK_MS);
      // Others of the address may have come meanwhile.
      if (this.#isCrowded(who)) return refuseAddress(site);
      count('live', site, 'came');
      if (request.headers.get('upgrade')) {
        const { 0: client, 1: server } = new WebSocketPair();
        this.ctx.acceptWebSocket(server, who ? [who] : []);
        server.serializeAttachment({ key: this.#key });
        server.send(this.#json);
        return new Response(null, { status: 101, webSocket: client });
      }
      const stream = this.#streams.open(who, request.headers.get('last-event-id') === this.#version ? [RANKING] : []);
      this.#streams.tell(READERS, this.#readersEvent);
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'access-control-allow-origin': '*' };
      return new Response(stream, { headers });
    }

    async alarm() {
      await this.#tick();
    }

    /**
     * Is called where events of the site were counted. Looks at once, or a second after the last look; and once more after that, since
     * what another reader had the caches keep may be a second old.
     *
     * @returns whether anybody watches
     */
    async changed() {
      if (this.#viewers === 0) return false;
      this.#wake();
      const waitMs = this.#lookedAt + MIN_LOOK_MS - Date.now();
      if (waitMs > 0) await this.#lookLater(waitMs);
      else await this.#tick();
      return true;
    }

    /** @param {WebSocket} socket @param {string | ArrayBuffer} message */
    webSocketMessage(socket, message) {
      if (message !== READERS) return;
      socket.serializeAttachment({ ...socket.deserializeAttachment(), wantsReaders: true });
      socket.send(this.#readersJson);
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

    get #viewers() {
      return this.#sockets.length + this.#streams.size;
    }

    get #readersJson() {
      return JSON.stringify({ readers: this.#viewers });
    }

    get #readersEvent() {
      return `event: ${READERS}\ndata: ${this.#readersJson}\n\n`;
    }

    /**
     * What an address is known as, by its network. An object that was out of memory has the key of the sockets that stayed, so that it
     * knows them. Nothing is known of who has no address.
     *
     * @param {string} network
     */
    async #digestOf(network) {
      this.#key ||= this.#sockets[0]?.deserializeAttachment().key ?? textOf(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
      if (network === '-') return '';
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${this.#key} ${network}`));
      return textOf(new Uint8Array(digest, 0, DIGEST_BYTES));
    }

    /** Whether an address has as many sockets and streams as one may have. @param {string} who */
    #isCrowded(who) {
      return who !== '' && this.ctx.getWebSockets(who).length + this.#streams.countOf(who) >= VIEWERS_OF_ADDRESS;
    }

    /** From now on it looks often, until nothing changes again. */
    #wake() {
      this.#lookMs = MIN_LOOK_MS;
      this.#unchanged = 0;
    }

    /** One look, and the time of the next one. */
    async #tick() {
      if (this.#viewers + this.#coming === 0) {
        clearTimeout(this.#timer);
        watched.delete(this.ctx.id.toString());
        this.#address = '';
        return this.ctx.storage.deleteAll();
      }
      // An object that was out of memory knows no version either, so it sends everybody what there is: nobody misses a change.
      this.#address ||= await this.ctx.storage.get('address');
      const isNotified = await this.#subscribe();
      const before = this.#version;
      const isOut = await this.#look();
      if (this.#version !== before || isOut) this.#wake();
      else this.#unchanged += 1;
      const slower = isNotified ? MAX_LOOK_MS : this.#lookMs * SLOWER;
      if (this.#unchanged >= (isNotified ? EAGER_LOOKS_NOTIFIED : EAGER_LOOKS)) this.#lookMs = Math.min(slower, MAX_LOOK_MS);
      this.#streams.beat();
      this.#tellReaders();
      tellDataset(this.env);
      await this.#lookLater(this.#lookMs);
    }

    /** @param {number} waitMs */
    async #lookLater(waitMs) {
      clearTimeout(this.#timer);
      const sleeps = waitMs >= SLEEP_MS;
      if (!sleeps) this.#timer = setTimeout(() => this.#tick(), waitMs);
      const alarm = await this.ctx.storage.getAlarm();
      const due = Date.now() + (sleeps ? waitMs : WATCHDOG_MS);
      // It costs a write, so the watchdog is moved only when half of its time is over.
      if (alarm === null || sleeps || alarm < due - WATCHDOG_MS / 2) await this.ctx.storage.setAlarm(due);
    }

    /**
     * Asks those who gather events to tell of them, now and then: they forget who watches when they end.
     *
     * @returns {Promise<boolean>} whether any do
     */
    async #subscribe() {
      const site = siteOf(this.#address);
      const partitions = partitionsOf(this.env, site);
      if (partitions === 0 || Date.now() < this.#askedAt + ASK_AGAIN_MS) return partitions > 0;
      this.#askedAt = Date.now();
      const asked = Array.from({ length: partitions }, (_, partition) =>
        this.env.INGEST.getByName(`${site}:${partition}`).watch(this.ctx.id.toString()),
      );
      await Promise.allSettled(asked);
      return true;
    }

    /** One look at a time, whoever asks for it. @returns {Promise<boolean>} whether Redis did not answer */
    #look() {
      this.#looking ??= this.#renew().finally(() => (this.#looking = undefined));
      return this.#looking;
    }

    /**
     * Sends a new version to everybody. What cannot be had is not sent: viewers keep what they have.
     *
     * @returns {Promise<boolean>} whether Redis did not answer
     */
    async #renew() {
      this.#lookedAt = Date.now();
      const site = siteOf(this.#address);
      count('live', site, 'looks');
      watched.set(this.ctx.id.toString(), [site, this.#viewers]);
      try {
        // A reader that names what it has gets what is new instead of what is stale.
        const response = await this.#ask({ 'if-none-match': `W/"${this.#version}"` });
        const isOut = response.status >= 500 || Boolean(response.headers.get('cache-status')?.includes('fwd-status=503'));
        if (!response.ok) return isOut;
        const json = await response.text();
        const { version } = JSON.parse(json);
        if (version === this.#version) return isOut;
        [this.#json, this.#version] = [json, version];
        count('live', site, 'sent');
        this.#tell();
        return isOut;
      } catch (error) {
        console.warn(JSON.stringify({ level: 'warn', code: 'live', detail: String(error) }));
        return true;
      }
    }

    /** @param {Record<string, string>} headers @returns {Promise<Response>} */
    async #ask(headers) {
      // No request from outside can say so: who looks for all may have the caches pass by more often than who looks for himself, and is a client
      // of its own.
      return ask({ env: { ...this.env, EDGEBOARD_LIVE: this.ctx.id.toString() }, ctx: this.ctx }, new Request(this.#address, { headers }));
    }

    #tell() {
      for (const socket of this.#sockets) send(socket, this.#json);
      this.#streams.tell(RANKING, `id: ${this.#version}\ndata: ${this.#json}\n\n`);
    }

    /** Tells how many watch, where that is another number than before. Streams cannot ask, and leave out what they do not know. */
    #tellReaders() {
      if (this.#readers === this.#viewers) return;
      this.#readers = this.#viewers;
      const json = this.#readersJson;
      for (const socket of this.#sockets) if (socket.deserializeAttachment().wantsReaders) send(socket, json);
      this.#streams.tell(READERS, this.#readersEvent);
    }
  };
}

/** @param {string} address */
const siteOf = (address) => new URL(address).pathname.split('/')[2];

/** @param {WebSocket} socket @param {string} text */
function send(socket, text) {
  try {
    socket.send(text);
  } catch {
    // It is closing; its viewer comes back.
  }
}

/** As hexadecimal digits. @param {Uint8Array} bytes */
const textOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Too many watch already: others ask now and then. @param {string} address */
function refuse(address) {
  const line = { level: 'warn', status: 503, code: 'too-many-viewers', detail: `too many watch ${new URL(address).pathname}` };
  console.warn(JSON.stringify(line));
  return problem(503, 'Service Unavailable', 'too-many-viewers', 'too many watch this ranking; ask for it now and then');
}

/** An address watches often enough. There may be thousands of these, so they are counted and not logged. @param {string} site */
function refuseAddress(site) {
  count('live', site, 'limited');
  const detail = `this address has ${VIEWERS_OF_ADDRESS} sockets and streams of this ranking; ask for it now and then`;
  return problem(429, 'Too Many Requests', 'too-many-sockets', detail);
}

/** @param {number} status @param {string} title @param {string} code @param {string} detail */
function problem(status, title, code, detail) {
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'retry-after': '60',
    'access-control-allow-origin': '*',
  };
  return new Response(JSON.stringify({ title, status, code, detail }), { status, headers });
}
