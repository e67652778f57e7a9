/**
 * Gives every log line an event id that depends on what the line says and on nothing else. So the same line counts once
 * however often it is sent. It may come from a copy, compressed, in other batches, or from a log that has grown since.
 *
 * Lines that read the same are several requests. So the id also covers how many such lines came before in the file.
 * That takes memory: 45 to 90 bytes for each different line of the file being read. A heap of 2 GiB is enough for some
 * 20 million of them. Numbering starts again with each file.
 */
import { createHash } from 'node:crypto';

/** 128 bits, 22 characters: a thousand million ids collide with a probability of 10^-21. */
const ID_BYTES = 16;

/** One Map holds at most 2^24 entries, so the first byte of the digest chooses among 256 of them. */
const SHARDS = 256;

/**
 * @param {string} site
 * @param {string} action
 * @returns {(line: string) => string} from a line, one character per byte, to its event id; called once per line, in
 *   the file's order
 */
export function createEventIds(site, action) {
  const scope = JSON.stringify(['edgeboard-import', 1, site, action]);
  const occurrences = Array.from({ length: SHARDS }, () => new Map());

  return (line) => {
    const digest = createHash('sha256').update(scope).update('\n').update(line, 'latin1').digest();
    // 56 bits tell lines apart well enough to number them. Lines that shared them would be numbered together, and would
    // still get ids of their own.
    const seen = occurrences[digest[0]];
    const key = digest.readUIntBE(1, 6);
    const occurrence = (seen.get(key) ?? 0) + 1;
    seen.set(key, occurrence);

    const id = createHash('sha256').update(digest).update(String(occurrence)).digest();
    return id.toString('base64url', 0, ID_BYTES);
  };
}
