-- All members of the current windows of boards with snapshot = "all", in pages. They are those of the snapshot with the same `taken_at`;
-- others are of a run that has not ended. `begins_at` is how many members stand before the page, `members` JSON: a list of
-- [rank, id, score, what stands beside it].

CREATE TABLE IF NOT EXISTS snapshot_pages (
  site TEXT NOT NULL,
  board TEXT NOT NULL,
  window_name TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  begins_at INTEGER NOT NULL,
  members TEXT NOT NULL,
  PRIMARY KEY (site, board, window_name, taken_at, begins_at)
);
