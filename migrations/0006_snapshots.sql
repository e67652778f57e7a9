-- What the current windows of boards showed, for when Redis cannot be asked. `page` is JSON: the period, and a list of [rank, id, score].
-- `taken_at` is in Unix milliseconds, by the edge's clock; of the empty window it is when the board's were begun to be taken.

CREATE TABLE IF NOT EXISTS snapshots (
  site TEXT NOT NULL,
  board TEXT NOT NULL,
  window_name TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  page TEXT NOT NULL,
  PRIMARY KEY (site, board, window_name)
);
