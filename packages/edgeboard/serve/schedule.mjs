/**
 * The scheduled run, which the local runtime never starts by itself.
 */

/** In production it comes each minute. Here somebody waits for a title to come. */
const EACH_MS = 10_000;

/**
 * Asks a worker to do its scheduled run again and again, one at a time. A run that fails says so in the worker's own log.
 *
 * @param {string} url of the worker
 * @param {number} [eachMs]
 * @returns {() => void} ends it
 */
export function runScheduled(url, eachMs = EACH_MS) {
  let isRunning = false;
  const timer = setInterval(async () => {
    if (isRunning) return;
    isRunning = true;
    await fetch(`${url}/cdn-cgi/handler/scheduled`).catch(() => {});
    isRunning = false;
  }, eachMs);
  return () => clearInterval(timer);
}
