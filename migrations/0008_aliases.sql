-- Items that became others, each with the one that it is now. `state` is 'going' until all that they had is the other one's, then 'done'.
-- `made_at` is in Unix milliseconds.

CREATE TABLE IF NOT EXISTS aliases (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  PRIMARY KEY (site, id)
);

CREATE INDEX IF NOT EXISTS aliases_by_target ON aliases (site, target);

CREATE INDEX IF NOT EXISTS aliases_unsettled ON aliases (made_at) WHERE state <> 'done';
