/**
 * Which files of the ring `worker` a cluster cannot run, and why. They are run over one Redis alone.
 */

/** It compares the order of equal members, or of equal counts. Where homes give the order, views of a batch come before what can be undone. */
const ORDER = 'it compares the order of equal members or counts, which homes of actors may give otherwise within a batch';
/** The beginnings of paths below tests/worker/. @type {Record<string, string>} */
const REASONS = {
  'attacks.': 'the commands of one Redis are counted',
  'cache.': 'the commands of masters are counted, and a replica may answer of what is over',
  'counting/count.': ORDER,
  'erasure/erased': ORDER,
  'functions.': 'REPLICAOF is not for clusters, and the functions of one server are counted',
  'ingest/queue': 'it reads the dead letters of unknown sites by the key that one Redis has',
  'ingest/script-failed': 'a script that fails on a board leaves the event to its other boards, which is 504 and not 503',
  'items/alias.': 'one server is stopped, and all of Redis is to be out',
  'locks.': 'it is about servers that lock by key, which are no clusters',
  'revocation.': ORDER,
  'routes.': 'it compares digests of all that one server has',
  'ties.': ORDER,
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
