/**
 * A reporter for what the last lines of `npm test` say: the tests that were skipped, and the seconds of each file.
 *
 * @param {AsyncIterable<{ type: string, data: any }>} events
 */
export default async function* summarize(events) {
  /** @type {{ name: string, why: string }[]} */
  const skipped = [];
  /** @type {Record<string, number>} */
  const seconds = {};
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.skip !== undefined) skipped.push({ name: data.name, why: String(data.skip) });
    // A file ends as a test whose name is its path. The events of its own tests come later, in the order of the files.
    if (type === 'test:complete' && data.file?.endsWith(data.name)) seconds[data.file] = data.details.duration_ms / 1000;
  }
  yield JSON.stringify({ skipped, seconds });
}
