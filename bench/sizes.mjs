/**
 * How large what is sent is: to data centers, to browsers, to Redis.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import { inProject } from '../scripts/project.mjs';

/** @typedef {{ raw: number, gzipped: number }} Size in bytes */

export function builtSizes() {
  return {
    wasm: sizeOf(readFileSync(inProject('build/edgeboard_bg.wasm'))),
    beacon: sizeOf(readFileSync(inProject('build/web/beacon.js'))),
    board: sizeOf(readFileSync(inProject('build/web/board.js'))),
  };
}

/**
 * @param {string | Uint8Array} content
 * @returns {Size}
 */
export function sizeOf(content) {
  return { raw: Buffer.byteLength(content), gzipped: gzipSync(content).length };
}
