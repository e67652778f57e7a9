-- Items that were deleted: they stay off the boards until they are described again. `state` is 'going' until they are off all boards,
-- then 'off'; it is 'returning' while they are let in again. `taken_at` is in Unix milliseconds.

CREATE TABLE IF NOT EXISTS taken_down (
  site TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  PRIMARY KEY (site, id)
);

CREATE INDEX IF NOT EXISTS taken_down_unsettled ON taken_down (taken_at) WHERE state <> 'off';
