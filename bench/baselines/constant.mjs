/**
 * The least a Worker can do: a ranking's bytes as a constant, with the headers anyone would set by hand.
 */
import { env } from 'cloudflare:workers';

const { ANSWER } = env;

export default {
  fetch() {
    return new Response(ANSWER, {
      headers: {
        'content-type': 'application/json',
        'cache-control': 'public, max-age=2',
        'access-control-allow-origin': '*',
      },
    });
  },
};
