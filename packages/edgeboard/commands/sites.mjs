/**
 * `edgeboard sites`: the sites that a deployment makes while it runs.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { addressOf, askerOf, Refused, tokenOf } from '../deploy/administrator.mjs';
import { exportSite } from '../deploy/export.mjs';
import { importSite } from '../deploy/import.mjs';
import { Problem, say } from '../report.mjs';
import { NAMED, NAMED_USAGE, readOptions } from './options.mjs';

/** Sites of a page: as many as the route answers. */
const PAGE = 1_000;
const LOOK_MS = 5_000;
/** What is issued, as the worker and its clients call it. @type {Record<string, string>} */
const ISSUED = { write: 'WRITE_TOKEN', admin: 'ADMIN_TOKEN', actor: 'ACTOR_SECRET', forward: 'FORWARD_SECRET' };

const USAGE = `
Usage: npx edgeboard sites URL list [--json]
       npx edgeboard sites URL show SITE
       npx edgeboard sites URL make SITE FILE
       npx edgeboard sites URL change SITE FILE
       npx edgeboard sites URL suspend SITE…
       npx edgeboard sites URL resume SITE…
       npx edgeboard sites URL replace SITE write|admin|actor|forward [--end]
       npx edgeboard sites URL export SITE FILE
       npx edgeboard sites URL import SITE FILE
       npx edgeboard sites URL delete SITE… --yes [--wait]

Administers the sites that the deployment at URL makes while it runs.

  list       a line for each: its name, state, version, when it was made and changed
  show       what is known of one, as JSON: its configuration, what it uses of its quota
  make       makes one of a configuration: the options of [vars.SITES.NAME] as JSON, or - for standard input. Prints its tokens, which are shown once
  change     replaces the configuration of one
  suspend    counts and changes nothing there from now on; it is read on
  resume     counts there again
  replace    issues another token or secret and prints it. The old one is valid until --end ends it
  export     writes all that it has to a file, and goes on with a file that is not whole
  import     makes a site of a file, if it is not there, and puts back what the file has
  delete     deletes it with all that it has, some minutes later

The first site that is refused ends the command with exit status 1; those before it are done.

Options:
  --json           a line of JSON for each site, as the deployment answers it
  --end            end the older one of two tokens
  --yes            delete what cannot be brought back
  --wait           until everything is deleted
${NAMED_USAGE}

Environment:
  ADMIN_TOKEN      of the deployment; else that of .prod.vars, or of .prod.vars.NAME with --env
`;

const OPTIONS = /** @type {const} */ ({
  ...NAMED,
  json: { type: 'boolean' },
  end: { type: 'boolean' },
  yes: { type: 'boolean' },
  wait: { type: 'boolean' },
});

/** @typedef {{ site: string, state: string, version: number, made_at: string, changed_at: string }} Listed */
/** @typedef {{ keys: number, objects: number, rows: number }} Deleted */
/** @typedef {Listed & { configuration: object, issued?: Record<string, string>, deleted?: Deleted }} Site */
/** @typedef {{ ask: import('../deploy/administrator.mjs').Ask, values: { json?: boolean, end?: boolean, wait?: boolean } }} Context */

/**
 * What each does, and what stands behind it: names of sites, or exactly these.
 *
 * @type {Record<string, { needs: string[] | 'sites', run: (context: Context, ...names: string[]) => Promise<void> }>}
 */
const VERBS = {
  list: { needs: [], run: list },
  show: { needs: ['a site'], run: async (context, site) => console.log(JSON.stringify(await find(context, site), undefined, 2)) },
  make: { needs: ['a site', 'a file'], run: make },
  change: { needs: ['a site', 'a file'], run: change },
  suspend: { needs: 'sites', run: (context, ...sites) => setStates(context, 'suspended', sites) },
  resume: { needs: 'sites', run: (context, ...sites) => setStates(context, 'active', sites) },
  replace: { needs: ['a site', 'a kind'], run: replace },
  export: { needs: ['a site', 'a file'], run: ({ ask }, site, file) => exportSite(ask, site, file) },
  import: { needs: ['a site', 'a file'], run: bringIn },
  delete: { needs: 'sites', run: remove },
};

/** @param {string[]} args */
async function main(args) {
  const { values, positionals } = readOptions(args, OPTIONS, { positionals: Number.POSITIVE_INFINITY });
  const [address, verb, ...names] = positionals;
  const wrong = (/** @type {string} */ text) => new Problem(text, { exitCode: 2 });
  const url = addressOf(address);
  if (!Object.hasOwn(VERBS, verb ?? ''))
    throw wrong(`${verb ?? 'nothing'} is not allowed behind the address; allowed: ${Object.keys(VERBS).join(', ')}`);
  const { needs, run } = VERBS[verb];
  const isRight = needs === 'sites' ? names.length > 0 : names.length === needs.length;
  if (!isRight) throw wrong(`${verb} needs ${(needs === 'sites' ? ['a site, or several'] : needs).join(' and ') || 'nothing else'}`);
  if (verb === 'replace' && !Object.hasOwn(ISSUED, names[1]))
    throw wrong(`${names[1]} is not allowed; allowed: ${Object.keys(ISSUED).join(', ')}`);
  if (verb === 'delete' && !values.yes) throw wrong(`what ${names.join(', ')} counted cannot be brought back; --yes deletes it`);
  const ask = askerOf(url, await tokenOf(values, ['ADMIN_TOKEN']));
  await run({ ask, values }, ...names);
}

