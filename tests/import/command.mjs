/**
 * The import as tests run it: inside the test process, where waits are noted instead of waited for, or as a process
 * of its own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { main } from '../../packages/edgeboard/import/main.mjs';

/** The WRITE_TOKEN of every import here. */
export const TOKEN = 'write-token';

const COMMAND = fileURLToPath(new URL('../../scripts/import.mjs', import.meta.url));

/**
 * Runs the import to its end.
 *
 * @param {string[]} argv
 * @param {object} [options]
 * @param {Record<string, string>} [options.env]
 * @param {Buffer} [options.stdin]
 * @param {(ms: number) => void} [options.onWait] called instead of waiting
 */
export async function runImport(argv, { env = { WRITE_TOKEN: TOKEN }, stdin = Buffer.alloc(0), onWait = () => {} } = {}) {
  const stdout = createCollector();
  const stderr = createCollector();
  /** @type {number[]} */
  const waits = [];
  const status = await main({
    argv,
    env,
    stdin: Readable.from([stdin]),
    stdout,
    stderr,
    halt: new AbortController(),
    wait: async (ms) => {
      waits.push(ms);
      onWait(ms);
    },
    now: () => waits.reduce((sum, ms) => sum + ms, 0),
  });
  return { status, stdout: stdout.text, stderr: stderr.text, waits };
}

/**
 * Starts the import as a process.
 *
 * @param {import('node:test').TestContext} t
 * @param {string[]} argv
 */
export function startImport(t, argv) {
  const child = spawn(process.execPath, [COMMAND, ...argv], { env: { ...process.env, WRITE_TOKEN: TOKEN } });
  t.after(() => child.kill('SIGKILL'));
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(([[status], stdout, stderr]) => ({
    status,
    stdout,
    stderr,
  }));
  return { child, ended };
}

/**
 * Files in a directory of the test's own.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string | Buffer>} files
 * @returns {string[]} their paths, in the same order
 */
export function writeFiles(t, files) {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-import-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return Object.entries(files).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  });
}

const SUMMARY_ROW =
  /^ {0,9}(\d+) (lines read|unparsable|filtered out|assets left out|of bots left out|events to send|sent|accepted|duplicate|refused|periods of these were .*|sent while .*)$/gm;

/** The numbers of a summary, by their labels. @param {string} stdout @returns {Record<string, number>} */
export function readSummary(stdout) {
  return Object.fromEntries([...stdout.matchAll(SUMMARY_ROW)].map(([, count, label]) => [label, Number(count)]));
}

function createCollector() {
  return {
    text: '',
    /** @param {string} text */
    write(text) {
      this.text += text;
    },
  };
}
