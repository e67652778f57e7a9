/**
 * Shows how far an import has come: one line that keeps changing on a terminal, a line every 5 s elsewhere.
 */
import { MAX_OUTAGE_MS } from './sender.mjs';
import { rate } from './tally.mjs';

const TERMINAL_MS = 200;
const LOG_MS = 5_000;

/** Back to the first column, and clear to the end of the line. */
const REWIND = '\r\x1b[K';

/** @typedef {{ write(text: string): unknown, isTTY?: boolean, columns?: number }} Terminal perhaps; a file has no isTTY */

/**
 * @param {object} options
 * @param {Terminal} options.stream
 * @param {() => string} options.line
 * @returns {{ stop(): void }}
 */
export function startProgress({ stream, line }) {
  const show = stream.isTTY ? () => stream.write(REWIND + line().slice(0, (stream.columns ?? 80) - 1)) : () => stream.write(`${line()}\n`);
  const timer = setInterval(show, stream.isTTY ? TERMINAL_MS : LOG_MS);

  return {
    stop() {
      clearInterval(timer);
      if (stream.isTTY) stream.write(REWIND);
    },
  };
}

/**
 * @param {import('./tally.mjs').Tally} tally
 * @param {{ seconds: number, totalBytes?: number }} run
 */
export function progressLine(tally, { seconds, totalBytes }) {
  return [
    ...(totalBytes ? [`${Math.floor((100 * tally.bytes) / totalBytes)}%`] : []),
    `${tally.lines} lines`,
    `${tally.events} events`,
    `${rate(tally.events, seconds)}/s`,
    ...retries(tally),
  ].join(', ');
}

/** @param {import('./tally.mjs').Tally} tally */
function retries({ retries, lastRetry, outageMs }) {
  if (retries === 0) return [];
  if (outageMs === 0) return [`${retries} tried again, the last ${lastRetry}`];
  const seconds = [outageMs, MAX_OUTAGE_MS].map((ms) => Math.round(ms / 1000));
  return [`service out for ${seconds[0]} s (given up at ${seconds[1]} s): ${lastRetry}`];
}
