/**
 * Every variable of a deployment besides its sites. docs/configuration/deployment.md explains them, `npm start -- --help` lists them, and `npm start`
 * takes them from the environment; a test compares these.
 *
 * @typedef {object} Variable
 * @property {string} name
 * @property {string} meaning of what `npm start` takes from the environment, for `--help`
 * @property {boolean} [isPerSite] NAME_SITE is the same for one site
 * @property {boolean} [isNumber] else it is text
 */

/** @type {readonly Variable[]} */
export const VARIABLES = [
  { name: 'REDIS_URL', meaning: 'use this Redis and start none' },
  { name: 'REDIS_TOKEN', meaning: 'the token that goes with an https:// REDIS_URL' },
  { name: 'REDIS_ADDRESS_MAP', meaning: 'where nodes of a cluster are reached that announce other addresses' },
  { name: 'REDIS_LOCKS', meaning: 'database, or keys: what a call to Upstash locks' },
  { name: 'REDIS_REPLICA_READS', meaning: 'what replicas of a cluster answer' },
  {
    name: 'WRITE_TOKEN',
    isPerSite: true,
    meaning: 'what servers show to send events; made up and printed when absent, never printed when given',
  },
  { name: 'ADMIN_TOKEN', isPerSite: true, meaning: 'what administrators show; likewise' },
  { name: 'METRICS_TOKEN', isPerSite: true, meaning: 'what reads metrics, and nothing else' },
  { name: 'ACTOR_SECRET', isPerSite: true, meaning: 'what signs the tokens of actors; likewise' },
  { name: 'VISITOR_SECRET', meaning: 'what visitors without an actor are keyed with' },
  { name: 'FORWARD_SECRET', meaning: 'what webhooks are signed with' },
  { name: 'SITES_SECRET', meaning: 'what the secrets of sites are derived from that are made at run time' },
  { name: 'ARCHIVE_REDIS_URL', meaning: 'another Redis, which keeps the archive instead of a bucket' },
  { name: 'ARCHIVE_REDIS_TOKEN', meaning: 'the token that goes with an https:// ARCHIVE_REDIS_URL' },
  { name: 'ANALYTICS_TOKEN', meaning: 'by which metrics over time are read' },
  { name: 'ANALYTICS_ACCOUNT', meaning: 'the account that these are of' },
  { name: 'ANALYTICS_DATASET', meaning: 'the dataset that these are in' },
  { name: 'ANALYTICS_API', meaning: "where Cloudflare's API is" },
  { name: 'BEACON_PATH', meaning: 'what the module, the beacon and the pixel are called besides beacon' },
  { name: 'LIVE_VIEWERS', isNumber: true, meaning: 'how many may watch one live ranking' },
  { name: 'QUEUE_RETENTION', meaning: 'for how long the queue keeps messages' },
  { name: 'KEY_PREFIX', meaning: 'what every key in Redis begins with' },
];

/** @param {string} name @returns {Variable | undefined} */
export function variableNamed(name) {
  const isOfSite = (/** @type {Variable} */ of) => of.isPerSite && new RegExp(`^${of.name}_[A-Z0-9_]+$`).test(name);
  return VARIABLES.find((variable) => variable.name === name || isOfSite(variable));
}

/** The variables as lines of `--help`. */
export function variableLines() {
  const width = Math.max(...VARIABLES.map(({ name }) => name.length));
  const line = (/** @type {string} */ name, /** @type {string} */ meaning) => `  ${name.padEnd(width)}  ${meaning}`;
  const ofSites = VARIABLES.filter(({ isPerSite }) => isPerSite).map(({ name }) => `${name}_SITE`);
  return [...VARIABLES.map(({ name, meaning }) => line(name, meaning)), `  ${ofSites.join('  ')}  the same for one site`].join('\n');
}
