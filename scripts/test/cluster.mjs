/**
 * Which files of the ring `worker` a cluster cannot run, and why. They are run over one Redis alone.
 */

/** A cluster refuses the configuration: what can be undone counts on one board there, without sections and the activity log. */
const REVERSIBLE = 'reversible actions count on several boards, or in the activity log';

/** The beginnings of paths below tests/worker/. @type {Record<string, string>} */
const REASONS = {
  'activity-log': REVERSIBLE,
  'activity/': REVERSIBLE,
  'actors/': REVERSIBLE,
  'api.': REVERSIBLE,
  'archive/export-actions': REVERSIBLE,
  'commands.': 'the commands of one Redis are counted, all of them',
  'connections.': 'a database is chosen, and connections to one server are counted',
  'cluster.': 'it has clusters of its own',
  'counting/count.': REVERSIBLE,
  'counting/refused': REVERSIBLE,
  'counting/sections': REVERSIBLE,
  'door/floods': REVERSIBLE,
  'erasure/': REVERSIBLE,
  'explain/calendar': REVERSIBLE,
  'explain/decaying': REVERSIBLE,
  'explain/members': REVERSIBLE,
  'functions.': REVERSIBLE,
  'ingest/grouped': REVERSIBLE,
  'ingest/letters-of-sites': REVERSIBLE,
  'ingest/outbox': REVERSIBLE,
  'ingest/queue': REVERSIBLE,
  'ingest/script-failed': REVERSIBLE,
  'ingest/sent-again': REVERSIBLE,
  'items/alias-facts': REVERSIBLE,
  'items/alias-kept': REVERSIBLE,
  'items/alias-killed': REVERSIBLE,
  'items/alias.': REVERSIBLE,
  'items/authors': REVERSIBLE,
  'items/moved': REVERSIBLE,
  'items/tallies': REVERSIBLE,
  'nulls.': REVERSIBLE,
  'reconfigured.': REVERSIBLE,
  'removal.': REVERSIBLE,
  'revocation.': REVERSIBLE,
  'rights.': 'it is about the rights that the user of one Redis needs',
  'routes.': REVERSIBLE,
  'seasons/counted': REVERSIBLE,
  'ties.': REVERSIBLE,
  'unconfigured.': REVERSIBLE,
  'undo/configurations': REVERSIBLE,
  'undo/removed': REVERSIBLE,
  'undo/seq': REVERSIBLE,
  'undo/stories': REVERSIBLE,
};

export const BEGINNINGS = Object.keys(REASONS).map((begins) => `tests/worker/${begins}`);

/** @param {string} path @returns {string | undefined} */
export function whyNoCluster(path) {
  const begins = Object.keys(REASONS).find((begins) => path.startsWith(`tests/worker/${begins}`));
  return begins && REASONS[begins];
}
