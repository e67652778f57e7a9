/** Answers what a worker on workerd sees; tests of the harness ask it. */
import { connect } from 'cloudflare:sockets';

export default {
  /** @param {Request} request @param {{ REDIS_PORT: number }} env */
  async fetch(request, env) {
    switch (new URL(request.url).pathname) {
      case '/now':
        return Response.json(Date.now());
      case '/vars':
        return Response.json(env);
      case '/redis':
        return new Response(await ping(env.REDIS_PORT));
      case '/throw':
        console.error('about to throw');
        throw new Error('thrown by the probe');
      default:
        return Response.redirect(new URL('/now', request.url).href, 302);
    }
  },
  /** @param {{ cron: string, scheduledTime: number }} controller */
  async scheduled(controller) {
    console.log(`cron ${controller.cron} at ${controller.scheduledTime}`);
  },
};

/** @param {number} port */
async function ping(port) {
  const socket = connect({ hostname: '127.0.0.1', port });
  await socket.writable.getWriter().write(new TextEncoder().encode('PING\r\n'));
  const { value } = await socket.readable.getReader().read();
  await socket.close();
  return new TextDecoder().decode(value);
}
