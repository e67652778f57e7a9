/**
 * What the figures were measured on.
 */
import { readFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform } from 'node:os';

import { ask } from '../packages/edgeboard/processes.mjs';
import { inProject } from '../scripts/project.mjs';

export function machine() {
  const redisServer = process.env.REDIS_SERVER ?? 'redis-server';
  return {
    system: `${platform()} ${arch()}`,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    load: loadavg()[0], // of the minute before: what else the machine had to do
    node: process.versions.node,
    workerd: JSON.parse(readFileSync(inProject('node_modules/workerd/package.json'), 'utf8')).version,
    redis: /v=(\S+)/.exec(ask(redisServer, ['--version']) ?? '')?.[1] ?? 'unknown',
  };
}
