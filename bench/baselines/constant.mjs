/**
 * The least a Worker can do: one response as a constant, with the headers it is given.
 */
import { env } from 'cloudflare:workers';

const { ANSWER, HEADERS } = /** @type {{ ANSWER: string, HEADERS: Record<string, string> }} */ (env);

export default {
  fetch() {
    return new Response(ANSWER, { headers: HEADERS });
  },
};
