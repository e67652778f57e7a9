/**
 * The import command from arguments to exit status: options, pipeline, progress, summary.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { loadBotTest } from './bots.mjs';
import { helpOf } from './help.mjs';
import { parseOptions, UsageError } from './options.mjs';
import { runPipeline } from './pipeline.mjs';
import { progressLine, startProgress } from './progress.mjs';
import { createSender, Refused } from './sender.mjs';
import { openSources } from './source.mjs';
import { Tally } from './tally.mjs';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;
const NOTHING_COUNTED = 3;
const INTERRUPTED = 130;

/** @typedef {import('./pipeline.mjs').PipelineOptions} PipelineOptions */

/** The reason to halt with when a person stops the import. */
export class Interrupted extends Error {
  message = 'interrupted';
}

/**
 * @param {object} context
 * @param {string[]} context.argv
 * @param {Record<string, string | undefined>} context.env
 * @param {import('node:stream').Readable} context.stdin
 * @param {{ write(text: string): unknown }} context.stdout the help or the summary
 * @param {import('./progress.mjs').Terminal} context.stderr progress and errors
 * @param {AbortController} context.halt stops the import when it fires, with {@link Interrupted} as the reason
 * @param {import('./sender.mjs').Wait} [context.wait]
 * @param {() => number} [context.now] milliseconds of a clock that only goes on
 * @param {string} [context.call] what it is called by, for messages
 * @param {() => Promise<void>} [context.prepare] comes before bots are told apart, which takes a package
 * @returns {Promise<number>} the exit status
 */
export async function main({
  argv,
  env,
  stdin,
  stdout,
  stderr,
  halt,
  wait = waitFor,
  now = () => performance.now(),
  call = 'npm run import --',
  prepare,
}) {
  let options;
  try {
    options = parseOptions(argv, env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr.write(`import: ${error.message}\nTry: ${call} --help\n`);
    return WRONG_USAGE;
  }
  if ('help' in options) {
    stdout.write(helpOf(call));
    return DONE;
  }

  let sources;
  try {
    sources = await openSources(options.files, stdin);
  } catch (error) {
    stderr.write(`import: ${error.message}\n`);
    return FAILED;
  }

  const tally = new Tally();
  if (!options.bots) await prepare?.();
  const isBot = options.bots ? () => false : await loadBotTest();
  const error = await run({ options: { ...options, isBot }, sources, tally, stdout, stderr, halt, wait, now });
  if (!error) {
    if (options.dryRun ? tally.events > 0 : tally.hasCounted) return DONE;
    const why =
      tally.lines > 0 ? '; the summary says why' : `: ${options.files.join(', ')} ${options.files.length > 1 ? 'have' : 'has'} no line`;
    stderr.write(`import: nothing ${options.dryRun ? 'would be sent' : 'was counted'}${why}\n`);
    return NOTHING_COUNTED;
  }
  stderr.write(`import: stopped: ${error.message}\n${error instanceof Refused && !tally.hasCounted ? '' : wayOn(options, tally)}`);
  return error instanceof Interrupted ? INTERRUPTED : FAILED;
}

/**
 * Imports and prints the summary, whether or not something stopped it.
 *
 * @param {object} run
 * @param {PipelineOptions} run.options
 * @param {import('./source.mjs').Source[]} run.sources
 * @param {Tally} run.tally
 * @param {{ write(text: string): unknown }} run.stdout
 * @param {import('./progress.mjs').Terminal} run.stderr
 * @param {AbortController} run.halt
 * @param {import('./sender.mjs').Wait} run.wait
 * @param {() => number} run.now
 * @returns {Promise<Error | undefined>} what stopped it
 */
async function run({ options, sources, tally, stdout, stderr, halt, wait, now }) {
  const started = now();
  const seconds = () => (now() - started) / 1000;
  const totalBytes = total(sources.map(({ bytes }) => bytes));
  const progress = startProgress({
    stream: stderr,
    line: () => progressLine(tally, { seconds: seconds(), totalBytes }),
  });

  try {
    await runPipeline({ sources, options, deliver: createDelivery({ options, tally, halt, wait, now }), tally, halt });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    progress.stop();
    const boards = `${options.endpoint}/v1/${options.site}/admin/boards`;
    stdout.write(tally.summary({ seconds: seconds(), dryRun: options.dryRun, boards }));
  }
}

/**
 * What happens to a batch: it is sent, or in a dry run its paths are counted.
 *
 * @param {object} run
 * @param {PipelineOptions} run.options
 * @param {Tally} run.tally
 * @param {AbortController} run.halt
 * @param {import('./sender.mjs').Wait} run.wait
 * @param {() => number} run.now
 * @returns {import('./pipeline.mjs').Deliver}
 */
function createDelivery({ options, tally, halt, wait, now }) {
  if (options.dryRun) {
    return async (events) => {
      for (const { item = '' } of events) tally.path(item);
    };
  }

  const send = createSender({
    endpoint: options.endpoint,
    site: options.site,
    token: /** @type {string} */ (options.token), // it is there, as this is no dry run
    signal: halt.signal,
    onRetry: (reason, outageMs) => tally.retry(reason, outageMs),
    fetch,
    wait,
    now,
  });
  return async (events) => {
    tally.sent += events.length;
    try {
      tally.answer(await send(events));
    } catch (error) {
      if (error instanceof Refused) tally.refusal(events.length, error);
      throw error;
    }
  };
}

/**
 * How far a stopped import got, and that running it again does no harm.
 *
 * @param {import('./options.mjs').Options} options
 * @param {Tally} tally
 */
function wayOn({ dryRun }, tally) {
  if (dryRun) return '';
  return (
    `import: ${tally.lines} lines had been read and ${tally.answered} of their ${tally.events} events answered for. ` +
    'Run the same command again to send the rest. Every event has an id, so nothing counts twice within the replay_window ' +
    'of the boards (24 hours unless configured).\n'
  );
}

/**
 * The sum, or undefined when a part of it is unknown.
 *
 * @param {(number | undefined)[]} sizes
 * @returns {number | undefined}
 */
function total(sizes) {
  return sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0);
}

/** @type {import('./sender.mjs').Wait} */
function waitFor(ms, signal) {
  return delay(ms, undefined, { signal });
}
