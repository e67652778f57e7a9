/** Viewers of live rankings, over sockets and event streams, and what they are told. Each has an address of its own. */
import { until } from './until.mjs';

let addresses = 0;
/** One that nobody else has. */
function ownAddress() {
  addresses += 1;
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

/**
 * @param {() => { url: string, fetch: import('./worker.mjs').Worker['fetch'] }} worker
 */
export function viewers(worker) {
  /** Sockets and streams that are open. @type {(() => void)[]} */
  let open = [];
  return {
    /** What a viewer over a socket is told, in its order. @param {string} path @param {string} [says] at once @param {string} [address] */
    async watch(path, says, address = ownAddress()) {
      /** @type {any[]} */
      const received = [];
      // Node's takes headers, which the types do not know.
      const options = /** @type {any} */ ({ headers: { 'cf-connecting-ip': address } });
      const socket = new WebSocket(`${worker().url.replace('http', 'ws')}${path}`, options);
      open.push(() => socket.close());
      socket.addEventListener('message', ({ data }) => received.push(JSON.parse(data)));
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve);
        socket.addEventListener('error', () => reject(new Error('the socket was refused')));
      });
      if (says) socket.send(says);
      return Object.assign(received, { socket });
    },

    /** The events of a stream, as they come. @param {string} path @param {Record<string, string>} [headers] */
    async stream(path, headers = {}) {
      const abort = new AbortController();
      open.push(() => abort.abort());
      const init = { headers: { accept: 'text/event-stream', 'cf-connecting-ip': ownAddress(), ...headers }, signal: abort.signal };
      const response = await worker().fetch(path, init);
      const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
      const decoder = new TextDecoder();
      const read = { response, text: '', end: () => abort.abort() };
      (async () => {
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          read.text += decoder.decode(part.value, { stream: true });
        }
      })().catch(() => {});
      return read;
    },

    leave() {
      for (const close of open) close();
      open = [];
    },
  };
}

/** `id score` of each entry. @param {any} ranking */
export const rows = (ranking) => (ranking?.entries ?? []).map((/** @type {any} */ { id, score }) => `${id} ${score}`).join();

/** Waits until a viewer was told these rows last. @param {any[]} received @param {string} expected @param {number} [timeoutMs] */
export const untilReceived = (received, expected, timeoutMs) =>
  until(`${expected} is told`, () => rows(received.findLast(({ entries }) => entries)) === expected, { timeoutMs });
