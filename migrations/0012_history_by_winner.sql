-- With all that a list of periods shows, so that a list parses no entries.

CREATE INDEX IF NOT EXISTS history_by_winner
  ON history (site, board, window_name, starts_at, early, period, ends_at, frozen_at, total, revision, winner);

DROP INDEX IF EXISTS history_by_start;
