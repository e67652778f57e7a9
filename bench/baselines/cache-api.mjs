/**
 * One response from the data center's cache, as Cloudflare's examples use the Cache API.
 */
export default {
  async fetch(request, env, context) {
    const cache = caches.default;
    const cached = await cache.match(request);
    if (cached) return cached;
    const headers = { ...env.HEADERS, 'cache-control': 'public, max-age=3600' };
    const response = new Response(env.ANSWER, { headers });
    context.waitUntil(cache.put(request, response.clone()));
    return response;
  },
};
