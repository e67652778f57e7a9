/**
 * Whether a deployed worker can reach the Redis that REDIS_URL names. Workers reach public addresses only.
 */
import { BlockList, isIP } from 'node:net';

import { Problem } from '../report.mjs';

/** Loopback, private, link-local and carrier-grade ranges, and the unspecified addresses. */
const UNREACHABLE = /** @type {const} */ ([
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
]);

/** Names that only one machine or one network knows; a name without a dot is one of them. */
const LOCAL_NAME = /^[^.]+$|\.(?:localhost|local|internal|home\.arpa)$/;

const unreachable = new BlockList();
for (const [network, prefix, family] of UNREACHABLE) unreachable.addSubnet(network, prefix, family);

/**
 * The host that a deployed worker cannot reach.
 *
 * @param {string} url
 * @returns {string | undefined} undefined when it can, and when the URL is malformed: the worker judges that
 */
export function unreachableHost(url) {
  const [, scheme, credentials, hosts, rest] = /^(rediss?:\/\/)([^/?]*@)?([^/?@]*,[^/?@]*)(.*)$/i.exec(url) ?? [];
  if (hosts === undefined) return unreachableHostOf(url);
  // Of a cluster: several nodes, with the same credentials.
  const each = hosts.split(',').map((host) => unreachableHostOf(`${scheme}${credentials ?? ''}${host}${rest}`));
  return each.find((host) => host !== undefined);
}

/** @param {string} url of one host */
function unreachableHostOf(url) {
  // As http:, since only the special schemes have their hosts normalized: 127.1 becomes 127.0.0.1.
  const asHttp = url.replace(/^rediss?:/i, 'http:');
  if (!URL.canParse(asHttp)) return undefined;
  const host = new URL(asHttp).hostname.replace(/^\[|\]$|\.$/g, '');
  const family = isIP(host);
  const isLocal = family ? unreachable.check(host, family === 6 ? 'ipv6' : 'ipv4') : LOCAL_NAME.test(host);
  return isLocal ? host : undefined;
}

/**
 * @param {import('./read.mjs').Configuration} configuration
 * @throws {Problem} when REDIS_URL is there and names an address that Workers cannot reach
 */
export function requireReachableRedis({ variables: { REDIS_URL: url } }) {
  const host = typeof url === 'string' ? unreachableHost(url) : undefined;
  if (host === undefined) return;
  throw new Problem(
    `REDIS_URL names ${host}, which no worker at Cloudflare can reach: write the public address of your Redis there, or ` +
      'delete REDIS_URL from [vars] and run npx wrangler secret put REDIS_URL',
  );
}
