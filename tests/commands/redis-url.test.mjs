/** Which hosts of REDIS_URL a deployed worker cannot reach. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { unreachableHost } from '../../packages/edgeboard/configuration/redis-url.mjs';

/** By URL, the host that is out of reach; undefined when none is. */
const CASES = {
  'redis://127.0.0.1:6379': '127.0.0.1',
  'redis://127.1.2.3': '127.1.2.3',
  'redis://127.1': '127.0.0.1',
  'redis://0': '0.0.0.0',
  'redis://user:p%40ss@10.2.3.4:6380/1': '10.2.3.4',
  'REDISS://172.16.0.1': '172.16.0.1',
  'rediss://172.31.255.255': '172.31.255.255',
  'redis://172.15.0.1': undefined,
  'redis://172.32.0.1': undefined,
  'redis://192.168.1.1': '192.168.1.1',
  'redis://192.169.1.1': undefined,
  'redis://169.254.169.254': '169.254.169.254',
  'redis://100.64.0.1': '100.64.0.1',
  'redis://100.128.0.1': undefined,
  'redis://[::]': '::',
  'redis://[::1]:6379': '::1',
  'redis://[::ffff:192.168.1.1]': '::ffff:c0a8:101',
  'redis://[fc00::1]': 'fc00::1',
  'redis://[fdff::1]': 'fdff::1',
  'redis://[fe80::1]': 'fe80::1',
  'redis://[2001:db8::1]': undefined,
  'redis://localhost': 'localhost',
  'redis://LOCALHOST.': 'localhost',
  'redis://db.localhost': 'db.localhost',
  'redis://redis': 'redis',
  'redis://redis.local': 'redis.local',
  'https://redis.prod.internal': 'redis.prod.internal',
  'redis://nas.home.arpa': 'nas.home.arpa',
  'redis://internal.example.com': undefined,
  'rediss://default:x@eu1-fine-1.upstash.io:6379': undefined,
  'https://eu1-fine-1.upstash.io': undefined,
  'redis://u:p@203.0.113.1:7000,203.0.113.2?cluster=true': undefined,
  'redis://u:p@203.0.113.1:7000,10.0.0.2:7001?cluster=true': '10.0.0.2',
  'rediss://u:p,p@10.0.0.1': '10.0.0.1',
  'not a URL': undefined,
  '': undefined,
};

for (const [url, host] of Object.entries(CASES)) {
  test(`${url || 'nothing'} is ${host === undefined ? 'within reach, or not judged here' : 'out of reach'}`, () => {
    assert.equal(unreachableHost(url), host);
  });
}
