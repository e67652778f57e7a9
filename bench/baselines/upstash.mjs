/**
 * A leaderboard as the tutorials on Workers and Upstash write it: one sorted set, ZINCRBY for a click, ZRANGE for the
 * ten best. No windows, no protection from counting twice, no cache.
 */
import { Redis } from '@upstash/redis/cloudflare';

const KEY = 'leaderboard';

export default {
  /** @param {Request} request @param {Parameters<typeof Redis.fromEnv>[0]} env */
  async fetch(request, env) {
    const redis = Redis.fromEnv(env);
    if (request.method === 'POST') {
      const { item } = await request.json();
      await redis.zincrby(KEY, 1, item);
      return new Response(null, { status: 204 });
    }
    const flat = await redis.zrange(KEY, 0, 9, { rev: true, withScores: true });
    const entries = [];
    for (let i = 0; i < flat.length; i += 2) entries.push({ rank: i / 2 + 1, id: flat[i], score: flat[i + 1] });
    return Response.json({ entries });
  },
};
