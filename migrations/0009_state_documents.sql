-- What is known beside Redis of a site's boards there, each as a JSON document: 'redis-marks' holds the number that each board had last, and the
-- loss that nobody has settled; 'BOARD/curation' who is hidden and pinned. `prefix` is the deployment's KEY_PREFIX. `revision` grows with each
-- write.

CREATE TABLE IF NOT EXISTS state_documents (
  prefix TEXT NOT NULL,
  site TEXT NOT NULL,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (prefix, site, name)
);
