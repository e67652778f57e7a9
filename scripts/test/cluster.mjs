/**
 * Which files of the ring `worker` a cluster cannot run, and why. They are run over one Redis alone.
 */

/** It compares the order of equal members of two ways of sending. Where homes give the order, views of a batch come before what can be undone. */
const ORDER = 'it compares the order of equal members, which homes of actors may give otherwise within a batch';
/** The refusal of what counts on several boards is gone, and it waits for its run. */
const NOT_RUN = 'it was not run with homes of actors yet';

/** The beginnings of paths below tests/worker/. @type {Record<string, string>} */
const REASONS = {
  'counting/count.': NOT_RUN,
  'counting/refused': NOT_RUN,
  'erasure/erased': ORDER,
  'erasure/meanwhile': NOT_RUN,
  'functions.': 'REPLICAOF is not for clusters, and the functions of one server are counted',
  'ingest/queue': 'it reads the dead letters of unknown sites by the key that one Redis has',
  'ingest/script-failed': NOT_RUN,
  'items/alias.': 'one server is stopped, and all of Redis is to be out',
  'revocation.': ORDER,
  'routes.': NOT_RUN,
  'seasons/counted': NOT_RUN,
  'ties.': NOT_RUN,
  'unconfigured.': NOT_RUN,
  'commands.': 'the commands of one Redis are counted, all of them',
  'connections.': 'a database is chosen, and connections to one server are counted',
  'cluster.': 'it has clusters of its own',
  'rights.': 'it is about the rights that the user of one Redis needs',
};

export const BEGINNINGS = Object.keys(REASONS).map((begins) => `tests/worker/${begins}`);

/** @param {string} path @returns {string | undefined} */
export function whyNoCluster(path) {
  const begins = Object.keys(REASONS).find((begins) => path.startsWith(`tests/worker/${begins}`));
  return begins && REASONS[begins];
}
