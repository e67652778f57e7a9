-- The best members of periods that are over, as they stood when the period was frozen. `entries` is a JSON list of [rank, id, score];
-- `starts_at`, `ends_at` and `next_at` are Unix seconds, `frozen_at` Unix milliseconds, all by the clock of Redis. `next_at` is when the
-- period ends that was the current one then.

CREATE TABLE IF NOT EXISTS history (
  site TEXT NOT NULL,
  board TEXT NOT NULL,
  window_name TEXT NOT NULL,
  period TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  frozen_at INTEGER NOT NULL,
  total INTEGER NOT NULL,
  entries TEXT NOT NULL,
  PRIMARY KEY (site, board, window_name, period)
);

CREATE INDEX IF NOT EXISTS history_by_start ON history (site, board, window_name, starts_at);