const pathOf = (/** @type {string} */ site, rest = '') => `/v1/admin/sites/${encodeURIComponent(site)}${rest}`;

/** @param {Context} context */
async function list({ ask, values }) {
  for (let cursor = ''; cursor !== null; ) {
    const query = { limit: String(PAGE), ...(cursor && { cursor }) };
    const page = await (await ask('GET', '/v1/admin/sites', { query })).json();
    for (const site of page.sites) console.log(values.json ? JSON.stringify(site) : lineOf(site));
    cursor = page.next;
  }
}

/** @param {Listed} site */
const lineOf = ({ site, state, version, made_at: made, changed_at: changed }) => [site, state, version, made, changed].join('\t');

/** @param {Context} context @param {string} site @returns {Promise<Site>} */
const find = async ({ ask }, site) => (await ask('GET', pathOf(site))).json();

/** The same, or nothing where there is none. @param {Context} context @param {string} site */
const seek = (context, site) =>
  find(context, site).catch((error) => {
    if (error instanceof Refused && error.status === 404 && error.code === 'unknown-site') return undefined;
    throw error;
  });

/** @param {string} file */
function readObject(file) {
  const name = file === '-' ? 'standard input' : file;
  try {
    const read = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read;
  } catch (error) {
    throw new Problem(`${name} cannot be read: ${error.message}`);
  }
  throw new Problem(`${name} is no configuration; allowed: the options of [vars.SITES.NAME] as an object of JSON`);
}

/** @param {Site} made */
function print({ site, issued = {} }) {
  say(`${site} is made. Keep what follows: it is shown once`);
  for (const [kind, name] of Object.entries(ISSUED)) if (issued[kind]) console.log(`${name}=${issued[kind]}`);
}

/** @param {Context} context @param {string} site @param {object} configuration */
async function put({ ask }, site, configuration) {
  /** @type {Site} */
  const made = await (await ask('PUT', pathOf(site), { body: configuration })).json();
  return made;
}

/** @param {Context} context @param {string} site @param {string} file */
async function make(context, site, file) {
  const configuration = readObject(file);
  if (await seek(context, site)) throw new Problem(`the site ${site} is there; change replaces its configuration`);
  print(await put(context, site, configuration));
}

/** @param {Context} context @param {string} site @param {string} file */
async function change(context, site, file) {
  const configuration = readObject(file);
  await find(context, site);
  console.log(lineOf(await put(context, site, configuration)));
}

/** @param {Context} context @param {string} state @param {string[]} sites */
async function setStates({ ask }, state, sites) {
  for (const site of sites) console.log(lineOf(await (await ask('PUT', pathOf(site, '/state'), { body: { state } })).json()));
}

/** @param {Context} context @param {string} site @param {string} kind */
async function replace({ ask, values }, site, kind) {
  const path = pathOf(site, `/tokens/${kind}`);
  if (values.end) {
    await ask('DELETE', path);
    return say(`the older ${ISSUED[kind]} of ${site} ends within a minute`);
  }
  const { issued } = await (await ask('POST', path)).json();
  say(`both are valid until replace ${site} ${kind} --end. Keep what follows: it is shown once`);
  console.log(`${ISSUED[kind]}=${issued}`);
}

/** @param {Context} context @param {string} site @param {string} file */
async function bringIn(context, site, file) {
  await importSite(context.ask, site, file, async (configuration) => {
    if (await seek(context, site)) return;
    print(await put(context, site, configuration));
  });
}

/** @param {Context} context @param {...string} sites */
async function remove(context, ...sites) {
  for (const site of sites) console.log(lineOf(await (await context.ask('DELETE', pathOf(site))).json()));
  for (const site of context.values.wait ? sites : []) {
    let reported = '';
    for (let going = await seek(context, site); going; going = await seek(context, site)) {
      const { keys = 0, objects = 0, rows = 0 } = going.deleted ?? {};
      const now = `${site}: ${keys} keys, ${objects} objects and ${rows} rows are deleted`;
      if (now !== reported) say(now);
      reported = now;
      await pause(LOOK_MS);
    }
    say(`${site} is gone, and its name is free`);
  }
}

export const sites = { about: 'administers the sites that a deployment makes while it runs', usage: USAGE, main };
