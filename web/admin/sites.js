/** The sites that are made at run time: how they are, and what becomes of them. Only the token of all sites shows them. */
import { button, byId, element, formOf, onClick, row, selectOf, shown } from './page.js';
import { ask, onBegin } from './session.js';
import { whenSure } from './sure.js';

/** Sites of a page: what each uses is asked for one by one. */
const PAGE = '20';
/** There are none, the token is of one site, or nobody can tell now. */
const HIDDEN = [401, 404, 429, 503];
const OF_ALL = '/v1/admin';

/** @typedef {{ boards: number, members: number, commands_per_month: number }} Quota */
/** @typedef {{ site: string, state: string, changed_at: string, configuration: { quota?: Partial<Quota> }, used?: Quota, refused?: string }} Site */

onBegin(() => {
  byId('sites').hidden = true;
  byId('made-sites').replaceChildren();
  byId('sites-note').textContent = '';
});

/** Lets them be listed, where the token may. */
export async function offerSites() {
  const { status } = await ask('sites', { below: OF_ALL, query: { limit: '1' }, but: HIDDEN });
  byId('sites').hidden = status !== 200;
}

/** @param {string} cursor */
async function showSites(cursor = '') {
  const { sites, total, next } = (await ask('sites', { below: OF_ALL, query: { limit: PAGE, cursor } })).body;
  const answers = await Promise.all(sites.map((/** @type {Site} */ { site }) => ask(`sites/${site}`, { below: OF_ALL, but: [404] })));
  const list = byId('made-sites');
  if (!cursor) list.replaceChildren();
  list.append(...answers.filter(({ status }) => status === 200).map(({ body }) => rowOf(body)));
  byId('sites-note').textContent = `${total.toLocaleString()} sites were made at run time. `;
  if (next) byId('sites-note').append(button('More', '', () => showSites(next)));
}

/** @param {Site} of */
function rowOf({ site, state, changed_at: changed, configuration, used, refused }) {
  const use = (/** @type {keyof Quota} */ option) => {
    const most = configuration?.quota?.[option];
    return used ? `${used[option].toLocaleString()}${most === undefined ? '' : ` of ${most.toLocaleString()}`}` : '–';
  };
  const actions = element('span');
  actions.className = 'actions';
  if (state !== 'going') {
    actions.append(button('Show', site, () => show(site)));
    actions.append(
      state === 'active' ? button('Suspend…', site, () => suspend(site)) : button('Resume', site, () => change(site, 'active')),
    );
    actions.append(button('Delete…', site, () => remove(site)));
  }
  return row(
    site,
    refused ? `refused: ${refused}` : state,
    shown(changed),
    use('boards'),
    use('members'),
    use('commands_per_month'),
    actions,
  );
}

/** @param {string} site */
function show(site) {
  const select = selectOf('who', 'site');
  if (!Array.from(select.options).some(({ value }) => value === site)) select.append(new Option(site));
  select.value = site;
  formOf('who').requestSubmit();
}

/** @param {string} site @param {string} state */
async function change(site, state) {
  await ask(`sites/${site}/state`, { below: OF_ALL, method: 'PUT', body: { state } });
  await showSites();
  return `${site} is ${state}.`;
}

/** @param {string} site */
function suspend(site) {
  const text = `${site} counts and changes nothing, within a minute everywhere. It is read on, and can be resumed.`;
  return whenSure({ what: 'Suspend it', text }, () => change(site, 'suspended'));
}

/** @param {string} site */
function remove(site) {
  const text = `All that ${site} has goes for good, two minutes from now. Readers are answered 410 from now on. npx edgeboard sites exports it before.`;
  return whenSure({ what: 'Delete it', text, name: site }, async () => {
    await ask(`sites/${site}`, { below: OF_ALL, method: 'DELETE' });
    await showSites();
    return `${site} is being deleted.`;
  });
}

onClick('sites-look', () => showSites());
