/**
 * The dearest hour of one client within the default limits, by a search over the table of routes: `tests/http/dearest.rs`, on the host.
 */
import { run } from '../../packages/edgeboard/processes.mjs';

/** @returns {Promise<{ head: string[], rows: string[][] }>} */
export async function benchDoor() {
  let printed = '';
  const log = (/** @type {string} */ text) => {
    printed += text;
  };
  await run('cargo', ['test', '--test', 'http', 'dearest', '--', '--nocapture'], { log });
  const lines = printed.split('\n').filter((line) => line.startsWith('| '));
  const [head = [], ...rows] = lines.map((line) => line.slice(2, -2).split(' | '));
  return { head, rows };
}
