/**
 * A leaderboard as the tutorials on Workers and Upstash write it: ZINCRBY for a click, ZRANGE for the ten best. There are as many
 * sorted sets as WINDOWS says, and all increments of a request travel in one pipeline. No periods that end, no protection from
 * counting twice, no cache.
 */
import { Redis } from '@upstash/redis/cloudflare';

const KEY = 'leaderboard';

export default {
  /** @param {Request} request @param {Parameters<typeof Redis.fromEnv>[0] & { WINDOWS?: number }} env */
  async fetch(request, env) {
    const redis = Redis.fromEnv(env);
    if (request.method === 'POST') {
      const { events } = await request.json();
      const pipeline = redis.pipeline();
      for (const { item } of events) {
        for (let window = 0; window < (env.WINDOWS ?? 1); window += 1) pipeline.zincrby(`${KEY}:${window}`, 1, item);
      }
      await pipeline.exec();
      return new Response(null, { status: 204 });
    }
    const flat = await redis.zrange(`${KEY}:0`, 0, 9, { rev: true, withScores: true });
    const entries = [];
    for (let i = 0; i < flat.length; i += 2) entries.push({ rank: i / 2 + 1, id: flat[i], score: flat[i + 1] });
    return Response.json({ entries });
  },
};
