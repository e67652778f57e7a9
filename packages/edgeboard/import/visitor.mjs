/**
 * Who sent a request, as far as the log tells: what the service tells visitors apart by.
 */
import { isIP } from 'node:net';

/** Longer user agents are cut: what follows tells nobody apart, and 100 events must fit into a request. */
const MAX_AGENT_BYTES = 1024;

const utf8 = new TextDecoder();

/** @typedef {{ address: string, agent?: string }} Visitor */

/**
 * @param {string} host as the log has it
 * @param {string} agent
 * @returns {Visitor | undefined} undefined when the log has names instead of addresses
 */
export function visitorOf(host, agent) {
  // The service takes no zone, as in fe80::1%eth0.
  if (!isIP(host) || host.includes('%')) return undefined;
  return agent === '' ? { address: host } : { address: host, agent };
}

/**
 * A user agent as text, with a replacement character for what is not UTF-8.
 *
 * @param {string} bytes one character per byte
 */
export function agentOf(bytes) {
  return utf8.decode(Buffer.from(bytes.slice(0, MAX_AGENT_BYTES), 'latin1'));
}
