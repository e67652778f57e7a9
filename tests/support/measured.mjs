/**
 * The built worker with one more address, which tells how much memory its WebAssembly has. Nothing of the worker is changed: what
 * instantiates a module is watched.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { inProject } from '../../scripts/project.mjs';
import { startWorker } from './worker.mjs';

const WATCH = `
export const memories = [];
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(Instance, args) {
    const instance = new Instance(...args);
    memories.push(instance.exports.memory);
    return instance;
  },
});
`;
const ENTRY = `
import { memories } from './watch.js';
import Worker from './index.js';

export default class extends Worker {
  async fetch(request) {
    if (new URL(request.url).pathname !== '/memory') return super.fetch(request);
    return Response.json(memories.map((memory) => memory.buffer.byteLength));
  }
}
`;

/**
 * @param {Parameters<typeof startWorker>[0]} options
 * @returns {Promise<import('./worker.mjs').Worker & { memoryBytes: () => Promise<number> }>}
 */
export async function startMeasuredWorker(options) {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-measured-'));
  cpSync(inProject('build'), folder, { recursive: true });
  writeFileSync(join(folder, 'watch.js'), WATCH);
  writeFileSync(join(folder, 'entry.js'), ENTRY);
  const configuration = readFileSync(inProject('wrangler.toml'), 'utf8').replace(/^main = .*$/m, 'main = "entry.js"');
  writeFileSync(join(folder, 'wrangler.toml'), configuration);
  const worker = await startWorker({ ...options, config: join(folder, 'wrangler.toml') });
  return {
    ...worker,
    async memoryBytes() {
      const sizes = /** @type {number[]} */ (await (await worker.fetch('/memory')).json());
      return sizes.reduce((sum, bytes) => sum + bytes, 0);
    },
    async stop() {
      await worker.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
