/**
 * Hands counted events on: to a queue, or to a webhook, with a signature.
 */

/**
 * Between tries, in milliseconds. All of them end within 15 of the 30 seconds that a request may go on after its answer. Then there is time to
 * have Redis keep the message.
 */
const WAITS_MS = [500, 2_000];
const ANSWER_MS = 4_000;
const [REQUEST_TIMEOUT, TOO_MANY] = [408, 429];

/**
 * Sends a message, and again where that may help. Rejects with what happened the last time.
 *
 * @param {{ send: (message: unknown, options: { contentType: 'json' }) => Promise<unknown> } | undefined} queue else the webhook
 * @param {string} webhook
 * @param {string} secret
 * @param {string} message JSON
 * @param {boolean} isPatient else it is sent once
 * @param {number[]} [waitsMs]
 */
export async function forward(queue, webhook, secret, message, isPatient, waitsMs = isPatient ? WAITS_MS : []) {
  for (let tried = 0; ; tried += 1) {
    try {
      if (queue) await queue.send(JSON.parse(message), { contentType: 'json' });
      else await post(webhook, secret, message);
      return;
    } catch (error) {
      if (error.isFinal || tried >= waitsMs.length) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, waitsMs[tried]);
      });
    }
  }
}

/** @param {string} webhook @param {string} secret @param {string} message */
async function post(webhook, secret, message) {
  const at = Math.floor(Date.now() / 1000);
  const headers = { 'content-type': 'application/json', 'edgeboard-signature': `t=${at},v1=${await mac(secret, `${at}.${message}`)}` };
  const response = await fetch(webhook, {
    method: 'POST',
    headers,
    body: message,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  await response.body?.cancel();
  if (response.ok) return;
  const { status } = response;
  const isFinal = status < 500 && status !== REQUEST_TIMEOUT && status !== TOO_MANY;
  throw Object.assign(new Error(`the webhook answered ${status}`), { isFinal });
}

/** HMAC-SHA-256, in hexadecimal. @param {string} secret @param {string} text */
async function mac(secret, text) {
  const bytes = (/** @type {string} */ of) => new TextEncoder().encode(of);
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signed = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(text)));
  return Array.from(signed, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
