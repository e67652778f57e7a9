/** The page of administration: what is shown of which site, and when. */
import { redraw } from './chart.js';
import { showLetters } from './letters.js';
import { eraseActor, makeAlias, revoke } from './members.js';
import { settle, showOverview, showRestore } from './overview.js';
import './periods.js';
import { button, byId, element, fieldOf, formOf, onClick, onSubmit, row, say, selectOf, shown, tell, textOf } from './page.js';
import { boardsOf, showBoards } from './ranking.js';
import { admin, begin, current, forget, keep, kept, onBegin } from './session.js';
import { offerSites } from './sites.js';
import { showHistory } from './traffic.js';

const EVERY_MS = 5000;

onBegin(() => {
  byId('shown').hidden = true;
  for (const id of ['audit', 'restorable']) byId(id).replaceChildren();
  byId('restore-note').textContent = '';
  for (const part of document.querySelectorAll('details')) part.open = false;
  for (const form of ['change', 'revoke', 'erase', 'alias', 'make']) formOf(form).reset();
});

/** Shows the site that is chosen. */
async function enter() {
  say('');
  begin({ site: selectOf('who', 'site').value, token: fieldOf('who', 'token').value, by: textOf('who', 'by') });
  keep();
  // Another token reads metrics as well, and nothing else of this page.
  await admin('audit', { query: { limit: '1' } });
  await showOverview();
  await Promise.all([showBoards(), showHistory(), offerSites()]);
}

async function showAudit() {
  const { entries } = await admin('audit', { query: { limit: '100' } });
  const lines = entries.map((/** @type {any} */ { at, by, address, did, ...of }) => {
    const what = Object.entries(of).map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`);
    return row(shown(at), did, what.join(', '), by ?? '–', address ?? '–');
  });
  byId('audit').replaceChildren(...(lines.length > 0 ? lines : [element('tr', '', element('td', 'nothing'))]));
}

onSubmit('who', enter);
selectOf('who', 'site').addEventListener('change', () => current().token && tell(enter));
onClick('leave', () => {
  forget();
  fieldOf('who', 'token').value = '';
  begin({ site: '', token: '', by: '' });
});
onClick('upkeep', async () => {
  await admin('upkeep', { method: 'POST' });
  await showOverview();
  return 'Upkeep was done.';
});
for (const id of ['restore', 'loss-restore']) onClick(id, () => settle(false));
for (const id of ['accept', 'loss-accept']) onClick(id, () => settle(true));
byId('over').addEventListener('change', () => tell(showHistory));
onSubmit('revoke', (what) => revoke(what === 'dry'));
onSubmit('erase', () => eraseActor(boardsOf()));
onSubmit('alias', () => makeAlias(boardsOf(), textOf('alias', 'id'), textOf('alias', 'to')));

/** What is asked for only when somebody looks. @type {Record<string, () => Promise<unknown>>} */
const LAZY = { 'letters-part': showLetters, 'audit-part': showAudit, 'restore-part': showRestore };
for (const [id, look] of Object.entries(LAZY)) {
  const part = /** @type {HTMLDetailsElement} */ (byId(id));
  part.addEventListener('toggle', () => part.open && tell(() => look()));
  part.querySelector('.again')?.append(button('Look again', '', () => look()));
}

new ResizeObserver(redraw).observe(byId('shown'));
// The last message stays.
const look = () =>
  showOverview()
    .then(showHistory)
    .catch((error) => tell(() => Promise.reject(error)));
setInterval(() => !document.hidden && !byId('shown').hidden && look(), EVERY_MS);

const sites = document.documentElement.dataset.sites ?? '';
selectOf('who', 'site').replaceChildren(...sites.split(' ').map((site) => new Option(site)));
const before = kept();
if (before) {
  for (const name of ['site', 'token', 'by']) fieldOf('who', name).value = before[/** @type {'site'} */ (name)] ?? '';
  tell(enter);
}
