/**
 * Asking a deployment as its administrator does.
 */
import { prepare } from '../configuration/prepare.mjs';
import { Problem } from '../report.mjs';
import { fileOf, readSecrets } from './secrets.mjs';

const ASK_MS = 15_000;

/**
 * @typedef {object} Asked
 * @property {Record<string, string>} [query]
 * @property {unknown} [body] becomes JSON; text is sent as it is
 * @property {number} [withinMs] until the answer has begun
 *
 * @typedef {(method: string, path: string, asked?: Asked) => Promise<Response>} Ask
 */

/** An answer that is no success. */
export class Refused extends Problem {
  /** @param {string} message @param {number} [status] @param {string} [code] */
  constructor(message, status = 0, code = '') {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The address of a deployment, as it is given to a command. @param {string | undefined} url */
export function addressOf(url) {
  if (url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url)) return url;
  const text = `the address is ${JSON.stringify(url ?? null)}; allowed: that of a deployment, such as https://edge.example.com`;
  throw new Problem(text, { exitCode: 2 });
}

/**
 * The first token that there is: of the environment, else of the secrets of the folder.
 *
 * @param {{ config?: string, env?: string }} named which configuration is meant
 * @param {string[]} names
 */
export async function tokenOf(named, names) {
  const { configuration } = await prepare(named);
  const secrets = readSecrets(fileOf(configuration.wranglerEnvironment));
  const token = names.map((name) => process.env[name] || secrets[name]).find(Boolean);
  if (!token) throw new Problem('ADMIN_TOKEN is missing: npx edgeboard secrets ADMIN_TOKEN');
  // While a token is replaced there are two, the new one first.
  return token.split(',')[0].trim();
}

/**
 * @param {string} url
 * @param {string} token
 * @returns {Ask} throws a {@link Refused} where the answer is no success
 */
export function askerOf(url, token) {
  return async (method, path, { query = {}, body, withinMs = ASK_MS } = {}) => {
    const address = new URL(path, url);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new Error(`no answer within ${withinMs / 1000} s`)), withinMs);
    const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const init = { method, headers: { authorization: `Bearer ${token}` }, body: sent, signal: stop.signal };
    const response = await fetch(address, { redirect: 'manual', ...init })
      .catch((error) => {
        throw new Problem(`${url} does not answer: ${error.cause?.message ?? error.message}`);
      })
      .finally(() => clearTimeout(timer));
    if (response.ok) return response;
    const text = await response.text();
    const { detail = text.slice(0, 200), code = '' } = read(text);
    throw new Refused(`${decodeURIComponent(path)} is answered ${response.status}: ${detail}`, response.status, code);
  };
}

/** A problem, if it is one. @param {string} text of an answer @returns {{ detail?: string, code?: string }} */
function read(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
