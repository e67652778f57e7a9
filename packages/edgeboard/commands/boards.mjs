/**
 * `edgeboard boards`: the boards of templates of a deployment, by the routes that administrators have.
 */
import { addressOf, askerOf, tokenOf } from '../deploy/administrator.mjs';
import { Problem } from '../report.mjs';
import { NAMED, NAMED_USAGE, readOptions } from './options.mjs';

/** Boards of a page: as many as the route answers. */
const PAGE = 1_000;
const VERBS = ['list', 'make', 'end', 'archive', 'open', 'delete'];

const USAGE = `
Usage: npx edgeboard boards URL list SITE TEMPLATE [--json]
       npx edgeboard boards URL make SITE BOARD… [--title TEXT] [--starts INSTANT] [--ends INSTANT] [--by NAME]
       npx edgeboard boards URL end SITE BOARD… [--by NAME]
       npx edgeboard boards URL archive SITE BOARD… [--by NAME]
       npx edgeboard boards URL open SITE BOARD… [--by NAME]
       npx edgeboard boards URL delete SITE BOARD… --yes [--by NAME]

Lists, makes, ends, archives, opens and deletes boards of templates, such as level:42, of a site of the deployment at URL. It prints a line for each board: its
name, state, beginning, end and title. Making a board that is there replaces what is said of it. One that has ended takes no events, and is
read on. One that has ended can be kept in the archive alone, and opened again from there. One that is deleted loses all that it counted, some minutes later. The first board that is refused ends the command with exit status 1;
those before it are done.

Options:
  --json           a line of JSON for each board, as the deployment answers it
  --title TEXT     what it is called
  --starts INSTANT when it begins to take events, such as 2026-12-01T00:00:00Z; at once by default
  --ends INSTANT   when it takes no more; never by default
  --by NAME        who does it, for the audit log
  --yes            delete what cannot be brought back
${NAMED_USAGE}

Environment:
  ADMIN_TOKEN      of the deployment, or ADMIN_TOKEN_SITE of the site; else that of .prod.vars, or of .prod.vars.NAME with --env
`;

const OPTIONS = /** @type {const} */ ({
  ...NAMED,
  json: { type: 'boolean' },
  title: { type: 'string' },
  starts: { type: 'string' },
  ends: { type: 'string' },
  by: { type: 'string' },
  yes: { type: 'boolean' },
});

/** @typedef {{ board: string, state: string, title: string | null, starts_at: string | null, ends_at: string | null }} Made */

/** @param {string[]} args */
async function main(args) {
  const { values, positionals } = readOptions(args, OPTIONS, { positionals: Number.POSITIVE_INFINITY });
  const [address, verb, site, ...names] = positionals;
  const wrong = (/** @type {string} */ text) => new Problem(text, { exitCode: 2 });
  const url = addressOf(address);
  if (!VERBS.includes(verb)) throw wrong(`${verb ?? 'nothing'} is not allowed behind the address; allowed: ${VERBS.join(', ')}`);
  if (names.length === 0) throw wrong(`${verb} needs a site and ${verb === 'list' ? 'a template' : 'a board, such as level:42'}`);
  if (verb === 'list' && names.length > 1) throw wrong(`${names[1]} is not allowed; allowed: one template`);
  if (verb === 'delete' && !values.yes) throw wrong(`what ${names.join(', ')} counted cannot be brought back; --yes deletes it`);

  const token = await tokenOf(values, [`ADMIN_TOKEN_${site.toUpperCase().replaceAll('-', '_')}`, 'ADMIN_TOKEN']);
  const details = { title: values.title ?? null, starts_at: values.starts ?? null, ends_at: values.ends ?? null };
  const boards = boardsOf({ ask: askerOf(url, token), site, by: values.by });
  for await (const made of boards.do(verb, names, details)) {
    const { board, state, starts_at: starts, ends_at: ends, title } = made;
    console.log(values.json ? JSON.stringify(made) : [board, state, starts ?? '-', ends ?? '-', title ?? ''].join('\t').trimEnd());
  }
}

/**
 * What can be done to the boards of templates of a site.
 *
 * @param {object} of
 * @param {import('../deploy/administrator.mjs').Ask} of.ask
 * @param {string} of.site
 * @param {string} [of.by] for the audit log
 */
function boardsOf({ ask: askDeployment, site, by }) {
  /** @param {string} method @param {string} path @param {import('../deploy/administrator.mjs').Asked} [asked] */
  const ask = async (method, path, asked) => (await askDeployment(method, `/v1/${encodeURIComponent(site)}/admin/${path}`, asked)).json();
  /** @type {Record<string, string>} */
  const noted = by === undefined ? {} : { by };
  const pathOf = (/** @type {string} */ board) => `boards/${encodeURIComponent(board)}`;

  return {
    /** @param {string} verb @param {string[]} names of boards, or of a template @param {Pick<Made, 'title' | 'starts_at' | 'ends_at'>} details @returns {AsyncGenerator<Made>} */
    async *do(verb, names, details) {
      if (verb === 'list') {
        for (let cursor = ''; cursor !== null; ) {
          const query = { limit: String(PAGE), ...(cursor && { cursor }) };
          const page = await ask('GET', `templates/${encodeURIComponent(names[0])}`, { query });
          yield* page.boards;
          cursor = page.next;
        }
        return;
      }
      for (const board of names) {
        if (verb === 'make') yield ask('PUT', pathOf(board), { query: noted, body: details });
        if (verb === 'archive') yield ask('PUT', `${pathOf(board)}/archive`, { query: noted });
        if (verb === 'open') yield ask('DELETE', `${pathOf(board)}/archive`, { query: noted });
        if (verb === 'delete') yield ask('DELETE', pathOf(board), { query: noted });
        if (verb !== 'end') continue;
        const { title, starts_at } = await ask('GET', pathOf(board));
        yield ask('PUT', pathOf(board), { query: noted, body: { title, starts_at, ends_at: new Date().toISOString() } });
      }
    },
  };
}

export const boards = { about: 'lists, makes, ends, archives and deletes boards of templates', usage: USAGE, main };
