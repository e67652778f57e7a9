/**
 * A wall clock that tests move: the handle on the preloaded shim of clock.c, which documents the file format.
 *
 * A server started with `env` lives at the true time plus one offset; `set` and `advance` change that offset for
 * all servers that share the clock, while they run. Two clocks are two files, so two servers can disagree.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('clock.c', import.meta.url));
const LIBRARY = fileURLToPath(new URL('../../target/edgeboard-clock.so', import.meta.url));

/**
 * @typedef {object} Clock
 * @property {Record<string, string>} env what a child process needs in its environment to live on this clock
 * @property {(instant: string | number | Date) => void} set move to an ISO instant or Unix milliseconds; servers
 *   read that millisecond or a later one, never an earlier one; at most 292 years from the true time
 * @property {(ms: number) => void} advance move by whole milliseconds, backwards when negative
 * @property {number} offsetMs this clock minus the true time
 * @property {() => number} now this clock's Unix milliseconds
 * @property {() => void} close delete the file; servers that still run keep their last offset
 */

/**
 * Make a clock that tells the true time until it is moved.
 *
 * @returns {Clock}
 */
export function createClock() {
  const library = buildLibrary();
  const dir = mkdtempSync(join(tmpdir(), 'edgeboard-clock-'));
  const file = join(dir, 'offset');
  const fd = openSync(file, 'w');
  let offsetMs = 0;

  const moveTo = (/** @type {number} */ ms) => {
    if (!Number.isSafeInteger(ms)) throw new RangeError(`not whole milliseconds: ${ms}`);
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(ms) * 1_000_000n);
    writeSync(fd, bytes, 0, bytes.length, 0);
    offsetMs = ms;
  };
  moveTo(0);

  return {
    env: {
      LD_PRELOAD: [library, process.env.LD_PRELOAD].filter(Boolean).join(':'),
      EDGEBOARD_CLOCK_FILE: file,
    },
    set: (instant) => moveTo(new Date(instant).getTime() - Date.now()),
    advance: (ms) => moveTo(offsetMs + ms),
    get offsetMs() {
      return offsetMs;
    },
    now: () => Date.now() + offsetMs,
    close() {
      closeSync(fd);
      rmSync(dir, { recursive: true });
    },
  };
}

/**
 * The true time, for what is measured: the shim costs a server more than the system's own clock does.
 *
 * @returns {Clock}
 */
export function trueClock() {
  const fixed = () => {
    throw new Error('nobody moves the true time');
  };
  return { env: {}, set: fixed, advance: fixed, offsetMs: 0, now: Date.now, close: () => {} };
}

/** Compile clock.c when its library is missing or older; two processes may do so at once. */
function buildLibrary() {
  const built = statSync(LIBRARY, { throwIfNoEntry: false });
  if (built && built.mtimeMs >= statSync(SOURCE).mtimeMs) return LIBRARY;
  mkdirSync(dirname(LIBRARY), { recursive: true });
  const unfinished = `${LIBRARY}.${process.pid}`;
  const cc = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', unfinished, SOURCE], { encoding: 'utf8' });
  if (cc.error) throw new Error('no C compiler (cc) on PATH: apt-get install gcc libc6-dev', { cause: cc.error });
  if (cc.status !== 0) throw new Error(`cc failed on ${SOURCE}:\n${cc.stderr}`);
  renameSync(unfinished, LIBRARY);
  return LIBRARY;
}
