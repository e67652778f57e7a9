/**
 * What both ways to Redis do in JavaScript. The WebAssembly module waits for one promise where there are several here: each that it
 * waits for costs it a future with two closures. Time limits are kept here, so they hold when the module that asked has ended.
 */

/**
 * A TCP socket of the runtime: https://developers.cloudflare.com/workers/runtime-apis/tcp-sockets/
 *
 * @typedef {object} RuntimeSocket
 * @property {Promise<unknown>} opened
 * @property {ReadableStream<Uint8Array>} readable
 * @property {WritableStream<Uint8Array>} writable
 * @property {() => Promise<void>} close
 */

/**
 * A socket that connects when it is first written to.
 */
export class Socket {
  /** Whether there was a connection. Nothing is written before. */
  isOpen = false;
  /** @type {RuntimeSocket} */
  #socket;
  /** @type {ReadableStreamDefaultReader<Uint8Array> | undefined} */
  #reader;
  /** @type {WritableStreamDefaultWriter<Uint8Array> | undefined} */
  #writer;
  /** @type {Promise<void> | undefined} */
  #written;
  /** Until when it is waited, in Unix milliseconds, and what it says then. */
  #until = 0;
  #tooLate = '';
  #isLate = false;

  /**
   * Begins to connect.
   *
   * @param {(address: { hostname: string, port: number }, options: { secureTransport: 'on' | 'off' }) => RuntimeSocket} connect
   * @param {string} hostname
   * @param {number} port
   * @param {boolean} tls
   */
  constructor(connect, hostname, port, tls) {
    this.#socket = connect({ hostname, port }, { secureTransport: tls ? 'on' : 'off' });
  }

  /**
   * Waits for the connection, writes, and reads the first bytes that come.
   *
   * @param {Uint8Array} bytes copied before anything is waited for
   * @param {number} connectMs for the connection, at most `replyMs`
   * @param {number} replyMs from then on, until what was asked for is read
   * @returns {Promise<Uint8Array | undefined>} `undefined` at the end
   */
  exchange(bytes, connectMs, replyMs) {
    const sent = bytes.slice();
    if (!this.isOpen) this.#limit(connectMs, 'no connection');
    return this.#closingUntaken(this.#inTime(this.#send(sent, replyMs)));
  }

  /**
   * Writes to one that is open. What it answers is read in its turn.
   *
   * @param {Uint8Array} bytes copied at once
   * @param {number} replyMs from now on, until what was asked for is read
   */
  write(bytes, replyMs) {
    this.#limit(replyMs, 'no reply');
    this.#written = this.#writer?.write(bytes.slice());
    this.#written?.catch(() => {}); // it is asked when reading ends
  }

  /** Reads what comes next of what was asked for. @returns {Promise<Uint8Array | undefined>} `undefined` at the end */
  read() {
    return this.#closingUntaken(this.#inTime(this.#next()));
  }

  /** @param {Uint8Array} bytes @param {number} replyMs */
  async #send(bytes, replyMs) {
    if (!this.isOpen) {
      await this.#socket.opened;
      if (this.#isLate) throw new Error(this.#tooLate); // the answer was that nothing is written
      this.isOpen = true;
      this.#reader = this.#socket.readable.getReader();
      this.#writer = this.#socket.writable.getWriter();
    }
    this.#limit(replyMs, 'no reply');
    this.#written = this.#writer?.write(bytes);
    this.#written?.catch(() => {}); // it is asked when reading ends
    return this.#next();
  }

  /** Closes it; nothing that is still on its way reaches anybody. */
  close() {
    this.#socket.close().catch(() => {}); // it may be closed already
  }

