/**
 * `edgeboard doctor`: asks a deployment what is wrong with it, by the routes that everybody has, and with ADMIN_TOKEN those of
 * administrators.
 */
import { version } from '../about.mjs';
import { prepare } from '../configuration/prepare.mjs';
import { sitesOf } from '../configuration/read.mjs';
import { describeShort } from '../configuration/tokens.mjs';
import { fileOf, readSecrets } from '../deploy/secrets.mjs';
import { Problem } from '../report.mjs';
import { costs } from '../serve/ready.mjs';
import { NAMED, NAMED_USAGE, readOptions } from './options.mjs';

const ASK_MS = 15_000;
/** Upkeep runs each minute, and may miss one. */
const LATE_MS = 5 * 60_000;
/** As the worker has it: below that the clocks may differ by what a request takes. */
const CLOCK_S = 60;

const USAGE = `
Usage: npx edgeboard doctor URL [--config FILE] [--env NAME]

Asks the deployment at URL what is wrong with it, and says what to do: its version, Redis, its functions, clock and eviction, bindings, the cron
trigger, tokens, and the origins of the sites of the configuration. The exit status is 0 where nothing is wrong, else 1.

${NAMED_USAGE}

Environment:
  ADMIN_TOKEN  of the deployment; else that of .prod.vars, or of .prod.vars.NAME with --env. Without one the cron trigger and the clock are not looked at
`;

/**
 * @typedef {'right' | 'wrong' | 'costly' | 'unknown'} Verdict
 * @typedef {{ about: string, verdict: Verdict, line: string }} Finding
 */

/** @param {string[]} args */
async function main(args) {
  const { values, positionals } = readOptions(args, NAMED, { positionals: 1 });
  const [url] = positionals;
  if (url === undefined || !/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Problem(`the address is ${JSON.stringify(url ?? null)}; allowed: that of a deployment, such as https://edge.example.com`, {
      exitCode: 2,
    });
  }
  const { configuration } = await prepare(values);
  const token = process.env.ADMIN_TOKEN || readSecrets(fileOf(configuration.wranglerEnvironment)).ADMIN_TOKEN;
  let wrong = 0;
  for await (const { about, verdict, line } of examine({ url, sites: sitesOf(configuration), token, version })) {
    if (verdict === 'wrong') wrong += 1;
    console.log(`${{ right: 'ok   ', wrong: 'WRONG', costly: 'costs', unknown: '?    ' }[verdict]}  ${about.padEnd(10)} ${line}`);
  }
  if (wrong > 0) throw new Problem(`\n${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong`);
}

/**
 * @param {object} asked
 * @param {string} asked.url
 * @param {Record<string, any>} asked.sites of the configuration
 * @param {string} [asked.token]
 * @param {string} asked.version of this package
 * @returns {AsyncGenerator<Finding>}
 */
export async function* examine({ url, sites, token, version }) {
  const ask = async (/** @type {string} */ path, /** @type {RequestInit} */ init = {}) => {
    const response = await fetch(new URL(path, url), { redirect: 'manual', signal: AbortSignal.timeout(ASK_MS), ...init });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };

  let health;
  try {
    health = await ask('/healthz');
  } catch (error) {
    yield { about: 'address', verdict: 'wrong', line: `${url} does not answer: ${error.cause?.message ?? error.message}` };
    return;
  }
  yield versionOf(health, version);
  if (health.body?.status !== 'ok') return;

  yield* readiness(await ask('/readyz'));

  for (const site of Object.keys(sites)) {
    const boards = await ask(`/v1/${site}/boards`);
    yield boards.status === 200
      ? { about: 'site', verdict: 'right', line: `${site} is there` }
      : {
          about: 'site',
          verdict: 'wrong',
          line: `${site} is answered ${boards.status}: ${boards.body?.detail ?? 'deploy the configuration that has it'}`,
        };
    if (boards.status !== 200) continue;
    for (const origin of sites[site].origins ?? []) yield await originOf(origin, site, ask);
  }

  yield* administration(Object.keys(sites)[0], token, ask);
}

/** @typedef {{ status: number, headers: Headers, text: string, body: any }} Answer */
/** @typedef {(path: string, init?: RequestInit) => Promise<Answer>} Ask */

/** @param {Answer} health @param {string} own @returns {Finding} */
function versionOf({ status, body }, own) {
  const about = 'version';
  if (body?.code === 'configuration-invalid') return { about, verdict: 'wrong', line: body.detail };
  if (body?.status !== 'ok') return { about, verdict: 'wrong', line: `/healthz is answered ${status}, by something that is no edgeboard` };
  if (body.version === own) return { about, verdict: 'right', line: `${own}, commit ${body.commit}` };
  return {
    about,
    verdict: 'wrong',
    line: `${body.version} is deployed, and this is ${own}: npx edgeboard deploy, or install the other one`,
  };
}

