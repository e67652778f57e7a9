/**
 * Thousands of sites of run time: made, filled, read, idle for a week, suspended, and deleted while events come. One more site counts all the time,
 * and has what was sent to it, and nothing else, at the end.
 *
 * Days are simulated. Times are those of one machine, with Redis and D1 on it.
 */
import { say } from '../../packages/edgeboard/report.mjs';
import { createClock } from '../support/clock.mjs';
import { startDeployment } from '../support/deployment.mjs';
import { table } from './document.mjs';

const ADMIN_TOKEN = 'a-token-of-all-sites';
const NOW = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** Scheduled runs of the week are so far apart. */
const STEP_MS = 15 * MINUTE_MS;
const AT_ONCE = 16;
const MEMBERS = 20;
/** One in so many sites has a rolling window, which shows for days what was counted. */
const ROLLED = 10;
/** One in so many refuses an event while it is suspended, and one in ten is resumed before it is deleted. */
const SOME = 50;
const PAGE = 1_000;
const DUE = 'eb:sites{:}:due';

const BOARD = { weights: { view: 1 }, windows: ['day', 'all'], fresh: '1s' };
const SITE = { actions: { view: {} }, boards: { articles: BOARD, videos: BOARD } };
const WITH_ROLLED = { ...SITE, boards: { ...SITE.boards, rolled: { weights: { view: 1 }, windows: ['last-3-days'], fresh: '1s' } } };

/**
 * @typedef {object} Figures
 * @property {number} sites
 * @property {number} members
 * @property {Record<string, { ms: number, commands: number }>} steps by name, of each site
 * @property {{ filled: number, idle: number, deleted: number }} bytes of Redis
 * @property {{ runs: number, commands: number, ms: number }} week
 * @property {{ commands: number, ms: number }} idle an hour of runs when nothing shows any more; ms of one
 * @property {number} listMs a page of 1,000
 * @property {{ runs: number, ms: number, longestMs: number }} deletion
 * @property {Record<string, number>} meanwhile what events were answered while sites were deleted
 * @property {string[]} wrong
 */

/** Each site has a server of its own: one that asks for many sites is limited. @param {string} site */
const addressOf = (site) => {
  const i = Number(site.split('-')[1] ?? 0);
  return { 'cf-connecting-ip': `198.18.${Math.floor(i / 250)}.${1 + (i % 250)}` };
};

/** @param {{ sites: number }} options @returns {Promise<Figures>} */
export async function proveSites({ sites: many }) {
  const clocks = [createClock(), createClock()];
  for (const clock of clocks) clock.set(NOW);
  const vars = { ADMIN_TOKEN, SITES_SECRET: 'a-secret-of-which-others-are-derived' };
  const [clock, edgeClock] = clocks;
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars, clock, edgeClock });
  try {
    return await measure(deployment, many);
  } finally {
    await deployment.stop();
  }
}

