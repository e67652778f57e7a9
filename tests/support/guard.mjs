/**
 * No server outlives its test: kills a child when this process ends, however it ends, SIGKILL included.
 *
 * A shell waits on a pipe whose other end only this process holds; the kernel closes it with the process, and the
 * shell then kills the child. The shell itself goes as soon as the child does, so the pid cannot be another's by then.
 */
import { spawn } from 'node:child_process';

/** @param {import('node:child_process').ChildProcess} child */
export function killWithParent(child) {
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -KILL "$0" 2>/dev/null', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // its own process group: Ctrl-C must not end the guard first
  });
  child.once('exit', () => guard.kill('SIGKILL'));
  guard.unref();
  /** @type {import('node:net').Socket} */ (guard.stdin).unref();
}
