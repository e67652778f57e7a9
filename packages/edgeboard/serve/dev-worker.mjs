/**
 * The worker as `npm start` serves it (`edgeboard-worker` is the module that is served, see wrangler.mjs), and as the checks of a deployment ask it. Never deployed. Beside what is deployed:
 *
 * - It answers `/` with the demo page, where it is given one.
 * - Its configuration has what only this machine has, and one that lacks a binding is refused (`src/edge/settings.rs`).
 * - A scheduled run can also be triggered at /cdn-cgi/handler/scheduled, as Cloudflare documents it. miniflare 5 answers at
 *   /cdn-cgi/local/scheduled only.
 */
import { env } from 'cloudflare:workers';

import Worker from 'edgeboard-worker';

export * from 'edgeboard-worker';

const TRIGGER = '/cdn-cgi/handler/scheduled';

/** See local.mjs. */
const { variables, page } = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(env.EDGEBOARD_LOCAL), (char) => char.charCodeAt(0))));
globalThis.edgeboardLocal = variables;

export default class extends Worker {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/' && page && ['GET', 'HEAD'].includes(request.method)) {
      return new Response(request.method === 'GET' ? page.html : null, { headers: page.headers });
    }
    if (pathname !== TRIGGER) return super.fetch(request);
    const scheduledTime = Number(searchParams.get('time') ?? Date.now());
    await super.scheduled({ cron: searchParams.get('cron') ?? '', scheduledTime, noRetry() {} });
    return new Response('ok');
  }
}
