/** Viewers of live rankings, over sockets and event streams, and what they are told. */
import { until } from './until.mjs';

/**
 * @param {() => { url: string, fetch: import('./worker.mjs').Worker['fetch'] }} worker
 */
export function viewers(worker) {
  /** Sockets and streams that are open. @type {(() => void)[]} */
  let open = [];
  return {
    /** What a viewer over a socket is told, in its order. @param {string} path @param {string} [says] at once */
    async watch(path, says) {
      /** @type {any[]} */
      const told = [];
      const socket = new WebSocket(`${worker().url.replace('http', 'ws')}${path}`);
      open.push(() => socket.close());
      socket.addEventListener('message', ({ data }) => told.push(JSON.parse(data)));
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve);
        socket.addEventListener('error', () => reject(new Error('the socket was refused')));
      });
      if (says) socket.send(says);
      return Object.assign(told, { socket });
    },

    /** The events of a stream, as they come. @param {string} path @param {Record<string, string>} [headers] */
    async stream(path, headers = {}) {
      const abort = new AbortController();
      open.push(() => abort.abort());
      const response = await worker().fetch(path, { headers: { accept: 'text/event-stream', ...headers }, signal: abort.signal });
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

/** Waits until a viewer was told these rows last. @param {any[]} told @param {string} expected @param {number} [timeoutMs] */
export const untilTold = (told, expected, timeoutMs) =>
  until(`${expected} is told`, () => rows(told.findLast(({ entries }) => entries)) === expected, { timeoutMs });
