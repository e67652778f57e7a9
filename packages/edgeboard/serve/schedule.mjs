/**
 * The scheduled run, which the local runtime never starts by itself.
 */

const EACH_MS = 60_000;

/**
 * Asks a worker to do its scheduled run each minute. A run that fails says so in the worker's own log.
 *
 * @param {string} url of the worker
 * @param {number} [eachMs]
 * @returns {() => void} ends it
 */
export function runScheduled(url, eachMs = EACH_MS) {
  const timer = setInterval(() => {
    fetch(`${url}/cdn-cgi/handler/scheduled`).catch(() => {});
  }, eachMs);
  return () => clearInterval(timer);
}
