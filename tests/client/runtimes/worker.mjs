/** The program in a Worker. */
import { run } from './program.mjs';

export default {
  /** @param {Request} request */
  async fetch(request) {
    return Response.json(await run(await request.json()));
  },
};
