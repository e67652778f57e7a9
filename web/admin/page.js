/** The parts of the page, and how new ones are made. Nothing here is ever read as HTML. */

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** @param {string} id */
export const formOf = (id) => /** @type {HTMLFormElement} */ (byId(id));

/** A field of a form. Selects have what is asked of it here as well. @param {string} form @param {string} name */
export const fieldOf = (form, name) => /** @type {HTMLInputElement} */ (formOf(form).elements.namedItem(name));

/** @param {string} form @param {string} name */
export const selectOf = (form, name) => /** @type {HTMLSelectElement} */ (formOf(form).elements.namedItem(name));

/** What is written into a field, as it is: ids may begin and end with space. @param {string} form @param {string} name */
export const textOf = (form, name) => fieldOf(form, name).value;

/**
 * @param {string} tag
 * @param {string} [text]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(tag, text = '', ...children) {
  const made = document.createElement(tag);
  made.textContent = text;
  made.append(...children);
  return made;
}

/** @param {string} name @param {...(Node | string)} cells */
export function row(name, ...cells) {
  const head = element('th', name);
  head.setAttribute('scope', 'row');
  return element('tr', '', head, ...cells.map((cell) => element('td', '', cell)));
}

/**
 * A button that does something with what stands beside it.
 *
 * @param {string} text
 * @param {string} of whom, for who does not see the row
 * @param {() => unknown} work
 */
export function button(text, of, work) {
  const made = /** @type {HTMLButtonElement} */ (element('button', text));
  made.type = 'button';
  if (of) made.setAttribute('aria-label', `${text} ${of}`);
  made.addEventListener('click', () => tell(work));
  return made;
}

/** The choices of a select; what was chosen stays, where it still can. @param {HTMLSelectElement} select @param {string[]} names */
export function offer(select, names) {
  const { value } = select;
  select.replaceChildren(...names.map((name) => new Option(name)));
  if (names.includes(value)) select.value = value;
}

/** An answer for a session that is over: it is not shown. */
export class Dropped extends Error {}

/** @param {string} text */
export function say(text) {
  byId('status').textContent = text;
}

/** Does something, and tells what became of it. @param {() => unknown} work @param {string} [done] */
export async function tell(work, done = '') {
  try {
    const message = await work();
    say(typeof message === 'string' ? message : done);
  } catch (error) {
    if (!(error instanceof Dropped)) say(error.message);
  }
}

/** @param {string} form @param {(submitter: string) => unknown} work what the form's button says */
export function onSubmit(form, work) {
  formOf(form).addEventListener('submit', (event) => {
    event.preventDefault();
    const submitter = /** @type {HTMLButtonElement | null} */ (event.submitter);
    tell(() => work(submitter?.value ?? ''));
  });
}

/** @param {string} id @param {() => unknown} work */
export const onClick = (id, work) => byId(id).addEventListener('click', () => tell(work));

/** Of an instant of the API. @param {string | null | undefined} at */
export const shown = (at) => (at ? `${at.slice(0, 19).replace('T', ' ')} UTC` : '–');

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString()} ${count === 1 ? one : many}`;
