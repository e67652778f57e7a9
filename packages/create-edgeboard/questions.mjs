/**
 * What is asked, with an answer for whoever has none, and what is allowed.
 */
export const RANKED = ['pages', 'products', 'players', 'members'];
/** The rule of the worker for names of sites, and that of Cloudflare for those of workers. */
const SITE = /^[a-z][a-z0-9-]{0,31}$/;
export const FOLDER = /^[a-z][a-z0-9-]{0,53}$/;

/**
 * @typedef {object} Question
 * @property {string} name of the option
 * @property {string} text
 * @property {string} usual
 * @property {string} allowed
 * @property {(answer: string) => boolean} isAllowed
 */

/** @type {Question[]} */
export const QUESTIONS = [
  {
    name: 'site',
    text: 'A name for your site',
    usual: 'blog',
    allowed: 'a lower-case letter, then up to 31 lower-case letters, digits and -',
    isAllowed: (answer) => SITE.test(answer),
  },
  {
    name: 'origin',
    text: 'Where its pages are',
    usual: 'https://example.com',
    allowed: 'an origin such as https://www.example.com, without a path',
    isAllowed: isOrigin,
  },
  {
    name: 'zone',
    text: 'The time zone of its days',
    usual: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
    allowed: 'an IANA name such as Europe/London',
    isAllowed: isZone,
  },
  {
    name: 'ranked',
    text: `What is ranked (${RANKED.join(', ')})`,
    usual: RANKED[0],
    allowed: RANKED.join(', '),
    isAllowed: (answer) => RANKED.includes(answer),
  },
];

/** @param {string} answer */
function isOrigin(answer) {
  return URL.canParse(answer) && /^https?:$/.test(new URL(answer).protocol) && new URL(answer).origin === answer;
}

/** @param {string} answer */
function isZone(answer) {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: answer })) && /^[A-Z]/.test(answer);
  } catch {
    return false;
  }
}
