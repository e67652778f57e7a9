-- The totals of members, as they are handed on: those of boards with `totals` to this database. `actions` is a JSON object of counts by
-- action, where the board keeps them. `updated_at` is in Unix milliseconds, by the clock of Redis.

CREATE TABLE IF NOT EXISTS totals (
  site TEXT NOT NULL,
  board TEXT NOT NULL,
  window_name TEXT NOT NULL,
  period TEXT NOT NULL,
  member TEXT NOT NULL,
  score REAL NOT NULL,
  actions TEXT,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (site, board, window_name, period, member)
);

-- The last chunk of them that was written: one that is older is written no more.
CREATE TABLE IF NOT EXISTS totals_runs (
  site TEXT NOT NULL,
  board TEXT NOT NULL,
  window_name TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (site, board, window_name)
);