  /**
   * Closes the socket when the module that waits for a promise cannot take what it settles to, since it trapped in another request.
   * The runtime then sees that nothing is left to wait for, and ends the request. It would wait for as long as the socket is open.
   *
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T>}
   */
  #closingUntaken(promise) {
    const closing = (/** @type {((settled: any) => any) | null | undefined} */ take) => (/** @type {any} */ settled) => {
      try {
        return take?.(settled);
      } catch (error) {
        this.close();
        throw error;
      }
    };
    // biome-ignore lint/suspicious/noThenProperty: it stays the promise that it is
    promise.then = (resolve, reject) =>
      /** @type {Promise<any>} */ (Promise.prototype.then.call(promise, closing(resolve), closing(reject)));
    return promise;
  }

  /** What kept the bytes from being written says more than the end of the replies. */
  async #next() {
    try {
      const read = await this.#reader?.read();
      if (read?.value) return read.value;
    } catch (error) {
      await this.#written;
      throw error;
    }
    await this.#written;
    return undefined;
  }

  /** @param {number} ms @param {string} problem */
  #limit(ms, problem) {
    this.#until = Date.now() + ms;
    this.#tooLate = `${problem} within ${ms} ms`;
  }

  /**
   * What a promise settles to; a rejection when it is too late. The limit may move on meanwhile. One timer costs as much as ten
   * promises.
   *
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T>}
   */
  #inTime(promise) {
    return new Promise((resolve, reject) => {
      /** @type {ReturnType<typeof setTimeout>} */
      let timer;
      const look = () => {
        const remainingMs = this.#until - Date.now();
        if (remainingMs > 0) {
          timer = setTimeout(look, remainingMs);
          return;
        }
        this.#isLate = true;
        reject(new Error(this.#tooLate));
      };
      timer = setTimeout(look, Math.max(this.#until - Date.now(), 0));
      promise.then(resolve, reject).then(() => clearTimeout(timer));
    });
  }
}

/**
 * Upstash's REST API.
 */
export class Endpoint {
  /** @type {string} */
  #address;
  /** @type {string} */
  #token;
  /** Taken as they are; a record would be read and checked at each request. @type {Headers | undefined} */
  #headers;

  /** @param {string} address @param {string} token */
  constructor(address, token) {
    this.#address = address;
    this.#token = token;
  }

  /**
   * Sends commands, and reads the whole answer.
   *
   * @param {string} path
   * @param {string} body
   * @param {number} ms
   * @returns {Promise<{ status: number, body: Uint8Array }>}
   */
  async post(path, body, ms) {
    try {
      this.#headers ??= new Headers({
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        'upstash-encoding': 'base64',
      });
      // The runtime's own limit: a timer and its end would cost as much as the rest of this.
      const signal = AbortSignal.timeout(ms);
      const response = await fetch(this.#address + path, { method: 'POST', headers: this.#headers, body, signal });
      return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
    } catch (error) {
      throw error instanceof Error && error.name === 'TimeoutError' ? new Error(`no answer within ${ms} ms`) : error;
    }
  }
}

/**
 * Hands a message to a queue.
 *
 * @param {{ send: (message: string, options: { contentType: 'text', delaySeconds?: number }) => Promise<unknown> }} queue
 * @param {string} message
 * @param {number} delaySeconds
 * @param {number} ms
 * @returns {Promise<void>}
 */
export async function sendToQueue(queue, message, delaySeconds, ms) {
  const sent = queue.send(message, { contentType: 'text', ...(delaySeconds > 0 && { delaySeconds }) });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the queue did not answer within ${ms} ms`)), ms);
    Promise.resolve(sent)
      .then(() => resolve(), reject)
      .then(() => clearTimeout(timer));
  });
}

/**
 * Calls a method of an object, and answers what it says; nothing at all when the runtime refused to, since the object has too much to do:
 * then it never got the message.
 *
 * @template {string | Uint8Array} M
 * @param {{ getByName: (name: string) => { [method: string]: (message: M) => Promise<M> } }} objects
 * @param {string} name
 * @param {'count' | 'relay'} method
 * @param {M} message
 * @param {number} ms
 * @returns {Promise<M | undefined>}
 */
export async function callObject(objects, name, method, message, ms) {
  const answer = objects.getByName(name)[method](message);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
    Promise.resolve(answer)
      .then(resolve, (error) => (error?.overloaded ? resolve(undefined) : reject(error)))
      .then(() => clearTimeout(timer));
  });
}
