/**
 * A reporter for what the last lines of `npm test` say: the tests that were skipped, and the seconds of each file.
 *
 * @param {AsyncIterable<{ type: string, data: any }>} events
 */
export default async function* summarize(events) {
  /** @type {{ name: string, why: string }[]} */
  const skipped = [];
  /** Since each was begun. @type {Map<string, { begun: number, ended: number }>} */
  const files = new Map();
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.skip !== undefined) skipped.push({ name: data.name, why: String(data.skip) });
    if (!data.file) continue;
    const times = files.get(data.file) ?? { begun: Date.now(), ended: 0 };
    files.set(data.file, { ...times, ended: Date.now() });
  }
  const seconds = [...files].map(([file, { begun, ended }]) => [file, (ended - begun) / 1000]);
  yield JSON.stringify({ skipped, seconds: Object.fromEntries(seconds) });
}
