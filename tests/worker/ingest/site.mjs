/**
 * The site of the tests of grouped ingest, and what its senders send.
 */

/** @param {Record<string, import('miniflare').Json>} [options] of the site */
export function sitesWith(options = {}) {
  return {
    demo: {
      origins: ['*'],
      actors: 'any',
      limits: { beacons: 0, misses: 0 },
      actions: { view: { public: true }, like: { reversible: true } },
      boards: {
        articles: { weights: { view: 1, like: 2 }, windows: ['day', 'all', 'last-7-days'] },
        people: { members: 'actors', weights: { view: 1, like: 2 }, windows: ['day', 'all'] },
      },
      ...options,
    },
  };
}

/**
 * Has senders send one after another each, all at once.
 *
 * @param {number} senders
 * @param {number} each
 * @param {(sender: number, n: number) => Promise<void>} send
 */
export async function sendAll(senders, each, send) {
  await Promise.all(
    Array.from({ length: senders }, async (_, sender) => {
      for (let n = 0; n < each; n += 1) await send(sender, n);
    }),
  );
}

/** A number of INFO. @param {import('../../support/redis.mjs').Redis} redis @param {string} section @param {string} field */
export async function info(redis, section, field) {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(await redis.command('INFO', section))?.[1] ?? 0);
}