/** @param {Answer} ready @returns {Generator<Finding>} */
function* readiness({ status, body }) {
  if (status !== 200) {
    const about = body?.code === 'binding-missing' ? 'bindings' : 'Redis';
    yield { about, verdict: 'wrong', line: body?.detail ?? `/readyz is answered ${status}` };
    return;
  }
  yield { about: 'Redis', verdict: 'right', line: 'it counts' };
  const [cost] = costs(body);
  yield cost
    ? { about: 'functions', verdict: 'costly', line: cost }
    : { about: 'functions', verdict: 'right', line: 'Redis keeps them, and what they keep from call to call' };
  yield { about: 'bindings', verdict: 'right', line: 'none is missing' };
  yield body.maxmemory_policy
    ? {
        about: 'eviction',
        verdict: 'wrong',
        line: `maxmemory-policy is ${body.maxmemory_policy}; set noeviction, else a full Redis drops what was counted`,
      }
    : { about: 'eviction', verdict: 'right', line: 'Redis keeps what was counted' };
  if (body.status === 'clock-differs') {
    yield { about: 'clock', verdict: 'wrong', line: "Redis's clock differs by more than an hour: set that of its machine by NTP" };
  } else if (body.status !== 'ready') {
    yield {
      about: 'data',
      verdict: 'wrong',
      line: `${body.status}: Redis lost something; see "When Redis lost something" in the documentation`,
    };
  }
}

/** Whether a page of it may read, and send. @param {string} origin @param {string} site @param {Ask} ask @returns {Promise<Finding>} */
async function originOf(origin, site, ask) {
  const about = 'origin';
  if (origin === '*') return { about, verdict: 'right', line: `pages of every origin count for ${site}` };
  // A preflight counts nothing.
  const headers = { origin, 'access-control-request-method': 'POST' };
  const { headers: answered, status } = await ask(`/v1/${site}/shelf`, { method: 'OPTIONS', headers });
  const allowed = answered.get('access-control-allow-origin');
  if (allowed === origin || allowed === '*') return { about, verdict: 'right', line: `pages of ${origin} may count for ${site}` };
  return {
    about,
    verdict: 'wrong',
    line: `pages of ${origin} may not count for ${site} (${status}): deploy the configuration that has it`,
  };
}

/** @param {string} site @param {string | undefined} token @param {Ask} ask @returns {AsyncGenerator<Finding>} */
async function* administration(site, token, ask) {
  const about = 'tokens';
  if (!token) {
    yield { about, verdict: 'unknown', line: 'ADMIN_TOKEN is missing, so the cron trigger and the clock were not looked at' };
    return;
  }
  const headers = { authorization: `Bearer ${token}` };
  const upkeep = await ask(`/v1/${site}/admin/upkeep`, { headers });
  if (upkeep.status !== 200) {
    yield { about, verdict: 'wrong', line: `ADMIN_TOKEN is answered ${upkeep.status}: ${upkeep.body?.detail ?? ''}` };
    return;
  }
  /** @type {string[]} */
  const short = upkeep.body.short_tokens ?? [];
  for (const name of short) yield { about, verdict: 'wrong', line: `${describeShort(name)}: npx edgeboard secrets ${name}` };
  if (short.length === 0) yield { about, verdict: 'right', line: 'ADMIN_TOKEN is accepted, and none is short' };
  yield cronOf(upkeep.body);
  const { text } = await ask(`/v1/${site}/admin/metrics`, { headers });
  const difference = /^edgeboard_clock_difference_seconds(?:\{.*\})? (-?[\d.e+-]+)$/m.exec(text)?.[1];
  if (difference === undefined) yield { about: 'clock', verdict: 'unknown', line: 'the metrics have no difference of the clocks yet' };
  else if (Math.abs(Number(difference)) < CLOCK_S) yield { about: 'clock', verdict: 'right', line: `Redis's differs by ${difference} s` };
  else yield { about: 'clock', verdict: 'wrong', line: `Redis's is ahead by ${difference} s: set that of its machine by NTP` };
}

/** @param {{ windows: { last_run?: string | null }[] }} upkeep @returns {Finding} */
function cronOf({ windows }) {
  const about = 'cron';
  const last = windows.flatMap(({ last_run: run }) => (run ? [Date.parse(run)] : []));
  if (windows.length === 0) return { about, verdict: 'unknown', line: 'no rolling window shows when it ran' };
  if (last.length === 0) return { about, verdict: 'wrong', line: 'it has not run yet: deploy anew where that stays so for some minutes' };
  const age = Date.now() - Math.max(...last);
  const line = `it last ran ${Math.max(0, Math.round(age / 1000))} s ago`;
  return age < LATE_MS
    ? { about, verdict: 'right', line }
    : { about, verdict: 'wrong', line: `${line}: the cron trigger is missing; deploy anew` };
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const doctor = { about: 'asks a deployment what is wrong with it', usage: USAGE, main };