/** @param {import('../support/deployment.mjs').Deployment} deployment @param {number} many @returns {Promise<Figures>} */
async function measure(deployment, many) {
  const names = Array.from({ length: many }, (_, i) => `site-${i}`);
  /** @type {Map<string, string>} */
  const tokens = new Map();
  /** @type {string[]} */
  const wrong = [];
  /** @type {Figures['steps']} */
  const steps = {};
  const { redis } = deployment;
  const bytes = async () => Number(/^used_memory_dataset:(\d+)/m.exec(await redis.command('INFO', 'memory'))?.[1]);
  const later = (/** @type {number} */ ms) => {
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(ms);
  };
  const commands = async (/** @type {() => Promise<unknown>} */ work) =>
    Object.values(await deployment.commandsDuring(work)).reduce((sum, of) => sum + of, 0);
  const ask = (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body = undefined) => {
    const init = {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    return deployment.fetch(`/v1/admin/sites${path}`, init);
  };
  const send = (/** @type {string} */ site, /** @type {string[]} */ items) => {
    const events = items.map((item) => ({ action: 'view', item }));
    return deployment.events({ events }, { site, headers: { authorization: `Bearer ${tokens.get(site)}`, ...addressOf(site) } });
  };
  const expect = (/** @type {boolean} */ holds, /** @type {string} */ text) => {
    if (!holds && wrong.length < 20) wrong.push(text);
  };
  /** @param {string} name @param {(site: string, i: number) => Promise<unknown>} work */
  async function step(name, work) {
    const began = performance.now();
    const total = await commands(async () => {
      let next = 0;
      const go = async () => {
        for (let i = next; i < many; i = next) {
          next += 1;
          await work(names[i], i);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, go));
    });
    steps[name] = { ms: (performance.now() - began) / many, commands: total / many };
    say(`${name}: ${steps[name].ms.toFixed(2)} ms and ${steps[name].commands.toFixed(1)} commands each`);
  }
  async function run() {
    const began = performance.now();
    await deployment.worker.scheduled();
    return performance.now() - began;
  }

  const before = await bytes();
  await step('made', async (site, i) => {
    const { status, body } = await ask('PUT', `/${site}`, i % ROLLED === 0 ? WITH_ROLLED : SITE);
    expect(status === 201, `${site} is made: ${status}`);
    tokens.set(site, body.issued?.write);
  });
  await ask('PUT', '/kept', SITE).then(({ body }) => tokens.set('kept', body.issued.write));
  await step('filled', async (site) => {
    const items = Array.from({ length: MEMBERS }, (_, j) => `/${site}/${j}`);
    const { status, body } = await send(site, items);
    expect(status === 200 && body.accepted === MEMBERS, `${site} is filled: ${status}`);
  });
  const filled = (await bytes()) - before;
  let sent = 0;
  const sendKept = async () => {
    const { status } = await send('kept', ['/kept']);
    expect(status === 200, `the one that is kept counts: ${status}`);
    sent += 1;
  };
  await sendKept();
  const ownAlone = (/** @type {any} */ body, /** @type {string} */ site) =>
    body?.total === MEMBERS && body.entries.every((/** @type {{ id: string }} */ { id }) => id.startsWith(`/${site}/`));
  await step('read', async (site) => {
    const { status, body } = await deployment.fetch(`/v1/${site}/boards/articles/all`, { headers: addressOf(site) });
    expect(status === 200 && ownAlone(body, site), `${site} has its own members: ${status}`);
  });

  /** @type {{ runs: number, commands: number, ms: number }} */
  const week = { runs: 0, commands: 0, ms: 0 };
  const until = deployment.clock.now() + WEEK_MS;
  week.commands = await commands(async () => {
    for (let looks = 1; looks > 0; looks = await redis.command('ZCARD', DUE)) {
      if (deployment.clock.now() >= until) break;
      later(STEP_MS);
      week.ms += await run();
      week.runs += 1;
      if (week.runs % 100 === 0) say(`a week passes: ${week.runs} runs, ${looks} sites to be looked at`);
      // The place of the set itself stays.
      if (looks === 1 && week.runs > 1) break;
    }
  });
  if (deployment.clock.now() < until) later(until - deployment.clock.now());
  await run();
  const idle = { commands: 0, ms: 0 };
  idle.commands = await commands(async () => {
    for (let i = 0; i < 60; i += 1) {
      later(MINUTE_MS);
      idle.ms += (await run()) / 60;
    }
  });
  const idleBytes = (await bytes()) - before;

  let [listMs, pages, listed] = [0, 0, 0];
  for (let cursor = ''; cursor !== null; pages += 1) {
    const began = performance.now();
    const { body } = await ask('GET', `?limit=${PAGE}${cursor && `&cursor=${cursor}`}`);
    listMs += performance.now() - began;
    listed += body.sites.length;
    cursor = body.next;
  }
  expect(listed === many + 1, `${listed} sites are listed`);
  await step('suspended', async (site) => {
    const { status } = await ask('PUT', `/${site}/state`, { state: 'suspended' });
    expect(status === 200, `${site} is suspended: ${status}`);
  });
  later(MINUTE_MS);
  for (const site of names.filter((_, i) => i % SOME === 0)) {
    const { status, body } = await send(site, ['/late']);
    expect(status === 403 && body.code === 'site-suspended', `${site} refuses events: ${status}`);
  }
  // The others are deleted as they are.
  for (const site of names.filter((_, i) => i % 10 === 1)) {
    const { status } = await ask('PUT', `/${site}/state`, { state: 'active' });
    expect(status === 200, `${site} is resumed: ${status}`);
  }

  /** @type {Record<string, number>} */
  const meanwhile = {};
  let isDeleted = false;
  const visitors = Array.from({ length: 4 }, async (_, visitor) => {
    for (let i = visitor; !isDeleted; i += 7) {
      const { status, body } = await send(names[i % many], ['/late']);
      const answer = `${status} ${body?.code ?? ''}`.trim();
      meanwhile[answer] = (meanwhile[answer] ?? 0) + 1;
      if (visitor === 0 && i % 50 < 7) await sendKept();
    }
  });
  await step('deleted', async (site) => {
    const { status } = await ask('DELETE', `/${site}`);
    expect(status === 202, `${site} goes: ${status}`);
  });
  const deletion = { runs: 0, ms: 0, longestMs: 0 };
  later(2 * MINUTE_MS);
  for (let remaining = many; remaining > 0 && deletion.runs < many + 100; ) {
    later(MINUTE_MS);
    const ms = await run();
    deletion.runs += 1;
    deletion.ms += ms;
    deletion.longestMs = Math.max(deletion.longestMs, ms);
    remaining = (await ask('GET', '?limit=1')).body.total - 1;
    if (deletion.runs % 20 === 0) say(`${remaining} sites are left`);
  }
  isDeleted = true;
  await Promise.all(visitors);
  for (const answer of Object.keys(meanwhile))
    expect(
      ['200', '403 site-suspended', '410 site-going', '404 unknown-site', '401 unauthorized'].includes(answer),
      `an event is answered ${answer}`,
    );

  let [cursor, remaining] = ['0', 0];
  do {
    const [next, keys] = await redis.command('SCAN', cursor, 'MATCH', 'eb:{site-*', 'COUNT', '1000');
    [cursor, remaining] = [next, remaining + keys.length];
  } while (cursor !== '0');
  expect(remaining === 0, `${remaining} keys of sites that are gone`);
  const { body: kept } = await deployment.freshTop('articles/all', '', 'kept');
  expect(kept.total === 1 && kept.entries[0]?.score === sent, `the one that is kept has ${JSON.stringify(kept.entries)} of ${sent}`);
  const deleted = await deployment.top('articles/all', '', names[0]);
  expect(deleted.status === 404, `a site that is gone is answered ${deleted.status}`);
  return {
    sites: many,
    members: MEMBERS,
    steps,
    bytes: { filled, idle: idleBytes, deleted: (await bytes()) - before },
    week,
    idle,
    listMs: listMs / pages,
    deletion,
    meanwhile,
    wrong,
  };
}

/** @param {Figures} figures */
export function renderSites({ sites, members, steps, bytes, week, idle, listMs, deletion, meanwhile }) {
  const mb = (/** @type {number} */ of) => `${(of / 1e6).toFixed(1)} MB`;
  const rows = Object.entries(steps).map(([name, { ms, commands }]) => [name, `${ms.toFixed(1)} ms`, commands.toFixed(1)]);
  const answers = Object.entries(meanwhile).map(([answer, times]) => `${times.toLocaleString('en')} with ${answer}`);
  return [
    `${sites.toLocaleString('en')} sites with ${members} members on each board; ${AT_ONCE} requests at a time.`,
    table(['a site is', 'time', 'commands'], rows),
    `Redis: ${mb(bytes.filled)} when they were filled, ${mb(bytes.idle)} after a week, ${mb(bytes.deleted)} when they were gone.`,
    `A week without events: ${(week.commands / sites).toFixed(1)} commands a site, ${(week.ms / week.runs).toFixed(0)} ms a run while some were due.`,
    `An hour of runs then: ${idle.commands} commands, ${idle.ms.toFixed(1)} ms a run. A list of ${PAGE.toLocaleString('en')}: ${listMs.toFixed(0)} ms.`,
    `Deletion: ${deletion.runs} runs of ${(deletion.ms / deletion.runs).toFixed(0)} ms, the longest ${deletion.longestMs.toFixed(0)} ms.`,
    `Events meanwhile: ${answers.join(', ')}.`,
  ].join('\n\n');
}
