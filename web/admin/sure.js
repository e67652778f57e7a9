/** Asks before what cannot be taken back. */
import { byId, fieldOf, formOf } from './page.js';
import { onBegin } from './session.js';

const dialog = () => /** @type {HTMLDialogElement} */ (byId('sure'));

/** The message where somebody thought better of it. */
const NOTHING = 'Nothing was done.';

/**
 * Does something after somebody agreed.
 *
 * @param {object} question
 * @param {string} question.what what its button says
 * @param {string} question.text what becomes of whom
 * @param {string} [question.name] is to be typed first
 * @param {() => unknown} work
 */
export async function whenSure({ what, text, name }, work) {
  byId('sure-what').textContent = what;
  byId('sure-text').textContent = text;
  const [typed, go] = [fieldOf('sure-form', 'typed'), /** @type {HTMLButtonElement} */ (byId('sure-go'))];
  typed.value = '';
  go.textContent = what;
  byId('sure-name').textContent = name ?? '';
  byId('sure-typed').hidden = name === undefined;
  const check = () => (go.disabled = name !== undefined && typed.value !== name);
  typed.oninput = check;
  check();
  const isSure = await new Promise((resolve) => {
    dialog().returnValue = '';
    dialog().onclose = () => resolve(dialog().returnValue === 'go');
    dialog().showModal();
    (name === undefined ? byId('sure-not') : typed).focus();
  });
  return isSure ? work() : NOTHING;
}

// Enter does nothing while the name is not typed: a button that is disabled submits nothing.
formOf('sure-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const submitter = /** @type {HTMLButtonElement | null} */ (event.submitter);
  dialog().close(submitter?.value ?? '');
});
byId('sure-not').addEventListener('click', () => dialog().close());
onBegin(() => dialog().close());
