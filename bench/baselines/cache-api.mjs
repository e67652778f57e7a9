/**
 * One response from the data center's cache, as Cloudflare's examples use the Cache API.
 */
export default {
  /**
   * @param {Request} request
   * @param {{ ANSWER: string, HEADERS: Record<string, string> }} env
   * @param {{ waitUntil(work: Promise<unknown>): void }} context
   */
  async fetch(request, env, context) {
    const { default: cache } = /** @type {CacheStorage & { default: Cache }} */ (caches);
    const cached = await cache.match(request);
    if (cached) return cached;
    const headers = { ...env.HEADERS, 'cache-control': 'public, max-age=3600' };
    const response = new Response(env.ANSWER, { headers });
    context.waitUntil(cache.put(request, response.clone()));
    return response;
  },
};
