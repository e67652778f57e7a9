/** One log, and a stand-in for the service to import it into. */
import { startEventsStub } from './events-stub.mjs';
import { countBy, generateLog } from './generator.mjs';

export const LOG = generateLog({ seed: 1, lines: 1_500, repeatedShare: 0.05, unparsableShare: 0.01 });
/** How often the log views each path. */
export const ITEMS = countBy(LOG.requests, ({ path }) => path);

/**
 * A stub that ends with the test, and the arguments that send to it.
 *
 * @param {import('node:test').TestContext} t
 * @param {Parameters<typeof startEventsStub>[0]} [options]
 */
export async function setUp(t, options) {
  const stub = await startEventsStub(options);
  t.after(stub.stop);
  return { stub, argv: ['--site', 'demo', '--action', 'view', '--endpoint', stub.url] };
}

/**
 * How often a stub counted each item.
 *
 * @param {import('./events-stub.mjs').EventsStub} stub
 */
export function itemsOf(stub) {
  return countBy(stub.events.values(), ({ item }) => item);
}
