/**
 * The worker as `npm start` serves it. A scheduled run can also be triggered at /cdn-cgi/handler/scheduled, as Cloudflare
 * documents it. miniflare 5 answers at /cdn-cgi/local/scheduled only. Never deployed.
 */
import Worker from '../../build/index.js';

export * from '../../build/index.js';

const TRIGGER = '/cdn-cgi/handler/scheduled';

export default class extends Worker {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== TRIGGER) return super.fetch(request);
    const scheduledTime = Number(searchParams.get('time') ?? Date.now());
    await super.scheduled({ cron: searchParams.get('cron') ?? '', scheduledTime, noRetry() {} });
    return new Response('ok');
  }
}
